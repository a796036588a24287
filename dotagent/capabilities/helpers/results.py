"""Helpers in the main loop: a parent records the result of each finished helper once, and restarts a crashed one. A
finished helper records that in LIFE, then in a file that its parent watches.

LIFE contains the helpers that a parent waits for (SPAWNED without RETURNED), so that a new process continues where a
crashed one stopped. Deletes nothing on disk.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

from dotagent.capabilities.helpers import children
from dotagent.life import stop_requests
from dotagent.life.background_events import Help, Rested, Returned, works
from dotagent.life.events import Boot, Fail, Hear, Reply, Resume, Sleep
from dotagent.life.session import Session
from dotagent.store import disk, helpers, log, rooms
from dotagent.store.watch import Watcher
from dotagent.text import tag, times
from dotagent.text.reference import short

DEATHS = 3  # crashes of a helper over one task, after which it is not restarted
LOOK = 1.0  # seconds between two checks that helpers are running
SILENT = b"(it said nothing)"
SPOKEN = 50  # messages of a helper that form one result


class Spawns:
    """The agent's helpers, and how often this process started each."""

    def __init__(self, session: Session, watch: Watcher) -> None:
        self._session, self._watch = session, watch
        self._started, self._watched = dict[str, int](), set[str]()

    @property
    def _out(self) -> list[str]:
        return out(self._session)

    def waits(self) -> bool:
        """Return True if any helper is working."""
        return bool(self._out)

    def sleep(self) -> float | None:
        """Return the most seconds until the helpers must be checked, or None without helpers."""
        return LOOK if self._out else None

    def look(self) -> bool:
        """Record the results of finished helpers, and restart crashed ones. Return True if a result was recorded."""
        session, told = self._session, False
        for one in self._out:
            if session.overfull:
                break  # the next turn records the others
            heard, how = helpers.rested(session.home, one)
            if heard >= works(session.state.heard)[one].words:
                told = self._tell(one, how)
            elif not children.works(session.home, one):
                told = self._again(one) or told
            elif one not in self._watched:
                self._watched.add(one)
                self._watch.names(session.home.agent(one) / "run")
        return told

    def stop(self, room: str, since: str) -> Iterator[str]:
        """Stop the helpers for this room, and no longer wait for them. Yield the name of each."""
        session = self._session
        for one in [one for one in self._out if works(session.state.heard)[one].room == room]:
            if terms := helpers.terms(session.store, one):
                stop_requests.write(session.home, one, terms.room, f"agent {short(session.id)}")
            self._tell(one, "stopped")
            yield f"helper {short(one)}"

    def _again(self, one: str) -> bool:
        """Start a helper's process again. Return True if it was started too often, and that was recorded as its
        result."""
        before = self._started.get(one, 0)
        if before >= DEATHS or not disk.is_file(self._session.home.agent(one) / "LIFE.md"):
            return self._tell(one, "died")
        self._started[one] = before + 1
        children.work(self._session, one)
        return False

    def _tell(self, one: str, how: str) -> bool:
        """Record the helper's messages since its last result as its new result."""
        session, work = self._session, works(self._session.state.heard)[one]
        terms = helpers.terms(session.store, one)
        body = _words(session, one, terms.room, work) if terms else b""
        self._started.pop(one, None)
        gist = f"{how}: {body[:300].decode('utf-8', 'replace')}"
        session.record(Returned(one, work.room, how), body or SILENT, gist=gist)
        return True


def out(session: Session) -> list[str]:
    """Return the agent's helpers that have not finished."""
    return [one for one, work in works(session.state.heard).items() if work.goes_on]


def _words(session: Session, one: str, room: str, work: Help) -> bytes:
    """Return the helper's messages since the first task whose result the parent does not have yet."""
    path = session.home.room(room)
    try:
        found = rooms.last(path, SPOKEN, path.stat().st_size)
    except OSError:
        return b""
    mine, left = list[str](), work.words - work.told
    for message in reversed(found):
        if message.kind == "AGENT" and message.name == short(one):
            mine.insert(0, tag.remove_imitated(message.text))
        elif message.kind == "AGENT" and message.name == short(session.id):
            left -= 1
            if not left:
                break
    return "\n".join(mine).encode("utf-8", "replace")


# --- the end of a helper


def begin(session: Session) -> None:
    """Set the time limit of a helper, which counts from its task. A helper that crashed too often over its task
    finishes at once."""
    terms = session.terms
    if terms is None:
        return
    asked, deaths, started = "", 0, False
    for line in log.backwards(session.path / "LIFE.md"):
        if line.event == Rested.WORD:
            break
        deaths += started and line.event != Sleep.WORD  # a start without a Sleep before it follows a crash
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


def finish_if_done(session: Session) -> None:
    """Finish a helper that has nothing more to do, or whose time is over, but not if it was asked to exit. An agent
    that was asked to exit also stops its helpers."""
    if session.leaving:  # its own helpers must not continue alone
        children.end(session.home, out(session))
    if session.terms is None or (session.leaving and not session.late):
        return
    from dotagent.processes import background

    how = "seconds" if session.late else _how(session)
    for number in background.numbers(session.path / "processes"):
        if told := background.read_process(session.path / "processes" / str(number)):
            told.end()
    rest(session, how)


def _how(session: Session) -> str:
    """Return how a helper finished, from the end of its LIFE."""
    for line in log.backwards(session.path / "LIFE.md"):
        if line.event in (Reply.WORD, Rested.WORD):
            break
        if line.event == Fail.WORD:
            kind = line.detail.split(" ")[0]
            return kind if kind in helpers.LIMITS else "ended" if kind == "cancelled" else "failed"
    return "done"


def rest(session: Session, how: str) -> None:
    """Record in LIFE, then in the file, that the helper has finished."""
    session.record(Rested(session.state.heard.agents, how))
    session.sync()
    children.rest(session.home, session.id, session.state.heard.agents, how)
