"""A secret of each kind, planted in a life that hears it, notes it, says it, sums it up and searches for it: it is in
the room where it was said, in blobs and in what shows the context now, and in nothing that is kept as memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted import PLANTED, said
from world import World, world

from dotagent.capabilities.learning import dream, review
from dotagent.doctor import blobs as checks
from dotagent.project import build, place, render, working
from dotagent.search.feed import Feed
from dotagent.search.note_search import Written
from dotagent.store import home, log
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

ALL = "\n".join(map(said, PLANTED))
EDIT = "EDIT_FILE {} <<END\n<<<<<<< SEARCH\n=======\n{}\n>>>>>>> REPLACE\nEND"


def model(messages: list[ChatMessage], call: Call) -> str:
    if "SUMMARISE the entries" in messages[-1]["content"]:
        return f"relevance: 3\ngist: {said('password')}\n{ALL}"
    if call.kind != "live":
        return "nothing of the form"
    last = messages[-1]["content"]
    told = next((one for one in map(said, PLANTED) if one.split("\n")[0] in last), "")
    if not told or "NOTE" in last.rpartition("\n\n#")[2]:
        return "SAY dev so it is"
    line = " ".join(told.split())
    files = "\n".join(EDIT.format(name, told) for name in ("MEMORY.md", "USER.md"))
    return f"NOTE {line}\nREMEMBER {line}\n{files}\nSAY dev done"


def told(here: World, kind: str) -> None:
    here.say(said(kind).replace("\n", "\n  "))
    here.run()


@pytest.mark.night
def test_a_planted_secret_of_each_kind_is_in_no_memory(tmp_path: Path) -> None:
    home.prepare(home.Home(tmp_path))
    (tmp_path / "dotagent.toml").write_text("context_limit = 8000\n")
    with world(tmp_path, model) as here:
        for kind in PLANTED:
            told(here, kind)
        here.me.compactor.whole.wish.write_bytes(b"")
        for number in range(6):
            here.say(f"{number}: what is the password, and the card number?")
            here.run()
        here.me.compactor.force(here.session.tokens // 3)
        feed = Feed(here.session.path, here.session.store, "ana")
        found = feed.search("password hunter2 card number", 20)
        feed.close()
        assert any("[masked: password]" in hit.turn.text for hit in found)
        here.run()
        life = list(log.lines(here.session.path / "LIFE.md"))
        summaries = [
            line.id for line in life if line.event in ("SUMMARY", "FADE", "DAILY", "PAPER", "STANDS", "CHUNKS")
        ]
        kept = [path for path in here.session.path.rglob("*") if path.is_file() and not path.is_symlink()]
        kept = [path for path in kept if not path.name.startswith("context.")]
        texts = {str(path): path.read_bytes().decode("utf-8", "replace") for path in kept}
        store = here.session.store
        texts |= {id: store.get(id).body.decode("utf-8", "replace") for id in summaries if id}
        texts |= {
            path.name: path.read_bytes().partition(b"\n---\n")[0].decode() for path in here.where.blobs.glob("*/*")
        }
    leaks = [(kind, where) for kind, secret in PLANTED.items() for where, text in texts.items()
             if any(line in text for line in secret.split("\n") if "-----" not in line)]  # fmt: skip
    assert leaks == []
    assert "[masked: card number]" in texts[str(here.session.path / "MEMORY.md")]
    flagged = [one.what for one in checks.check_named(store, life, "LIFE.md") if "seems to contain" in one.what]
    assert len(flagged) >= 8


@pytest.mark.night
def test_a_planted_secret_of_each_kind_is_in_no_other_file_of_a_home_or_project(tmp_path: Path) -> None:
    """In a life that dreams, is asked by commands and works in a project: only the room, blobs and context have it."""
    home.prepare(home.Home(tmp_path / "home"))
    (tmp_path / "home/dotagent.toml").write_text('context_limit = 8000\nowner = "ana"\ngraduate = true\n')
    app = place.make(str(tmp_path / "app"))
    with world(tmp_path / "home", model, "--audience", "private ana") as here:
        for day in (1, 2, 3):
            for kind in PLANTED:
                for words in (said(kind).split("\n")[0], f"Always remember: {said(kind)}".replace("\n", "\n  ")):
                    here.say(words, at=f"2026-11-0{day}T10:00:00Z")
                    here.run()
                told_there = {"kind": "decision", "summary": said(kind), "session": f"s{day}", "actor": "ana"}
                more = {"files": [f"src/{said(kind)}"], "tool": said(kind), "branch": said(kind)}
                working.observe(app, {**told_there, **more})
        dream.dream_of_agent(here.where, here.session.id, "ana")
        for one in dream.dream_of_project(app, "ana").new:
            review.graduate(dream.memories(app, "ana"), one, said("password"))
        for mine in review.waiting(dream.memories_of(here.where, here.session.id, "ana")):
            review.reject(dream.memories_of(here.where, here.session.id, "ana"), mine, said("card number"))
        here.me.compactor.force(here.session.tokens // 3)
        here.say("and now?")
        here.run()
        for folder in (app.root, here.where.root):
            list(render.write(app.root, build.build(app, "ana")))
            Written(here.session.path).search("password", 5)
            texts = {path.relative_to(tmp_path): path.read_bytes().decode("utf-8", "replace")
                     for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}  # fmt: skip
            texts = {path: text for path, text in texts.items()
                     if path.parts[1] not in ("blobs", "chats") and not path.name.startswith("context.")}  # fmt: skip
            leaks = {(kind, str(path)) for kind, secret in PLANTED.items() for path, text in texts.items()
                     if any(line in text for line in secret.split("\n") if "-----" not in line)}  # fmt: skip
            assert leaks == set() and len(texts) > 5
