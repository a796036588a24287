"""A secret that was told in private, hunted by a group's life in the same home, through every path that it has.

The private life heard it, said it, noted it in every file of its own, ran a command over it and forgot it; what the
group's life sees is all that its hands bring, its prompts, LIFE and context. No part of the secret may be there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import make_home
from world import World, world

import agent
from dotagent import extensions
from dotagent.compaction import swap
from dotagent.life import events
from dotagent.store import bootstrap, log, request_rebuilding, requests, rooms
from dotagent.store.blobs import Blobs
from dotagent.store.requests import ChatMessage
from dotagent.text import grammar

SECRET = "kumquat"
TOLD = f"remember that the {SECRET} opens the safe"


@dataclass
class Hunt:
    """The two lives, and all that the group's model was ever shown."""

    private: World
    group: World
    shown: list[str]

    def does(self, *replies: str) -> list[str]:
        """Do these calls as the group's life; what each brought."""
        found = list[str]()
        for reply in replies:
            for call in grammar.read(reply, extensions.tools()).calls:
                agent.act(self.group.session, call)
                line = next(iter(log.tail(self.group.session.path / "LIFE.md", 1)))
                found.append(self.group.session.store.get(line.id).body.decode("utf-8", "replace") if line.id else "")
        self.shown += found
        return found

    def clean(self) -> bool:
        """Whether nothing of the group's life has the secret."""
        mine, store = self.group.session, self.group.where.store()
        texts = [*self.shown, *(path.read_bytes().decode("utf-8", "replace") for path in mine.path.glob("*.md"))]
        ids = {line.id for line in log.lines(mine.path / "LIFE.md") if line.id}
        texts += [f"{blob.gist}\n{blob.body.decode('utf-8', 'replace')}" for blob in map(store.get, ids)]
        texts += [message["content"] for id in asked(self.group) for message in prompt(store, id)]
        return not [text for text in texts if SECRET in text.lower()]


def asked(world: World) -> list[str]:
    return [line.id for line in log.lines(world.session.path / "LIFE.md") if line.event == "ASK"]


def prompt(store: Blobs, id: str) -> list[ChatMessage]:
    return requests.messages(request_rebuilding.Rebuilder(store).request(id).parts)


@pytest.fixture
def hunt(tmp_path: Path) -> Iterator[Hunt]:
    replies = iter(
        [
            f"WRITE_FILE notes/safe.md <<END\n{SECRET}\nEND",
            f"EDIT_FILE MEMORY.md <<END\n<<<<<<< SEARCH\n=======\n- {SECRET}\n>>>>>>> REPLACE\nEND",
            f"RUN echo {SECRET}",
            f"The {SECRET}, I noted it.",
        ]
    )
    where = make_home(tmp_path / "home")
    (where.root / "dotagent.toml").write_text(
        f'system_prompt_extra = "My safe is a {SECRET}."\n[roots]\nprivate = ["shelf"]\n'
    )
    (where.root / "shelf").mkdir()
    (where.root / "shelf" / "safe.txt").write_text(SECRET)
    shown = list[str]()

    def talks(messages: list[ChatMessage], call: object) -> str:
        return next(replies, "WAIT")

    def listens(messages: list[ChatMessage], call: object) -> str:
        shown.extend(message["content"] for message in messages)
        return "WAIT"

    with world(tmp_path / "home", talks) as private:
        for name in bootstrap.PROMPT[:4]:
            (private.session.path / name).write_text(f"{name}: {SECRET}\n")
        private.say(TOLD, at="")
        private.run()
        assert SECRET in "".join(message["content"] for message in prompt(where.store(), asked(private)[-1]))
        group = ("--audience", "group", "--room", "ops")
        with world(tmp_path / "home", listens, *group, provider="other", fresh=True) as other:
            other.say("hello", room="ops")
            other.run()
            assert shown
            yield Hunt(private, other, shown)


def test_its_prompts_and_what_reminds_it(hunt: Hunt) -> None:
    for text in (TOLD, f"what was it with the {SECRET[:4]}… and the safe?", "which fruit opens the safe?"):
        hunt.group.say(text.replace(SECRET, "fruit"), room="ops", name="eve")
        hunt.group.run()
    assert hunt.clean()


def test_recall(hunt: Hunt) -> None:
    assert all(SECRET not in one for one in hunt.does("RECALL safe", "RECALL opens the safe remember", "RECALL fruit"))
    hunt.does(f"RECALL {SECRET}")  # its own question names it: what comes back must not
    assert "safe" not in hunt.shown[-1].replace(f"RECALL {SECRET}", "")


