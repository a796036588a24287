"""Ends of commands that outlived their turn: each is recorded once, as an event that starts a turn."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.life.background_events import Ended
from dotagent.life.session import Session
from dotagent.processes import background
from dotagent.store import disk
from dotagent.store.watch import Changed, Watcher


class Ends:
    """The agent's commands whose end was not recorded yet."""

    def __init__(self, session: Session, watch: Watcher) -> None:
        self._session, self._watch, self._changed = session, watch, Changed()
        self._processes = session.path / "processes"
        self._running: list[int] = []

    def waits(self) -> bool:
        """Return True if any of them is running."""
        return bool(self._running)

    def look(self) -> bool:
        """Record the first unrecorded end. Return False if there was nothing to record."""
        if self._changed.look(self._processes) and self._processes.is_dir():
            self._watch.names(self._processes)
            told = set(self._session.state.heard.ended)
            self._running = [one for one in background.numbers(self._processes) if one not in told]
            for one in self._running:
                self._watch.names(self._processes / str(one))
                background.supervise(self._processes / str(one))
        for one in list(self._running):
            if how := background.describe_end(self._processes / str(one)):
                self._running.remove(one)
                if not (self._processes / str(one) / "quiet").exists():  # otherwise it was killed on purpose
                    self._tell(one, how)
                    return True
        return False

    def stop(self, room: str, since: str) -> Iterator[str]:
        """End the commands that the turn of a room, begun at this time, left running. Yield the name of each."""
        for number in background.numbers(self._processes) if since else ():
            folder = self._processes / str(number)
            about = background.read_about(folder)
            if about.room == room and about.at >= since and not background.describe_end(folder):
                disk.replace(folder / "quiet", b"", durable=False)
                if told := background.read_process(folder):
                    told.end()
                yield f"process {number}"

    def _tell(self, number: int, how: str) -> None:
        from dotagent.capabilities.shell.tools import process  # imported only if a process has ended

        folder = self._processes / str(number)
        start = background.read_offset(folder)
        _, _, end = background.output(folder, start)
        self._session.record(
            Ended(number, background.read_about(folder).room or "-", how),
            f"process {number} has ended: {how}".encode() + process.printed(folder, start, end),
        )
        background.see(folder, end)
