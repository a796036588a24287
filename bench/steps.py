"""What a tool step costs: from a model's answer on disk to the next request on disk, in a young life and in a long one.

The agent is the real program; the model is this process, on the real spool. Two lives with the same live context take
turns. Beside it: what a step syncs and writes, and how long it waits in syncs, in a forked child whose `os` is wrapped.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
import histories

import agent
from dotagent import errors
from dotagent.store.home import Home

# What the model replies, with another number each time: what is thrice the same is stopped as a circle.
TOOLS = {"READ_FILE": "READ_FILE note.md 1-{}", "RUN true": "RUN true {}"}
TURN = 20  # steps of one turn
CONTEXT = 2_000  # tokens, of the lives whose length differs
LIMIT_RATIO, LIMIT_MS, SYNCS = 1.2, 2.0, 2
Kind = tuple[int, str]  # events of LIFE, tool


@dataclass
class Figures:
    """Seconds of each step, and seconds of the agent's own CPU a step of each turn."""

    steps: dict[Kind, list[float]]
    cpu: dict[Kind, list[float]]


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--events", type=int, nargs=2, default=(100, 100_000), help="LIFE's events, short and long")
    parser.add_argument("--contexts", type=int, nargs=2, default=(1_000, 50_000), help="tokens, for the bytes written")
    parser.add_argument("--steps", type=int, default=200, help="steps measured of each kind")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        disk = common.Disk(path)
        homes = {events: histories.make(path / f"events-{events}", events, CONTEXT) for events in asked.events}
        figures = _measure(homes, disk, asked.steps)
        bare = _bare(asked.steps // 4)
        _print_times(figures, disk, bare)
        shutil.rmtree(path / f"events-{asked.events[1]}")
        _print_counts(path, asked.contexts)


def _measure(homes: dict[int, tuple[Home, str]], disk: common.Disk, steps: int) -> Figures:
    """Seconds of each step, the lives and the tools taking turns."""
    kinds = [(events, tool) for tool in TOOLS for events in homes]
    figures = Figures({kind: [] for kind in kinds}, {kind: [] for kind in kinds})
    with ExitStack() as stack:
        lives = {}
        for events, (where, self_id) in homes.items():
            agent = stack.enter_context(common.running(where, self_id))
            lives[events] = (agent.process.pid, common.Spool(where, self_id))
        for number in range(-(-steps // TURN) + 1):
            for events, tool in kinds:
                pid, spool = lives[events]
                disk.measure()
                before = common.cpu(pid)
                found = _turn(spool, TOOLS[tool])
                if number:  # the first turn warms up
                    figures.steps[events, tool] += found
                    figures.cpu[events, tool].append((common.cpu(pid) - before) / TURN)
    return figures


def _turn(spool: common.Spool, reply: str) -> list[float]:
    common.say(spool.home, "go on")
    spool.placed()
    found = []
    for number in range(TURN):
        answered = spool.answer(reply.format(number + 1))
        found.append(spool.placed() - answered)
    spool.answer("WAIT")
    spool.rest()
    return found


def _bare(count: int) -> list[float]:
    """The seconds that `sh -c true` takes by itself: no harness can run a command in less."""
    found = []
    for _ in range(count):
        began = time.perf_counter()
        subprocess.run(["sh", "-c", "true"], check=True)
        found.append(time.perf_counter() - began)
    return found


def _print_times(figures: Figures, disk: common.Disk, bare: list[float]) -> None:
    rows = []
    for (events, tool), found in figures.steps.items():
        cpu = f"{statistics.median(figures.cpu[events, tool]) * 1000:.2f}"
        rows.append([f"{tool}, {events:,} events", *common.ms(found), cpu])
    rows += [[*row, ""] for row in disk.rows()]
    rows.append(["sh -c true by itself", *common.ms(bare), ""])
    common.table("Answer on disk to next request on disk, ms", ["", "median", "p90", "agent's CPU"], rows)
    short, long = sorted({events for events, _ in figures.steps})
    sync, shell = statistics.median(disk.syncs) * 1000, statistics.median(bare) * 1000
    for tool in TOOLS:
        few, many = (statistics.median(figures.steps[events, tool]) * 1000 for events in (short, long))
        own = shell if tool.startswith("RUN") else 0.0
        print(f"\n  {tool}: {long:,} events over {short:,}: {common.verdict(many / few, LIMIT_RATIO)}")
        beyond = common.verdict(many - own - SYNCS * sync, LIMIT_MS, " ms")
        print(f"  {tool}: beyond {SYNCS} fdatasyncs{' and the bare command' if own else ''}: {beyond}")


def _print_counts(path: Path, contexts: Sequence[int]) -> None:
    rows = []
    for tokens in contexts:
        where, self_id = histories.make(path / f"tokens-{tokens}", 0, tokens)
        for tool, reply in TOOLS.items():
            syncs, size, writes, waited = (statistics.median(values) for values in _counted(where, self_id, reply))
            figures = [f"{syncs:.0f}", f"{waited / 1e6:.2f}", f"{writes:.0f}", f"{size:,.0f}"]
            rows.append([f"{tool}, {tokens:,} tokens", *figures])
    heads = ["", "syncs", "ms in them", "writes", "bytes written"]
    common.table("A step's changes to the disk, by context", heads, rows)


def _counted(where: Home, self_id: str, reply: str) -> list[list[int]]:
    """Syncs, bytes, writes and nanoseconds in syncs of each step, from one placed request to the next."""
    report = where.root / "counts.json"
    pid = os.fork()
    if not pid:
        os._exit(_child(where, self_id, report))
    spool = common.Spool(where, self_id)
    for _ in range(2):
        _turn(spool, reply)
    spool.close()
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    steps = json.loads(report.read_text())
    return [list(column) for column in zip(*steps[3:TURN], strict=True)]


def _child(where: Home, self_id: str, report: Path) -> int:
    """Be the agent, with the calls that change a disk counted."""
    count = {"syncs": 0, "bytes": 0, "writes": 0, "waited": 0}
    steps: list[list[int]] = []

    def wrap(name: str, before: Callable[..., None]) -> None:
        real = getattr(os, name)

        def call(*given: Any, **named: Any) -> Any:
            before(*given)
            began = time.perf_counter_ns()
            try:
                return real(*given, **named)
            finally:
                count["waited"] += time.perf_counter_ns() - began if before is sync else 0

        setattr(os, name, call)

    def sync(fd: int) -> None:
        count["syncs"] += 1

    def write(fd: int, data: bytes) -> None:
        count["bytes"] += len(data)
        count["writes"] += 1

    def rename(source: Path, target: Path) -> None:
        if Path(target).parent.parent.name == "new":
            steps.append(list(count.values()))
            count.update(dict.fromkeys(count, 0))

    for name, before in (("fsync", sync), ("fdatasync", sync), ("write", write), ("rename", rename)):
        wrap(name, before)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ.clear()  # an agent whose environment holds more would run itself anew without it
    os.environ.update(common.environment())
    sys.argv = ["agent.py", self_id, "--home", str(where.root), "--provider", common.SCRIPTED]
    status = errors.edge(agent.main)
    report.write_text(json.dumps(steps))
    return status


if __name__ == "__main__":
    main()
