"""What the benches share: homes and lives made by the real modules, a scripted model on the real spool, and tables.

A bench is one command that prints one table. Its ratios are taken within one run, what is compared takes turns, and
the disk's own fdatasync is measured between the turns in the same directory, so that a busy machine blurs all alike.
Owns a passing directory that it removes again.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import agent  # noqa: E402  a bench is run from anywhere, so the path comes first
from dotagent.life.session import Session  # noqa: E402
from dotagent.loop import boot  # noqa: E402
from dotagent.loop.boot import Agent  # noqa: E402
from dotagent.store import home, queue, rooms, watch  # noqa: E402
from dotagent.store.home import Home  # noqa: E402
from dotagent.store.queue import Call, Outcome  # noqa: E402
from dotagent.text import times  # noqa: E402

SCRIPTED = "scripted"
ROOM = "dev"
LIMIT = 1_000_000  # tokens: far from any forgetting, which has benches of its own
NOTE = b"".join(b"- line %d of a note that the agent reads\n" % number for number in range(25))
PATIENCE = 30.0  # seconds
THINK = 0.01  # seconds until a call is answered: no model is quicker, and the agent has gone to sleep by then


class Stuck(Exception):
    """Something did not come that must."""


def arguments(what: str) -> argparse.ArgumentParser:
    """A bench's options: all have `--dir`."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument(
        "--dir", type=Path, help="measure on this file system (default: the system's for passing files)"
    )
    return parser


