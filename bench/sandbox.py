"""What a sandbox adds to a command: RUN true in each kind and in none, in turns, in one life; and how long it takes
from PROCESS start until the first byte that the command prints is where PROCESS poll reads it.

The life is in this process; a step is the whole of RUN, from the announcement to the result, syncs too.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import replace

import common

import agent
from dotagent import sandbox
from dotagent.life.session import Session
from dotagent.store import supervised
from dotagent.store.watch import Watcher
from dotagent.text.grammar import ToolCall

LIMIT_MS, FIRST_MS = 30.0, 20.0
STARTS = 8  # of each kind: at most 32 run at once, and none is cleared away here
NONE = "off"


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--commands", type=int, default=100, help="commands measured of each kind")
    asked = parser.parse_args()
    kinds = [NONE, *(kind for kind in sandbox.KINDS if not sandbox.lacking(kind))]
    with common.scratch(asked.dir) as path:
        where = common.make_home(path)
        with common.living(where, common.born(where)) as life:
            found: dict[str, list[float]] = {kind: [] for kind in kinds}
            for number in range(asked.commands + 3):
                for kind in kinds:
                    seconds = _run(life.me.session, kind)
                    if number >= 3:
                        found[kind].append(seconds)
            first = dict[str, list[float]]()
            for _ in range(STARTS):
                for kind in kinds:
                    first.setdefault(kind, []).append(_start(life.me.session, kind))
    common.table("RUN true, ms", ["sandbox", "median", "p90"], [[kind, *common.ms(found[kind])] for kind in kinds])
    for kind in kinds[1:]:
        more = [one - none for one, none in zip(found[kind], found[NONE], strict=True)]
        print(f"\n  {kind} adds, median: {common.verdict(statistics.median(more) * 1000, LIMIT_MS, ' ms')}")
    for kind in kinds:
        print(f"\n  PROCESS, {kind}: first byte, median: {common.verdict(_ms(first[kind]), FIRST_MS, ' ms')}")
    for kind in sandbox.KINDS:
        if why := sandbox.lacking(kind):
            print(f"\n  no {kind} here: {why}")


def _run(session: Session, kind: str) -> float:
    session.settings = replace(session.settings, sandbox=kind)
    began = time.perf_counter()
    agent.act(session, ToolCall("RUN", "true", None))
    seconds = time.perf_counter() - began
    if (session.entries[-1].content or b"") != b"exit status 0\n":
        raise SystemExit(f"true failed in {kind}: {session.entries[-1].content!r}")
    return seconds


def _start(session: Session, kind: str) -> float:
    session.settings = replace(session.settings, sandbox=kind)
    before = supervised.numbers(session.path / "processes")
    began = time.perf_counter()
    agent.act(session, ToolCall("PROCESS", "start echo x; sleep 1", None))
    (number,) = set(supervised.numbers(session.path / "processes")) - set(before)
    folder = session.path / "processes" / str(number)
    watch = Watcher()  # who looks again and again would take a processor from the command
    watch.content(folder / "out")
    while not supervised.output(folder, 0)[0]:
        if time.perf_counter() - began > 10:
            raise SystemExit(f"PROCESS prints nothing in {kind}")
        watch.wait(1.0)
    seconds = time.perf_counter() - began
    watch.close()
    agent.act(session, ToolCall("PROCESS", f"kill {number}", None))
    return seconds


def _ms(seconds: list[float]) -> float:
    return statistics.median(seconds) * 1000


if __name__ == "__main__":
    main()
