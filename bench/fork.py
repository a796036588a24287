"""What a fork costs: the seconds of the command, and the bytes that it adds to the home, of a life of 1,000,000 events.

Each fork is one run of `dotagent fork`, a process of its own, at the end of the life and some events before. Between
two swaps, a fork costs what a start costs: it reads LIFE from the last swap before the moment on.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time

import common
import histories

from dotagent.installed import CODE
from dotagent.store import log
from dotagent.store.home import Home

LIMIT_S, LIMIT_MB = 1.0, 1.0
EARLIER = 50


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--events", type=int, default=1_000_000, help="events of the life that is forked")
    parser.add_argument("--tokens", type=int, default=32_000, help="its context")
    parser.add_argument("--runs", type=int, default=5, help="forks measured of each kind")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        where, self_id = histories.make(path / "old", asked.events, asked.tokens)
        life = where.agent(self_id) / "LIFE.md"
        earlier = log.tail(life, EARLIER)[0].at
        rows, slowest, largest = list[list[str]](), 0.0, 0
        for name, words in {"now": (), f"{EARLIER} events before": ("--at", earlier)}.items():
            found = [_fork(where, self_id, *words) for _ in range(asked.runs + 1)][1:]  # the first one warms up
            seconds, worked = (statistics.median(one[at] for one in found) for at in (0, 1))
            added = max(one[2] for one in found)
            rows.append([name, f"{seconds:.2f}", f"{worked:.2f}", f"{added:,}"])
            slowest, largest = max(slowest, seconds), max(largest, added)
        size = life.stat().st_size
    common.table(
        f"A fork of a life of {asked.events:,} events, LIFE of {size / 1e6:.0f} MB",
        ["at", "s", "s of the processor", "bytes"],
        rows,
    )
    print(f"\n  fork: {common.verdict(slowest, LIMIT_S, ' s')}; {common.verdict(largest / 1e6, LIMIT_MB, ' MB')}")


def _fork(where: Home, self_id: str, *words: str) -> tuple[float, float, int]:
    """The seconds that the command took, those of the processor, and the bytes that it added."""
    program = [sys.executable, "-m", "dotagent", "fork", self_id, "--json", "--home", str(where.root), *words]
    begun, before = time.perf_counter(), _processor()
    done = subprocess.run(program, cwd=CODE, capture_output=True, check=True)
    seconds, worked = time.perf_counter() - begun, _processor() - before
    made = json.loads(done.stdout)
    paths = [*where.agent(made["agent"]).rglob("*"), where.room(made["room"]), where.store().path(made["agent"])]
    return seconds, worked, sum(path.lstat().st_size for path in paths if not path.is_dir())


def _processor() -> float:
    """The processor time of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
