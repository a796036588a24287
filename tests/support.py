"""What tests share: homes that vanish, agents and providers as real processes, and the one place where tests wait.

No test knows how busy the machine is: whatever a test waits for is missing only after PATIENCE.
"""

from __future__ import annotations

import asyncio
import os
import re
import resource
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import pytest
import warm
from hypothesis import strategies as st

from dotagent.store import home, launch, watch
from dotagent.store.home import Home

ROOT = Path(__file__).resolve().parent.parent
T = TypeVar("T")
PATIENCE = 120.0 * float(os.environ.get("DOTAGENT_TEST_PATIENCE", "1"))
"""The seconds after which what a test waits for is missing: far more than it takes on a busy machine."""
MOMENT = 0.01
"""The seconds between two looks at what tells nobody that it changed: a look costs a hundredth of that."""
SELDOM = 0.25
"""The seconds between two looks at what does tell: for a directory that is not there yet."""
REFERENCE = re.compile(r"◱hash=([0-9a-f]{8,32}) gist=([^◱◲\n]*)◲")  # as a model sees one
CHOOSES = re.compile(rb"provider|model|environment|fallback|[A-Z]_")  # settings that choose who answers
TROUBLE = "\n\r\t \0\x1b\x7f\x85\u00a0\u2028\u202e\u3000\ud800\udfff\ufeff◱◲[]():#="
ANY_TEXT = st.lists(st.sampled_from(TROUBLE) | st.text(alphabet=st.characters(), max_size=5)).map("".join)
"""Text of any characters, halves of surrogate pairs too, and often of those that have made trouble somewhere."""
_noting: list[tuple[tuple[str, ...], list[tuple[object, ...]]]] = []  # who listens to audit events now
_hooked: list[bool] = []


def make_home(path: Path) -> Home:
    """A prepared home at the path."""
    where = Home(path)
    home.prepare(where)
    return where


@contextmanager
def clock(now: Callable[[], float]) -> Iterator[None]:
    """Let the function give the time, in seconds since 1970, during the block."""
    real = time.time
    time.time = now
    try:
        yield
    finally:
        time.time = real


@contextmanager
def barred(folder: Path) -> Iterator[None]:
    """A folder that nobody may look into, meanwhile; root, who may, is somebody else."""
    before, root = folder.stat().st_mode, os.geteuid() == 0
    folder.chmod(0)
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(before)


def environment(where: Home | None = None, **more: str) -> dict[str, str]:
    """A process's environment without anything of the machine's own settings."""
    names = ("PATH", "HOME", "LANG", "DOTAGENT_POLICY", "DOTAGENT_SANDBOX")  # the last two only if a test names them
    kept = {name: os.environ[name] for name in names if name in os.environ}
    named = {"DOTAGENT_HOME": str(where.root)} if where else {}
    return {
        **kept,
        "USER": "ana",
        "PYTHONPATH": str(ROOT),
        "DOTAGENT_NEARBY": "",
        **named,
        **more,
    }


