"""What the page's tab Memory costs: the milliseconds until a moment of a life is there, the start of `dotagent view`,
and the memory of its process, of a life of 1,000,000 events and 100,000 blobs with 64,000 tokens of context.

The life is generated: its messages, answers, results and swaps are blobs in the real form, and each blob occurs about
five times. Each moment is in a part of the life that nobody opened before, unless the row says otherwise.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import common
import forgetful

from dotagent.store.home import Home

LIMIT_MS, LIMIT_START, LIMIT_MB = 100.0, 0.5, 200.0
LINK = re.compile(r"http://([\d.]+):(\d+)/#open=(\S+)")


class Answer(NamedTuple):
    """An answer: its body, the seconds until it was there, and those of the processor."""

    body: bytes
    took: float
    worked: float


class Page:
    """The running server, and a browser's side of it: each request is one connection that stays open."""

    def __init__(self, where: Home, pid: int, link: str) -> None:
        found = LINK.search(link)
        assert found, link
        self.pid, self._host = pid, f"{found[1]}:{found[2]}"
        self._line = http.client.HTTPConnection(found[1], int(found[2]), timeout=120)
        self._cookie = ""
        opened = self._ask("POST", "/api/open", found[3])
        self._cookie = opened.headers["set-cookie"].partition(";")[0]
        opened.read()

    def _ask(self, method: str, path: str, body: str | None = None) -> http.client.HTTPResponse:
        heads = {"origin": f"http://{self._host}", "cookie": self._cookie}
        self._line.request(method, path, body, heads)
        answer = self._line.getresponse()
        assert answer.status == 200, (path, answer.status, answer.read())
        return answer

    def get(self, path: str) -> bytes:
        """The body of an answer."""
        return self._ask("GET", path).read()

    def timed(self, path: str) -> Answer:
        """An answer, and what it took."""
        began, before = time.perf_counter(), self._worked()
        body = self.get(path)
        return Answer(body, time.perf_counter() - began, self._worked() - before)

    def _worked(self) -> float:
        """The seconds of the processor that the server has had, in all of its threads."""
        threads = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(one.read_text().split()[0]) for one in threads) / 1e9


@contextmanager
def serving(where: Home) -> Iterator[tuple[Page, float]]:
    """The page of a home, and the seconds from the start of the process to its first answer."""
    words = [sys.executable, "-m", "dotagent", "view", "--port", "0", "--home", str(where.root)]
    env = common.environment() | {"DOTAGENT_CONTEXT_LIMIT": "64000"}
    began = time.perf_counter()
    process = subprocess.Popen(words, cwd=common.ROOT, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        page = Page(where, process.pid, process.stdout.readline())
        yield page, time.perf_counter() - began
    finally:
        process.terminate()
        process.wait(common.PATIENCE)


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--events", type=int, default=1_000_000, help="events of the life")
    parser.add_argument("--blobs", type=int, default=100_000, help="blobs of the home")
    parser.add_argument("--tokens", type=int, default=64_000, help="the limit of the context")
    parser.add_argument("--runs", type=int, default=200, help="moments that are opened")
    asked = parser.parse_args()
    chance = random.Random(7)
    with common.scratch(asked.dir) as path:
        where, self_id = forgetful.make(path / "home", asked.events, asked.blobs, asked.tokens)
        size = (where.agent(self_id) / "LIFE.md").stat().st_size
        starts = list[float]()
        for _ in range(5):
            with serving(where) as (_, took):
                starts.append(took)
        with serving(where) as (page, _):
            at = f"/api/memory/{self_id}"
            first = page.timed(at)
            again = page.timed(at)
            told = json.loads(first.body)
            moments = [chance.randrange(1, told["end"]) for _ in range(asked.runs)]
            fresh = [page.timed(f"{at}/scene?at={moment}") for moment in moments]
            seen = [page.timed(f"{at}/scene?at={moment}") for moment in moments]
            scenes = [json.loads(one.body) for one in fresh]
            asks = [(scene["blocks"][0][0], moment) for scene, moment in zip(scenes, moments, strict=True)][:20]
            entries = [page.timed(f"{at}/entry/{number}?at={moment}") for number, moment in asks]
            most = common.status(page.pid, "VmHWM") / 1024
    name = f"a life of {asked.events:,} events and {asked.blobs:,} blobs, LIFE of {size / 1e6:.0f} MB"
    rows = [
        _row("the overview, first", [first]),
        _row("the overview, later", [again]),
        _row("a moment, never opened", fresh),
        _row("a moment, opened before", seen),
        _row("what became of an entry", entries),
        ["from the start to the first answer", *common.ms(starts), f"{max(starts) * 1000:.1f}", ""],
    ]
    blocks = max(len(one["blocks"]) for one in scenes)
    heads = ["ms", "median", "90 %", "most", "of the processor, 90 %"]
    common.table(f"{name}, {len(told['swaps']):,} swaps, up to {blocks} blocks", heads, rows)
    print(f"\n  a moment: {common.verdict(common.p90([one.took for one in fresh]) * 1000, LIMIT_MS, ' ms')}")
    print(f"  start: {common.verdict(common.p90(starts), LIMIT_START, ' s')}")
    print(f"  memory: {common.verdict(most, LIMIT_MB, ' MB')}")


def _row(name: str, found: list[Answer]) -> list[str]:
    took = [one.took for one in found]
    worked = f"{common.p90([one.worked for one in found]) * 1000:.1f}"
    return [name, *common.ms(took), f"{max(took) * 1000:.1f}", worked]


if __name__ == "__main__":
    main()
