"""The template: a process that has loaded an agent's code, and forks a process for each agent that `up` starts.

A fork starts sooner than a new Python, and shares most of its memory with the others. The template gets no secrets,
because each fork has everything that the template has. Owns nothing on disk.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.installed import CODE
from dotagent.store import child_processes, disk

PROGRAM = str(CODE / "agent.py")
LATEST = 30.0  # seconds to wait for the template; without its answer, a new Python runs each agent


class Fork:
    """An agent's process that the template forked, with those methods of `subprocess.Popen` that `Child` uses."""

    stdin = None

    def __init__(self, pid: int, ended: Callable[[int], int | None]) -> None:
        self.pid, self.returncode, self._ended = pid, 0, ended
        try:
            self._descriptor = os.pidfd_open(pid)
        except ProcessLookupError:  # it has ended, and the template has reported its status
            self._descriptor = -1

    def poll(self) -> int | None:
        """Return how the process ended, or None while it runs."""
        if not self.pid:
            return self.returncode
        if self._descriptor >= 0 and not select.select([self._descriptor], [], [], 0)[0]:
            return None
        if (status := self._ended(self.pid)) is None:
            return None
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self.pid, self._descriptor, self.returncode = 0, -1, status
        return status

    def send_signal(self, signum: int) -> None:
        """Send the process a signal if it still runs."""
        if self._descriptor >= 0:
            signal.pidfd_send_signal(self._descriptor, signum)


class Template:
    """The template as `up` sees it. It starts at the first request, and again after the code on the disk changed."""

    def __init__(self, root: Path) -> None:
        self._root, self._running = root, list[_Running]()
        self._works = hasattr(os, "pidfd_open")

    def start(self, words: Sequence[str], env: Mapping[str, str], log: Path, errors: int) -> Fork | None:
        """Fork a process that runs `agent.py` with these words and writes into the file `log`. Return None if it must
        be started in another way. A new template itself writes to the descriptor `errors`."""
        request = json.dumps([list(words), dict(env), str(log)]).encode()
        self._running = [one for one in self._running if not one.gone]
        for _ in range(2):
            if self._works and (not self._running or self._running[-1].stale or self._running[-1].gone):
                self._running.append(_Running(self._root, env, errors))
                self._works = self._running[-1].read() == "ready"
            if self._works and (made := self._running[-1].fork(request)):
                return made
        return None

    def close(self) -> None:
        """Let the template end."""
        for one in self._running:
            one.lose()


class _Running:
    """A template's process. It is started like an agent, so it has no secrets. If it is `stale`, its code has changed
    since, and it only reports how its forks end."""

    def __init__(self, root: Path, env: Mapping[str, str], errors: int) -> None:
        self.stale, self.gone = False, False
        self._statuses, self._rest = dict[int, int](), b""
        theirs, asks = os.pipe()
        self._told, tells = os.pipe()
        self._asks = os.fdopen(asks, "wb")
        words = [sys.executable, "-m", __name__, str(theirs), str(tells), "--home", str(root)]
        child_processes.leave(child_processes.start(words, errors, env=env, held=(theirs, tells)))
        os.close(theirs)
        os.close(tells)

    def fork(self, request: bytes) -> Fork | None:
        """Return the fork, or None if the template is stale or gone."""
        if self.gone:
            return None
        try:
            self._asks.write(request + b"\n")
            self._asks.flush()
        except BrokenPipeError:
            self.lose()
        while (word := self.read()) == "ended":
            pass
        self.stale = word == "stale"
        return Fork(int(word), self.ended) if word.isdigit() else None

    def ended(self, pid: int) -> int | None:
        """Return how a fork ended, or None before the template reports it. If the template is gone, no process knows
        it, and the fork counts as killed."""
        while not self.gone and (self._rest or select.select([self._told], [], [], 0)[0]):
            self.read()
        return self._statuses.pop(pid, -signal.SIGKILL if self.gone else None)

    def read(self) -> str:
        """Return the template's next word: "ready", "stale", "ended", a fork's pid, or "" if it is gone."""
        while not self.gone and b"\n" not in self._rest:
            more = os.read(self._told, 4096) if select.select([self._told], [], [], LATEST)[0] else b""
            self._rest += more
            if not more:
                self.lose()
        line, _, self._rest = self._rest.partition(b"\n")
        word, *rest = line.decode().split() or [""]
        if word == "ended":
            self._statuses[int(rest[0])] = int(rest[1])
        return word

    def lose(self) -> None:
        """Let the template end, as it can be asked no more."""
        if not self.gone:
            with suppress(BrokenPipeError):
                self._asks.close()
            os.close(self._told)
        self.gone, self._rest = True, b""


