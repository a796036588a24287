"""How soon the page of `view` shows any moment of a long life: with a million events, 6,000 swaps and 100,000 blobs;
how soon such an agent is forked, whether the fork's next prompt is the agent's own, and how soon three past requests
are asked again.

The life is real: the real loop lives through a few swaps, and its events since then are repeated, each time later. The
page's server is a process of its own, asked over HTTP. A moment is asked for the first time (cold), and once more.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import common
import forget_lives as lives
import histories

sys.path.append(str(common.ROOT / "tests" / "view"))  # `forget_lives` has put tests/ on the path

from served import Served, served  # type: ignore[import-not-found]

from dotagent.store.home import SETTINGS, Home
from dotagent.text import times

LIMIT, FIRST, LIVED = 8000, 2, 12  # tokens of the context; swaps before the part that is repeated, and until its end
SPAN = timedelta(hours=1)  # of a part
LIMIT_S, LIMIT_START, LIMIT_MB, LIMIT_FORK, LIMIT_FORK_MB = 0.1, 0.5, 200.0, 1.0, 1.0
STAMP = 27  # characters of the time of an event


def make(path: Path, events: int, swaps: int, blobs: int) -> tuple[Home, str]:
    """Make a home with a sleeping agent of about so many events and swaps."""
    draw, where = random.Random(6), Home(path)
    with lives.life(path, LIMIT, lives.answering("Noted, and on to the next.")) as lived:
        self_id = lived.session.id
        while lives.count(lived, "SWAP") < LIVED:
            lived.say(lives.prose(60, draw), "ana", lives.ROOM)
            lived.run()
    (path / SETTINGS).write_text(f'context_limit = {lives.setting(LIMIT)}\nowner = "ana"\n')
    _repeat(where.agent(self_id) / "LIFE.md", events, swaps)
    store = where.store()
    for number in range(blobs):
        histories.put(store, self_id, f"a text of long ago, number {number}", times.now())
    return where, self_id


def _repeat(path: Path, events: int, swaps: int) -> None:
    """Repeat the events between two swaps of a LIFE.md until it has so many swaps. If that makes too few events,
    requests and deeds, which add nothing to the context, stand between them."""
    lines = path.read_text().split("\n")[:-1]
    ends = [at for at, line in enumerate(lines) if " SWAP " in line[:40]]
    head, part = lines[: ends[FIRST] + 1], lines[ends[FIRST] + 1 : ends[-1] + 1]
    many = max(1, swaps // (LIVED - 1 - FIRST))
    quiet = [line[STAMP:] for line in part if line[STAMP:].split()[0] in ("ASK", "EFFECT", "DID")]
    more = max(0, events // many - len(part))  # quiet ones in each part
    mixed = list[str]()
    for at, line in enumerate(part):
        count = (at + 1) * more // len(part) - at * more // len(part)
        mixed += [*(quiet * (1 + count // len(quiet)))[:count], line[STAMP:]]
    start = times.parse(lines[-1][:STAMP]) - SPAN * (many + 1)
    step = SPAN / (len(mixed) + 1)
    with path.open("w") as file:
        for number, line in enumerate(head):
            file.write(f"{histories.stamp(start - step * (len(head) - number))}{line[STAMP:]}\n")
        for count in range(many):
            begun = start + SPAN * count
            file.writelines(f"{histories.stamp(begun + step * at)}{rest}\n" for at, rest in enumerate(mixed))


def _busy(pid: int) -> float:
    """Seconds of processor time of all threads of a process."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--events", type=int, default=1_000_000, help="events of the life")
    parser.add_argument("--swaps", type=int, default=6000, help="swaps of the life")
    parser.add_argument("--blobs", type=int, default=100_000, help="more blobs in the store")
    parser.add_argument("--moments", type=int, default=200, help="moments that are asked for")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        where, self_id = make(path / "home", asked.events, asked.swaps, asked.blobs)
        life = where.agent(self_id) / "LIFE.md"
        data = life.read_bytes()
        print(f"\n  LIFE: {len(data) / 1e6:.0f} MB, {data.count(10):,} events, {data.count(b'Z SWAP '):,} swaps")
        for name in ("the first time", "again"):  # which finds what the first process has kept
            began = time.perf_counter()
            with served(where) as page:
                started = time.perf_counter() - began
                _measure(f"`view` {name}", page, self_id, started, len(data), asked.moments)
        for name, at in (("of long ago", ("--at", f"#{LIVED * 10}")), ("of now", ())):
            before = _size(where.root)
            made, took = _run(where, "fork", self_id, *at, "--json")
            size = (_size(where.root) - before) / 1e6
            print(f"\n  a fork {name}: {common.verdict(took, LIMIT_FORK, ' s')}")
            print(f"  its files: {common.verdict(size, LIMIT_FORK_MB, ' MB')}")
        fork = json.loads(made)["agent"]
        own, forked = (_run(where, "prompt", one)[0].replace(one[:12].encode(), b"ID") for one in (self_id, fork))
        print(f"  its next prompt is the agent's own but for the id: {'yes' if own == forked else 'NO'}")
        _, took = _run(where, "replay", self_id, "--count", "3", "--provider", "offline", "--json")
        print(f"\n  three past requests asked again: {took:.2f} s")


def _run(where: Home, *words: str) -> tuple[bytes, float]:
    """Return the output of a command, and the seconds that it took."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "dotagent", *words, "--home", str(where.root)]
    made = subprocess.run(command, cwd=common.ROOT, check=True, capture_output=True)
    return made.stdout, time.perf_counter() - began


def _size(path: Path) -> int:
    """Bytes of all files below a directory."""
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())


def _measure(title: str, page: Served, self_id: str, started: float, end: int, many: int) -> None:
    draw, path, busy = random.Random(1), f"/api/memory/{self_id}", _busy(page.process.pid)
    with page.opened() as client:

        def took(address: str) -> float:
            began = time.perf_counter()
            answer = client.get(address)
            assert answer.status_code == 200, answer.text
            return time.perf_counter() - began

        overview, fading, rooms = took(path), took(f"/api/fading/{self_id}"), took("/api/rooms")
        offsets = [draw.randrange(1, end) for _ in range(many)]
        cold, warm = ([took(f"{path}/scene?at={at}") for at in offsets] for _ in range(2))
    spent = _busy(page.process.pid) - busy
    once = {"from its start to the link": started, "the line of Memory": overview, "Forgetting": fading, "rooms": rooms}
    rows = [[name, f"{1000 * seconds:.0f}", "", ""] for name, seconds in once.items()]
    for name, found in (("a moment", cold), ("again", warm)):
        rows.append([name, *(f"{1000 * common.percentile(found, part):.0f}" for part in (0.5, 0.95, 1))])
    common.table(f"{title}, ms", ["", "median", "95 %", "most"], rows)
    print(f"\n  processor time of all requests: {spent:.2f} s, {1000 * spent / (2 * many + 3):.0f} ms each")
    print(f"\n  a moment: {common.verdict(max(cold), LIMIT_S, ' s')}")
    print(f"  the link: {common.verdict(started, LIMIT_START, ' s')}, {busy:.2f} s of it processor time")
    print(f"  memory: {common.verdict(common.status(page.process.pid, 'VmHWM') / 1000, LIMIT_MB, ' MB')}")


if __name__ == "__main__":
    main()