@contextmanager
def scratch(where: Path | None) -> Iterator[Path]:
    """A directory for the time of the block."""
    path = Path(tempfile.mkdtemp(prefix="dotagent-bench-", dir=where))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def checkout(named: str, path: Path) -> Path:
    """The checkout with this path, or the files of this commit, put at `path`."""
    if Path(named).is_dir():
        return Path(named).resolve()
    path.mkdir()
    packed = subprocess.run(["git", "archive", named], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-x"], cwd=path, input=packed, check=True)
    return path


def environment() -> dict[str, str]:
    """A process's environment without anything of this machine's settings or keys, and without a sandbox: that has a
    bench of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "USER": "ana",
        "DOTAGENT_CONTEXT_LIMIT": str(LIMIT),
        "DOTAGENT_NEARBY": "",
        "DOTAGENT_POLICY": "allow",
        "DOTAGENT_SANDBOX": "off",
    }


def make_home(path: Path) -> Home:
    """A home with the scripted provider known and a file for the agent to read."""
    where = Home(path)
    home.prepare(where)
    (where.calls / "new" / SCRIPTED).mkdir(parents=True)
    return where


def born(where: Home, room: str = ROOM) -> str:
    """Boot a life by the real program, let it go to sleep; return its full id."""
    words = [sys.executable, "agent.py", "--home", str(where.root), "--provider", SCRIPTED, "--room", room]
    told = subprocess.run(
        [*words, "--until-idle"], cwd=ROOT, env=environment(), capture_output=True, text=True, check=True
    )
    self_id = told.stdout.split("\n")[0]
    (where.agent(self_id) / "files" / "note.md").write_bytes(NOTE)
    return self_id


class Deadline:
    """A wait that ends, for what no file tells."""

    def __init__(self, seconds: float = PATIENCE) -> None:
        self._seconds, self._end = seconds, time.perf_counter() + seconds

    def nap(self) -> None:
        """Wait a little. Raises Stuck when it has been too long."""
        if time.perf_counter() > self._end:
            raise Stuck(f"nothing came for {self._seconds:g} s")
        time.sleep(0.01)


class Running:
    """An agent.py as its own process; `ready` is how many seconds it took until its first line."""

    def __init__(self, where: Home, *words: str) -> None:
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "agent.py", *words, "--home", str(where.root)],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.self_id = self.process.stdout.readline().strip()
        self.ready = time.perf_counter() - began
        if not self.self_id:
            raise Stuck("agent.py said nothing; its complaint stands above")

    def stop(self) -> None:
        """Ask it to leave and wait until it has."""
        self.process.terminate()
        self.process.wait(PATIENCE)


@contextmanager
def running(where: Home, self_id: str) -> Iterator[Running]:
    """The life resumed by the real program, for the time of the block."""
    process = Running(where, self_id, "--provider", SCRIPTED)
    try:
        yield process
    finally:
        process.stop()


class Spool:
    """The model's side of the spool, in this process: it says when a request was placed and when its answer was."""

    def __init__(self, where: Home, self_id: str) -> None:
        self.home, self.self_id = where, self_id
        self._new, self._done = where.calls / "new" / SCRIPTED, where.calls / "done" / self_id
        self._done.mkdir(parents=True, exist_ok=True)
        self._watch = watch.Watcher()
        self._watch.names(self._new)
        self._watch.names(self._done)
        self.call: Call | None = None

    def placed(self) -> float:
        """Wait for the next request, take it; return when it was seen (a wake-up of ours after it was placed)."""
        seen = self._until(lambda: queue.names(self._new))
        self.call = queue.take(self.home, SCRIPTED)
        return seen

    def answer(self, text: str) -> float:
        """Answer the call that was taken; return when the answer's name was there."""
        assert self.call is not None
        time.sleep(THINK)
        queue.answer(self.home, self.home.store(), self.call, text, Outcome(finish="stop", usage={"input": 1000}))
        return _linked[-1]

    def rest(self) -> None:
        """Wait until the agent has dropped the last call, its last work before it sleeps."""
        self._until(lambda: not queue.names(self._done))

    def close(self) -> None:
        """Let go of the watches."""
        self._watch.close()

    def _until(self, look: Callable[[], object]) -> float:
        woken = time.perf_counter()
        end = woken + PATIENCE
        while not look():
            if woken > end:
                raise Stuck(f"nothing came in {self.home.calls} for {PATIENCE:g} s")
            self._watch.wait(1.0)
            woken = time.perf_counter()
        return woken


_linked: list[float] = []
_link = os.link


def _stamped(source: Path, target: Path, **how: Any) -> None:
    _link(source, target, **how)
    _linked[:] = [time.perf_counter()]


os.link = _stamped  # type: ignore[assignment]  # answering is a link: that is when the answer is there


def say(where: Home, text: str, room: str = ROOM) -> None:
    """Say something in a room as a person."""
    rooms.append(where.room(room), rooms.line_of("USER", "ana", times.now(), text))


class Living:
    """A life lived in this process by the real loop, the model and the person at its side."""

    def __init__(self, where: Home, me: Agent) -> None:
        self.home, self.me = where, me
        self.requests: list[str] = []

    @property
    def session(self) -> Session:
        """The life itself."""
        return self.me.session

    def turn(self, text: str, *replies: str) -> None:
        """Say the text and go on until all is quiet; the calls are answered with the replies, the last one again."""
        say(self.home, text)
        left = list(replies)
        while True:
            if agent.step(self.me):
                continue
            call = queue.take(self.home, SCRIPTED)
            if call is None:
                agent.rest(self.me)
                return
            self.requests.append(call.id)
            reply = left.pop(0) if len(left) > 1 else left[0]
            outcome = Outcome(finish="stop", usage={"input": 1000}, model="script")
            queue.answer(self.home, self.home.store(), call, reply, outcome)


@contextmanager
def living(where: Home, self_id: str) -> Iterator[Living]:
    """The life resumed in this process, for the time of the block."""
    with environed(), redirect_stdout(io.StringIO()):
        words = [self_id, "--home", str(where.root), "--provider", SCRIPTED]
        with boot.life_of(words) as me:
            yield Living(where, me)


@contextmanager
def environed() -> Iterator[None]:
    """This process's environment without anything of this machine's settings, for the time of the block."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Disk:
    """What the disk itself takes, in seconds, in the directory that is measured: to make an append of a LIFE line's
    size durable (`syncs`), and to make a file (`files`), which on a busy or worn file system is no small thing."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._fd = os.open(directory / "fdatasync", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.syncs: list[float] = []
        self.files: list[float] = []

    def measure(self, count: int = 5) -> None:
        """Do each a few times."""
        for _ in range(count):
            os.write(self._fd, b"x" * 150)
            began = time.perf_counter()
            os.fdatasync(self._fd)
            synced = time.perf_counter()
            os.close(os.open(self._directory / f"file-{len(self.files)}", os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            self.files.append(time.perf_counter() - synced)
            self.syncs.append(synced - began)

    def rows(self) -> list[list[str]]:
        """What was measured, in milliseconds, for a table."""
        return [["fdatasync of this disk", *ms(self.syncs)], ["a file made on this disk", *ms(self.files)]]


def percentile(found: Sequence[float], part: float) -> float:
    """The value that this part of them is not above."""
    return sorted(found)[min(len(found) - 1, int(part * len(found)))]


def p90(found: Sequence[float]) -> float:
    """The value that nine of ten are not above."""
    return percentile(found, 0.9)


def ms(found: Sequence[float]) -> tuple[str, str]:
    """Median and p90 of some seconds, in milliseconds."""
    return f"{statistics.median(found) * 1000:.2f}", f"{p90(found) * 1000:.2f}"


def verdict(value: float, limit: float, unit: str = "") -> str:
    """A figure beside its limit."""
    return f"{value:.2f}{unit} (limit {limit:g}{unit}: {'met' if value <= limit else 'NOT MET'})"


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under their heads, in columns."""
    cells = [list(map(str, heads)), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    print(f"\n{title}\n")
    for number, row in enumerate(cells):
        first, rest = (
            row[0].ljust(widths[0]),
            (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        )
        print("  ".join(["", first, *rest]))
        if number == 0:
            print("  ".join(["", *("-" * width for width in widths)]))


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str | float]]) -> None:
    """Print rows under their heads, as Markdown."""
    print("| " + " | ".join(heads) + " |\n|---|" + "---:|" * (len(heads) - 1))
    for row in rows:
        print("| " + " | ".join(cell if isinstance(cell, str) else f"{cell:.1f}" for cell in row) + " |")
    print()


def cpu(pid: int) -> float:
    """Seconds of CPU that a process's first thread has had, to the nanosecond; 0 where the system does not tell."""
    told = Path(f"/proc/{pid}/schedstat")
    return int(told.read_text().split()[0]) / 1e9 if told.exists() else 0.0


def status(pid: int, name: str) -> int:
    """A number of /proc/PID/status: kB of memory, or a count; 0 where the system does not tell."""
    told = Path(f"/proc/{pid}/status")
    lines = told.read_text().split("\n") if told.exists() else []
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