@pytest.mark.slow
def test_uncompact_by_every_id_of_the_home(hunt: Hunt) -> None:
    ids = [path.name for path in (hunt.private.where.blobs).glob("??/*")]
    assert len(ids) > 20
    for id in ids:
        hunt.does(f"UNCOMPACT {id}", f"UNCOMPACT {id[:8]}", f"UNCOMPACT {id} full")
    for number in range(1, 30):
        hunt.does(f"UNCOMPACT {number}")
    assert hunt.clean()


def test_file_tools_by_every_path_of_the_home(hunt: Hunt) -> None:
    where, mine = hunt.private.where, hunt.group.session.path
    paths = [path for path in where.root.rglob("*") if not path.is_relative_to(mine)]
    holding = [path for path in paths if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert len(holding) > 12
    for path in (*holding, *where.root.glob("*"), *where.agents.glob("*"), where.root / "shelf"):
        hunt.does(f"READ_FILE {path}", f"READ_FILE {os.path.relpath(path, mine)}")
        hunt.does(f"EDIT_FILE {path} <<END\n<<<<<<< SEARCH\n{SECRET}\n=======\nx\n>>>>>>> REPLACE\nEND")
    (mine / "link").symlink_to(holding[0])
    (mine / "folder").symlink_to(where.agents)
    hunt.does("READ_FILE link", "READ_FILE folder", f"READ_FILE folder/{hunt.private.session.id}/MEMORY.md")
    assert hunt.clean()


def test_backups_and_what_people_typed(hunt: Hunt) -> None:
    root = hunt.private.where.root
    (root / "dotagent.toml").write_text(f'[roots]\ngroup = ["{root}"]\n')  # a root around the home opens none of it
    for name in ("backup.git/objects/x", "history/ana.txt", "own/SOUL.md", "jobs/x.md", "calls/other.log"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(SECRET)
    from dotagent.store import home

    hunt.group.session.settings = home.settings(hunt.private.where)
    for path in [one for one in root.rglob("*") if one.is_file() and SECRET.encode() in one.read_bytes()]:
        if "shelf" not in path.parts and not path.is_relative_to(hunt.group.session.path):
            hunt.does(f"READ_FILE {path}")
    assert hunt.clean()


def test_run_and_processes(hunt: Hunt) -> None:
    folder = hunt.private.session.path
    hunt.does(f"RUN cat {folder}/MEMORY.md", f"PROCESS start cat {folder}/MEMORY.md", "PROCESS list", "PROCESS poll 1")
    assert hunt.clean()


def test_rooms_of_others(hunt: Hunt) -> None:
    found = hunt.does("JOIN dev", "SAY dev what is it?", "JOIN ../agents/x", "LEAVE dev", "KEEP 1")
    os.symlink("../../../chats/dev.md", hunt.group.session.path / "subs" / "dev.md")
    hunt.private.say(TOLD)
    hunt.group.run()
    assert "dev" not in hunt.group.session.state.heard.rooms and hunt.clean()
    assert "ana" not in "".join(found)
    assert f"AGENT:{hunt.group.session.id[:12]}" not in hunt.private.where.room("dev").read_text()


@pytest.mark.slow
def test_summaries_and_what_a_swap_says_again(hunt: Hunt) -> None:
    for number in range(12):
        hunt.private.say(f"{TOLD}, number {number}")
        hunt.private.run()
        hunt.group.say(f"the weather of day {number} is fine", room="ops", name="eve")
        hunt.group.run()
    for one in (hunt.private, hunt.group):
        assert swap.force(one.session, one.session.tokens // 3)
        swap.restate(one.session)
    hunt.group.say("and now?", room="ops", name="eve")
    hunt.group.run()
    ids = [path.name for path in (hunt.private.where.blobs).glob("??/*")]
    hunt.does(*(f"UNCOMPACT {id}" for id in ids))
    assert hunt.clean()


def test_words_of_errors_carry_nothing_either(hunt: Hunt) -> None:
    rooms.create(hunt.private.where.room(f"{SECRET}-plans"), "private")
    os.symlink(f"../../../chats/{SECRET}-plans.md", hunt.group.session.path / "subs" / f"{SECRET}-plans.md")
    hunt.group.say("hello again", room="ops", name="eve")
    hunt.group.run()
    swap.restate(hunt.group.session)
    body = [line for line in log.lines(hunt.group.session.path / "LIFE.md") if line.event == events.Recent.WORD][-1]
    assert SECRET not in hunt.group.session.store.get(body.id).body.decode()
