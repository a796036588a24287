"""The one folder in which a run of the tests makes its homes, and what is left of the run at its end.

Owns a folder in memory where there is such a place (tests sync thousands of times), else in the usual temporary folder.
TMPDIR names it, so `tempfile` makes everything in it, also in the workers.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

THEIRS = ("pytest-of-", "data-gym-cache", "emacs-async-comp-")
NIGHT = "PYTEST_NIGHT"
"""The variable that is set where the tests of the night run too."""
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn")
"""The events of Python's audit when this process starts another."""
_starts: list[str] = []
_starts_before: dict[Path, int] = {}


def begin() -> Path:
    """Make the folder, and let this process and the workers use it."""
    path = tempfile.mkdtemp(prefix="dotagent-", dir=MEMORY)
    os.chmod(path, 0o755)  # some tests become another user
    os.environ["TMPDIR"] = path
    tempfile.tempdir = None  # it reads TMPDIR again
    return Path(path).resolve()


def folder() -> Path:
    """Where tests make their files."""
    return Path(os.environ.get("TMPDIR") or MEMORY or tempfile.gettempdir()).resolve()


def new() -> Path:
    """A folder for the test that runs now, which bears the name of the test's file."""
    file = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    path = Path(tempfile.mkdtemp(prefix=f"{Path(file).stem.removeprefix('test_')}-", dir=folder()))
    _starts_before[path] = len(_starts)
    return path


def starts(event: str) -> None:
    """Take note that this process starts another, by one of STARTS or through the process that forks programs."""
    _starts.append(event)


def processes(words: bytes, file: str = "cmdline") -> list[int]:
    """The pids of the processes that have these bytes in their command line, or in another file of /proc. One that
    ends meanwhile is left out."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            for _ in range(99):
                if (said := (path / file).read_bytes()) or file != "cmdline" or not os.readlink(path / "exe"):
                    break
                os.sched_yield()  # a process that just begins another program has no words for a moment
            if words in said:
                found.append(int(path.name))
    return found


def stop(path: Path) -> list[int]:
    """End the processes that name the folder in their command line or environment, and return their pids."""
    found = sorted({*processes(os.fsencode(path)), *processes(os.fsencode(path), "environ")} - {os.getpid()})
    for pid in found:
        with suppress(ProcessLookupError):
            watched = os.pidfd_open(pid)
            signal.pidfd_send_signal(watched, signal.SIGKILL)
            select.select([watched], [], [])
            os.close(watched)
    return found


def clear(path: Path) -> None:
    """Remove a test's folder, after the processes of its homes have ended: one that starts would make its home anew."""
    if len(_starts) > _starts_before.pop(path, -1):  # to look at every process takes long
        while stop(path):  # one may have started another while it was looked for
            pass
    for _ in range(99):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        os.sched_yield()  # a thread of this process, such as a provider's catalogue, wrote a file meanwhile


def end(path: Path) -> list[str]:
    """What the run has left: the processes that use the folder, which are ended, and what is in it, which is removed.
    pytest's own folder and a package's cache are not counted."""
    left = list[str]()
    for pid in {*processes(os.fsencode(path)), *processes(os.fsencode(path), "environ")} - {os.getpid()}:
        with suppress(OSError):
            left.append(f"process {pid}: {Path(f'/proc/{pid}/cmdline').read_bytes().decode(errors='replace')}")
    stop(path)
    for one in sorted(path.iterdir()):
        if not one.name.startswith(THEIRS):
            left.append(f"{one}: {', '.join(str(file.relative_to(one)) for file in [*one.rglob('*')][:4])}")
    shutil.rmtree(path, ignore_errors=True)
    return left
