"""One process that is kept running: started, ended, and after a death started again, the later the oftener it dies.

What it prints goes into its log, of which the one before is kept when it grows. Owns `up/<name>.log`; the log of a
life stands in its own directory.
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

from dotagent.store import disk, process
from dotagent.text import times

SOON, LATEST = 0.5, 60.0  # seconds until one that died is started again, the second time and at most
WELL = 10.0  # seconds after which one that runs is well
LOG = 5_000_000  # bytes after which a log is begun anew


@dataclass
class Child:
    """What is kept running: a `bridge`, the `clock`, or a `life`, its name, and its log."""

    kind: str
    name: str
    log: Path
    process: subprocess.Popen[bytes] | None = None
    since: str = ""
    deaths: int = 0
    why: str = ""
    _began: float = 0.0
    _next: float = 0.0
    _ended: list[int] = field(default_factory=list)

    @property
    def runs(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        """Its process, 0 for none."""
        return self.process.pid if self.process and self.runs else 0

    def wait(self) -> float:
        """Seconds until it may be started."""
        return max(0.0, self._next - time.monotonic())

    def start(self, words: Sequence[str], env: Mapping[str, str], secrets: Mapping[str, str] | None = None) -> None:
        """Start it; secrets come to it on its standard input, and by no other way."""
        if self.log.exists() and self.log.stat().st_size > LOG:
            os.replace(self.log, self.log.with_name(f"{self.log.name}.1"))
        with disk.opened(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as log:
            stdin = subprocess.DEVNULL if secrets is None else subprocess.PIPE
            self.process = process.start(words, log, env=env, stdin=stdin)
        self.since, self._began, self.why = times.now(), time.monotonic(), ""
        if self.process.stdin:
            with suppress(BrokenPipeError):  # it has left already; its log says why
                self.process.stdin.write(json.dumps(secrets).encode())
                self.process.stdin.close()

    def died(self) -> int | None:
        """How it ended, told once: its exit status, or minus the signal; None while it runs, or never ran."""
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
        """Something was changed: it need not wait."""
        self._next, self.deaths = 0.0, 0

    def signal(self, signum: int, tell: Callable[[str], None]) -> None:
        """Send it a signal, when it runs."""
        if self.process and self.runs:
            try:
                self.process.send_signal(signum)
            except ProcessLookupError:
                tell(f"{self.name} ended by itself")

    def told(self) -> dict[str, object]:
        """What `ps` shows of it."""
        started = process.start_time(self.pid) if self.pid else ""
        return {"kind": self.kind, "name": self.name, "pid": self.pid, "started": started, "since": self.since,
                "deaths": self.deaths, "why": self.why, "log": str(self.log)}  # fmt: skip
