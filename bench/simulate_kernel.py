"""The machine of the simulation: processes, their scheduling, the clock, signals and the calls of `os`, all under one
seed.

A simulated process is a greenlet that runs dotagent's real code. One runs at a time: at each call of the system
the seed decides whether another goes on, whether the process dies there, and whether the disk fails. So a run is
repeated exactly. `install` puts the wrappers in place, before dotagent is imported; without a simulated process they do
nothing. The processes share the memory of one interpreter: what a module caches, all of them see.
"""

from __future__ import annotations

import datetime
import errno
import fcntl
import hashlib
import os
import random
import re
import select
import signal
import stat
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from greenlet import getcurrent, greenlet
from simulate_disk import SimulatedDisk

BEGIN = 1774652400.0  # Saturday 2026-03-28 in Berlin: clocks go forward in the night that follows
OP = 20_000  # nanoseconds that a call of the system takes
CHANGES = ("write", "pwrite", "rename", "replace", "link", "unlink", "remove", "symlink", "mkdir", "rmdir", "ftruncate",
           "fsync", "fdatasync")  # fmt: skip
LOOKS = ("open", "listdir", "stat", "lstat")
SYNCS = ("fsync", "fdatasync")
EVENT = re.compile(rb"\S+Z ([A-Z]+) ")
ALL = os.environ.get("SIMULATE_TRACE")  # a file that gets the whole trace of the last world
RECENT = 400  # calls that are kept for the report of a failure
MOST = 300_000  # calls of the system in a world; most worlds take 30,000
EACH = 5_000_000  # nanoseconds of a world that allow one more: a look each second, for hours, is no circle
STARTS = 200  # processes in a world; most worlds have 20
FIRST_PID = 1_000_000_000  # no process of the machine has such a number


class Died(BaseException):
    """The process was killed at this point."""


class Exited(BaseException):
    """The process ended itself by os._exit."""


class Stuck(Exception):
    """The world does more than it may: it goes round in circles."""


class Real:
    """The calls of the machine itself."""

    time, monotonic, time_ns, sleep = time.time, time.monotonic, time.time_ns, time.sleep
    flock, kill, getpid, exit = fcntl.flock, os.kill, os.getpid, os._exit
    signal, wakeup, timer = signal.signal, signal.set_wakeup_fd, signal.setitimer
    datetime, poll, close, fstat, readlink = datetime.datetime, select.poll, os.close, os.fstat, os.readlink
    utime, dup, killpg, output, errors = os.utime, os.dup, os.killpg, sys.stdout, sys.stderr
    calls: ClassVar[dict[str, Callable[..., Any]]] = {name: getattr(os, name) for name in (*CHANGES, *LOOKS)}


class Task:
    """A thread of a simulated process. It is a greenlet: a switch costs no turn of the machine's scheduler."""

    def __init__(self, process: Process, work: Callable[[], None], name: str) -> None:
        self.process, self.name = process, name
        self.asleep, self.over = False, False
        self.until: int | None = None  # the end of its sleep on the monotonic clock
        self.polls: Any = None  # what ends its sleep earlier
        self.left = 1  # calls until another task may go on
        self.here: dict[str, Any] = {}  # what is its own, as in threading.local
        self._work = work
        self.thread = greenlet(self._run, process.kernel.main)

    def _run(self) -> None:
        try:
            if not self.process.dead:
                self._work()
        except (Died, Exited):
            pass
        finally:
            self.over = True


class Process:
    """A simulated process; also the handle that whoever started it has (the part of Popen that dotagent uses)."""

    def __init__(self, kernel: Kernel, kind: str, words: Sequence[str], env: Mapping[str, str], out: int) -> None:
        kernel.pids += 1
        self.pid, self.kind, self.argv, self.environ, self.out = kernel.pids, kind, list(words), dict(env), out
        self.name = f"{kind}.{self.pid - FIRST_PID}"
        self.kernel, self.parent = kernel, kernel.current.process if kernel.current else None
        self.tasks, self.pending = list[Task](), deque[int]()
        self.handlers, self.wakeup = dict[int, Any](), -1
        self.locks = set[int]()
        self.dead = False
        self.returncode: int | None = None
        self.doom, self.torn = -1, False  # changes until it is killed; whether the last one is half done
        self.doom_at = ""  # what the path of each of these changes contains
        self.immortal = kind == "people"
        self.stdin = Pipe()
        self.me: Any = None
        self.told = ""

    def poll(self) -> int | None:
        """Return how it ended, or None."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it ends."""
        while self.returncode is None:
            self.kernel.sleep(0.01)
        return self.returncode

    def send_signal(self, signum: int) -> None:
        """Send a signal."""
        self.kernel.signal(self, signum)


