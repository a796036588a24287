"""Answers as they are written: what the attempts in `calls/stream/` say in one room so far, and nothing else of them.

A draft is never a message: it goes when the message comes, or when the agent has taken the answer and said nothing.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from dotagent.store import draft, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.watch import Watcher
from dotagent.text import escape, times
from dotagent.text.reference import short

LONGEST = 20_000  # characters of a draft that are shown: its last ones, more than a screen holds


@dataclass(frozen=True)
class Draft:
    """What an agent (its short id) has written for the room last; nothing while it only thinks."""

    agent: str
    text: str
    since: float  # when the call was placed, as time.time() counts


class Drafts:
    """The calls in the spool that may say something in one room."""

    def __init__(self, where: Home, room: str) -> None:
        self._home, self._room = where, room
        self._known: dict[str, Call] = {}
        self._over: set[str] = set()
        self.ended = 0  # drafts that went; whoever watches may want a fresh watcher then

    def watch(self, watcher: Watcher) -> None:
        """Find the calls that were taken, and wake when one is taken, written on, or answered."""
        spool = self._home.calls
        inner = (spool / "taken", spool / "stream")
        for directory in inner if all(one.is_dir() for one in inner) else (spool, *inner):  # there all is written aside
            with suppress(FileNotFoundError):
                watcher.names(directory)
        for id in set(queue.names(spool / "taken")) - self._known.keys() - self._over:
            call = queue.taken(self._home, id)
            if call and call.kind == "live":
                self._known[id] = call
        for path in [path for id in self._known for path in queue.streams(self._home, id)]:
            with suppress(FileNotFoundError):
                watcher.content(path)

    def current(self) -> list[Draft]:
        """The drafts as they are now, one of each call that `watch` found."""
        found = []
        for id, call in list(self._known.items()):
            words = draft.words(self._home, call, self._room)
            if words is None and self._answered(call):
                self._forget(id)
            elif words or (call.room == self._room and not self._answered(call)):
                since = times.parse(call.at).timestamp() if call.at else time.time()
                found.append(Draft(short(call.agent), escape.printable((words or "")[-LONGEST:]), since))
        return found

    def heard(self, agent: str) -> None:
        """An agent spoke here: what it had answered before is no draft any more."""
        for id, call in list(self._known.items()):
            if short(call.agent) == agent and self._answered(call):
                self._forget(id)

    def _answered(self, call: Call) -> bool:
        done = self._home.calls / "done" / call.agent / call.id
        return done.exists() or not (self._home.calls / "taken" / call.id).exists()

    def _forget(self, id: str) -> None:
        del self._known[id]
        self._over.add(id)
        self.ended += 1
