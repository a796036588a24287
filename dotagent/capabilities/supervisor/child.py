"""A supervised process: it is started, stopped, and restarted after a crash, with a pause that grows with each crash.

Its output goes into its log; when the log is full, it is renamed and a new one begins. Owns `up/<name>.log`. The log of
an agent is in the agent's directory.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dotagent.capabilities.supervisor.template import Fork, Template
from dotagent.store import child_processes, disk, process
from dotagent.text import times

SOON, LATEST = 0.5, 60.0  # seconds before the second restart, and at most
WELL = 10.0  # seconds after which a running process resets the number of crashes
LOG = 5_000_000  # bytes at which a new log begins


@dataclass
class Child:
    """A supervised process: its kind (`bridge`, `clock`, `life` or `birth`), its name, and its log."""

    kind: str
    name: str
    log: Path
    process: subprocess.Popen[bytes] | Fork | None = None
    since: str = ""
    deaths: int = 0
    why: str = ""
    _began: float = 0.0
    _next: float = 0.0
    _ended: list[int] = field(default_factory=list)

    @property
    def runs(self) -> bool:
        """Return True if the process is running."""
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        """Return the process id, or 0 if it is not running."""
        return self.process.pid if self.process and self.runs else 0

    def wait(self) -> float:
        """Return the seconds until the process may be started."""
        return max(0.0, self._next - time.monotonic())

    def start(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        secrets: Mapping[str, str] | None = None,
        template: Template | None = None,
    ) -> None:
        """Start the process, or let the template fork it. It gets `secrets` only on its standard input."""
        if self.log.exists() and self.log.stat().st_size > LOG:
            os.replace(self.log, self.log.with_name(f"{self.log.name}.1"))
        with disk.open_regular(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as log:
            stdin = subprocess.DEVNULL if secrets is None else subprocess.PIPE
            forked = template.start(words[2:], env, self.log, log) if template else None
            self.process = forked or child_processes.start(words, log, env=env, stdin=stdin)
        self.since, self._began, self.why = times.now(), time.monotonic(), ""
        if self.process.stdin:
            with suppress(BrokenPipeError):  # the process has already exited; its log says why
                self.process.stdin.write(json.dumps(secrets).encode())
                self.process.stdin.close()

    def died(self) -> int | None:
        """Return how the process ended: its exit status, or minus the signal number. Return None while it runs, if it
        never ran, or if the end was already reported."""
        if not self.process or self.process.poll() is None:
            return None
        status, self.process, self.since = self.process.returncode, None, ""
        if time.monotonic() - self._began >= WELL:
            self.deaths = 0
        if status:
            self.deaths += 1
            self.why = f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
            pause = 0.0 if self.deaths == 1 else min(LATEST, SOON * 2.0 ** (self.deaths - 2))
            self._next = time.monotonic() + pause
        return status

    def again(self) -> None:
        """Allow an immediate restart, because something was changed."""
        self._next, self.deaths = 0.0, 0

    def signal(self, signum: int, tell: Callable[[str], None]) -> None:
        """Send the process a signal if it is running."""
        if self.process and self.runs:
            try:
                self.process.send_signal(signum)
            except ProcessLookupError:
                tell(f"{self.name} exited by itself")

    def told(self) -> dict[str, object]:
        """Return the entry of the process that `ps` shows."""
        started = process.start_time(self.pid) if self.pid else ""
        return {"kind": self.kind, "name": self.name, "pid": self.pid, "started": started, "since": self.since,
                "deaths": self.deaths, "why": self.why, "log": str(self.log)}  # fmt: skip