class Pipe:
    """A standard input that nobody reads."""

    def write(self, data: bytes) -> None:
        """Take the bytes."""

    def close(self) -> None:
        """End it."""


class Kernel:
    """The machine: at most one exists in an interpreter."""

    def __init__(self, seed: int, root: str) -> None:
        self.chance, self.root = random.Random(f"steps {seed}"), root
        self._real = os.path.realpath(root)
        self.main = getcurrent()
        self.current: Task | None = None
        self.processes: dict[int, Process] = {}
        self.pids, self.boots = FIRST_PID, 1
        self.mono, self.offset = 1_000_000_000, int(BEGIN * 1e9)
        self.changes = self.ops = self.switches = 0
        self.hash, self.recent = hashlib.sha256(), deque[str](maxlen=RECENT if ALL is None else None)
        self.faults, self.problems = Counter[str](), list[str]()
        self.crash, self.crash_as = -1, ""  # changes of all programs until one crashes, and how
        self.passed = list[str]()  # these changes: the call, the path, and the event that it writes into LIFE
        self.power = -1  # changes until the power goes
        self.power_order, self.power_at = False, ""  # what the path of each of these changes contains
        self.broken: tuple[int, int, str] = (0, 0, "")  # an errno, how many calls still fail with it, and of which kind
        self.disk: SimulatedDisk | None = None
        self.disturbed = -(10**15)  # when the disk last failed, on the monotonic clock
        self._cut = self._urgent = False
        self.stop_at = 0  # on the monotonic clock: the main greenlet goes on then
        self.exact = False
        self.most, self.starts = MOST, STARTS

    @property
    def started(self) -> int:
        """How many processes were started."""
        return self.pids - FIRST_PID

    # --- the clock

    def now(self) -> int:
        """Return the wall clock in nanoseconds."""
        return self.mono + self.offset

    # --- called by tasks

    def mine(self) -> Task | None:
        """Return the task that runs, if this is its thread."""
        task = self.current
        return task if task and task.thread is getcurrent() else None

    def switch(self) -> None:
        """Let others go on: the next one at once, or the main greenlet where it has something to do."""
        task = self.current
        assert task
        if task.process.dead:
            raise Died
        following = None if self._urgent else self.choose()
        if following is task:
            self._begin(task)
        else:
            if following is None:
                self.main.switch()
            else:
                self._begin(following)
                following.thread.switch()
        self.wake(task)

    def _begin(self, task: Task) -> None:
        """Make this the task that runs, with its environment."""
        self.current = task
        os.environ, sys.argv = task.process.environ, task.process.argv  # type: ignore[assignment]

    def wake(self, task: Task) -> None:
        """Go on after others did: die, or take signals."""
        process = task.process
        if process.dead:
            raise Died
        while process.pending and task is process.tasks[0]:
            signum = process.pending.popleft()
            handler = process.handlers.get(signum)
            if callable(handler):
                if process.wakeup >= 0:
                    Real.calls["write"](process.wakeup, bytes([signum]))
                handler(signum, None)
            elif signum not in (signal.SIGCHLD,) and handler is not signal.SIG_IGN:
                self.end(process, -signum)
                raise Died

    def sleep(self, seconds: float | None, polls: Any = None) -> None:
        """Sleep, at most so long, or until one of the polled descriptors is readable."""
        task = self.current
        assert task
        self.mono += OP
        task.asleep, task.polls = True, polls
        task.until = None if seconds is None else self.mono + int(seconds * 1e9)
        try:
            self.switch()
        finally:
            task.asleep, task.polls, task.until = False, None, None

    def point(self, kind: str, what: object, data: Any = None) -> None:
        """A call of the system begins."""
        task = self.current
        assert task
        process = task.process
        if process.dead:
            raise Died
        self.mono += OP
        self.ops += 1
        task.left -= 1
        if task.left <= 0:
            self.switch()
        if kind in LOOKS and not data:
            return
        line = f"{self.now()} {process.name} {kind} {self.path(what)}"
        self.hash.update(line.encode("utf-8", "replace"))
        self.recent.append(line)
        self.changes += 1
        if process.immortal and self.power != 0:
            pass
        elif process.doom == 0 and process.doom_at in line:
            self._tear(kind, what, data, process.torn)
            self.fault(f"kill of {process.kind}")
            self.end(process, -9)
            raise Died
        elif process.doom > 0:
            process.doom -= process.doom_at in line
        if self.crash >= 0 and not process.immortal:
            self._crash(process, kind, what, data)
        if self.power == 0 and self.power_at in line:
            self._tear(kind, what, data, True)
            self._cut = True
            self.power = -1
            self.end(process, -9)
            raise Died
        self.power -= self.power > 0 and self.power_at in line
        code, left, whose = self.broken
        if left and kind not in ("unlink", "remove", "rmdir") and whose in ("", process.kind):
            self.broken = code, left - 1, whose
            if kind not in SYNCS or code == errno.EIO:
                self.fault(f"disk {errno.errorcode[code]}")
                self.disturbed = self.mono
                self._tear(kind, what, data, left % 2 == 0)
                raise OSError(code, os.strerror(code), None if isinstance(what, int) else what)

    def _crash(self, process: Process, kind: str, what: object, data: Any) -> None:
        """Crash at this change, if it is the one, in place of it."""
        event = EVENT.match(data) if kind == "write" else None
        self.passed.append(f"{kind} {self.path(what)} {event[1].decode() if event else ''}")
        self.crash -= 1
        if self.crash >= 0:
            return
        self._cut, self.power_order = self.crash_as.startswith("power"), False
        self._tear(kind, what, data, self.crash_as == "torn")
        if not self._cut:
            self.fault(f"kill of {process.kind}")
        self.end(process, -9)
        raise Died

    def _tear(self, kind: str, what: object, data: Any, torn: bool) -> None:
        if torn and kind == "write" and data is not None and len(data) > 1:
            Real.calls["write"](what, bytes(data)[: len(data) // 2])

    def path(self, what: object) -> str:
        """Return the path below the home of a descriptor or a path, as the trace shows it."""
        try:
            name = Real.readlink(f"/proc/self/fd/{what}") if isinstance(what, int) else os.fsdecode(what)  # type: ignore[arg-type]
        except (OSError, TypeError):
            name = str(what)
        return name.removeprefix(self.root).removeprefix(self._real)

    def fault(self, what: str) -> None:
        """Count a fault that happened."""
        self.faults[what] += 1
        line = f"{self.now()} FAULT {what}"
        self.hash.update(line.encode())
        self.recent.append(line)

    # --- processes

    def spawn(self, kind: str, work: Callable[[], object], words: Sequence[str], env: Mapping[str, str],
              out: int = -1) -> Process:  # fmt: skip
        """Start a process."""
        made = Process(self, kind, words, env, out)
        self.processes[made.pid] = made

        def main() -> None:
            status = 1
            try:
                status = int(work() or 0)  # type: ignore[call-overload]
            except SystemExit as left:
                status = left.code if isinstance(left.code, int) else 1
            finally:
                self.end(made, status)

        made.tasks.append(Task(made, main, made.name))
        return made

    def thread(self, process: Process, work: Callable[[], None]) -> Task:
        """Start another thread of a process."""
        task = Task(process, work, f"{process.name}.{len(process.tasks)}")
        process.tasks.append(task)
        return task

    def end(self, process: Process, status: int) -> None:
        """A process is over. Its threads stop where they are."""
        if process.returncode is None:
            process.dead, process.returncode = True, status
            self._urgent = True
            line = f"{self.now()} {process.name} ended {status}"
            self.hash.update(line.encode())
            self.recent.append(line)

    def _bury(self, process: Process) -> None:
        """Let the threads of a dead process unwind, and release what the system would."""
        for task in process.tasks:
            while not task.over:
                self._hand(task)
        process.tasks.clear()
        for fd in process.locks:
            with suppress(OSError):
                Real.flock(fd, fcntl.LOCK_UN)
        process.locks.clear()
        if process.out >= 0:
            Real.close(process.out)
        process.me = None
        del self.processes[process.pid]
        if process.parent and not process.parent.dead:
            process.parent.pending.append(signal.SIGCHLD)

    def signal(self, process: Process, signum: int) -> None:
        """Send a signal to a process."""
        if process.dead:
            return
        if signum == signal.SIGKILL:
            self.end(process, -9)
        elif signum:
            process.pending.append(signum)

    def of(self, kind: str) -> list[Process]:
        """Return the running processes of a kind."""
        return [one for one in self.processes.values() if one.kind == kind and not one.dead]

    # --- the scheduler, in the main greenlet

    def _may_go_on(self) -> bool:
        return self.ops <= self.most + self.mono // EACH and self.started <= self.starts

    def _bounded(self) -> None:
        """Raise Stuck if the world did more than it may."""
        if self._may_go_on():
            return
        there = Counter(line.split()[1].partition(".")[0] for line in self.recent)
        latest = ", ".join(f"{count} of {kind}" for kind, count in there.most_common())
        self.power = -1
        raise Stuck(
            f"it does not come to rest: {self.ops} steps and {self.started} processes in "
            f"{self.mono / 1e9:.0f} s; the last steps: {latest}"
        )

    def _hand(self, task: Task) -> None:
        """Let a task go on until one hands back."""
        before = os.environ, sys.argv
        self._begin(task)
        task.thread.switch()
        os.environ, sys.argv = before
        self.current = None

    def choose(self) -> Task | None:
        """Return the task that goes on, after letting time pass until there is one. None: the main greenlet looks,
        or all sleep for ever."""
        while self.mono < self.stop_at and self._may_go_on():
            ready, soonest = list[Task](), None
            for process in self.processes.values():
                for task in process.tasks:
                    if task.over:
                        continue
                    over = task.until is not None and task.until <= self.mono
                    told = process.pending and task is process.tasks[0]
                    if not task.asleep or told or over or (task.polls and task.polls.poll(0)):
                        ready.append(task)
                    elif task.until is not None and (soonest is None or task.until < soonest):
                        soonest = task.until
            if ready:
                task = self.chance.choice(ready) if len(ready) > 1 else ready[0]
                task.left = self.chance.choice((1, 2, 3, 5, 8, 20, 60, 200))
                self.switches += 1
                return task
            if soonest is None:
                return None
            self.mono = min(soonest, self.stop_at) if self.exact else soonest
        return None

    def step(self, seconds: float = 0.001, *, exact: bool = False) -> bool:
        """Let tasks go on for so long, or until the next one wakes, unless `exact`. Return False if all sleep for ever.
        Raises Stuck if they go round in circles."""
        self.exact = exact
        self.stop_at = self.mono + int(seconds * 1e9)
        while True:
            self._bounded()
            self._urgent = False
            for process in [one for one in self.processes.values() if one.dead]:
                self._bury(process)
            if self._cut:
                self._cut = False
                self._power_cut()
                return True
            task = self.choose()
            if task is None:
                return self.mono >= self.stop_at
            self._hand(task)
            for process in self.processes.values():
                if not process.dead:
                    process.tasks = [one for one in process.tasks if not one.over]

    def _power_cut(self) -> None:
        """Everything ends at once, and the disk holds what reached it."""
        assert self.disk
        for process in list(self.processes.values()):
            self.end(process, -9)
            self._bury(process)
        self.fault("power cut, in any order" if self.power_order else "power cut")
        names = self.crash < 0 and self.crash_as == "power, all names there"
        self.disk.cut(self.chance if self.power_order else None, self.now(), names=names)
        self.crash_as = ""
        self.boots += 1
        self.on_boot()

    def on_boot(self) -> None:
        """Start what starts after the power is back; the world replaces this."""


class _Here:
    """The kernel that exists, if one does."""

    here: Kernel | None = None


KERNEL = _Here


def _task() -> Task | None:
    return KERNEL.here.mine() if KERNEL.here else None


# --- what takes the place of the system's calls


def _wrapped(name: str) -> Callable[..., Any]:
    real = Real.calls[name]

    def call(*given: Any, **named: Any) -> Any:
        task = _task()
        if task is None:
            return real(*given, **named)
        kernel = task.process.kernel
        what: Any = given[0] if given else None
        if name in ("write", "pwrite") and not stat.S_ISREG(Real.fstat(what).st_mode):
            if task.process.dead:
                raise Died
            return real(*given, **named)
        above = named.get("dir_fd", named.get("src_dir_fd"))
        shown = what if above is None else f"{kernel.path(above)}/{what}"
        if name in ("rename", "replace", "link"):
            shown = f"{kernel.path(shown)} {kernel.path(given[1])}"
        kernel.point(name, shown, given[1] if name == "write" else None)
        done = real(*given, **named)
        if name in ("write", "pwrite", "ftruncate"):
            _touch(kernel, what)
        elif name in SYNCS and kernel.disk:
            kernel.disk.synced(what)
        return done

    return call


def _touch(kernel: Kernel, fd: int) -> None:
    now = kernel.now()
    Real.utime(fd, ns=(now, now))


def _open(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    task, real = _task(), Real.calls["open"]
    if task is None:
        return int(real(path, flags, mode, dir_fd=dir_fd))
    kernel = task.process.kernel
    makes = bool(flags & (os.O_CREAT | os.O_TRUNC))
    kernel.point("open", path if dir_fd is None else f"{kernel.path(dir_fd)}/{path}", makes)
    fd = int(real(path, flags, mode, dir_fd=dir_fd))
    if makes and not Real.fstat(fd).st_size:
        _touch(kernel, fd)
    return fd


def _close(fd: int) -> None:
    task = _task()
    if task:
        task.process.locks.discard(fd)
    Real.close(fd)


def _flock(fd: Any, how: int) -> None:
    task = _task()
    if task is None:
        Real.flock(fd, how)
        return
    number = fd if isinstance(fd, int) else fd.fileno()
    if how & fcntl.LOCK_UN:
        task.process.locks.discard(number)
        Real.flock(fd, how)
        return
    kernel = task.process.kernel
    kernel.point("stat", number)
    while True:
        if task.process.dead:
            raise Died
        try:
            Real.flock(fd, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if how & fcntl.LOCK_NB:
                raise
            kernel.sleep(0.001)
        else:
            task.process.locks.add(number)
            return


def _time() -> float:
    return KERNEL.here.now() / 1e9 if KERNEL.here else Real.time()


def _time_ns() -> int:
    return KERNEL.here.now() if KERNEL.here else Real.time_ns()


def _monotonic() -> float:
    if KERNEL.here is None:
        return Real.monotonic()
    KERNEL.here.mono += 1000  # so that who waits by looking at the clock comes to an end
    return KERNEL.here.mono / 1e9


def _sleep(seconds: float) -> None:
    if task := _task():
        task.process.kernel.sleep(seconds)
    else:
        Real.sleep(seconds)


class Poll:
    """select.poll, whose wait is the kernel's."""

    def __init__(self) -> None:
        self._poll = Real.poll()

    def register(self, fd: int, mask: int = select.POLLIN) -> None:
        """Watch a descriptor, too."""
        self._poll.register(fd, mask)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._poll, name)

    def poll(self, milliseconds: float | None = None) -> list[tuple[int, int]]:
        """Wait."""
        task = _task()
        if task is None:
            return self._poll.poll(milliseconds)
        kernel = task.process.kernel
        kernel.point("stat", "poll")
        if not (found := self._poll.poll(0)) and milliseconds != 0:
            kernel.sleep(None if milliseconds is None else milliseconds / 1000, self._poll)
            found = self._poll.poll(0)
        return found


class _Kind(type):
    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, Real.datetime)


class Datetime(datetime.datetime, metaclass=_Kind):
    """datetime, whose present is the kernel's. All that it makes are plain ones."""

    def __new__(cls, *given: Any, **named: Any) -> Any:
        return Real.datetime(*given, **named)

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        """Return the present."""
        return Real.datetime.fromtimestamp(_time(), tz)


class Output:
    """Standard output and error: those of the process that runs."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def write(self, text: str) -> int:
        """Write to the process's output."""
        task = _task()
        if task is None:
            return int(self._real.write(text))
        process = task.process
        process.told = (process.told + text)[-2000:]
        if process.out >= 0:
            Real.calls["write"](process.out, text.encode("utf-8", "replace"))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class Later:
    """concurrent.futures.Future, as far as a provider's process uses it."""

    def __init__(self) -> None:
        self._done, self._error = False, None

    def __class_getitem__(cls, item: object) -> type[Later]:
        return cls

    def set_result(self, result: object) -> None:
        """Be done."""
        self._done = True

    def set_exception(self, error: Any) -> None:
        """Fail."""
        self._done, self._error = True, error

    def result(self) -> None:
        """Wait until it is done."""
        while not self._done:
            _sleep(0.0005)
        if self._error is not None:
            raise self._error


class Pool:
    """ThreadPoolExecutor: each piece of work is a thread of the process."""

    def __init__(self, most: int = 0) -> None:
        self.most = most

    def submit(self, work: Callable[..., None], *given: object) -> None:
        """Start a thread."""
        task = _task()
        assert task
        task.process.kernel.thread(task.process, lambda: work(*given))


class Threading:
    """The module threading, as far as dotagent uses it."""

    class local:
        """What each thread has of its own."""

        def __getattr__(self, name: str) -> Any:
            task = _task()
            if task is None or name not in task.here:
                raise AttributeError(name)
            return task.here[name]

        def __setattr__(self, name: str, value: object) -> None:
            task = _task()
            assert task
            task.here[name] = value

    class Lock:
        """A lock that lets others run while it waits."""

        def __init__(self) -> None:
            self._held = False

        def __enter__(self) -> None:
            while self._held:
                _sleep(0.0005)
            self._held = True

        def __exit__(self, *left: object) -> None:
            self._held = False

    class Thread:
        """A thread of the process that starts it."""

        def __init__(self, target: Callable[..., None], args: Sequence[object] = (), daemon: bool = False) -> None:
            self._target, self._args = target, args

        def start(self) -> None:
            """Run."""
            Pool().submit(self._target, *self._args)


def _signal(signum: int, handler: Any) -> Any:
    task = _task()
    if task is None:
        return Real.signal(signum, handler)
    before = task.process.handlers.get(signum)
    task.process.handlers[signum] = handler
    return before


def _wakeup(fd: int, **named: Any) -> int:
    task = _task()
    if task is None:
        return Real.wakeup(fd, **named)
    before, task.process.wakeup = task.process.wakeup, fd
    return before


def _timer(*given: Any) -> Any:
    return Real.timer(*given) if _task() is None else (0.0, 0.0)


def _kill(pid: int, signum: int) -> None:
    task = _task()
    if task is None:
        Real.kill(pid, signum)
        return
    found = task.process.kernel.processes.get(pid)
    if found is None or found.dead:
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    task.process.kernel.signal(found, signum)


def _killpg(pid: int, signum: int) -> None:
    if _task() is None:
        Real.killpg(pid, signum)
    else:
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))


