"""How soon the agent is there: from the start of the program to its first line, newly born and with a long life behind it.

A birth is in a home of its own each time; the life that is resumed has a LIFE of a million events. Both start the
offline provider's process, or both find it running. Memory is the process's peak (VmHWM) once it hears.
"""

from __future__ import annotations

import os
import signal
import statistics
import time
from pathlib import Path

import common
import histories

from dotagent import disk, home, process
from dotagent.home import Home

LIMIT_S, LIMIT_RATIO, LIMIT_MB = 0.5, 1.3, 50
PROVIDER = "offline"
SWAP = "none"


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--events", type=int, default=1_000_000, help="events behind the life that is resumed")
    parser.add_argument("--runs", type=int, default=9, help="starts measured of each kind")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        old, self_id, size = _old(path / "old", asked.events)
        found: dict[str, list[tuple[float, int]]] = {"boot": [], "resume": [], "bare": []}
        for number in range(asked.runs + 1):
            new = Home(path / f"new-{number}")
            boot, resume = _start(new), _start(old, self_id)
            if number:  # the first ones warm up
                found["boot"].append(boot)
                found["resume"].append(resume)
    print(f"\n  LIFE of the one resumed: {asked.events:,} events, {size / 1e6:.0f} MB")
    _print(found)


def _old(path: Path, events: int) -> tuple[Home, str, int]:
    """A life with so many events behind it."""
    where = common.make_home(path)
    self_id = common.born(where)
    return where, self_id, histories.lengthen(where.agent(self_id) / "LIFE.md", events)
