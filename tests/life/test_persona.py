"""Who a life is: its bootstrap files and SOUL in prompts, versions, what is cut, what costs nothing, who sees what."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import make_home, noted
from world import World, events, impatient, world

from dotagent.life import persona
from dotagent.life.replay import derive
from dotagent.life.state import State
from dotagent.store import bootstrap, home, log
from dotagent.store.home import Settings
from dotagent.store.requests import ChatMessage

Seen = list[list[ChatMessage]]


@pytest.fixture
def seen() -> Seen:
    return []


@pytest.fixture
def here(tmp_path: Path, seen: Seen) -> Iterator[World]:
    with lived(tmp_path, seen) as there:
        yield there


def lived(path: Path, seen: Seen, *words: str):  # type: ignore[no-untyped-def]
    def model(messages: list[ChatMessage], call: object) -> str:
        seen.append(list(messages))
        return "WAIT"

    return world(path / "home", model, *words)


def prompt(here: World, seen: Seen, text: str = "hello", room: str = "dev") -> str:
    """The head of the prompt of one more turn."""
    here.say(text, room=room)
    here.run()
    return "\n\n".join(one["content"] for one in seen[-1] if one["role"] == "system")


def test_a_new_agent_has_all_files_and_is_shown_only_what_says_something(here: World, seen: Seen) -> None:
    for name in bootstrap.ALL:
        path = here.session.path / name
        assert path.stat().st_mode & 0o777 == 0o600 and path.read_bytes().strip()
    head = prompt(here, seen)
    assert "UNCOMPACT before you answer" in head and "Your first conversation" in head
    for hidden in ("# IDENTITY", "# USER", "# TOOLS", "HEARTBEAT", "# BOOT\n", "Creature"):
        assert hidden not in head
    known = [one for one in events(here, "PAPER") if one.split()[1] in bootstrap.ALL]
    assert known == ["PAPER AGENTS.md", "PAPER BOOTSTRAP.md"]


def test_files_stand_in_a_fixed_order_after_soul_and_are_heard_at_the_next_turn(here: World, seen: Seen) -> None:
    prompt(here, seen)
    for name in reversed(bootstrap.PROMPT):
        (here.session.path / name).write_text(f"word-of-{name}\n")
    head = prompt(here, seen)
    places = [head.index(f"word-of-{name}") for name in bootstrap.PROMPT]
    assert places == sorted(places) and head.index("# SOUL") < head.index("# How you live") < places[0]
    assert head.count("word-of-USER.md") == 1


def test_each_version_has_the_one_before_as_parent_and_the_first_soul_that_of_the_birth(
    here: World, seen: Seen
) -> None:
    for text in ("one", "two", "two", "three"):
        for name in ("USER.md", "SOUL.md"):
            (here.session.path / name).write_text(f"{text}\n")
        prompt(here, seen)
    for name, first in (("USER.md", ""), ("SOUL.md", here.session.id)):
        id, chain = here.session.state.heard.documents[name], list[bytes]()
        while id and id != here.session.id:
            blob = here.session.store.get(id)
            chain.append(blob.body)
            id = blob.parent
        assert chain == [b"three\n", b"two\n", b"one\n"] and id == first


def test_unchanged_files_cost_no_event_and_no_byte_of_the_prefix(here: World, seen: Seen) -> None:
    (here.session.path / "USER.md").write_text("- **Name:** Ana\n")
    prompt(here, seen)
    before, number = seen[-1], len(events(here, "PAPER"))
    prompt(here, seen)
    assert seen[-1][: len(before)] == before and len(events(here, "PAPER")) == number
    with noted("open") as files:
        here.me.documents.read()
    assert len(files) < 64, files  # 41 just after a change, 17 later; no number that grows with the life
    last = here.session.store.get(asked(here)[-1])
    assert last.parent == asked(here)[-2] and events(here, "PAPER")[-1] == "PAPER USER.md"


def asked(here: World) -> list[str]:
    return [line.id for line in log.lines(here.session.path / "LIFE.md") if line.event == "ASK"]


def test_the_prompt_command_and_a_resumption_show_the_same_bytes(tmp_path: Path, here: World, seen: Seen) -> None:
    (here.session.path / "TOOLS.md").write_text("The printer is called Ozzy.\n")
    head = prompt(here, seen)
    view = derive(here.where, here.session.id, here.session.settings.context_limit)
    from dotagent import tools

    facts = tools.facts(here.session)
    parts = persona.head(here.where, here.session.id, view.state, facts, here.session.settings)
    assert "\n\n".join(part.text for part in parts if part.role == "system") == head


def test_a_persons_soul_holds_from_the_next_turn_and_over_a_resumption(tmp_path: Path, seen: Seen) -> None:
    with lived(tmp_path, seen) as here:
        born = here.session.id
        assert "You are a personal assistant" in prompt(here, seen)
        (here.session.path / "SOUL.md").write_text("You are a pirate.\n")
        head = prompt(here, seen)
        assert head.startswith("You are a pirate.") and "personal assistant" not in head
        assert [line.gist for line in log.lines(here.session.path / "LIFE.md") if line.detail == "SOUL.md"] == [
            "SOUL.md, as a person edited it"
        ]
        (here.session.path / "SOUL.md").write_text(" \n")
        assert prompt(here, seen).startswith("You are a pirate.")
        assert any("SOUL.md is empty" in one for one in events(here, "ERROR"))
        (here.session.path / "SOUL.md").unlink()
        assert prompt(here, seen).startswith("You are a pirate.")
    with lived(tmp_path, seen) as here:
        assert here.session.id == born and prompt(here, seen).startswith("You are a pirate.")


def test_a_missing_file_is_one_line_and_setup_brings_it_back(here: World, seen: Seen) -> None:
    (here.session.path / "USER.md").unlink()
    (here.session.path / "TOOLS.md").write_text("Ozzy prints.\n")
    head = prompt(here, seen)
    assert [line for line in head.split("\n") if "USER.md" in line and "missing" in line]
    (here.session.path / "TOOLS.md").unlink()
    head = prompt(here, seen)
    assert "Ozzy" not in head and "TOOLS.md: (missing" in head
    made = list(bootstrap.seed(here.session.path, here.session.state.audience, "soul"))
    assert sorted(made) == ["TOOLS.md", "USER.md"]
    assert "missing" not in prompt(here, seen)


def test_the_first_conversations_file_is_gone_for_good_once_it_is_emptied(tmp_path: Path, seen: Seen) -> None:
    replies = iter(["WRITE_FILE BOOTSTRAP.md <<END\nEND", "Done.", "WAIT", "WAIT"])

    def model(messages: list[ChatMessage], call: object) -> str:
        seen.append(list(messages))
        return next(replies)

    with world(tmp_path / "home", model) as here:
        assert "Your first conversation" in prompt(here, seen, "I am Ana. Be Bob.") or len(seen) > 1
        assert "Your first conversation" in seen[0][0]["content"]
        assert "Your first conversation" not in prompt(here, seen)
        assert not (here.session.path / "BOOTSTRAP.md").exists()
        assert not list(bootstrap.seed(here.session.path, here.session.state.audience, "soul"))
        assert "BOOTSTRAP" not in prompt(here, seen)


def test_an_agent_of_an_earlier_version_gets_files_only_by_setup(tmp_path: Path, seen: Seen) -> None:
    with lived(tmp_path, seen) as here:
        self_id = here.session.id
        folder = here.session.path
    text = (folder / "LIFE.md").read_bytes().split(b"\n")
    (folder / "LIFE.md").write_bytes(
        b"\n".join(one for one in text if b"AGENTS" not in one and b"BOOTSTRAP" not in one)
    )
    for name in bootstrap.ALL:
        (folder / name).unlink()
    with lived(tmp_path, seen) as here:
        assert here.session.id == self_id
        head = prompt(here, seen)
        assert "missing" not in head and "UNCOMPACT before" not in head and head.startswith("# SOUL")
        list(bootstrap.seed(folder, here.session.state.audience, persona.soul(here.session.store, self_id, State())))
        assert "UNCOMPACT before" in prompt(here, seen)
        assert not (folder / "BOOTSTRAP.md").exists()


def test_too_long_a_file_is_cut_around_a_mark_and_said(here: World, seen: Seen) -> None:
    (here.session.path / "USER.md").write_text("BEGIN" + "x" * 24_990 + "FINIS\n")
    head = prompt(here, seen)
    shown = head[head.index("BEGIN") : head.index("FINIS") + 5]
    assert shown.startswith("BEGIN" + "x" * 13_995 + "\n\n[… USER.md has 25,000 characters; its first")
    assert shown.endswith("x" * 3_995 + "FINIS") and 18_000 < len(shown) < 18_200
    told = [one for one in events(here, "ERROR") if "USER.md has 25,000 characters" in one]
    prompt(here, seen)
    assert len(told) == 1 == len([one for one in events(here, "ERROR") if "USER.md" in one])


@given(
    st.dictionaries(st.sampled_from(bootstrap.PROMPT), st.text(max_size=3000), min_size=1),
    st.integers(200, 2500),
    st.integers(1000, 9000),
)
def test_all_that_is_shown_fits_its_share(found: dict[str, str], most: int, limit: int) -> None:
    settings = Settings(bootstrap_max_chars=most, context_limit=limit)
    given_ = persona.shares(found, State(), settings)
    assert all(given_[name] <= most for name in found) and sum(given_.values()) <= max(limit, 200 * len(found))
    for name, text in found.items():
        shown = persona.cut(name, text, given_[name])
        assert len(shown) <= given_[name] + 200 and (shown == text or len(text) > given_[name])


def test_a_persons_own_words_stand_where_they_say(tmp_path: Path, seen: Seen) -> None:
    where = make_home(tmp_path / "home")
    (where.root / "dotagent.toml").write_text('[system_prompt_extra]\nprivate = "Say Sie."\ngroup = "Say Du."\n')
    with lived(tmp_path, seen) as here:
        head = prompt(here, seen)
        assert head.endswith("Say Sie.") and "Say Du." not in head
    (where.root / "dotagent.toml").write_text('system_prompt_extra = "Say Ihr."\n')
    with lived(tmp_path, seen) as here:
        assert prompt(here, seen).endswith("Say Ihr.")
    (where.root / "dotagent.toml").write_text("")
    with lived(tmp_path, seen) as here:
        assert "Say" not in prompt(here, seen).partition("# AGENTS")[2].replace("Say that", "")


def test_an_agents_directory_alone_in_an_empty_home_goes_on_with_its_soul(tmp_path: Path, seen: Seen) -> None:
    with lived(tmp_path, seen) as here:
        (here.session.path / "SOUL.md").write_text("You are a pirate.\n")
        prompt(here, seen)
        self_id, folder = here.session.id, here.session.path
    there = make_home(tmp_path / "other")
    home.prepare(there)
    shutil.copytree(folder, there.agent(self_id), symlinks=True)
    (tmp_path / "away").mkdir()
    os.rename(tmp_path / "home", tmp_path / "away" / "home")
    os.rename(there.root, tmp_path / "home")
    with lived(tmp_path, seen) as here:
        assert here.session.id == self_id and here.session.state.audience == "private ana"
        number = len(seen)
        with impatient(here, still=0, unfinished=0):  # the room is another one
            here.run()
            head = prompt(here, seen)
        assert head.startswith("You are a pirate.") and len(seen) == number + 1


@pytest.mark.parametrize(
    ("audience", "name", "hidden", "persons"),
    [
        ("private ana", "USER.md", False, False),
        ("private ana", "SOUL.md", False, True),
        ("private ana", "SOUL_EVIL.md", False, True),
        ("private ana", "notes/USER.md", False, False),
        ("group", "user.md", True, True),
        ("group", "BOOTSTRAP.md", True, True),
        ("group", "AGENTS.md", False, True),
        ("group", "MEMORY.md", False, False),
        ("helper", "MEMORY.md", True, False),
        ("helper", "memory/2026-11-22.md", True, False),
        ("helper", "IDENTITY.md", True, True),
        ("helper", "AGENTS.md", False, True),
        ("whoever", "USER.md", True, True),
        ("whoever", "MEMORY.md", True, False),
    ],
)
def test_who_may_see_and_write_what(audience: str, name: str, hidden: bool, persons: bool) -> None:
    assert bootstrap.is_hidden(audience, name) == hidden
    assert bootstrap.is_persons(audience, name) == persons


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_files_in_another_encoding_are_shown_as_their_words(here: World, seen: Seen, form: str) -> None:
    for name in ("SOUL.md", "USER.md", "MEMORY.md"):
        (here.session.path / name).write_bytes(f"The café of Zoë is in {name}.\r\n".encode(form))
    prompt(here, seen)
    shown = "\n".join(one["content"] for one in seen[-1])
    for name in ("SOUL.md", "USER.md", "MEMORY.md"):
        assert f"The café of Zoë is in {name}." in shown
    number = len(events(here, "PAPER"))
    prompt(here, seen)
    assert len(events(here, "PAPER")) == number
