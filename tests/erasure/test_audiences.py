"""Who may erase by a message: the owner, where only the owner reads. Anybody else sees no sentence and removes none,
and cannot learn whether there is one."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import spawning
from support import run
from unforgotten import traces
from world import World, offline, said, world

import agent
from dotagent.capabilities.helpers import results
from dotagent.erasure import ledger
from dotagent.store import home, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

OWNER = "zoë"
SECRET = "My locker at the station opens with 3391 amber"
OTHERS = {"bobs": "My locker at the pool holds green fins", "hall": "The locker of our club is behind the stage"}
HIT, MISS, PLAIN = (
    "/forget my locker",
    "/forget the elephant of Hannibal",
    "forget that my locker opens with 3391 amber",
)
BOB = ("--audience", "private telegram/bob", "--room", "bobs")
GROUP = ("--audience", "group", "--room", "hall")
ASKERS = {
    "bob in his private room": (BOB, "telegram/bob"),
    "the owner in bob's private room": (BOB, OWNER),
    "a line without a name in bob's private room": (BOB, ""),
    "a person in a group": (GROUP, "eve"),
    "the owner in a group": (GROUP, OWNER),
    "a stranger in the owner's room": ((), "eve"),
    "a stranger behind a bridge in the owner's room": ((), "telegram/eve"),
    "the owner's name in capitals": ((), OWNER.upper()),
    "the owner's name with a capital": ((), OWNER.capitalize()),
    "the owner's name with the accent apart": ((), unicodedata.normalize("NFD", OWNER)),
    "the owner's name with a Greek letter": ((), OWNER.replace("o", "ο")),
    "the owner's name with a sign of no width": ((), f"{OWNER}\u200b"),
    "the owner's name behind a bridge": ((), f"telegram/{OWNER}"),
    "the owner's name with an empty bridge": ((), f"/{OWNER}"),
}


def silent(messages: list[ChatMessage], call: Call) -> str:
    return "WAIT"


def says(it: World, text: str, name: str, room: str) -> str:
    """Let a person say this, or write it with an editor; what the room is told."""
    path = it.where.room(room)
    before = path.read_text()
    if name:
        it.say(text, name, room)
    else:
        path.write_text(f"{before}{text}\n")
    it.run()
    return "\n".join(said(it.where, room)[len(before.split("[AGENT:")) - 1 :])


@pytest.fixture
def where(tmp_path: Path) -> Home:
    """A home with agents of the owner, of bob and of a group; each has heard a sentence about a locker."""
    root = tmp_path / "home"
    root.mkdir()
    (root / "dotagent.toml").write_text(f'owner = "{OWNER}"\n')
    for words, name, room, text in (
        ((), OWNER, "dev", SECRET),
        (BOB, "telegram/bob", "bobs", OTHERS["bobs"]),
        (GROUP, "eve", "hall", OTHERS["hall"]),
    ):
        with world(root, silent, *words, fresh=True) as it:
            it.say(f"{text}.", name, room)
            it.run()
    return Home(root)


@contextmanager
def alive(where: Home, *words: str) -> Iterator[World]:
    """The agent that reads this room, or the owner's, which is taken up again."""
    room = words[-1] if words else "dev"
    (born,) = home.lives(where, room)
    with world(where.root, silent, born, fresh=True) as it:
        yield it


def planted(where: Home) -> set[tuple[str, str]]:
    """Each sentence with each file in which it stands, except indexes and other files that are made anew."""
    found = {(text, path) for text in (SECRET, *OTHERS.values()) for path in traces(where.root, text)}
    return {(text, path) for text, path in found if path.startswith(("chats/", "blobs/"))}


def refuses(it: World, name: str, room: str) -> None:
    """Nothing is shown to this person, nothing is removed after a yes, and a miss gets the same answer as a hit."""
    before, path = planted(it.where), it.where.room(room)
    there = [path.read_text().count(text) for text in (SECRET, *OTHERS.values())]
    hit, miss, exact = (says(it, text, name, room) for text in (HIT, MISS, '/forget "my locker at the"'))
    assert hit == miss == exact == says(it, "/forget", name, room)
    assert "ask the owner" in hit
    for text in (PLAIN, HIT):
        says(it, text, name, room)
        assert not (it.session.path / "run" / "forget").exists()
        for reply in ("yes", "1"):
            says(it, reply, name, room)
            assert not it.session.leaving and not ledger.is_unfinished(it.where)
    assert [path.read_text().count(text) for text in (SECRET, *OTHERS.values())] == there
    assert before <= planted(it.where) and len({text for text, _ in before}) == 3


