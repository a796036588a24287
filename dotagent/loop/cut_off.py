"""End the process, as a kill would, if it is still working some time after a signal to exit.

A step may compute without end, or wait for a lock or the disk. Owns nothing on disk.
"""

from __future__ import annotations

import os
import signal
import time

from dotagent.store import disk

LEAST = 0.01  # seconds between two looks at the clock


def exit_after(seconds: float) -> None:
    """Exit after these seconds of the process's own time, unless the timer is stopped before."""
    end = _own_seconds() + seconds

    def exit_if_over(signum: int, frame: object) -> None:
        if (left := end - _own_seconds()) <= 0:
            os._exit(0)
        signal.setitimer(signal.ITIMER_REAL, max(left, LEAST))

    signal.signal(signal.SIGALRM, exit_if_over)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _own_seconds() -> float:
    """Return a clock that stops while other programs use the processor, so that a step gets the same time to work on a
    busy machine."""
    try:
        kept = int(disk.read("/proc/self/schedstat", 1000).split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        kept = 0.0
    return time.monotonic() - kept
