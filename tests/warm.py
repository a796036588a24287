"""Our programs as forks of a process that has loaded them, which costs a tenth of a start: most tests are about what a
program does, not about how Python starts it.

Run as a program, this is that process. For each run it is sent the words, the environment and the folder, and the
descriptors of the run's input, output and errors and of a pipe, into which it writes the run's pid, and its exit status
when it ends. What a run loads or changes is gone with it.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import scratch

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("agent.py", "chat.py", "clean.py")
HEAVY = ("embedding", "discord", "discord_side", "servers", "view", "web", "network", "mcp_side", "openapi")
"""What few programs use, and imports much."""
SAME = ("PYTHONPATH", "LANG")  # the other variables that Python itself heeds let it start itself
LONGEST = 1 << 17  # bytes of what a run is given
_serving: list[Serving] = []


def fits(words: Sequence[str], env: Mapping[str, str], stdin: str) -> bool:
    """Whether the run can be a fork: it is one of our programs, and Python would start the same for it."""
    short = len(stdin) < LONGEST // 8
    ours = tuple(words[:2]) == ("-m", "dotagent") or words[0] in PROGRAMS
    plain = not any(name.startswith(("PYTHON", "LC_", "LANG")) and name not in SAME for name in env)
    same = all(env.get(name) == there for name, there in (("PYTHONPATH", str(ROOT)), ("LANG", os.environ.get("LANG"))))
    return ours and plain and same and short and os.geteuid() == os.getuid() and hasattr(os, "pidfd_open")


def run(
    words: Sequence[str], env: Mapping[str, str], cwd: Path, seconds: float, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run one of our programs to its end."""
    scratch.starts("a fork of the process that has loaded it")
    if not _serving or _serving[-1].ended():
        _serving.append(Serving())
    return _serving[-1].run(words, env, cwd, seconds, stdin)


def end() -> None:
    """End the processes that served."""
    while _serving:
        _serving.pop().end()


atexit.register(end)


class Serving:
    """The process, as who asks it sees it."""

    def __init__(self) -> None:
        self._asks, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            cwd=ROOT, env={**kept, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )  # fmt: skip
        theirs.close()

    def end(self) -> None:
        """End it."""
        self._asks.close()
        self._process.terminate()  # a child that was forked meanwhile may hold the other end still
        self._process.wait()

    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    def run(
        self, words: Sequence[str], env: Mapping[str, str], cwd: Path, seconds: float, stdin: str
    ) -> subprocess.CompletedProcess[str]:
        told, tell = os.pipe()
        given, give = os.pipe()
        os.write(give, stdin.encode())
        os.close(give)
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            os.fdopen(told, "rb") as ending,
        ):
            asked = json.dumps([[*words], {**env}, str(cwd)]).encode()
            socket.send_fds(self._asks, [asked], [given, out.fileno(), err.fileno(), tell])
            os.close(tell)
            os.close(given)
            pid = int(ending.readline())
            with selectors.DefaultSelector() as ended:
                ended.register(ending, selectors.EVENT_READ)
                if not ended.select(seconds):
                    os.kill(pid, signal.SIGKILL)
                    raise subprocess.TimeoutExpired([*words], seconds)
            status = int(ending.readline())
            texts = [os.pread(one.fileno(), os.fstat(one.fileno()).st_size, 0).decode() for one in (out, err)]
        return subprocess.CompletedProcess([*words], status, *(one.replace("\r\n", "\n") for one in texts))


# --- the process


def serve(asks: socket.socket) -> None:
    """Fork what is asked for, and tell how each ends, until nobody can ask."""
    with selectors.DefaultSelector() as selector:
        selector.register(asks, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is not asks:
                    pid, tell = key.data
                    selector.unregister(key.fileobj)
                    os.close(key.fd)
                    _ended(tell, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                    continue
                asked, fds, _, _ = socket.recv_fds(asks, LONGEST, 4)
                if not asked:
                    return
                if not (pid := os.fork()):
                    selector.close()
                    asks.close()
                    _be(*json.loads(asked), fds)
                os.write(fds[3], f"{pid}\n".encode())
                for fd in fds[:3]:
                    os.close(fd)
                selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, fds[3]))


def _ended(tell: int, status: int) -> None:
    with suppress(BrokenPipeError):  # who asked waits no longer
        os.write(tell, f"{status}\n".encode())
    os.close(tell)


def _be(words: list[str], env: dict[str, str], cwd: str, fds: list[int]) -> NoReturn:
    """Be the program, as if Python had started it with these words."""
    for fd, there in enumerate(fds[:3]):
        os.dup2(there, fd)
    for fd in fds:
        os.close(fd)
    os.chdir(cwd)
    coerced = {"LC_CTYPE": os.environ["LC_CTYPE"]} if "LC_CTYPE" in os.environ else {}
    os.environ.clear()
    os.environ.update(coerced | env)
    time.tzset()
    sys.argv, sys.orig_argv, sys.path[0] = words, [sys.executable, *words], cwd
    status = 1
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(words[0], run_name="__main__")
        status = 0
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # noqa: BLE001 as Python itself, at the end of a program
        traceback.print_exc()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def load() -> None:
    """Import what programs use, which then need not be imported in each of them."""
    for path in sorted((ROOT / "dotagent").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[-1] != "__main__" and not {*parts} & {*HEAVY}:
            with suppress(ModuleNotFoundError):  # of an extra that is not installed
                importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    for known in (one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper)):
        known.cache_clear()
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    load()
    serve(socket.socket(fileno=int(sys.argv[1])))