@pytest.mark.wide
@pytest.mark.parametrize("who", ASKERS)
def test_nobody_else_is_shown_a_sentence_or_removes_one(where: Home, who: str) -> None:
    words, name = ASKERS[who]
    with alive(where, *words) as it:
        refuses(it, name, words[-1] if words else "dev")


def test_a_sentence_that_bob_writes_too_stays_in_the_owners_room(where: Home) -> None:
    with alive(where, *BOB) as it:
        says(it, f"{SECRET}.", "telegram/bob", "bobs")
        refuses(it, "telegram/bob", "bobs")
    assert SECRET in where.room("dev").read_text()


def test_in_the_room_of_a_helper_nobody_is_shown_a_sentence(where: Home) -> None:
    replies = iter(["SPAWN count the pens"])
    with world(where.root, lambda messages, call: next(replies, "WAIT"), "--room", "work", fresh=True) as parent:
        parent.say("begin", OWNER, "work")
        while not (made := results.out(parent.session)):
            assert agent.step(parent.me) or parent.serve()
    spawning.end(where)  # the helper lives on in this process
    with world(where.root, silent, *made, fresh=True) as it:
        (room,) = it.session.state.heard.rooms
        it.run()
        for name in (OWNER, "eve", ""):
            refuses(it, name, room)


@pytest.mark.parametrize("name", [OWNER, ""])
def test_the_owner_reaches_all_rooms_in_a_private_room_of_the_owner(where: Home, name: str) -> None:
    with alive(where) as it:
        told = says(it, HIT, name, "dev")
        assert all(text in told for text in (SECRET, *OTHERS.values()))
        assert "removing 3 sentences" in says(it, "yes", name, "dev")
    with alive(where) as it:
        it.run()
    assert not planted(where)


def test_a_room_without_a_heading_is_the_owners_and_nobody_elses(where: Home) -> None:
    where.room("bare").write_text("Where are the pens?\n")
    with alive(where) as it:
        (it.session.path / "subs" / "bare.md").symlink_to(where.room("bare"))
        it.run()
        refuses(it, "eve", "bare")
        assert SECRET in says(it, HIT, OWNER, "bare")
        assert says(it, "no", OWNER, "bare") == "(nothing was deleted)"


@pytest.mark.parametrize("words", [BOB, GROUP])
@pytest.mark.parametrize("heading", ["", "# {} private\n"])
def test_a_room_that_lost_its_heading_gets_no_list_from_its_agent(
    where: Home, words: tuple[str, ...], heading: str
) -> None:
    room = words[-1]
    path = where.room(room)
    with alive(where, *words) as it:
        path.write_text(heading.format(room) + path.read_text().partition("\n")[2])
        for name in (OWNER, "telegram/bob"):
            for text in (HIT, "yes"):
                it.say(text, name, room)
                it.run()
        assert not (it.session.path / "run" / "forget").exists() and not ledger.is_unfinished(where)
    assert SECRET not in path.read_text()


@pytest.mark.wide
@pytest.mark.parametrize("name", ["eve", "telegram/bob", OWNER.upper(), f"telegram/{OWNER}"])
@pytest.mark.parametrize("reply", ["yes", "1", "/forget yes"])
def test_a_yes_of_somebody_else_removes_nothing_and_ends_the_list(where: Home, name: str, reply: str) -> None:
    before = planted(where)
    with alive(where) as it:
        assert SECRET in says(it, HIT, OWNER, "dev")
        for who, text in ((name, reply), (OWNER, "yes")):
            assert "removing" not in says(it, text, who, "dev")
            assert not it.session.leaving and not ledger.is_unfinished(where)
        assert before <= planted(where)
        says(it, HIT, OWNER, "dev")
        assert "removing" in says(it, "yes", OWNER, "dev")
    with alive(where) as it:
        it.run()
    assert not planted(where)


