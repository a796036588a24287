"""Due runs of jobs, heartbeats and starts: each starts a turn of the agent once, as an event.

A run's file is deleted once LIFE contains the event durably. LIFE remembers the names of runs, so that a run that is
handed over twice is only deleted. Takes the files of `agents/<self>/due/`.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from dotagent import errors, extensions, installed
from dotagent.capabilities.scheduler import checklist, clock_process, due, jobs
from dotagent.capabilities.scheduler.due import Due
from dotagent.capabilities.scheduler.record import HEARTBEAT, SLICE, Wake
from dotagent.life.events import Error
from dotagent.life.origins import OTHERS
from dotagent.life.session import Session
from dotagent.store import disk, lives
from dotagent.store.watch import Changed, Watcher
from dotagent.text import encoding, heartbeat_reply, source_marks, times
from dotagent.text.lazy import replace
from dotagent.text.reference import short
from dotagent.text.sizes import plural

BOOT, FILE = "boot", "BOOT.md"
AGAIN = 60.0  # seconds after a start; a further start within them skips BOOT.md
JOB = "This was asked for at {}{}; say or do it now:\n{}"
MISSED = "This was asked for at {}, but it was not possible then. Say so to the people who expect it:\n{}"
BEAT = (
    "A heartbeat, at {}: go through this list and do what it asks. If there is nothing that anyone needs to know, "
    "reply only {}. Otherwise reply only with the alert.\n{}"
)
START = "You were started. Do this at each start; if there is nothing to say, reply {}:\n{}"


class Wakes:
    """The agent's due runs that this process knows."""

    def __init__(self, session: Session, watch: Watcher) -> None:
        self._session, self._watch, self._changed = session, watch, Changed()
        self._folder = session.path / "due"
        disk.make_dir(self._folder)
        watch.names(self._folder)
        self._started, self._odd = False, set[str]()
        self._before = {path.name for path in due.waiting(self._folder)}  # runs that came due while no process ran

    def sleep(self) -> float | None:
        """Start the scheduler if this agent needs it. Return the seconds until the next check, or None for a change of
        the jobs."""
        self._watch_jobs()
        return clock_process.ensure(self._session.home, self._session.settings, self._session.id)

    def _watch_jobs(self) -> None:
        """Wake when a person or another program writes a job."""
        where = self._session.home
        try:
            self._watch.names(where.jobs)
        except FileNotFoundError:
            self._watch.new(where.root)
        for name in jobs.list_names(where):
            with suppress(OSError):  # gone, or not a regular file; the check reports it
                self._watch.content(where.jobs / f"{name}.toml")

    def close(self) -> None:
        """Report that jobs of this agent wait until it runs again, unless `up` starts it then."""
        where = self._session.home
        if self._session.anew or not jobs.list_names(where) or lives.is_supervised(where):
            return
        from dotagent.capabilities.scheduler import rounds

        soon = sorted(rounds.due_of(where, self._session.settings, self._session.id))
        if soon:
            count, flag = plural(len(soon), "reminder or job", "reminders and jobs"), where.flag
            first = rounds.format_time(times.make_stamp(soon[0]), self._session.settings.place)
            start = f"`{installed.program('agent')} {short(self._session.id)}{flag}`"
            errors.tell(
                f"{count} of this agent cannot start while it is stopped; the next is due at {first}. Run {start} "
                f"before then, or keep the agent running with `{installed.program('up')}{flag}`"
            )

    def look(self) -> bool:
        """Record the first due run. Return False if no run is due."""
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
                self._session.record(Error(f"due/{path.name} does not start a job: {why}"))
                continue
            self._changed.forget(self._folder)
            if self._take(one, path):
                return True
        return False

    def _take(self, one: Due, path: Path) -> bool:
        """Record the run unless LIFE has it already, then delete its file. Return True if it was new."""
        session = self._session
        new = one.key not in SLICE.of(session.state).woken
        if not one.how and path.name in self._before and -times.ahead(one.at) > due.LATE:
            one = replace(one, how="late")
        if new and one.room not in session.state.heard.rooms:
            session.record(
                Error(
                    f"job {one.job} is for room {one.room}, which I have not joined; add me to the room, or "
                    f"change the job"
                )
            )
        if new:
            wake = Wake(one.job, one.room, one.at, origin(one.text), one.how)
            session.record(wake, _words(one).encode("utf-8", "replace"))
        session.sync()
        disk.remove(path)
        return new

    def _start(self) -> bool:
        """Record a turn for BOOT.md if the file has an instruction. Skip it if the last start was less than AGAIN
        seconds ago."""
        session, path = self._session, self._session.path / FILE
        try:
            text = encoding.utf8(disk.read(path, checklist.MOST)).decode("utf-8", "replace")
        except FileNotFoundError:
            return False
        except OSError as error:
            session.record(Error(f"could not read {FILE}: {errors.line(error)}"))
            return False
        rooms = sorted(
            session.state.heard.rooms, key=lambda room: (room != session.state.turn.room, room != "dev", room)
        )
        last = next((key[5:] for key in reversed(SLICE.of(session.state).woken) if key.startswith(f"{BOOT}@")), "")
        now = times.to_second(times.now())
        if not checklist.has_content(text) or not rooms or (last and not times.is_apart(last, now, AGAIN)):
            return False
        words = START.format(extensions.tools().silence, text.strip())
        session.record(Wake(BOOT, rooms[0], now, origin(text)), words.encode("utf-8", "replace"))
        return True


def origin(text: str) -> str:
    """Return `others` if a line of a task has a mark: the home was imported, or another agent made the task."""
    return OTHERS if any(source_marks.list_marked(text)) else ""


def _words(one: Due) -> str:
    """Return the prompt of a run."""
    if one.job == HEARTBEAT:
        return BEAT.format(one.when, heartbeat_reply.QUIET, one.text)
    if one.how == "missed":
        return MISSED.format(one.when, one.text)
    return JOB.format(one.when, ", and it is later now" if one.how == "late" else "", one.text)