def _getpid() -> int:
    task = _task()
    return task.process.pid if task else Real.getpid()


def _exit(status: int) -> None:
    task = _task()
    if task is None:
        Real.exit(status)
    else:
        task.process.kernel.end(task.process, status)
        raise Exited


def start_time(pid: int) -> str:
    """Return when a simulated process started, or ""."""
    kernel = KERNEL.here
    found = kernel.processes.get(pid) if kernel else None
    return f"{kernel.boots}-{pid - FIRST_PID}" if kernel and found and not found.dead else ""


def install() -> None:
    """Put the wrappers in place; dotagent is not imported yet."""
    for name in (*CHANGES, *LOOKS):
        setattr(os, name, _wrapped(name))
    ours: list[tuple[Any, dict[str, Any]]] = [
        (os, {"open": _open, "close": _close, "kill": _kill, "killpg": _killpg, "getpid": _getpid, "_exit": _exit}),
        (time, {"time": _time, "time_ns": _time_ns, "monotonic": _monotonic, "sleep": _sleep}),
        (signal, {"signal": _signal, "set_wakeup_fd": _wakeup, "setitimer": _timer}),
        (fcntl, {"flock": _flock}),
        (select, {"poll": Poll}),
        (datetime, {"datetime": Datetime}),
    ]
    for module, calls in ours:
        put(module, calls)
    sys.stdout, sys.stderr = Output(sys.stdout), Output(sys.stderr)


def put(module: object, parts: Mapping[str, object]) -> None:
    """Put these parts of a module in the place of its own."""
    for name, part in parts.items():
        setattr(module, name, part)
