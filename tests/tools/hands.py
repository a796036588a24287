"""A life whose hands a test moves: a reply's calls are done, one after the other, and their results told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from world import World, world

import agent
from dotagent import extensions
from dotagent.life.session import Session
from dotagent.processes import background
from dotagent.store import log, rooms
from dotagent.store.home import Home
from dotagent.text import grammar


@dataclass(frozen=True)
class Hands:
    """A life and what it does."""

    world: World

    @property
    def where(self) -> Home:
        """The home."""
        return self.world.where

    @property
    def session(self) -> Session:
        """The life."""
        return self.world.session

    @property
    def path(self) -> Path:
        """The life's own directory."""
        return self.session.path

    def do(self, reply: str) -> list[str]:
        """Do the reply's calls; of each its result: `ok`, a line end and what it shows, or `error` and why."""
        calls = grammar.read(reply, extensions.tools()).calls
        assert calls, reply
        found = []
        for call in calls:
            assert agent.act(self.session, call)
            line = self.events("DID", "TOOL")[-1]  # a large result may have let older ones fade
            assert line.detail.split(" ")[0] == call.name
            shown = self.session.store.get(line.id).body.decode("utf-8", "replace") if line.id else ""
            found.append(f"{line.detail.split(' ')[1]}\n{shown}" if line.event == "TOOL" else "ok")
        return found

    def effects(self, tool: str) -> list[str]:
        """What the announcements of a tool's effects say, oldest first."""
        lines = (line.detail.partition(" ") for line in self.events("EFFECT"))
        return [what for name, _, what in lines if name == tool]

    def one(self, reply: str) -> str:
        """What came of a reply's only call."""
        (result,) = self.do(reply)
        return result

    def shows(self, reply: str) -> str:
        """What the only call, which must succeed, shows."""
        how, _, shown = self.one(reply).partition("\n")
        assert how == "ok", shown
        return shown

    def fails(self, reply: str, *words: str) -> str:
        """Why the only call failed: one that a tool understood, saying these words."""
        how, _, why = self.one(reply).partition("\n")
        assert how == "error", (how, why)
        for word in words:
            assert word in why, (word, why)
        return why

    def events(self, *names: str) -> list[log.Line]:
        """LIFE's lines of these events, or all."""
        return [line for line in log.lines(self.path / "LIFE.md") if not names or line.event in names]


@contextmanager
def a_life(path: Path, *words: str) -> Iterator[Hands]:
    """A life in a home at the path, born with these options or resumed; its model is silent."""
    with world(path / "home", lambda messages, call: None, *words) as there:
        yield Hands(there)


@contextmanager
def cleared(life: Hands) -> Iterator[None]:
    """The commands that the life started are ended with the block."""
    try:
        yield
    finally:
        for number in background.numbers(life.path / "processes"):
            if told := background.read_process(life.path / "processes" / str(number)):
                told.end()


@contextmanager
def among_rooms(path: Path) -> Iterator[Hands]:
    """A life beside rooms of every audience."""
    with a_life(path) as life:
        for name, audience in (("ops", "private"), ("anas", "private ana"), ("bobs", "private bob"), ("all", "group")):
            rooms.create(life.where.room(name), audience)
        yield life
