"""How soon a home is kept running: `up -d` with 20 agents, and after a kill the process that was killed.

Each agent has a room of its own; the model is the provider of rules. Told are: seconds from `up -d` until it is ready,
until all agents have answered a word that is said to all at once, and from SIGKILL of an agent's process until that
agent is lived again, and of a message that came meanwhile until its answer.

With `--asleep N` it measures a home of N agents that sleep instead: seconds until `up` is ready, the first time and the
next, and the CPU and memory of its process while one of them answers a message.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import common
import rows as measured

from dotagent.capabilities.supervisor import report
from dotagent.loop import boot
from dotagent.store import home, lives, rooms
from dotagent.store.home import Home
from dotagent.text import times

READY, BACK = 5.0, 2.0  # seconds, at most
LONGEST = 180.0  # seconds that a step may take


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--agents", type=int, default=20)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--asleep", type=int, default=0)
    asked = parser.parse_args()
    os.environ["USER"] = common.environment()["USER"]  # the owner of the home, who speaks to its agents
    with common.scratch(asked.dir) as path:
        where = Home(path / "home")
        home.prepare(where)
        if asked.asleep:
            _asleep(where, asked.asleep)
            return
        tables = [f'[agents.a{number}]\nrooms = ["room{number}"]\n' for number in range(asked.agents)]
        (where.root / "dotagent.toml").write_text("".join(['provider = "offline"\nlinger = 600\n', *tables]))
        try:
            _measure(where, asked.agents, asked.kills)
        finally:
            if report.runs(where):
                _dotagent(where, "down")


def _measure(where: Home, agents: int, kills: int) -> None:
    _dotagent(where, "up", "-d")
    _until(lambda: len(list((where.root / "names").glob("*"))) == agents)  # each is born, once
    _dotagent(where, "down")
    began = time.perf_counter()
    _dotagent(where, "up", "-d")
    ready = time.perf_counter() - began
    places = [f"room{number}" for number in range(agents)]
    began = time.perf_counter()
    _say(where, places)
    _until(lambda: all(_answers(where, room) == 1 for room in places))
    awake, memory = time.perf_counter() - began, measured.memory(where) / agents
    back, answered = list[float](), list[float]()
    for number in range(kills):
        place = places[number % agents]
        (self_id,) = lives.find_agents(where, place)
        _until(lambda: _pid(where, self_id))  # noqa: B023 it is called at once
        before, begun = _answers(where, place), time.perf_counter()
        os.kill(pid := _pid(where, self_id), signal.SIGKILL)
        _say(where, [place])
        _until(lambda: _pid(where, self_id) not in (0, pid) and lives.runs(where, self_id))  # noqa: B023 as above
        back.append(time.perf_counter() - begun)
        _until(lambda: _answers(where, place) == before + 1)  # noqa: B023 as above
        answered.append(time.perf_counter() - begun)
    rows = [["ready", f"{ready:.2f}", "", common.verdict(ready, READY, " s")],
            ["all have answered", f"{awake:.2f}", "", f"{memory:.1f} MB of memory for each (PSS)"],
            ["back after a kill", *_two(back), common.verdict(max(back), BACK, " s")],
            ["and has answered", *_two(answered), f"{len(answered)} of {kills} answered once"]]  # fmt: skip
    load = os.getloadavg()[0]
    common.table(f"{agents} agents, seconds (load {load:.1f})", ["", "median", "most", ""], rows)


def _asleep(where: Home, agents: int) -> None:
    """Measure `up` of a home in which each of so many agents has slept in its own room since it was born."""
    (where.root / "dotagent.toml").write_text('provider = "offline"\nlinger = 1\n')
    for number in range(agents):
        with boot.life_of(["--home", str(where.root), "--provider", "offline", "--new", "--room", f"room{number}"]):
            pass
    ready = list[float]()
    for _ in range(2):
        began = time.perf_counter()
        _dotagent(where, "up", "-d")
        ready.append(time.perf_counter() - began)
        pid = int(report.runs(where))
        before, began = measured.cpu(pid), time.perf_counter()
        answers = _answers(where, "room0")
        _say(where, ["room0"])
        _until(lambda: _answers(where, "room0") == answers + 1)  # noqa: B023 it is called at once
        answered, cpu = time.perf_counter() - began, (measured.cpu(pid) - before) / 1000
        (size,) = re.findall(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
        _dotagent(where, "down")
    rows = [["ready, first time and next", *(f"{one:.2f} s" for one in ready)],
            ["one of them has answered", f"{answered:.2f} s", f"{cpu:.2f} s of CPU in `up`"],
            ["memory of `up`", f"{int(size) / 1000:.0f} MB", ""]]  # fmt: skip
    common.table(f"{agents} sleeping agents (load {os.getloadavg()[0]:.1f})", ["", "", ""], rows)


def _two(found: Sequence[float]) -> list[str]:
    return [f"{sorted(found)[len(found) // 2]:.2f}", f"{max(found):.2f}"]


def _dotagent(where: Home, *words: str) -> None:
    program = [sys.executable, "-m", "dotagent", *words, "--home", str(where.root)]
    env = {name: one for name, one in common.environment().items() if name != "DOTAGENT_CONTEXT_LIMIT"}
    subprocess.run(program, cwd=common.ROOT, env=env, stdout=subprocess.DEVNULL, check=True)


def _say(where: Home, places: Sequence[str]) -> None:
    for room in places:
        rooms.append(where.room(room), rooms.line_of("USER", "ana", times.now(), "help"))


def _answers(where: Home, room: str) -> int:
    found = rooms.read(where.room(room), rooms.Position())
    return sum(one.kind == "AGENT" for one in found[0]) if found else 0


def _pid(where: Home, self_id: str) -> int:
    rows = [row for row in report.read(where) if row.get("name") == self_id and row["runs"]]
    return int(str(rows[0]["pid"])) if rows else 0


def _until(look: Callable[[], object]) -> None:
    wait = common.Deadline(LONGEST)
    while not look():
        wait.nap()


if __name__ == "__main__":
    main()
