"""What the acceptance tests of neoneye/agent-memory-atlas (`.agents/protocol/tests.yaml`) ask of deletion, each under
its id there and with its positive control: what was not deleted is still found by the same probes.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from lives import good, living
from support import run
from unforgotten import forget, traces
from world import World, offline, said, world

from dotagent.erasure import ledger
from dotagent.life import events, replay
from dotagent.search.feed import Feed
from dotagent.search.note_search import Written
from dotagent.store import home, log
from dotagent.store.blobs import BlobMissing
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

FACT = "Ottilie keeps her spare passport in the piano stool"
SIBLING = "Ottilie keeps her violin in the wardrobe"
ASKED = f"forget that {FACT}"


def lived(path: Path) -> Home:
    with world(path, offline) as it:
        for words in (f"{FACT}.", f"{SIBLING}.", f"remember that {FACT}", f"remember that {SIBLING}", "Where is it?"):
            it.say(words)
            it.run()
        return it.where


def probes(where: Home, words: str) -> dict[str, bool]:
    """By each path that could bring it back, whether these words come."""
    me = home.lives(where)[0]
    feed, notes = Feed(where.agent(me), where.store(), "ana"), Written(where.agent(me))
    told = {
        "recall": any(words in hit.turn.text for hit in feed.search(words, 10)),
        "notes": any(words in hit.turn.text for hit in notes.search(words, 10)),
        "context": any(words.encode() in (one.content or b"") for one in replay.derive(where, me, 64_000).entries),
        "memory": words in (where.agent(me) / "MEMORY.md").read_text(),
        "room": words in (where.chats / "dev.md").read_text(),
        "blobs": any(path.startswith("blobs/") for path in traces(where.root, words)),
    }
    feed.close()
    notes.close()
    return told


@pytest.mark.slow
def test_deletion_absent_after_reindex_and_restart(tmp_path: Path) -> None:
    where = lived(tmp_path / "home")
    me = home.lives(where)[0]
    assert all(probes(where, FACT).values()) and all(probes(where, SIBLING).values())
    forget(where, ASKED)
    for what in (("memory", "reindex"), ("memory", "status", "--deep"), ("backup", str(tmp_path / "all.tar.zst"))):
        assert run(where, "-m", "dotagent", *what).returncode == 0
    with world(where.root, offline) as it:
        it.say("Where does Ottilie keep her spare passport?")
        it.run()
        assert "piano" not in said(where)[-1]
        it.say("Where does Ottilie keep her violin?")
        it.run()
        assert "wardrobe" in said(where)[-1]
    assert not any(probes(where, FACT).values()), probes(where, FACT)
    assert all(probes(where, SIBLING).values())
    assert not traces(tmp_path, FACT) and "all.tar.zst" in traces(tmp_path, SIBLING)
    (done,) = ledger.read(where.root)  # the audit has it, not the words
    assert [line.detail for line in log.lines(where.agent(me) / "LIFE.md") if line.event == "FORGOT"] == [
        f"{done.id} {done.items} ana"
    ]


@pytest.mark.slow
def test_deletion_absent_from_shared_copies(tmp_path: Path) -> None:
    """A second agent that heard it, and a backup taken beforehand."""
    where, file = lived(tmp_path / "home"), tmp_path / "before.tar.zst"
    with world(where.root, offline, "--room", "other", fresh=True) as it:
        for words in (f"{FACT}.", f"remember that {FACT}", f"{SIBLING}.", "It is late."):
            it.say(words, room="other")
            it.run()
        second = it.session.id
    assert run(where, "-m", "dotagent", "backup", str(file)).returncode == 0
    forget(where, ASKED)
    assert not traces(where.root, FACT)
    feed = Feed(where.agent(second), where.store(), "ana")
    assert any(SIBLING in hit.turn.text for hit in feed.search(SIBLING, 5))
    feed.close()
    again = Home(tmp_path / "again")
    told = run(again, "-m", "dotagent", "restore", str(file), "--forgotten", str(where.root / ledger.FILE))
    assert told.returncode == 0, told.stderr
    assert not traces(again.root, FACT) and traces(again.root, SIBLING)


def telling(messages: list[ChatMessage], call: Call) -> str:
    """A model whose summaries tell both."""
    text = good(messages, call) if call.kind != "live" else "Understood."
    return f"{text} {FACT}. {SIBLING}." if "SUMMARISE the entries" in messages[-1]["content"] else text


def test_evidence_source_delete_reaches_derived(tmp_path: Path) -> None:
    """Summaries, trees, swaps and prompts that were made of it; a sibling and what was made of that stay."""
    with living(tmp_path, telling, 1500) as it:
        for number in range(12):
            words = {0: f"{FACT}. And {SIBLING[0].lower()}{SIBLING[1:]}."}.get(number, "lighthouse kettle " * 30)
            it.say(words)
            it.run()
        where, me = it.where, it.session.id
        assert summaries(it) and any(FACT in one for one in summaries(it))
    kinds = {line.event for line in log.lines(where.agent(me) / "LIFE.md") if line.id and FACT in body(where, line.id)}
    assert {"HEAR", "SUMMARY", "ASK"} <= kinds
    forget(where, ASKED)
    with living(tmp_path, telling, 1500) as it:
        left = summaries(it)
        assert not [one for one in left if FACT in one] and [one for one in left if SIBLING in one]
    kinds = {line.event for line in log.lines(where.agent(me) / "LIFE.md") if line.id and FACT in body(where, line.id)}
    assert not kinds
    assert any(SIBLING.lower() in body(where, id).lower() for id in _ids(where))


def body(where: Home, id: str) -> str:
    try:
        return where.store().get(id).body.decode("utf-8", "replace")
    except BlobMissing:
        return ""


def _ids(where: Home) -> list[str]:
    return [path.name for path in where.blobs.glob("??/*")]


def summaries(it: World) -> list[str]:
    """The summaries that stand in the context."""
    found = [events.parse(entry.line) for entry in it.session.entries]
    return [body(it.where, one.summary) for one in found if isinstance(one, events.Faded)]


@pytest.mark.night
def test_a_summary_that_told_of_little_else_is_made_anew(tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: Call) -> str:
        told = "SUMMARISE the entries" in messages[-1]["content"] and FACT in str(messages)
        return f"relevance: 5\ngist: things\n\n{FACT}." if told else telling(messages, call)

    with living(tmp_path, model, 1500) as it:
        for number in range(12):
            boats = " ".join(f"Boat {boat} of quay {number} sails at {boat} o'clock." for boat in range(1, 13))
            it.say(f"{FACT}. {boats}")
            it.run()
        assert any(FACT in one for one in summaries(it))
        where = it.where
    forget(where, ASKED)
    with living(tmp_path, model, 1500) as it:
        assert not any(FACT in one for one in summaries(it))
        assert any("quay" in one for one in summaries(it)), summaries(it)
