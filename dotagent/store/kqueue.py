"""Wait for files on macOS and the BSDs (watch.py has the same for Linux). Owns nothing on disk."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

if sys.platform != "linux":  # which has no kqueue

    class Watcher:
        """The Watcher of watch.py with kqueue, which needs an open descriptor for each file."""

        def __init__(self) -> None:
            self._queue = select.kqueue()
            self._held: dict[tuple[int, int], int] = {}  # (device, inode) -> descriptor

        def content(self, path: Path) -> None:
            """Wake when this file's content changes."""
            self._add(path, select.KQ_NOTE_WRITE | select.KQ_NOTE_EXTEND)

        def names(self, path: Path) -> None:
            """Wake when a name in this directory is created, removed or replaced."""
            self._add(path, select.KQ_NOTE_WRITE | select.KQ_NOTE_DELETE | select.KQ_NOTE_RENAME)

        new = names

        def also(self, fd: int) -> None:
            """Wake when this descriptor is readable, too."""
            self._queue.control([select.kevent(fd, select.KQ_FILTER_READ, select.KQ_EV_ADD)], 0, 0)

        def wait(self, seconds: float | None) -> bool:
            """Sleep until something changes (True) or the seconds are over (False). None means without limit."""
            longest = 86_400.0  # seconds: no system takes any number
            return bool(self._queue.control(None, 64, None if seconds is None else min(seconds, longest)))

        def changed(self) -> frozenset[Path] | None:
            """Return None: kqueue says that a directory changed, but not which name."""
            return None

        def fileno(self) -> int:
            """Return the descriptor of the queue."""
            return self._queue.fileno()

        def close(self) -> None:
            """Close all watches."""
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
