"""Wait for files: sleep in the kernel until something under one of the watched paths changes.

On Linux it uses inotify, or checks once a second if no more watches are available; on macOS and the BSDs kqueue. A
wake-up says only that something changed. The caller must watch first, then check, then wait, so that no change is
missed. Owns nothing on disk.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dotagent import errors
from dotagent.store import disk

TICK = 50_000_000  # nanoseconds, longer than a tick of any file system's clock here (Linux: 1 to 10 ms)
INTERVAL = 1.0  # seconds between two checks if no watch is available
LONGEST = 86_400.0  # seconds of one sleep; the kernel takes about 24 days
_told: list[str] = []  # why this process polls, once it has reported that


class Changed:
    """Remembers the state of files, so that a process reads only changed files.

    Two writes in one tick of the file system's clock have the same time. So a file that changed a moment ago counts as
    changed again (git calls this "racily clean").
    """

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[int, int, int] | None] = {}

    def look(self, path: Path, *, follow: bool = False) -> bool:
        """Return True if the file has changed since the last call. With `follow`, it is the target of a link."""
        try:
            found = os.stat(path, follow_symlinks=follow)
            seen = (found.st_ino, found.st_size, found.st_mtime_ns)
            if found.st_mtime_ns > time.time_ns() - TICK:
                self._seen.pop(path, None)
                return True
        except OSError:  # opening the file reports the error
            seen = None
        if path in self._seen and self._seen[path] == seen:
            return False
        self._seen[path] = seen
        return True

    def forget(self, path: Path) -> None:
        """Treat the file as changed at the next `look`."""
        self._seen.pop(path, None)


class Still:
    """Remembers since when files have not changed: while a program saves a file, it is missing, empty or half written
    for a moment."""

    def __init__(self) -> None:
        self._since: dict[Path, tuple[tuple[int, int, int] | None, float]] = {}

    def left(self, path: Path, seconds: float) -> float:
        """Return the seconds until the file has not changed for `seconds`, as seen by these calls."""
        try:
            found = os.stat(path)
            now: tuple[int, int, int] | None = (found.st_ino, found.st_size, found.st_mtime_ns)
        except FileNotFoundError:
            now = None
        before, since = self._since.get(path, (None, 0.0))
        if path not in self._since or before != now:
            since = time.monotonic()
            self._since[path] = (now, since)
        return max(0.0, since + seconds - time.monotonic())

    def forget(self, path: Path) -> None:
        """Count from the next call on."""
        self._since.pop(path, None)


if sys.platform == "linux":

    class Watcher:
        """Watch files for content and directories for names, and wait for a change."""

        def __init__(self) -> None:
            from inotify_simple import INotify, flags

            self._blind = ""
            self.tell: Callable[[str], None] = errors.tell
            self._poll = select.poll()
            self._paths: dict[int, Path] = {}  # the path of each watch
            self._seen: set[Path] | None = None  # the paths that changed, since this was first asked for
            try:
                self._inotify = INotify()
                self._poll.register(self._inotify.fileno(), select.POLLIN)
            except OSError as error:
                self._inotify, self._blind = None, f"{error.strerror}; raise fs.inotify.max_user_instances"
            self._content = flags.MODIFY | flags.CLOSE_WRITE
            self._new = flags.CREATE | flags.MOVED_TO | flags.DELETE_SELF
            self._names = self._new | flags.MOVED_FROM | flags.DELETE

        def content(self, path: Path) -> None:
            """Wake when this file's content changes, not that of a later file with its name. Raises OSError."""
            self._add(path, self._content)  # watching the same file again returns the same watch

        def names(self, path: Path) -> None:
            """Wake when a name in this directory is created, removed or replaced."""
            self._add(path, self._names)

        def new(self, path: Path) -> None:
            """Wake when a name in this directory is created or replaced, and, on kqueue systems, also when one is
            removed."""
            self._add(path, self._new)

        def also(self, fd: int) -> None:
            """Wake when this descriptor is readable, too."""
            self._poll.register(fd, select.POLLIN)

        def wait(self, seconds: float | None) -> bool:
            """Sleep until something changes (True) or the seconds are over (False). None means without limit."""
            if self._blind:
                self._tell()
                seconds = INTERVAL if seconds is None else min(seconds, INTERVAL)
            ready = self._poll.poll(None if seconds is None else int(1000 * max(0, min(seconds, LONGEST))))
            if self._inotify and any(fd == self._inotify.fileno() for fd, _ in ready):
                self._note()
            return bool(ready or (self._blind and seconds))

        def changed(self) -> frozenset[Path] | None:
            """Return the watched files and the names in watched directories that `wait` saw change since the last call
            of this. None means that any may have changed: at the first call, and after the kernel lost some."""
            seen, self._seen = self._seen, None if self._blind else set()
            return None if seen is None else frozenset(seen)

        def _note(self) -> None:
            """Read the changes that the kernel reports, so that it does not report them again."""
            assert self._inotify
            if self._seen is None:  # the reader looks everywhere
                os.read(self._inotify.fileno(), 1 << 16)
                return
            for event in self._inotify.read(timeout=0):
                path = self._paths.get(event.wd)
                if path is None:  # the queue overflowed
                    self._seen = None
                    return
                self._seen.add(path / event.name if event.name else path)

        def close(self) -> None:
            """Close all watches."""
            if self._inotify:
                self._inotify.close()

        def _add(self, path: Path, mask: int) -> None:
            if not self._inotify:
                return
            try:
                self._paths[self._inotify.add_watch(path, mask)] = path
            except OSError as error:
                if error.errno != errno.ENOSPC:  # not a full disk, but no more watches
                    raise disk.with_path(error, path) from None
                self._blind = "too many files are watched; raise fs.inotify.max_user_watches"

        def _tell(self) -> None:
            """Report once in this process that it polls."""
            if not _told:
                _told.append(self._blind)
                self.tell(
                    f"dotagent checks its files every {INTERVAL:g} s, because the system does not report changes of "
                    f"more files ({self._blind})"
                )

else:
    from dotagent.store.kqueue import Watcher as Watcher


@contextmanager
def signalled(watcher: Watcher, leave: Callable[[], object]) -> Iterator[int]:
    """During the block, let SIGINT and SIGTERM call `leave`, and let every handled signal end `watcher.wait`, until the
    yielded descriptor is read empty."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, lambda signum, frame: leave())
    watcher.also(read)
    try:
        yield read
    finally:
        signal.set_wakeup_fd(-1)
        os.close(read)
        os.close(write)
