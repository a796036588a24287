"""Ends of commands that outlived their turn: each is told once, as an event that wakes the agent."""

from __future__ import annotations

from dotagent.life.events import Ended
from dotagent.life.session import Session
from dotagent.store import supervised
from dotagent.store.watch import Changed, Watcher
from dotagent.tools import process


class Ends:
    """What this process knows of the life's commands: those of whose end nothing was told yet."""

    def __init__(self, session: Session, watch: Watcher) -> None:
        self._session, self._watch, self._changed = session, watch, Changed()
        self._processes = session.path / "processes"
        self._running: list[int] = []

    def waits(self) -> bool:
        """Whether any of them runs."""
        return bool(self._running)

    def look(self) -> bool:
        """Tell of the first end that is not told; False when there is none."""
        if self._changed.look(self._processes) and self._processes.is_dir():
            self._watch.names(self._processes)
            told = set(self._session.state.heard.ended)
            self._running = [one for one in supervised.numbers(self._processes) if one not in told]
            for one in self._running:
                self._watch.names(self._processes / str(one))
                supervised.supervise(self._processes / str(one))
        for one in list(self._running):
            if how := supervised.ended(self._processes / str(one)):
                self._running.remove(one)
                if not (self._processes / str(one) / "quiet").exists():  # else it was killed on purpose
                    self._tell(one, how)
                    return True
        return False

    def _tell(self, number: int, how: str) -> None:
        folder = self._processes / str(number)
        start = supervised.seen(folder)
        _, _, end = supervised.output(folder, start)
        self._session.record(
            Ended(number, supervised.about(folder).room or "-", how),
            f"process {number} has ended: {how}".encode() + process.printed(folder, start, end),
        )
        supervised.see(folder, end)