# --- the process


def serve(asked: int, tells: int, root: Path) -> None:
    """Load the code, and fork for each request that comes, until the template is stale and has no forks, or until no
    process can send a request any more."""
    parent, rest = os.getppid(), b""
    program = _load(root)
    code = json.loads(json.dumps(_code()))  # a copy in a few pages; reading the originals would copy a page for each
    gc.collect()
    gc.freeze()
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda signum, frame: None)
    os.write(tells, b"ready\n")
    stale, forks = False, 0
    while forks or not stale:
        ready = select.select([asked, read], [], [])[0]
        if read in ready:
            os.read(read, 4096)
            while told := _reap():
                forks -= 1
                os.write(tells, b"ended %d %d\n" % told)
            if os.getppid() == parent:
                os.kill(parent, signal.SIGCHLD)  # the parent sleeps until one of its children ends
        if asked not in ready:
            continue
        more = os.read(asked, 1 << 16)
        *requests, rest = (rest + more).split(b"\n")
        if not more:
            return
        for request in requests:
            stale = stale or any(_changed(path) != when for path, when in code.items())
            if stale:
                os.write(tells, b"stale\n")
            elif pid := os.fork():
                forks += 1
                os.write(tells, b"%d\n" % pid)
            else:
                _become(program["main"], *json.loads(request))


def _load(root: Path) -> dict[str, Any]:
    """Load what an agent of this home uses in its first turn, and live such a turn. Return what `agent.py` defines."""
    from dotagent import contract, extensions
    from dotagent.capabilities.supervisor import rehearsal
    from dotagent.store import home, watch
    from dotagent.store.home import Home

    program = runpy.run_path(PROGRAM)
    with suppress(Trouble):  # each fork reports invalid settings itself
        contract.list_chosen(home.settings(Home(root)))
    for name in extensions.names("tools"):
        extensions.load("tools", name)
    watch.Watcher().close()
    rehearsal.live(program)
    return program


def _code() -> dict[str, int]:
    """Return the file of each loaded module, and when it was changed."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return {path: _changed(path) for path in files if path}


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _reap() -> tuple[int, int] | None:
    with suppress(ChildProcessError):
        pid, status = os.waitpid(-1, os.WNOHANG)
        return (pid, os.waitstatus_to_exitcode(status)) if pid else None
    return None


def _become(main: Callable[[], int], words: list[str], env: dict[str, str], log: str) -> NoReturn:
    """Become the process that a new Python with these words and this environment would be. `main` is the one of
    `agent.py`; its part before that only sheds secrets, and there are none."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        with disk.open_regular(Path(log), os.O_WRONLY | os.O_APPEND | os.O_CREAT) as file:
            os.dup2(file, 1)
            os.dup2(file, 2)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.environ.clear()
        os.environ.update(env)
        time.tzset()
        sys.argv, sys.orig_argv = [PROGRAM, *words], [sys.executable, PROGRAM, *words]
        sys.exit(errors.edge(main))
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:  # noqa: BLE001 the edge of a process: nothing of the template may run on in the fork
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[4]))
