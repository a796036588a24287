"""A whole home under one seed: agents, a provider, the clock and `up` in one process, with crashes, power cuts, disks
that fail and clocks that jump.

Each third world is drawn from its seed: who says what, which jobs there are, what fails and when. In the others, little
happens, and something crashes at each change of a file in turn. Each step follows from the seed, too, so the same seed
gives the same trace, whose hash is printed. What is wrong is printed with the plan of the fewest things that must
happen for it: exit status 1. The people's side and the model are scripted; all else is the
real code (simulate_world.py). What is looked at in the end: simulate_eye.py.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import hashlib
import os
import pickle
import shutil
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field, replace
from itertools import count, islice
from pathlib import Path

if os.environ.get("PYTHONHASHSEED") != "0":  # the order of a set must not differ
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})

import simulate_kernel

simulate_kernel.install()

import common  # noqa: E402  dotagent sees the simulated calls
import simulate_eye  # noqa: E402
import simulate_planted  # noqa: E402
import simulate_world  # noqa: E402
from simulate_kernel import KERNEL, Real, Stuck  # noqa: E402
from simulate_world import Plan, World  # noqa: E402

from dotagent.store import log  # noqa: E402

BASE = Path("/dev/shm")
HERE = Path("/proc/self/cwd/home")  # the home in whatever folder: prompts name it, and all traces are to be alike
SLOTS = 16  # simulations at once on a machine
LONGEST = 240  # seconds of computing time, after which a world computes without a call of the system


@dataclass
class Ended:
    """How a world ended."""

    hash: str = ""
    wrong: list[str] = field(default_factory=list)
    steps: int = 0
    switches: int = 0
    processes: int = 0
    seconds: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    recent: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)


def live(plan: Plan, root: Path) -> Ended:
    """Live a world to its end, in this process."""
    world = simulate_world.made(plan, root)
    kernel, words = world.kernel, Counter[str]()
    world.people()
    try:
        wrong = lived(world)
        words.update(
            line.event for one in world.lives.values() for line in log.lines(world.where.agent(one) / "LIFE.md")
        )
    except Stuck as stuck:
        wrong = [*kernel.problems, str(stuck)]
    if simulate_kernel.ALL:
        Path(simulate_kernel.ALL).write_text("\n".join(kernel.recent))
    found, seconds = kernel.hash.hexdigest()[:16], kernel.now() / 1e9 - simulate_kernel.BEGIN
    return Ended(found, wrong, kernel.ops, kernel.switches, kernel.started, seconds, kernel.faults, words,
                 list(kernel.recent), kernel.passed)  # fmt: skip


def lived(world: World) -> list[str]:
    """Let a world live until it comes to rest and its programs left; what is wrong then. Raises Stuck."""
    kernel, plan = world.kernel, world.plan
    end = plan.items[-1].at + simulate_world.SETTLE if plan.items else 60.0
    looked, sizes = 0.0, list[int]()
    while kernel.mono / 1e9 < end:
        if not kernel.step(30.0):
            kernel.mono += int(30e9)
        if kernel.mono / 1e9 - looked >= 30.0:
            looked = kernel.mono / 1e9
            if world.done == len(plan.items):
                kernel.broken, world.fails = (0, 0, ""), []
                for one in kernel.processes.values():
                    one.doom = -1
                kernel.power = -1
            before, sizes = sizes, [(world.where.agent(one) / "LIFE.md").stat().st_size for one in world.lives.values()]
            over = looked > plan.items[-1].at + 60 and before == sizes
            kernel.problems += simulate_eye.erased(world)
            if kernel.problems or (over and simulate_eye.quiet(world)):
                break
    wrong = kernel.problems or [*simulate_eye.derived(world)]
    world.leaving = True
    for _ in range(3000):
        if not any(not one.dead and one.kind != "people" for one in kernel.processes.values()):
            break
        for one in kernel.processes.values():
            if not one.pending and one.kind != "people" and not one.told.endswith("\0"):
                kernel.signal(one, 15)
                one.told += "\0"
        kernel.step(0.1)
    else:
        wrong.append("a process does not leave when it is asked to")
    return wrong or [*kernel.problems, *simulate_eye.wrong(world)]


def world_of(plan: Plan, root: Path, copy: str | None = None) -> Ended:
    """Live a world in a child of this process, so that nothing of it is left, but a copy of the home."""
    told = root.with_name(f"{root.name}.ended")
    told.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        try:
            import signal

            Real.signal(signal.SIGPROF, signal.SIG_DFL)
            Real.timer(signal.ITIMER_PROF, LONGEST)
            Real.timer(signal.ITIMER_REAL, 4 * LONGEST)  # it waits in a call of the machine itself
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            root.mkdir(exist_ok=True)
            os.chdir(root)
            ended = live(plan, HERE)
            KERNEL.here = None
            if copy:
                shutil.copytree(HERE, copy, symlinks=True)
            told.write_bytes(pickle.dumps(ended))
        except BaseException:  # noqa: BLE001 the child ends here, whatever happened
            KERNEL.here = None
            told.write_bytes(pickle.dumps(Ended(wrong=[f"the simulation failed: {traceback.format_exc()}"])))
        finally:
            Real.exit(0)
    _, status = os.waitpid(child, 0)
    if not told.exists():
        return Ended(wrong=[f"the world did not end within {LONGEST} s of computing time ({status})"])
    ended = pickle.loads(told.read_bytes())
    assert isinstance(ended, Ended)
    return ended


def smaller(plan: Plan, root: Path, end: float) -> Plan:
    """The same world with as few things as are needed for it to go wrong."""
    items, size = list(plan.items), max(1, len(plan.items) // 2)
    while size and time.monotonic() < end:
        at, shrunk = 0, False
        while at < len(items) and time.monotonic() < end:
            fewer = items[:at] + items[at + size :]
            if fewer and world_of(replace(plan, items=tuple(fewer)), root).wrong:
                items, shrunk = fewer, True
            else:
                at += size
        size = size if shrunk else size // 2
    return replace(plan, items=tuple(items))


def slot() -> tuple[Path, int]:
    """A folder of our own, and its lock."""
    for number in range(10, 10 + SLOTS):
        fd = os.open(BASE / f"dotagent-simulate-{number}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
        else:
            return BASE / f"dotagent-simulate-{number}", fd
    raise SystemExit("too many simulations run at once")


def report(plan: Plan, ended: Ended, verbose: bool) -> None:
    """Print what is wrong, and how to repeat it."""
    print(f'{len(ended.wrong)} things are wrong, repeated by --plan "{astuple(plan)}"', file=sys.stderr)
    for one in ended.wrong[:20]:
        print(f"  {one}", file=sys.stderr)
    how = "up" if plan.supervised else "by hand"
    print(
        f"  rooms {','.join(plan.rooms)}, {how}, limit {plan.limit}, {'summaries, ' * plan.summaries}{plan.zone}",
        file=sys.stderr,
    )
    for item in plan.items:
        print(f"  {item}", file=sys.stderr)
    for line in ended.recent[-150:] if verbose else []:
        print(f"    {line}", file=sys.stderr)


@dataclass
class Sum:
    """What many worlds were together."""

    worlds: int = 0
    steps: int = 0
    switches: int = 0
    processes: int = 0
    days: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    traces: list[str] = field(default_factory=list)

    def add(self, ended: Ended) -> None:
        """One more world has ended."""
        self.worlds, self.steps = self.worlds + 1, self.steps + ended.steps
        self.switches, self.days = self.switches + ended.switches, self.days + ended.seconds / 86400
        self.processes += ended.processes
        self.faults.update(ended.faults)
        self.words.update(ended.words)
        self.traces.append(ended.hash)

    def table(self, seed: int, took: float) -> None:
        """Print it."""
        used = sum(os.times()[:4])
        rows: list[list[object]] = [
            ["worlds", self.worlds],
            ["steps", self.steps],
            ["steps a second of computing time", f"{self.steps / used:,.0f}"],
            ["turns of tasks", self.switches],
            ["processes", self.processes],
            ["virtual days", f"{self.days:.1f}"],
            ["hash of all traces", hashlib.sha256("".join(self.traces).encode()).hexdigest()[:16]],
            ["seconds", f"{took:.0f}"],
            ["seconds of computing time", f"{used:.0f}"],
        ]
        rows += [[f"fault: {name}", count] for name, count in sorted(self.faults.items())]
        rows += [[f"event {name}", count] for name, count in self.words.most_common()]
        common.table(f"Simulated homes, from seed {seed}", ["", "count"], rows)


def plans(seed: int, root: Path) -> Iterator[Plan]:
    """Worlds drawn at random, each behind two in which something crashes at a change of a script, while there are
    any."""
    scripts = {name: simulate_world.script_of(seed, name) for name in simulate_world.SCRIPTS}
    passed = dict[str, list[str]]()
    for name, script in scripts.items():
        yield replace(script, items=simulate_world.SCRIPTS[name][2])  # nothing fails, so all must happen soon
        ended = world_of(script, root)
        passed[name] = ended.passed
        if ended.wrong:
            yield script  # to report it
    drawn = map(simulate_world.plan_of, count(seed))
    for number, crash in enumerate(simulate_world.crashes(seed, passed)):
        yield from (crash, next(drawn)) if number % 2 else (crash,)
    yield from drawn


def worlds(asked: argparse.Namespace, seed: int, root: Path) -> bool:
    """Live worlds until one goes wrong, which is told, or the time is over. Return whether all went well."""
    began, told = time.monotonic(), Sum()
    given = [simulate_world.told(asked.plan)] if asked.plan else islice(plans(seed, root), asked.worlds)
    try:
        for plan in given:
            if time.monotonic() - began >= asked.seconds:
                break
            ended = world_of(plan, root, asked.copy)
            told.add(ended)
            if asked.verbose:
                did = f"{ended.steps} steps {ended.processes} processes {ended.seconds / 3600:.1f} h"
                print(f"{plan.seed} {ended.hash} {did}", flush=True)
            if ended.wrong:
                took = time.monotonic() - began
                used = sum(os.times()[:4])
                print(
                    f"found in world {told.worlds}, after {took:.1f} s, {used:.1f} s of computing time",
                    file=sys.stderr, flush=True,
                )  # fmt: skip
                small = smaller(plan, root, time.monotonic() + asked.smaller)
                report(small, world_of(small, root), asked.verbose)
                return False
    finally:
        told.table(seed, time.monotonic() - began)
    return True


def main() -> int:
    """Live worlds, and tell what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="no world begins after so many seconds")
    parser.add_argument("--worlds", type=int, default=10**9, help="how many worlds at most")
    parser.add_argument("--seed", type=int, help="of the first drawn world; each next one has the next number")
    parser.add_argument("--plan", type=ast.literal_eval, help="one world, as a failure prints it")
    parser.add_argument("--smaller", type=float, default=60.0, help="seconds for making a failure smaller")
    parser.add_argument("--copy", metavar="DIR", help="a new folder for a copy of the home of one world, at its end")
    parser.add_argument("--verbose", action="store_true", help="print each world, and the last steps before a failure")
    parser.add_argument("--planted", action="store_true", help="find faults that are planted in copies of the code")
    parser.add_argument("--only", default="", metavar="PATTERN", help="plant only the faults whose names fit")
    asked = parser.parse_args()
    if asked.planted:
        return simulate_planted.main(asked.seconds, asked.worlds, asked.seed or 1, asked.only)
    seed = asked.seed if asked.seed is not None else int.from_bytes(os.urandom(4), "big")
    simulate_world.loaded()
    root, lock = slot()
    try:
        return 0 if worlds(asked, seed, root) else 1
    finally:
        shutil.rmtree(root, ignore_errors=True)
        root.with_name(f"{root.name}.ended").unlink(missing_ok=True)
        os.close(lock)


if __name__ == "__main__":
    sys.exit(main())