def spawn(where: Home, *words: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start one of our programs (`agent.py …`, or `-m dotagent …`) in a home; its output is piped."""
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment(where, **(env or {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(
    where: Home, *words: str, env: Mapping[str, str] | None = None, stdin: str = "", anew: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run one of our programs to its end, in time; `anew` is as a child of this process, by Python."""
    return ran(words, environment(where, **(env or {})), stdin=stdin, anew=anew)


def ran(
    words: Sequence[str], env: Mapping[str, str], cwd: Path = ROOT, stdin: str = "", anew: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run one of our programs with this whole environment: as a fork, where Python itself would start it just so."""
    if not anew and warm.fits(words, env, stdin):
        return warm.run(words, env, cwd, PATIENCE, stdin)
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )  # fmt: skip


@contextmanager
def handed(where: Home, provider: str = "scripted") -> Iterator[None]:
    """Let the next agent find its provider started, as one that `up` starts does: else it forks this process, which is
    large. Where settings may name a provider or variables, it looks for itself."""
    settings = where.root / "dotagent.toml"
    if not settings.exists() or not CHOOSES.search(settings.read_bytes()):
        os.environ[launch.HANDED] = provider
    try:
        yield
    finally:
        os.environ.pop(launch.HANDED, None)


@contextmanager
def served(where: Home, provider: str = "offline") -> Iterator[None]:
    """The provider's process, there before an agent asks for it: one that an agent starts may outlive the test."""
    child = spawn(where, "-m", "dotagent", "provider", provider)
    try:
        until(lambda: launch.served(where, provider), where.calls)
        yield
    finally:
        child.terminate()
        child.communicate(timeout=PATIENCE)


class Deadline:
    """The end of a test's patience, which begins now; of so many `times` as much for what is long by itself."""

    def __init__(self, times: int = 1) -> None:
        self._seconds = times * PATIENCE
        self._end = time.monotonic() + self._seconds

    def left(self) -> float:
        """The seconds until then."""
        return max(0.0, self._end - time.monotonic())

    def check(self, told: Callable[[], object] = str) -> None:
        """Fail when it is over; `told` says what there is."""
        if not self.left():
            raise AssertionError(f"nothing came within {self._seconds:g} s; there is {told()}")


def cpu_of(work: Callable[[], object], most: float) -> float:
    """The least CPU time of the work, in seconds: a bad moment of the machine only adds to it. It is tried up to ten
    times, until it takes less than `most`."""
    took = list[float]()
    while len(took) < 10 and (not took or took[-1] >= most):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return min(took)


def until(look: Callable[[], T | None], on: Path | int, times: int = 1) -> T:
    """What `look` returns once it is neither None nor False; it looks whenever a file, a name in a directory or a file
    there changes, or a pipe has something.

    A directory may come later: until then it looks now and then.
    """
    watcher, deadline = watch.Watcher(), Deadline(times)
    paths: list[Path] = []
    if isinstance(on, int):
        watcher.also(on)
    elif on.is_dir():
        watcher.names(on)
        paths = sorted(on.glob("*"))
    else:
        paths = [on]
    for path in paths:
        with suppress(FileNotFoundError):  # it may go before it is watched
            if path.is_file():
                watcher.content(path)
    try:
        while True:
            with suppress(FileNotFoundError):  # what it looks at may go between two of its own looks
                if found := look():
                    return found
            deadline.check(lambda: on if isinstance(on, int) else (on, sorted(path.name for path in on.glob("*"))))
            watcher.wait(SELDOM)
    finally:
        watcher.close()


async def soon(look: Callable[[], T | None], told: Callable[[], object] = str) -> T:
    """What `look` returns once it is neither None nor False, while other tasks go on; `told` says what there is."""
    deadline = Deadline()
    while not (found := look()):
        deadline.check(told)
        await asyncio.sleep(MOMENT)
    return found


def pause(watcher: watch.Watcher) -> None:
    """Wait for what is watched, and for no more than a moment, as also something else may have to be done."""
    watcher.wait(MOMENT)


def files(root: Path) -> Iterator[tuple[Path, bytes]]:
    """Each file below the folder, and what it holds. What another process takes away meanwhile is left out, be it a
    whole folder, for which `rglob` would fail."""
    for folder, _, names in os.walk(root):
        for path in (Path(folder, name) for name in sorted(names)):
            data = None
            with suppress(FileNotFoundError):
                data = path.read_bytes() if path.is_file() else None
            if data is not None:
                yield path, data


def together(*works: Callable[[], object]) -> None:
    """Do each of these in a process of its own, all at the same time; fail when one of them fails."""
    gate, start = os.pipe()
    children = []
    for work in works:
        child = os.fork()
        if child == 0:
            os.close(start)
            os.read(gate, 1)  # ends when the last writer closes: all begin at once
            os._exit(_outcome(work))
        children.append(child)
    os.close(gate)
    os.close(start)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert statuses == [0] * len(works), f"processes ended with {statuses}; what they said is above"


def _outcome(work: Callable[[], object]) -> int:
    try:
        work()
    except BaseException:  # noqa: BLE001 the end of a child: pytest's own frames are below it
        traceback.print_exc()
        return 1
    return 0


def within(size: int, work: Callable[[], object]) -> None:
    """Do the work in a process that can make no file larger than this many bytes: a disk that is full."""

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        work()

    together(limited)


def ready(fd: int, seconds: float = PATIENCE) -> bool:
    """Whether something can be read there, in time."""
    poll = select.poll()  # select(2) takes no descriptor above 1,023, and a process of many tests may hold more
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(1000 * seconds))


def end(pid: int) -> None:
    """End a process that is no child of the test's, and wait until it has ended."""
    gone = os.pidfd_open(pid)
    signal.pidfd_send_signal(gone, signal.SIGTERM)
    assert ready(gone)
    os.close(gone)


def _opened(process: str, path: Path) -> int:
    """How many descriptors of the process mean this file."""
    found = 0
    for fd in os.listdir(f"/proc/{process}/fd"):
        with suppress(OSError):
            found += os.path.samestat(os.stat(f"/proc/{process}/fd/{fd}"), path.stat())
    return found


def waits(child: int, path: Path) -> bool:
    """Wait until the child, forked from here, sleeps with the file open once more than this process has it, as between
    two tries to lock it: True; False when it ends without that."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("only Linux tells what another process has open")
    inherited = _opened("self", path)
    while not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if _opened(str(child), path) > inherited and Path(f"/proc/{child}/stat").read_text().split(") ")[-1][0] == "S":
            return True
        os.sched_yield()
    return False


def bytes_read() -> int:
    """The bytes that this process has read so far."""
    if not Path("/proc/self/io").exists():
        pytest.skip("only Linux tells how much a process has read")
    return int(re.findall(r"rchar: (\d+)", Path("/proc/self/io").read_text())[0])


@contextmanager
def noted(*events: str) -> Iterator[list[tuple[object, ...]]]:
    """What Python tells its audit hooks of these events (`open`, `os.listdir`, …) while the block runs."""
    if not _hooked:
        sys.addaudithook(_note)
        _hooked.append(True)
    notes: list[tuple[object, ...]] = []
    _noting.append((events, notes))
    try:
        yield notes
    finally:
        _noting.remove((events, notes))


def _note(event: str, given: tuple[object, ...]) -> None:
    for events, notes in _noting:
        if event in events:
            notes.append(given)
