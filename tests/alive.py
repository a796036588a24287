"""Agents as real processes, and as children that are forked off and so cost a hundredth: for what only a process shows.

Homes are in memory, and whatever a home's agents started is gone when its block ends.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import scratch
from scratch import processes
from support import PATIENCE, Deadline, environment, spawn, until

import agent
from dotagent import errors
from dotagent.store import home, launch, log, process, rooms
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import times
from dotagent.text.reference import short

_alive: list[Alive] = []


@contextmanager
def a_home() -> Iterator[Home]:
    """A home that is made in memory, and vanishes with the providers that were started for it."""
    where = Home(scratch.new() / "home")
    home.prepare(where)
    (where.calls / "new" / "scripted").mkdir(parents=True)
    try:
        yield where
    finally:
        end_started(where)
        scratch.clear(where.root.parent)


def end_started(where: Home) -> None:
    """End the agents of this home that a failed test did not end, and the providers."""
    for one in _alive:
        if one.where == where and one.process.poll() is None:
            one.end(signal.SIGKILL)
    stop_providers(where)


def end_all(where: Home) -> None:
    """End what was started in the background, which names this home in its command line."""
    for pid in processes(str(where.root).encode() + b"\0"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def stop_providers(where: Home) -> None:
    """Ask every provider's process of the home to leave, and wait until it has."""
    deadline = Deadline()
    for path in where.calls.glob("*.pid"):
        while launch.served(where, path.stem):
            deadline.check(lambda: path)  # noqa: B023 it is called at once
            launch.stop(where, path.stem)
            os.sched_yield()


def provider_of(where: Home, name: str) -> int:
    """The pid of the process that serves the provider."""
    return int(_signed(where, name)[0])


def _signed(where: Home, name: str) -> list[str]:
    """Who holds the provider's lock, by pid and start time: a file that is there before that is written into it."""
    return until(lambda: (where.calls / f"{name}.pid").read_text().split(), where.calls)


def kill_provider(where: Home, name: str) -> None:
    """Kill -9 the provider's process, and wait until it is gone."""
    pid, started = _signed(where, name)
    with suppress(ProcessLookupError):
        os.kill(int(pid), signal.SIGKILL)
    while process.lives(int(pid), started):
        os.sched_yield()


class Alive:
    """An agent's process: `id` is what it printed on its first line, which it does once it hears, and `screen`, once
    it has ended, what it showed a person below that."""

    def __init__(self, where: Home, *words: str, **env: str) -> None:
        self.where = where
        self.process = spawn(where, "agent.py", *words, env=env)
        _alive.append(self)
        self.id = self._first_line()
        self.screen = ""
        assert re.fullmatch(r"[0-9a-f]{32}", self.id), (self.id, self.end(signal.SIGKILL))

    def _first_line(self) -> str:
        assert self.process.stdout
        line = b""
        while piece := os.read(self.process.stdout.fileno(), 1):  # and no byte more: `end` tells the rest
            if piece == b"\n":
                break
            line += piece
        return line.decode()

    def end(self, signum: int = signal.SIGTERM) -> tuple[int, str, str]:
        """End it by a signal: its exit status, and what else it printed on stdout and stderr."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signum)
        out, err = self.process.communicate(timeout=PATIENCE)
        rest = [f"{line}\n" for line in out.split("\n")[:-1]]
        self.screen = "".join(line for line in rest if line.startswith("  "))
        return self.process.returncode, "".join(line for line in rest if not line.startswith("  ")), err

    def lines(self, *names: str) -> list[Line]:
        """LIFE's lines of these events, or all."""
        found = log.lines(self.where.agent(self.id) / "LIFE.md")
        return [line for line in found if not names or line.event in names]

    def waits_for(self, event: str, count: int = 1) -> Line:
        """The count-th line of this event in LIFE, once it is there."""
        return until(lambda: self.lines(event)[count - 1 : count], self.where.agent(self.id))[0]


def say(where: Home, text: str, room: str = "dev", name: str = "ana") -> None:
    """Let a person say something."""
    rooms.append(where.room(room), rooms.line_of("USER", name, times.now(), text))


def said(where: Home, by: str = "", room: str = "dev") -> list[str]:
    """What agents said in the room, oldest first."""
    found = rooms.read(where.room(room), rooms.Position())
    assert found
    mine = [one for one in found[0] if one.kind == "AGENT" and (not by or one.name == short(by))]
    return [one.raw.decode().split("] ", 1)[1].strip() for one in mine]


def hears(where: Home, text: str, count: int = 1, room: str = "dev") -> str:
    """The newest of what agents said in the room, once `count` of that hold the text."""

    def look() -> str | None:
        found = [one for one in said(where, room=room) if text in one]
        return found[-1] if len(found) >= count else None

    return until(look, where.chats)


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    status: int
    out: str
    err: str

    def complains(self, *words: str, status: tuple[int, ...] = (1, 2)) -> None:
        """It said one clear line that holds these words, and nothing else."""
        assert self.status in status, self
        assert self.err.startswith("dotagent: "), self.err
        assert self.err.count("\n") == 1, self.err
        assert "Traceback" not in self.err + self.out, self.err
        for word in words:
            assert word in self.err, (word, self.err)


def live(where: Home, *words: str, room_for: int = 0) -> Ended:
    """`python agent.py` in a forked child, until it is idle, with a provider that nobody serves.

    `room_for`: bytes that a file may have at most, when there is a limit.
    """
    named = ["--home", str(where.root), *(() if "--provider" in words else ("--provider", "scripted"))]

    def main() -> int:
        sys.argv = ["agent.py", *named, *words, "--until-idle"]
        if room_for:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room_for, room_for))
        return agent.main()

    return forked(main)


def forked(main: Callable[[], int]) -> Ended:
    """A program's main function in a child of its own, which sees a clean environment."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            signal.alarm(int(PATIENCE))  # one that hangs dies of it
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os._exit(_child(main))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = [os.pread(file.fileno(), 1 << 20, 0).decode("utf-8", "replace") for file in (out, err)]
    return Ended(status, *texts)


def _child(main: Callable[[], int]) -> int:
    sys.stdout, sys.stderr = (os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") for fd in (1, 2))
    os.environ.clear()
    os.environ.update(environment())
    try:
        status = errors.edge(main)
    except BaseException:  # noqa: BLE001 the end of a child: pytest's own frames are below it
        traceback.print_exc()
        status = 99
    sys.stdout.flush()
    sys.stderr.flush()
    return status
