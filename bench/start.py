"""How soon the agent is there: from the program's start to its first line, newly born and with a long life behind it.

Each birth is in a home of its own, each resumption of one life with a million events. Every start finds its provider's
process gone and starts it, as the first of the day does. Memory is the agent's peak (VmHWM) at its first line.
"""

from __future__ import annotations

import os
import signal
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path

import common
import histories

from dotagent.store import disk, process
from dotagent.store.home import Home

LIMIT_S, LIMIT_RATIO, LIMIT_MB = 0.5, 1.3, 50.0
PROVIDER = "offline"
Start = tuple[float, int]  # seconds until the first line, kB of memory then


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--events", type=int, default=1_000_000, help="events behind the life that is resumed")
    parser.add_argument("--tokens", type=int, default=32_000, help="its context")
    parser.add_argument("--runs", type=int, default=9, help="starts measured of each kind")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        old, self_id = histories.make(path / "old", asked.events, asked.tokens)
        size = (old.agent(self_id) / "LIFE.md").stat().st_size
        boots, resumes = list[Start](), list[Start]()
        for number in range(asked.runs + 1):
            boots.append(_start(Home(path / f"new-{number}")))
            resumes.append(_start(old, self_id))
    print(f"\n  The life resumed: LIFE of {size / 1e6:.0f} MB, a context of {asked.tokens:,} tokens")
    _print({"boot": boots[1:], f"resume, {asked.events:,} events": resumes[1:]})  # the first ones warm up


def seconds(where: Home) -> float:
    """Seconds until the first line of an agent that is born in this home."""
    return _start(where)[0]


def empty(where: Home) -> None:
    """A home in which nothing is."""


def turns(path: Path, fills: Mapping[str, Callable[[Home], None]], runs: int) -> None:
    """Measure births in homes that are filled in these ways, in turns; print a row for each, and whether the last one
    is as quick as it must be."""
    found = {name: list[float]() for name in fills}
    for number in range(runs + 1):
        for kind, (name, fill) in enumerate(fills.items()):
            where = Home(path / f"start-{kind}-{number}")
            fill(where)
            found[name].append(seconds(where))
    ready = {name: statistics.median(times[1:]) for name, times in found.items()}  # the first ones warm up
    rows = [[name, f"{median:.3f}"] for name, median in ready.items()]
    common.table("From the program's start to its first line, s", ["", "median"], rows)
    print(f"\n  start: {common.verdict(list(ready.values())[-1], LIMIT_S, ' s')}")


def _start(where: Home, *words: str) -> Start:
    """Start the agent, let it hear, end it and its provider."""
    disk.remove(where.calls / f"{PROVIDER}.pid")  # of the last one, which is gone: a new one tells of the next
    agent = common.Running(where, *words, "--provider", PROVIDER)
    try:
        memory = common.status(agent.process.pid, "VmHWM")
    finally:
        agent.stop()
        _stop_provider(where)
    return agent.ready, memory


def _stop_provider(where: Home) -> None:
    """End the provider that this start has started."""
    path = where.calls / f"{PROVIDER}.pid"
    deadline = common.Deadline()
    while not (path.exists() and len(path.read_text().split()) == 2):
        deadline.nap()
    pid, started = path.read_text().split()
    if process.lives(int(pid), started):
        os.kill(int(pid), signal.SIGTERM)
    while disk.is_locked(path):
        deadline.nap()


def _print(found: dict[str, list[Start]]) -> None:
    rows = []
    for name, starts in found.items():
        seconds = [ready for ready, _ in starts]
        rows.append([name, *common.ms(seconds), f"{max(memory for _, memory in starts) / 1024:.1f}"])
    common.table("Start to first line", ["", "median ms", "p90 ms", "peak MB"], rows)
    boot, resume = (statistics.median(ready for ready, _ in starts) for starts in found.values())
    peak = max(memory for starts in found.values() for _, memory in starts) / 1024
    print(f"\n  boot: {common.verdict(boot, LIMIT_S, ' s')}")
    print(f"  resume: {common.verdict(resume, LIMIT_S, ' s')}")
    print(f"  resume over boot: {common.verdict(resume / boot, LIMIT_RATIO)}")
    print(f"  memory: {common.verdict(peak, LIMIT_MB, ' MB')}")


if __name__ == "__main__":
    main()
