"""Runs of jobs that the clock handed over, heartbeats and starts among them: each wakes the agent once, as an event.

A run's file goes once LIFE holds the event durably; LIFE knows the run by its name, so that one which is handed over
again is only taken away. Takes the files of `agents/<self>/due/`.
"""

from __future__ import annotations

from pathlib import Path

from dotagent import errors, extensions
from dotagent.life.events import Error, Wake
from dotagent.life.session import Session
from dotagent.life.woken import HEARTBEAT
from dotagent.store import disk, due
from dotagent.store.due import Due
from dotagent.store.watch import Changed, Watcher
from dotagent.text import checklist, grammar, times

BOOT, FILE = "boot", "BOOT.md"
AGAIN = 60.0  # seconds after a start in which another one does not go through BOOT.md again
JOB = "This was asked for at {}{}; say or do it now:\n{}"
MISSED = "This was asked for at {}, and could not be said or done then; tell whom it concerns:\n{}"
BEAT = (
    "A heartbeat, at {}: go through this list and do what it asks. Where nobody need hear of anything your reply is "
    "{} alone; else it is the alert, alone.\n{}"
)
START = "You were started. This is done at each start; where there is nothing to say, reply {}:\n{}"


class Wakes:
    """What this process knows of the life's due runs."""

    def __init__(self, session: Session, watch: Watcher) -> None:
        self._session, self._changed = session, Changed()
        self._folder = session.path / "due"
        disk.make_dir(self._folder)
        watch.names(self._folder)
        self._started, self._odd = False, set[str]()

    def look(self) -> bool:
        """Record the first run that is due; False when there is none."""
        if not self._started:
            self._started = True
            if self._start():
                return True
        if not self._changed.look(self._folder):
            return False
        for path in due.waiting(self._folder):
            if path.name in self._odd:
                continue
            try:
                one = due.read(path)
            except (OSError, ValueError, RecursionError) as error:
                self._odd.add(path.name)
                why = errors.line(error) if isinstance(error, OSError) else str(error)
                self._session.record(Error(f"due/{path.name} is not heard: {why}"))
                continue
            self._changed.forget(self._folder)
            if self._take(one, path):
                return True
        return False

    def _take(self, one: Due, path: Path) -> bool:
        """Let the run happen, unless it has; its file is needed no more then."""
        session, new = self._session, one.key not in self._session.state.heard.woken
        if new and one.room not in session.state.heard.rooms:
            session.record(
                Error(f"job {one.job} is for room {one.room}, which I do not hear: subscribe me, or change it")
            )
        if new:
            session.record(Wake(one.job, one.room, one.at, one.how), _words(one).encode("utf-8", "replace"))
        session.sync()
        disk.remove(path)
        return new

    def _start(self) -> bool:
        """Go through BOOT.md, when it says something; not again where the last start was a moment ago."""
        session, path = self._session, self._session.path / FILE
        try:
            text = disk.read(path, checklist.MOST).decode("utf-8", "replace")
        except FileNotFoundError:
            return False
        except OSError as error:
            session.record(Error(f"{FILE} is not read: {errors.line(error)}"))
            return False
        rooms = sorted(
            session.state.heard.rooms, key=lambda room: (room != session.state.turn.room, room != "dev", room)
        )
        last = next((key[5:] for key in reversed(session.state.heard.woken) if key.startswith(f"{BOOT}@")), "")
        now = times.to_second(times.now())
        if not checklist.says_something(text) or not rooms or (last and not times.apart(last, now, AGAIN)):
            return False
        words = START.format(extensions.tools().silence, text.strip())
        session.record(Wake(BOOT, rooms[0], now), words.encode("utf-8", "replace"))
        return True


def _words(one: Due) -> str:
    """What the model reads of it."""
    if one.job == HEARTBEAT:
        return BEAT.format(one.when, grammar.QUIET, one.text)
    if one.how == "missed":
        return MISSED.format(one.when, one.text)
    return JOB.format(one.when, ", and it is later now" if one.how == "late" else "", one.text)
