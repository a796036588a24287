"""How long does an answer take on a server that does one thing at a time: outside a compaction, during one, after it?

`python bench/one_slot.py http://127.0.0.1:8080/v1`: the agent and its provider are the real programs, the model is the
server's. A person talks, and pauses to read; the time runs from the message to the answer in the room. After some
answers while it compacts the person goes away, says one thing while the server reads the prompt to come, if it does so
before the swap, and comes back sooner or later after that.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count, islice

import common
import forget_delay as delay

from dotagent.store import log
from dotagent.store.home import Home
from dotagent.text import times

LIMIT, MOST = 6_900, 2.0  # tokens of a prompt; times an answer outside
DURING = 3  # answers while a compaction is under way until the person goes
BACK = (20.0, 60.0)  # seconds after a swap at which the person comes back, in turns
READS = 6.0  # seconds that the person reads before the next message
AMID = 5.0  # seconds for which the server reads the next prompt until the person says something
KINDS = (
    "outside",
    "while compacting",
    "while the next prompt is read",
    *(f"the first, {back:.0f} s after a swap" for back in BACK),
)
PATIENCE, AWAY = 300.0, 900.0  # seconds to wait for an answer, and for a swap
QUIET = 2.0  # seconds after a reply, in which the next call of its turn would have been asked


def main() -> None:
    """Talk until there are enough answers of each kind, and print the table."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("base", help="the server's address, as http://127.0.0.1:8080/v1")
    parser.add_argument("--answers", type=int, default=3, help="of each kind")
    parser.add_argument("--reads", type=float, default=READS, help="seconds between an answer and the next message")
    parser.add_argument("--turns", type=int, default=200, help="at most")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        where = common.make_home(path)
        words = [sys.executable, "agent.py", "--home", str(where.root), "--provider", "local", "--room", common.ROOM]
        told = {**common.environment(), "DOTAGENT_CONTEXT_LIMIT": str(LIMIT), "LOCAL_API_BASE": asked.base}
        agent = subprocess.Popen(words, cwd=common.ROOT, env=told, stdout=subprocess.PIPE, text=True)
        assert agent.stdout
        try:
            found = talk(where, agent.stdout.readline().strip(), asked)
        finally:
            agent.terminate()
            agent.wait(common.PATIENCE)
    show(found)


def talk(where: Home, self_id: str, asked: argparse.Namespace) -> dict[str, list[float]]:
    """The seconds of the answers, by kind."""
    found = {kind: list[float]() for kind in KINDS}
    swaps = during = 0
    amid = False
    for number, text in enumerate(islice(said(), asked.turns)):
        began = time.time()
        ended = answered(where, self_id, text)
        over = delay.compactions(where, self_id)
        kind = KINDS[0]
        if compacting(where, self_id) or any(start < ended and end > began for start, end in over):
            kind = KINDS[2 if amid else 1]
        elif len(over) > swaps:
            kind = KINDS[3 + (len(over) - 1) % len(BACK)]
            swaps = len(over)
        found[kind] += [ended - began] if number else []  # the first one reads the fixed part
        print(f"  {ended - began:6.1f} s  {kind}", flush=True)
        if all(len(each) >= asked.answers for each in found.values()):
            break
        time.sleep(asked.reads)
        during = during + 1 if kind == KINDS[1] else 0
        if during >= DURING or amid:
            amid = away(where, self_id, stay=not amid)
            during = 0
    return found


def away(where: Home, self_id: str, *, stay: bool) -> bool:
    """Until the server reads the prompt to come, where the person would `stay` for that; else until some time after the
    swap. Whether it is the former."""
    end = time.time() + AWAY
    while compacting(where, self_id) and time.time() < end:
        if stay and reading(where, self_id):
            time.sleep(AMID)
            return True
        time.sleep(1.0)
    time.sleep(BACK[(len(delay.compactions(where, self_id)) - 1) % len(BACK)])
    return False


def said() -> Iterator[str]:
    """What the person says, without end: two turns of a conversation at once, and then the same in other pairs."""
    talks = (common.ROOT / "bench/data/talk.json").read_text("utf-8")
    turns = re.findall(r'"text": "([^"\\]{40,300})"', talks)
    for step in count(1):
        yield from (f"{turns[at]} {turns[(at + step) % len(turns)]}" for at in range(0, len(turns), 2))


def answered(where: Home, self_id: str, text: str) -> float:
    """Say it, and wait until something new stands in the room, or the turn ended without a word; when that was."""
    room, replies = where.room(common.ROOM), _calls(where, self_id)[1]
    common.say(where, text)
    size, deadline = room.stat().st_size, common.Deadline(PATIENCE)
    while room.stat().st_size == size:
        deadline.nap()
        asked, came, last = _calls(where, self_id)
        if came > replies and asked == came and time.time() - last > QUIET:
            return last
    return time.time()


def _calls(where: Home, self_id: str) -> tuple[int, int, float]:
    """How many live calls there were, how many were replied to, and when the last was."""
    lines = [one for one in log.lines(where.agent(self_id) / "LIFE.md") if one.event in ("ASK", "REPLY")]
    replies = [one for one in lines if one.event == "REPLY"]
    last = times.parse(replies[-1].at).timestamp() if replies else 0.0
    return len(lines) - len(replies), len(replies), last


def reading(where: Home, self_id: str) -> bool:
    """Whether the server reads a prompt that LIFE does not know of."""
    known = {line.id for line in log.lines(where.agent(self_id) / "LIFE.md")}
    return any(id not in known for id in os.listdir(where.calls / "taken"))


def compacting(where: Home, self_id: str) -> bool:
    """Whether a compaction is under way."""
    events = [line.event for line in log.lines(where.agent(self_id) / "LIFE.md")]
    return max((at for at, event in enumerate(events) if event == "SEGMENT"), default=-1) > max(
        (at for at, event in enumerate(events) if event in ("SWAP", "STAYED")), default=-1
    )


def show(found: dict[str, list[float]]) -> None:
    """The table."""
    rows = [
        [kind, str(len(each)), f"{statistics.median(each):.1f}", f"{max(each):.1f}"]
        for kind, each in found.items()
        if each
    ]
    common.table("An answer, seconds", ["", "answers", "median", "most"], rows)
    outside = statistics.median(found[KINDS[0]])
    print(f"\n  load {os.getloadavg()[0]:.1f}")
    for kind in KINDS[1:]:
        if found[kind]:
            print(f"  {kind}: {common.verdict(statistics.median(found[kind]) / outside, MOST, ' x')}")


if __name__ == "__main__":
    main()
