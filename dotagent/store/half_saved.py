"""Read a file that an editor may be saving at this moment.

Many editors cut a file and then write it, or move it away and then create it again. In between it is missing, empty or
incomplete for some milliseconds, over a network for longer. Owns nothing on disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dotagent.store import disk

SAVING = 0.3  # seconds without a change, after which a file is completely saved
LONGEST = 3.0  # the most seconds to wait for that
LOOK = 0.05  # seconds between two checks


def settled(path: Path, read: Callable[[], bytes], is_whole: Callable[[bytes], object]) -> bytes:
    """Return the result of `read` once it is whole, or the file has not changed for a moment. Raises OSError."""
    end = time.monotonic() + LONGEST
    while _changed_just_now(path) and time.monotonic() < end:
        with suppress(FileNotFoundError):
            if is_whole(data := read()):
                return data
        time.sleep(LOOK)
    return read()


def _changed_just_now(path: Path) -> bool:
    """Return True if the file changed a moment ago, or if it is missing and an editor may have moved it away."""
    with suppress(OSError):
        return _is_recent(path)
    beside = any(path.name in name for name in disk.names(path.parent))  # e.g. with a ~ at its end
    with suppress(OSError):
        return beside and _is_recent(path.parent)
    return False


def _is_recent(path: Path) -> bool:
    return 0 <= time.time() - path.stat().st_mtime < SAVING
