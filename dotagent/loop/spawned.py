"""Helpers, in the loop: a parent is told once of each that came to rest, and starts one again that died; a helper that
came to rest, or to its end, says so in LIFE, then in a file that its parent watches.

What the parent waits for stands in its LIFE (SPAWNED without RETURNED), so a new process of it goes on where the last
one died. Takes nothing off the disk.
"""

from __future__ import annotations

import os
import signal

from dotagent.life import origins, replay
from dotagent.life.events import Boot, Fail, Hear, Reply, Rested, Resume, Returned, Sleep
from dotagent.life.session import Session
from dotagent.life.woken import Help, works
from dotagent.store import disk, log, rooms, spawned, supervised
from dotagent.store.watch import Watcher
from dotagent.text import tag, times
from dotagent.text.reference import short
from dotagent.tools import spawn

DEATHS = 3  # of a helper's process over one task, after which it is not started again
LOOK = 1.0  # seconds between two looks at whether helpers still live
SILENT = b"(it said nothing)"
SPOKEN = 50  # messages of a helper's that are one result


class Spawns:
    """What this process knows of the life's helpers: how often it started each."""

    def __init__(self, session: Session, watch: Watcher) -> None:
        self._session, self._watch = session, watch
        self._started, self._watched = dict[str, int](), set[str]()

    @property
    def _out(self) -> list[str]:
        return out(self._session)

    def waits(self) -> bool:
        """Whether any of them works."""
        return bool(self._out)

    def sleep(self, seconds: float | None) -> float | None:
        """How long the loop may sleep at most, where something else wakes it after so many seconds."""
        if not self._out:
            return seconds
        return LOOK if seconds is None else min(LOOK, seconds)

    def look(self) -> bool:
        """Tell of all that came to rest, and start those again whose process is gone; whether anything was told."""
        session, told = self._session, False
        for one in self._out:
            if session.overfull:
                break  # the others are told of in the next turn
            heard, how = spawned.rested(session.home, one)
            if heard >= works(session.state.heard)[one].words:
                told = self._tell(one, how)
            elif not spawned.works(session.home, one):
                told = self._again(one) or told
            elif one not in self._watched:
                self._watched.add(one)
                self._watch.names(session.home.agent(one) / "run")
        return told

    def _again(self, one: str) -> bool:
        """Start its process again; True when that was tried too often, and is told."""
        before = self._started.get(one, 0)
        if before >= DEATHS or not disk.is_file(self._session.home.agent(one) / "LIFE.md"):
            return self._tell(one, "died")
        self._started[one] = before + 1
        spawn.work(self._session, one)
        return False

    def _tell(self, one: str, how: str) -> bool:
        """Record what it said since the life was told last, under who said it."""
        session, work = self._session, works(self._session.state.heard)[one]
        terms = spawned.terms(session.store, one)
        body = _words(session, one, terms.room, work) if terms else b""
        self._started.pop(one, None)
        gist = f"{how}: {body[:300].decode('utf-8', 'replace')}"
        known = replay.standing(session.home, one).heard.origins if terms else ()
        by = origins.OWN if known and not origins.foreign(known) else ""
        session.record(Returned(one, work.room, how, by), body or SILENT, gist=gist)
        return True


def out(session: Session) -> list[str]:
    """The helpers of a life that have not come to rest."""
    return [one for one, work in works(session.state.heard).items() if work.goes_on]


def _words(session: Session, one: str, room: str, work: Help) -> bytes:
    """What the helper said in its room since the words of its parent of which it was not told yet what came."""
    path = session.home.room(room)
    try:
        found = rooms.last(path, SPOKEN, path.stat().st_size)
    except OSError:
        return b""
    mine, left = list[str](), work.words - work.told
    for message in reversed(found):
        if message.kind == "AGENT" and message.name == short(one):
            mine.insert(0, tag.without_imitated(message.text))
        elif message.kind == "AGENT" and message.name == short(session.id):
            left -= 1
            if not left:
                break
    return "\n".join(mine).encode("utf-8", "replace")


# --- a helper's own end


def begin(session: Session) -> None:
    """Write down which process this is. A helper's time runs from when it was asked; one whose process died over its
    task too often leaves at once, and says so."""
    spawned.sign(session.home, session.id, os.getpid())
    terms = session.terms
    if terms is None:
        return
    asked, deaths, started = "", 0, False
    for line in log.backwards(session.path / "LIFE.md"):
        if line.event == Rested.WORD:
            break
        deaths += started and line.event != Sleep.WORD  # what stands before a start is the end of the process before
        started = line.event in (Resume.WORD, Boot.WORD)
        asked = line.at if line.event == Hear.WORD else asked
    if deaths >= DEATHS:
        rest(session, "died")
        session.leaving = True
        return
    left = terms.seconds - max(0.0, -times.ahead(asked)) if asked else terms.seconds

    def late(signum: int, frame: object) -> None:
        session.leaving = session.late = True

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, max(0.001, left))


def stop(session: Session) -> Fail | None:
    """That a helper may ask no more, since it has taken what it may; None while it may."""
    terms, used = session.terms, session.state.used
    if terms is None or (used.asks < terms.turns and used.tokens < terms.tokens):
        return None
    return Fail("turns" if used.asks >= terms.turns else "tokens", "stopped")


def ended(session: Session) -> None:
    """Let a helper come to rest that has nothing more to do, or whose time is over; not one that was asked to leave.
    Whoever is asked to leave takes its helpers along."""
    if session.leaving:  # those that it made are not left to themselves
        spawned.end(session.home, out(session))
    if session.terms is None or (session.leaving and not session.late):
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in supervised.numbers(session.path / "processes"):
        if told := supervised.told(session.path / "processes" / str(number)):
            told.end()
    rest(session, "seconds" if session.late else _how(session))


def _how(session: Session) -> str:
    """How it came to rest, by the end of its LIFE."""
    for line in log.backwards(session.path / "LIFE.md"):
        if line.event in (Reply.WORD, Rested.WORD):
            break
        if line.event == Fail.WORD:
            kind = line.detail.split(" ")[0]
            return kind if kind in spawned.LIMITS else "failed"
    return "done"


def rest(session: Session, how: str) -> None:
    """Say in LIFE, then in the file, that it has come to rest."""
    session.record(Rested(session.state.heard.agents, how))
    session.sync()
    spawned.rest(session.home, session.id, session.state.heard.agents, how)
