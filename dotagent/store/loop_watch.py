"""Watch files from an event loop: a descriptor becomes readable after a change.

If the system has no more watches, the descriptor becomes readable once a second instead. Owns nothing on disk.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from dotagent import errors
from dotagent.store.watch import INTERVAL, Watcher

if sys.platform == "linux":
    from pathlib import Path

    class LoopWatcher(Watcher):
        """A watcher with a descriptor. `tell` shows a line if it checks files at intervals."""

        def __init__(self, tell: Callable[[str], None] = errors.tell) -> None:
            super().__init__()
            self.tell = tell
            self._ready: select.epoll | None = None
            self._ticks: int | None = None

        def fileno(self) -> int:
            """Return a descriptor that becomes readable after a change; then call `wait(0)`."""
            if self._ready is None:
                self._ready = select.epoll()
                if self._inotify:
                    self._ready.register(self._inotify.fileno(), select.EPOLLIN)
                self._tick_if_blind()
            return self._ready.fileno()

        def wait(self, seconds: float | None) -> bool:
            """See Watcher."""
            if self._ticks is not None:
                with suppress(BlockingIOError):
                    os.read(self._ticks, 8)
            return super().wait(seconds)

        def close(self) -> None:
            """Close all watches and the descriptor."""
            super().close()
            if self._ready is not None:
                self._ready.close()
            if self._ticks is not None:
                os.close(self._ticks)

        def _add(self, path: Path, mask: int) -> None:
            super()._add(path, mask)
            self._tick_if_blind()

        def _tick_if_blind(self) -> None:
            if self._blind and self._ready is not None and self._ticks is None:
                self._ticks = _ticks()
                self._ready.register(self._ticks, select.EPOLLIN)
                self._tell()

else:

    class LoopWatcher(Watcher):
        """A watcher with a descriptor."""

        def __init__(self, tell: Callable[[str], None] = errors.tell) -> None:
            super().__init__()


def _ticks() -> int:
    """Return a descriptor that becomes readable at each interval: a timer, which Python has no function for yet."""
    import ctypes  # loaded only if no watches are left

    libc, second = ctypes.CDLL(None, use_errno=True), int(INTERVAL)
    timer = int(libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC))
    interval = (ctypes.c_long * 4)(second, 0, second, 0)
    if timer < 0 or libc.timerfd_settime(timer, 0, interval, None):
        raise OSError(ctypes.get_errno(), "the system cannot create a timer")
    return timer
