"""What an idle agent and its provider cost: CPU and wake-ups over half a minute in which nothing happens.

Both are the real programs, the provider the offline one, after a first talk. CPU is what the kernel counted: ticks of
10 ms in /proc/PID/stat, and nanoseconds in /proc/PID/schedstat where there is one. Linux only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import common

from dotagent.store import disk, process
from dotagent.store.home import Home

LIMIT_TICKS = 1  # of 10 ms: less cannot be told from nothing


@dataclass(frozen=True)
class Cost:
    """What a process has used so far: ticks of CPU, seconds of CPU, times it was woken."""

    ticks: int
    seconds: float
    woken: int


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--seconds", type=float, default=30.0)
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        where = common.make_home(path / "home")
        agent = common.Running(where, "--provider", "offline")
        try:
            provider = _talk(where, agent)
            rows = _watch({"agent": agent.process.pid, "provider": provider}, asked.seconds)
        finally:
            agent.stop()
        os.kill(provider, 15)
    heads = ["", f"CPU ticks ({1000 // os.sysconf('SC_CLK_TCK')} ms)", "CPU ms", "wake-ups", "share of a core"]
    common.table(f"Idle for {asked.seconds:g} s", heads, rows)
    ticks = max(int(row[1]) for row in rows)
    print(f"\n  no measurable CPU: {common.verdict(ticks, LIMIT_TICKS, ' ticks')}")


def _talk(where: Home, agent: common.Running) -> int:
    """Let the agent and its provider do their work once; return the provider's pid."""
    words = [sys.executable, "chat.py", common.ROOM, "--home", str(where.root), "-m", "help", "--wait", "20"]
    quiet = subprocess.DEVNULL
    subprocess.run(words, cwd=common.ROOT, env=common.environment(), stdin=quiet, capture_output=True, check=True)
    path = where.calls / "offline.pid"
    pid, started = path.read_text().split()
    if not (disk.is_locked(path) and process.lives(int(pid), started)):
        raise common.Stuck(f"no provider serves {where.root}")
    time.sleep(1.0)
    return int(pid)


def _watch(pids: dict[str, int], seconds: float) -> list[list[str]]:
    before = {name: _cost(pid) for name, pid in pids.items()}
    time.sleep(seconds)
    rows = []
    for name, pid in pids.items():
        old, new = before[name], _cost(pid)
        spent = new.seconds - old.seconds
        share = f"{spent / seconds:.4%}"
        rows.append([name, str(new.ticks - old.ticks), f"{spent * 1000:.2f}", str(new.woken - old.woken), share])
    return rows


def _cost(pid: int) -> Cost:
    stat = Path(f"/proc/{pid}/stat").read_bytes()
    fields = stat[stat.rindex(b")") + 2 :].split()
    ticks = int(fields[11]) + int(fields[12])
    return Cost(ticks, common.cpu(pid), common.status(pid, "voluntary_ctxt_switches"))


if __name__ == "__main__":
    main()