def test_a_yes_in_another_room_removes_nothing(where: Home) -> None:
    rooms.create(where.room("more"), "private")
    with alive(where) as it:
        (it.session.path / "subs" / "more.md").symlink_to(where.room("more"))
        it.run()
        assert SECRET in says(it, HIT, OWNER, "dev")
        assert "removing" not in says(it, "yes", OWNER, "more") + says(it, "yes", OWNER, "dev")
        assert not ledger.is_unfinished(where)


@pytest.mark.parametrize("whose", ["another agent's", "its own"])
@pytest.mark.parametrize("reply", ["yes", "1"])
def test_a_message_of_an_agent_ends_the_list(where: Home, whose: str, reply: str) -> None:
    before = planted(where)
    with alive(where) as it:
        assert SECRET in says(it, HIT, OWNER, "dev")
        name = it.session.id[:12] if whose == "its own" else "0123456789ab"
        rooms.append(where.room("dev"), rooms.line_of("AGENT", name, "2026-11-21T20:17:20Z", "Shall I book the seat?"))
        assert "removing" not in says(it, reply, OWNER, "dev") + says(it, "yes", OWNER, "dev")
        assert not it.session.leaving and not ledger.is_unfinished(where)
        assert before <= planted(where)
        says(it, HIT, OWNER, "dev")
        assert "removing" in says(it, reply, OWNER, "dev")


def test_a_yes_means_what_the_list_shows(where: Home) -> None:
    texts = [f"My locker number {number} {'is far away from the others ' * 6}in hall {number}" for number in range(12)]
    with alive(where) as it:
        for text in texts:
            says(it, f"{text}.", OWNER, "dev")
        told = says(it, HIT, OWNER, "dev")
        shown = [text for text in texts if text[:30] in told]
        assert (
            0 < len(shown) < len(texts)
            and "more; to see the others, ask again after your answer" in told
            and "Answer yes" in told
        )
        many = told.count(": My locker") + told.count(": The locker")
        assert f"removing {many} sentences" in says(it, "yes", OWNER, "dev")


def test_a_list_of_an_earlier_version_that_waits_in_bobs_room_removes_nothing(where: Home) -> None:
    before = planted(where)
    with alive(where, *BOB) as it:
        waiting = it.session.path / "run" / "forget"
        waiting.write_text(
            json.dumps({"room": "bobs", "found": [SECRET], "asked": "my locker", "things": {}, "sure": 1})
        )
        assert says(it, "yes", "telegram/bob", "bobs") == ""
        assert not ledger.is_unfinished(where) and not waiting.exists()
    assert before <= planted(where)


@pytest.mark.parametrize("words", [(), BOB, GROUP])
def test_a_model_can_neither_call_it_nor_ask_for_it_in_a_message(where: Home, words: tuple[str, ...]) -> None:
    room = words[-1] if words else "dev"
    before = planted(where)
    replies = iter(["FORGET my locker", f"SAY {room} {HIT}", HIT, "yes", f"SAY {room} yes"])
    (born,) = home.lives(where, room)
    with world(where.root, lambda messages, call: next(replies, "WAIT"), born, fresh=True) as it:
        for _ in range(5):
            says(it, "go on", OWNER, room)
        rooms.append(where.room(room), rooms.line_of("AGENT", OWNER, "2026-11-21T20:17:20Z", HIT))  # another agent
        it.run()
        rooms.append(where.room(room), rooms.line_of("AGENT", OWNER, "2026-11-21T20:17:21Z", "yes"))
        it.run()
        assert not (it.session.path / "run" / "forget").exists() and not ledger.is_unfinished(where)
    assert before <= planted(where)


def test_the_command_of_the_owners_machine_reaches_all_rooms(where: Home) -> None:
    told = run(where, "-m", "dotagent", "forget", "my locker", "--json").stdout
    assert all(text in told for text in (SECRET, *OTHERS.values()))
    assert len({text for text, _ in planted(where)}) == 3
    assert run(where, "-m", "dotagent", "forget", "my locker", "--yes").returncode == 0
    assert not planted(where)


def test_the_offline_provider_says_who_can_remove_it_everywhere(where: Home) -> None:
    (born,) = home.lives(where, "bobs")
    with world(where.root, offline, born, fresh=True) as it:
        says(it, "remember that the gate is green", "telegram/bob", "bobs")
        assert "if the owner writes" in says(it, "forget that the gate is green", "telegram/bob", "bobs")
