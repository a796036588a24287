"""A life at rest dreams once a day where settings say so, without being woken."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from clocked import hours, look
from world import World, world

from dotagent.capabilities.learning import dream, review
from dotagent.store import log
from dotagent.store.home import Settings

ON = Settings(dream=True, owner="ana", tables={"heartbeat": {"every": "off"}})


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path, lambda messages, call: "All right.") as one:
        for day in (1, 3):
            one.say("Always answer in German.", at=f"2026-11-0{day}T10:00:00Z")
            one.run()
        rest(one, 0)
        yield one


def rest(here: World, hour: float) -> None:
    """The last thing happened at this hour."""
    path = here.session.path / "LIFE.md"
    os.utime(path, (hours(hour).timestamp(),) * 2)


def looks(here: World, hour: float, settings: Settings = ON) -> list[str]:
    told = list[str]()
    look(here.where, hours(hour), told, settings)
    return told


def test_it_dreams_when_it_is_at_rest_and_once_a_day(here: World) -> None:
    events = len(list(log.lines(here.session.path / "LIFE.md")))
    where = dream.memories_of(here.where, here.session.id, "ana")
    assert looks(here, 1, Settings(owner="ana")) == [] and looks(here, 0.4) == [] and not where.dreams.exists()
    assert looks(here, 0.6) == [
        f"dotagent looked for repetitions in the messages of agent {here.session.id[:12]}: 1 new proposal, 1 waiting; "
        "`dream list` shows them"
    ]
    assert [one.title for one in review.waiting(where)] == ["Always answer in German."]
    assert looks(here, 100) == [] and dream.when(where) == hours(0.6).timestamp()  # nothing happened since
    for day in (5, 6, 7):
        here.say("what is the weather in Lisbon?", at=f"2026-11-0{day}T10:00:00Z")
        here.run()
    rest(here, 2)
    assert looks(here, 24) == [] and looks(here, 25)[0].endswith("1 new proposal, 2 waiting; `dream list` shows them")
    assert len(list(log.lines(here.session.path / "LIFE.md"))) > events and not list(here.session.path.glob("due/*"))


def test_what_is_wrong_with_it_is_told(here: World) -> None:
    where = dream.memories_of(here.where, here.session.id, "ana")
    where.dreams.parent.mkdir(parents=True, exist_ok=True)
    where.dreams.write_text("not a folder")
    assert looks(here, 1)[0].startswith(f"the daily review (dream) of agent {here.session.id[:12]} failed: ")


def test_what_it_learned_by_itself_is_told(here: World) -> None:
    (here.where.root / "dotagent.toml").write_text('owner = "ana"\ngraduate = true\n')
    assert looks(here, 1) == [
        f"dotagent looked for repetitions in the messages of agent {here.session.id[:12]}: 1 rule accepted without "
        "asking you; `dream list` shows them"
    ]
    assert not review.waiting(dream.memories_of(here.where, here.session.id, "ana"))
