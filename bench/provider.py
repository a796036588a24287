"""What the provider's process adds to a model's answer: per call, per chunk, with 32 calls out, after 10,000 calls.

The provider is the real program, between this process and a model server (served.py). For the room's view this process
is the terminal on which the real chat.py draws.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import common
from served import LIFE, LONG, NAME, SHORT, Bench, Seen, now, served

from dotagent import providers
from dotagent.store import queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import ChatMessage

CALL_MS = {SHORT: 3.0, LONG: 4.0}
WORN = 0.2  # ms for a file made: ext4 passes over each inode that was freed in the last minutes, and 0.05 is usual
CHUNK_MS, OUT, MEMORY_MB, VIEW_MS = 0.2, 32, 100.0, 20.0
REST = 0.3  # seconds between two answers in a room: who is looked at all the time is looked at 20 times a second


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--calls", type=int, default=10_000, help="calls after which the memory is looked at")
    parser.add_argument("--chunks", type=int, default=10_000, help="chunks of one streamed answer")
    parser.add_argument("--repeat", type=int, default=60, help="single calls, and first characters, that are measured")
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    with common.scratch(asked.dir) as path, served(path / "home") as bench:
        disk = common.Disk(path)
        for _ in range(10):
            bench.call()
        _calls(bench, disk, asked.repeat)
        _chunks(bench, asked.chunks)
        _at_once(bench)
        _view(bench, asked.repeat)
        _memory(bench, asked)
    print(f"\n  load at the end: {os.getloadavg()[0]:.1f}")


# --- per call


def _calls(bench: Bench, disk: common.Disk, repeat: int) -> None:
    """Single calls with a small and a large prompt, in turns, beside the syncs that an answer needs."""
    sizes = {"2,000 tokens": SHORT, "60,000 tokens": LONG}
    found: dict[str, list[Seen]] = {name: [] for name in sizes}
    syncs, takes, asks = [], [], []
    for _ in range(repeat):
        for name, size in sizes.items():
            found[name].append(bench.call(size, wait=0.002))
        disk.measure(2)
        spent, whole = _answered_here(bench)
        syncs.append(spent)
        takes.append(whole)
        asks.append(_asked_here(bench))
    rows = []
    for name, seen in found.items():
        rows.append([f"{name}: placed to arrived", *common.ms([one.arrived - one.placed for one in seen])])
        rows.append([f"{name}: last byte to outcome", *common.ms([one.done - one.last for one in seen])])
    rows += [["2,000 tokens: asked over http alone, here", *common.ms(asks)]]
    rows += [["calls.answer alone, here", *common.ms(takes)], ["of it waiting for the disk", *common.ms(syncs)]]
    common.table("A call, ms", ["", "median", "p90"], rows + disk.rows())
    print()
    for name, seen in found.items():
        value = (statistics.median(one.added for one in seen) - statistics.median(syncs)) * 1000
        print(f"  {name}: added beyond the durable writes: {common.verdict(value, CALL_MS[sizes[name]], ' ms')}")
    if (made := statistics.median(disk.files) * 1000) > WORN:
        print(f"  (to make a file takes {made:.2f} ms here: much was removed lately; wait, or see --dir)")


def _asked_here(bench: Bench) -> float:
    """Ask the server from this process, without a spool: the seconds that HTTP takes on the way there and back."""
    tag = f"here{now()}"
    how = json.dumps({"tag": tag, "chunks": 1, "wait": 0.002})
    messages: tuple[ChatMessage, ...] = ({"role": "user", "content": "x" * SHORT}, {"role": "user", "content": how})
    config = providers.configure(NAME, {"DEEPSEEK_API_KEY": "sk-0123456789abcdef"}, {"base": bench.url})
    began = now()
    providers.load(NAME).answer(providers.Prompt("m", messages), config, lambda *_: None, lambda: False)
    return bench.seen({tag: (began, now())})[0].added


def _answered_here(bench: Bench) -> tuple[float, float]:
    """Answer a call in this process: seconds in the disk's syncs until the outcome stands there, and in all until
    then."""
    call = Call(bench.store.put(os.urandom(16), at="2026-01-01T00:00:00.000000Z", gist="x"), LIFE, NAME)
    bench.store.sync()
    spent, stood = [0.0], list[tuple[float, float]]()
    before = _, _, linked = os.fsync, os.fdatasync, os.link

    def timed(sync: Callable[[int], None]) -> Any:
        def wrapped(fd: int) -> None:
            began = now()
            sync(fd)
            spent[0] += now() - began

        return wrapped

    def link(*given: Any) -> None:
        linked(*given)
        stood.append((spent[0], now()))

    os.fsync, os.fdatasync, os.link = timed(os.fsync), timed(os.fdatasync), link  # type: ignore[assignment]
    try:
        began = now()
        queue.answer(bench.home, bench.store, call, "answer", Outcome(finish="stop", usage={"input": 2000}))
    finally:
        os.fsync, os.fdatasync, os.link = before
    queue.drop(bench.home, LIFE, call.id)
    return stood[0][0], stood[0][1] - began


# --- per chunk


def _chunks(bench: Bench, count: int) -> None:
    """One long answer as fast as the provider takes it; and one whose chunks each wake it, for its CPU."""
    rows, worst = [], 0.0
    for name, number, gap in (("as fast as it can", count, 0.0), ("one a millisecond", count // 4, 0.001)):
        before, seen = bench.cpu(), bench.call(chunks=number, gap=gap)
        spent, took = bench.cpu() - before, seen.done - seen.first
        rows.append([f"{number:,} chunks, {name}", f"{took:.2f} s", f"{spent:.2f} s", f"{spent / number * 1000:.3f}"])
        worst = worst if gap else max(spent, took) / number * 1000
    common.table("A streamed answer", ["", "whole", "CPU", "CPU ms a chunk"], rows)
    print(f"\n  a chunk: {common.verdict(worst, CHUNK_MS, ' ms')}")


# --- many at once


def _at_once(bench: Bench) -> None:
    """As many calls as may be out, none of which is answered before all are."""
    bench.told()
    placed = {}
    began = now()
    for _ in range(OUT):
        call, tag, at = bench.place(hold=OUT)
        placed[tag] = call, at
    done = {tag: (at, bench.done(call)) for tag, (call, at) in placed.items()}
    told = bench.told()
    times = told["times"]
    assert isinstance(times, dict)
    rows = [
        ["placing all", f"{(max(at for at, _ in done.values()) - began) * 1000:.0f}"],
        ["first placed to all at the server", f"{(max(times[tag]['arrived'] for tag in done) - began) * 1000:.0f}"],
        ["first placed to all answered", f"{(max(at for _, at in done.values()) - began) * 1000:.0f}"],
    ]
    common.table(f"{OUT} calls at once, ms", ["", ""], rows)
    met = "met" if told["most"] == OUT else "NOT MET"
    print(f"\n  open at once at the server: {told['most']} (at least {OUT}: {met})")


# --- the room's view


def _view(bench: Bench, repeat: int) -> None:
    """The first words of an answer, from the server's write to the terminal that chat.py draws on."""
    rooms.create(bench.home.room(common.ROOM), "private")
    drawn = []
    with _terminal(bench.home) as screen:
        _shows(screen, b"dev>")
        for _ in range(repeat):
            call, tag, placed = bench.place(wait=0.05, rest=0.05)
            at = _shows(screen, tag.encode())
            seen = bench.seen({tag: (placed, bench.done(call))})[0]
            drawn.append(at - seen.first)
            time.sleep(REST)
    common.table("First characters, ms", ["", "median", "p90"], [["sent to drawn by chat.py", *common.ms(drawn)]])
    print(f"\n  nine of ten: {common.verdict(common.p90(drawn) * 1000, VIEW_MS, ' ms')}")


