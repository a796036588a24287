"""Answers in progress: the text for one room in `calls/stream/`, and no other part of it.

A draft is never a message: it disappears when the message comes, or when the agent has taken the answer and sent
nothing. Owns nothing on disk.
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

LONGEST = 20_000  # characters of a draft that are shown: the last ones, more than a screen holds


@dataclass(frozen=True)
class Draft:
    """The latest text of an agent (its short id) for the room, empty while it only thinks."""

    agent: str
    text: str
    since: float  # when the call was placed, as in time.time()
    waits: str  # the reason for waiting if there is no text


class Drafts:
    """The calls in the queue that may produce text for one room."""

    def __init__(self, where: Home, room: str) -> None:
        self._home, self._room = where, room
        self._known: dict[str, Call] = {}
        self._over: set[str] = set()
        self.ended = 0  # drafts that disappeared; then a watcher may need to be replaced

    def watch(self, watcher: Watcher) -> None:
        """Find newly taken calls, and wake when a call is taken, continued or answered."""
        spool = self._home.calls
        inner = (spool / "taken", spool / "stream")
        for directory in inner if all(one.is_dir() for one in inner) else (spool, *inner):  # there all is written aside
            with suppress(FileNotFoundError):
                watcher.names(directory)
        for id in set(queue.names(spool / "taken")) - self._known.keys() - self._over:
            call = queue.find_taken(self._home, id)
            if call and call.kind == "live":
                self._known[id] = call
        for path in [path for id in self._known for path in queue.streams(self._home, id)]:
            with suppress(FileNotFoundError):
                watcher.content(path)

    def current(self) -> list[Draft]:
        """Return the current drafts, one for each call that `watch` found."""
        found = []
        for id, call in list(self._known.items()):
            words = draft.words(self._home, call, self._room)
            if words is None and self._answered(call):
                self._forget(id)
            elif words or (call.room == self._room and not self._answered(call)):
                found.append(self._draft(call, words or ""))
        queued = (call for state, call in queue.out(self._home) if state == "new" and call.id not in self._known)
        return found + [self._draft(call, "") for call in queued if call.kind == "live" and call.room == self._room]

    def _draft(self, call: Call, words: str) -> Draft:
        since = times.parse(call.at).timestamp() if call.at else time.time()
        waits = "" if words else escape.one_line(draft.waiting_reason(self._home, call))
        return Draft(short(call.agent), escape.printable(words[-LONGEST:]), since, waits)

    def heard(self, agent: str) -> None:
        """Remove an agent's answered drafts, because it has spoken."""
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
