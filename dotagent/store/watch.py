"""Waiting for files: sleep in the kernel until something under one of the watched paths changes.

Linux: inotify, or one look a second where the system gives no more watches. macOS, the BSDs: kqueue. A wake-up says
only that something changed; whoever waits looks again, so a spurious one is harmless and none is missed: watch first,
look, then wait.
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
from dotagent.errors import Trouble
from dotagent.store import disk

TICK = 50_000_000  # nanoseconds, more than a tick of any file system's clock here (Linux: 1 to 10 ms)
INTERVAL = 1.0  # seconds between two looks, where nothing more can be watched
_told: list[str] = []  # why this process looks at intervals, once it has said so


class Changed:
    """What this process has seen of some files, so that it looks again only where something changed.

    A file system's clock ticks coarsely: what is written twice in one tick has the same time twice. So what was
    changed a moment ago is not known yet, and is looked at again (git's rule for its index: "racily clean").
    """

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[int, int, int] | None] = {}

    def look(self, path: Path, *, follow: bool = False) -> bool:
        """Whether the file is another than when this was last asked; `follow`: the one that a link leads to."""
        try:
            found = os.stat(path, follow_symlinks=follow)
            seen = (found.st_ino, found.st_size, found.st_mtime_ns)
            if found.st_mtime_ns > time.time_ns() - TICK:
                self._seen.pop(path, None)
                return True
        except OSError:  # who opens it is told why
            seen = None
        if path in self._seen and self._seen[path] == seen:
            return False
        self._seen[path] = seen
        return True

    def forget(self, path: Path) -> None:
        """Look again at this one in any case."""
        self._seen.pop(path, None)


if sys.platform == "linux":

    class Watcher:
        """Watch files for change and directories for names; wait for either."""

        def __init__(self) -> None:
            from inotify_simple import INotify, flags

            self._blind, self._lent = "", False
            self._poll = select.poll()
            try:
                self._inotify = INotify()
                self._poll.register(self._inotify.fileno(), select.POLLIN)
            except OSError as error:
                self._inotify, self._blind = None, f"{error.strerror}: raise fs.inotify.max_user_instances"
            self._content = flags.MODIFY | flags.CLOSE_WRITE
            self._new = flags.CREATE | flags.MOVED_TO | flags.DELETE_SELF
            self._names = self._new | flags.MOVED_FROM | flags.DELETE

        def content(self, path: Path) -> None:
            """Wake when this file's content changes (the file now under this name, not a later one). Raises OSError."""
            self._add(path, self._content)  # the same file again is the same watch

        def names(self, path: Path) -> None:
            """Wake when a name in this directory appears, goes, or means another file."""
            self._add(path, self._names)

        def new(self, path: Path) -> None:
            """Wake when a name in this directory appears, or means another file; where the system tells that apart."""
            self._add(path, self._new)

        def also(self, fd: int) -> None:
            """Wake when this descriptor is readable, too."""
            self._poll.register(fd, select.POLLIN)

        def wait(self, seconds: float | None) -> bool:
            """Sleep until something changed (True) or the seconds are over (False); None: for ever."""
            if self._blind:
                self._tell()
                seconds = INTERVAL if seconds is None else min(seconds, INTERVAL)
            ready = self._poll.poll(None if seconds is None else max(0, int(seconds * 1000)))
            if self._inotify and any(fd == self._inotify.fileno() for fd, _ in ready):
                os.read(self._inotify.fileno(), 1 << 16)  # what it was does not matter: the reader looks everywhere
            return bool(ready or (self._blind and seconds))

        def fileno(self) -> int:
            """A descriptor that is readable when something changed, for an event loop of one's own: then `wait(0)`."""
            if not self._inotify:
                raise Trouble(f"no watch can be made: {self._blind}")
            self._lent = True
            return int(self._inotify.fileno())

        def close(self) -> None:
            """Let go of all watches."""
            if self._inotify:
                self._inotify.close()

        def _add(self, path: Path, mask: int) -> None:
            if not self._inotify:
                return
            try:
                self._inotify.add_watch(path, mask)
            except OSError as error:
                if error.errno != errno.ENOSPC:  # that is not the disk
                    raise disk.named(error, path) from None
                self._blind = "too many files are watched: raise fs.inotify.max_user_watches"
                if self._lent:
                    raise Trouble(f"{path}: {self._blind}") from None

        def _tell(self) -> None:
            """Say once in this process that it looks at intervals."""
            if not _told:
                _told.append(self._blind)
                errors.tell(f"files are looked at every {INTERVAL:g} s, since no more can be watched: {self._blind}")

else:

    class Watcher:
        """The same by kqueue, which knows a file by a descriptor that stays open."""

        def __init__(self) -> None:
            self._queue = select.kqueue()
            self._held: dict[tuple[int, int], int] = {}  # (device, inode) -> descriptor

        def content(self, path: Path) -> None:
            self._add(path, select.KQ_NOTE_WRITE | select.KQ_NOTE_EXTEND)

        def names(self, path: Path) -> None:
            self._add(path, select.KQ_NOTE_WRITE | select.KQ_NOTE_DELETE | select.KQ_NOTE_RENAME)

        new = names

        def also(self, fd: int) -> None:
            self._queue.control([select.kevent(fd, select.KQ_FILTER_READ, select.KQ_EV_ADD)], 0, 0)

        def wait(self, seconds: float | None) -> bool:
            return bool(self._queue.control(None, 64, seconds))

        def fileno(self) -> int:
            return self._queue.fileno()

        def close(self) -> None:
            for fd in self._held.values():
                os.close(fd)
            self._queue.close()

        def _add(self, path: Path, notes: int) -> None:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            there = os.fstat(fd)
            if (there.st_dev, there.st_ino) in self._held:
                os.close(fd)
                return
            self._held[there.st_dev, there.st_ino] = fd
            event = select.kevent(fd, select.KQ_FILTER_VNODE, select.KQ_EV_ADD | select.KQ_EV_CLEAR, notes)
            self._queue.control([event], 0, 0)


@contextmanager
def signalled(watcher: Watcher, leave: Callable[[], object]) -> Iterator[int]:
    """For the time of the block SIGINT and SIGTERM call `leave`, and each signal that has a handler wakes who waits by
    the watcher, until the descriptor that this gives is read empty."""
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
