"""What another agent sees of a home: the rooms of one audience and the memory of its lives, nothing of another's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import until
from world import World, world
from world import said as heard

import agent
from dotagent.capabilities.servers import offer
from dotagent.capabilities.servers.offer import Outlook
from dotagent.errors import Misuse
from dotagent.life.events import Hear
from dotagent.store import log, rooms
from dotagent.store.home import Home
from dotagent.store.requests import ChatMessage
from dotagent.terminal.talk import Talk
from dotagent.text import times
from dotagent.text.reference import short


def model(messages: list[ChatMessage], call: object) -> str:
    return "I heard of the harbour."


@dataclass(frozen=True)
class Two:
    """A home in which one life hears ana, and another a group; and an original of each."""

    where: Home
    private: str
    group: str


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    found = []
    for words, room in ((("--room", "dev"), "dev"), (("--room", "hall", "--audience", "group"), "hall")):
        with world(tmp_path / "home", model, *words, fresh=True) as here:
            here.say(f"the harbour of {room} is loud", room=room)
            here.run()
            lines = log.lines(here.session.path / "LIFE.md")
            found.append(next(line.id for line in lines if line.event == Hear.WORD))
            where = here.where
    yield Two(where, *found)


def test_one_audience_reaches_its_own_alone(two: Two) -> None:
    private, group = (offer.make_outlook(two.where, one, "claude", False) for one in ("private", "group"))
    assert private.rooms().startswith("dev: last change 20") and "hall" not in private.rooms()
    assert "hall" in group.rooms() and "dev" not in group.rooms()
    assert "ana: the harbour of dev is loud" in private.read("dev") and "I heard of the harbour" in private.read("dev")
    assert "of dev" in private.recall("harbour") and "of hall" not in private.recall("harbour loud")
    assert "of hall" in group.recall("harbour") and "of dev" not in group.recall("harbour loud")
    assert "the harbour of dev is loud" in private.original(short(two.private))
    assert short(two.private) in private.recall(f"near {short(two.private)}")
    for theirs, other in ((private, "hall"), (group, "dev")):
        for ask in (lambda o=theirs, r=other: o.read(r), lambda o=theirs, r=other: o.say(r, "x")):  # type: ignore[misc]
            with pytest.raises(Misuse, match="there is no room"):
                ask()
    for theirs, id in ((private, two.group), (group, two.private)):
        with pytest.raises(Misuse, match="is not the id of a message that you can see"):
            theirs.original(id)


def test_a_name_is_neither_an_agents_nor_a_persons(two: Two) -> None:
    for name in ("48ff46ff918a", "a b", "discord/ana", ""):
        with pytest.raises(Misuse, match="--name"):
            offer.make_outlook(two.where, "private", name, False)
    with pytest.raises(Misuse, match="--audience"):
        offer.make_outlook(two.where, "everybody", "claude", False)
    assert offer.make_outlook(two.where, "private", "x", True).name == "ana"


def test_what_it_says_is_an_agents_word_and_is_answered(tmp_path: Path) -> None:
    with world(tmp_path / "home", model) as here:
        made = offer.make_outlook(here.where, "private", "claude", False)
        assert said(here, made, "what of the harbour?") == "I heard of the harbour."
        who = [line.detail.split(" ")[-1] for line in log.lines(here.session.path / "LIFE.md") if line.event == "HEAR"]
        assert who == ["AGENT:claude"] and "agent" in here.session.state.heard.origins
        assert "no agent answered within 0 s" in made.say("dev", "and now?", 0)


@pytest.mark.parametrize("word", ["/stop", "/Stop!"])
def test_a_person_stops_a_turn_and_another_program_does_not(tmp_path: Path, word: str) -> None:
    with world(tmp_path / "home", model) as here:
        here.say("tidy up")
        while not here.session.state.turn.call:
            agent.step(here.me)
        person, program = (offer.make_outlook(here.where, "private", "claude", one) for one in (True, False))
        assert person.say("dev", word) == f"stopped what agent {short(here.session.id)} is doing for room dev"
        here.run()
        assert heard(here.where) == ["(no answer: stopped by ana)"]
        assert person.say("dev", word) == "no agent is doing anything for room dev"
        assert "no agent answered within 0 s" in program.say("dev", word, 0)


def test_another_of_its_name_is_no_answer(tmp_path: Path) -> None:
    with world(tmp_path / "home", model) as here:
        room, talk = here.where.room("dev"), Talk(here.where, "dev", "claude")
        talk.begin(0)
        mine, theirs = (
            rooms.line_of("AGENT", "claude", times.now(), text) for text in ("what of it?", "nor do I know")
        )
        for line in (mine, theirs, rooms.line_of("AGENT", short(here.session.id), times.now(), "all is well")):
            rooms.append(room, line)
        assert talk.answer(mine, 0, True) == "all is well"


def said(here: World, made: Outlook, text: str) -> str:
    """What is answered, while the life lives on in this thread."""
    told = list[str]()
    asking = threading.Thread(target=lambda: told.append(made.say("dev", text, 20)))
    asking.start()
    until(lambda: text in here.where.room("dev").read_text(), here.where.chats)
    here.run()
    asking.join()
    return told[0]


def test_a_room_in_which_nobody_is_keeps_what_is_said(two: Two) -> None:
    rooms.create(two.where.room("empty"), "private")
    made = offer.make_outlook(two.where, "private", "claude", False)
    assert "the message is posted, but gets no answer yet: no agent is running in empty" in made.say(
        "empty", "is anybody there?"
    )
    assert "[AGENT:claude 20" in two.where.room("empty").read_text()
    for wrong in (lambda: made.say("dev", " "), lambda: made.recall(" "), lambda: made.original("dev")):
        with pytest.raises(Misuse):
            wrong()
