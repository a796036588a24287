"""Many helpers at once: 50 of them (`--helpers`), each an agent in a process of its own, answered by the provider of
rules.

One life spawns them by its tool, one after the other, and waits for all. Told are the seconds until the last was told
of, from the first SPAWN on and since the last one; how many results came, and how often each; how many processes lived
at once; and the most memory that they had together, each page that several share counted once (PSS).
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import common

import agent
from dotagent.loop import boot, spawned
from dotagent.loop.boot import Agent
from dotagent.store import home, launch, log
from dotagent.store import spawned as births
from dotagent.store.home import Home
from dotagent.text.grammar import ToolCall

LONGEST = 300.0  # seconds
LOOK = 0.5  # seconds between two looks at memory


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--helpers", type=int, default=50)
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        where = Home(path / "home")
        home.prepare(where)
        (where.root / "dotagent.toml").write_text(f'sandbox = "off"\nnearby = []\n[spawn]\nmost = {asked.helpers}\n')
        try:
            with boot.life_of(["--home", str(where.root), "--provider", "offline"]) as me:
                _measure(where, me, asked.helpers)
        finally:
            births.end(where, home.lives(where))
            launch.stop(where, "offline")


def _measure(where: Home, me: Agent, count: int) -> None:
    begun, seen = time.perf_counter(), [(0, 0, 0)]
    for number in range(count):
        agent.act(me.session, ToolCall("SPAWN", f"read the file n{number}.md", None))
    spawn = time.perf_counter() - begun
    wait, looked = common.Deadline(LONGEST), 0.0
    while spawned.out(me.session):
        if time.perf_counter() - looked > LOOK:
            seen.append(_memory(where))
            looked = time.perf_counter()
        if not agent.step(me):
            agent.rest(me)
            me.watch.wait(0.1)
            wait.nap()
    seconds, once = time.perf_counter() - begun, _results(where, me)
    right = sum(times == 1 for times in once.values())
    most, largest = max(one for _, one, _ in seen), max(one for *_, one in seen)
    rows = [["spawned", f"{spawn:.2f} s", f"{1000 * spawn / count:.1f} ms each"],
            ["last result told", f"{seconds:.2f} s", f"{1000 * seconds / count:.0f} ms each, {os.cpu_count()} cores"],
            ["results told once", f"{right} of {count}", "ok" if right == count == len(once) else "WRONG"],
            ["processes at once", f"{max(one for one, _, _ in seen)}", ""],
            ["their memory", _mib(most), f"the largest {_mib(largest)}"]]  # fmt: skip
    common.table(f"{count} helpers at once (load {os.getloadavg()[0]:.1f})", ["", "", ""], rows)


def _results(where: Home, me: Agent) -> Counter[str]:
    """How often each helper's own result was told."""
    found = Counter[str]()
    for line in log.lines(me.session.path / "LIFE.md"):
        if line.event == "RETURNED":
            one, _, how, *_ = line.detail.split(" ")
            terms = births.terms(where.store(), one)
            told = where.room(terms.room).read_bytes() if terms else b""
            task = told.partition(b"read the file ")[2].partition(b"\n")[0]
            found[one] += bool(how == "done" and task and task in where.store().get(line.id).body)
    return found


def _memory(where: Home) -> tuple[int, int, int]:
    """How many processes of helpers live, the memory of all, and of the largest."""
    sizes = [_pss(number) for one in home.lives(where) if (number := births.pid(where, one))]
    return len(sizes), sum(sizes), max(sizes, default=0)


def _mib(size: int) -> str:
    return f"{size >> 20} MiB"


def _pss(number: int) -> int:
    try:
        rows = Path(f"/proc/{number}/smaps_rollup").read_text().split("\n")
    except OSError:
        return 0
    return next((int(row.split()[1]) << 10 for row in rows if row.startswith("Pss:")), 0)


if __name__ == "__main__":
    main()