@contextmanager
def _terminal(where: Home) -> Iterator[int]:
    """chat.py on a terminal of 80 columns, and the descriptor that its drawing is read from."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    env = {**common.environment(), "TERM": "xterm", "HOME": str(where.root)}
    words = [sys.executable, "chat.py", common.ROOM, "--home", str(where.root)]
    chat = subprocess.Popen(words, cwd=common.ROOT, env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    try:
        yield master
    finally:
        chat.terminate()
        while chat.poll() is None:
            _read(master, 0.1)
        os.close(master)


def _shows(screen: int, text: bytes) -> float:
    """Wait until the text is drawn; when it was."""
    drawn, end = b"", now() + common.PATIENCE
    while text not in drawn:
        if now() > end:
            raise common.Stuck(f"chat.py does not show {text!r}")
        drawn += _read(screen, 1.0)
    return now()


def _read(screen: int, seconds: float) -> bytes:
    if not select.select([screen], [], [], seconds)[0]:
        return b""
    try:
        return os.read(screen, 1 << 16)
    except OSError:  # EIO: chat.py has left
        return b""


# --- memory


def _memory(bench: Bench, asked: argparse.Namespace) -> None:
    """The provider's memory before and after many calls, a few at a time, every hundredth with a large prompt."""
    rows = [["before", *_resident(bench.pid)]]
    began, cpu, out = now(), bench.cpu(), list[Call]()
    for number in range(asked.calls):
        out.append(bench.place(LONG if number % 100 == 0 else SHORT)[0])
        if len(out) == 8:
            bench.done(out.pop(0))
        if number % 1000 == 999:
            bench.told()
    for call in out:
        bench.done(call)
    took, spent = now() - began, bench.cpu() - cpu
    rows.append([f"after {asked.calls:,} calls", *_resident(bench.pid)])
    common.table("Memory, MB", ["", "resident", "at most"], rows)
    print(f"\n  {asked.calls / took:,.0f} calls a second, {spent / asked.calls * 1000:.2f} ms of CPU each")
    print(f"  resident: {common.verdict(float(rows[-1][1]), MEMORY_MB, ' MB')}")


def _resident(pid: int) -> Sequence[str]:
    return [f"{common.status(pid, name) / 1024:.1f}" for name in ("VmRSS", "VmHWM")]


if __name__ == "__main__":
    main()
