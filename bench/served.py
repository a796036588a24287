"""A provider's process between a bench and a model server, for benches of what it adds to a model's answer.

The provider is the real program, the model server another process (loopback.py) on 127.0.0.1, over http; the bench is
the agent: it places calls and sees their outcomes. All three read the same clock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import common

from dotagent.store import queue, requests, watch
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import Part

NAME, LIFE = "deepseek", "c" * 32
SHORT, LONG = 8_000, 240_000  # bytes of a prompt: 2,000 and 60,000 tokens
now = time.perf_counter


@dataclass(frozen=True)
class Seen:
    """When what happened to one call, in seconds: placed, at the server (arrived, first, last), done."""

    placed: float
    arrived: float
    first: float
    last: float
    done: float

    @property
    def added(self) -> float:
        """What the provider's process added."""
        return self.arrived - self.placed + self.done - self.last


class Bench:
    """A home with a provider's process and its model server."""

    def __init__(self, where: Home, url: str, pid: int) -> None:
        self.home, self.url, self.pid = where, url, pid
        self.store = where.store()
        self._done = where.calls / "done" / LIFE
        self._done.mkdir(parents=True)
        self._watch = watch.Watcher()
        self._watch.names(self._done)
        self._count = 0
        self._bases: dict[int, str] = {}

    def place(self, size: int = SHORT, **how: object) -> tuple[Call, str, float]:
        """Place the next call, whose prompt extends one of so many bytes, the one before's as those of lives do; the
        call, its tag, and when it was placed."""
        self._count += 1
        tag = f"answer{self._count}"
        text = json.dumps({"tag": tag, "chunks": 1, **how})
        parent = self._base(size)
        body = requests.encode(LIFE, "m", {}, parent, 2, [Part("assistant", "well"), Part("user", text)])
        id = self._bases[size] = self.store.put(body, at="2026-01-01T00:00:00.000000Z", gist="request")
        call = Call(id, LIFE, NAME, "live", common.ROOM)
        queue.place(self.home, call)
        return call, tag, now()

    def done(self, call: Call) -> float:
        """Wait for the call's outcome; when it was seen. Raises Stuck for one that failed."""
        end = now() + common.PATIENCE
        while (outcome := queue.done(self.home, LIFE, call.id)) is None:
            if now() > end:
                raise common.Stuck("a call is not answered; the provider's complaint stands above")
            self._watch.wait(1.0)
        seen = now()
        if not outcome.reply:
            raise common.Stuck(outcome.hint)
        queue.drop(self.home, LIFE, call.id)
        return seen

    def call(self, size: int = SHORT, **how: object) -> Seen:
        """One call, from its placing to its outcome."""
        call, tag, placed = self.place(size, **how)
        done = self.done(call)
        return self.seen({tag: (placed, done)})[0]

    def seen(self, mine: Mapping[str, tuple[float, float]]) -> list[Seen]:
        """These calls with what the server says of them, in their order."""
        times = self.told()["times"]
        assert isinstance(times, dict)
        return [Seen(placed, **times[tag], done=done) for tag, (placed, done) in mine.items()]

    def told(self) -> dict[str, object]:
        """What the server tells; it begins anew then."""
        with urllib.request.urlopen(f"{self.url}/times") as answer:
            found: dict[str, object] = json.load(answer)
        return found

    def cpu(self) -> float:
        """Seconds of CPU that the provider's process has had, to 10 ms."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _base(self, size: int) -> str:
        if size not in self._bases:
            word = "a word of the prompt that every call repeats, as lives do; "
            parts = [Part("system", "You are."), Part("user", (word * (size // len(word) + 1))[:size])]
            body = requests.encode(LIFE, "m", {}, "", 0, parts)
            self._bases[size] = self.store.put(body, at="2026-01-01T00:00:00.000000Z", gist="request")
        return self._bases[size]


@contextmanager
def served(path: Path) -> Iterator[Bench]:
    """A home whose provider answers from a model server, both for the time of the block."""
    where = common.make_home(path)
    for number in range(256):  # as where somebody has lived: making one costs a call more than a blob in it
        (where.blobs / f"{number:02x}").mkdir()
    words = [sys.executable, str(common.ROOT / "bench" / "loopback.py")]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout
    url = f"http://127.0.0.1:{int(server.stdout.readline())}"
    env = {**common.environment(), "DEEPSEEK_API_KEY": "sk-0123456789abcdef", "DEEPSEEK_API_BASE": url}
    words = [sys.executable, "-m", "dotagent", "provider", NAME, "--home", str(where.root)]
    provider = subprocess.Popen(words, cwd=common.ROOT, env=env)
    try:
        yield Bench(where, url, provider.pid)
    finally:
        for process in (provider, server):
            process.terminate()
            process.wait(common.PATIENCE)
