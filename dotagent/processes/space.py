"""The disk space that a command must leave free, because LIFE needs some, too, and the processes that it may have.

RUN, PROCESS, hooks and packs check both while a command runs, and end a command that goes beyond. The command's files
stay. Owns the file `least` next to a command's other files.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from dotagent.processes import process_tree
from dotagent.store import disk
from dotagent.text.lazy import dataclass

SHARE = 10  # a tenth of the initially free space must stay free
FULL, CROWDED = "the disk is nearly full", "it started more than {} processes"
SOON, LATE = 0.05, 1.0  # seconds between two checks of a nearly full disk or of processes, and of any other disk
MOST = "most"  # names the processes in `least`: no folder, whose path would be absolute
FAST = 4 << 30  # bytes per second: the fastest that a command can write


@dataclass(frozen=True)
class Space:
    """The bytes that must stay free, for each folder in which a command writes; and the processes that it may have if
    the kernel does not limit them, otherwise 0."""

    least: Mapping[str, int]
    most: int = 0

    def exceeded(self, leader: int) -> str:
        """Return why the command that this process leads must be stopped, or ""."""
        if self._over() < 0:
            return FULL
        many = self.most and process_tree.running() > self.most and process_tree.threads(leader) > self.most
        return CROWDED.format(self.most) if many else ""

    def pause(self, end: float = float("inf")) -> float:
        """Return the seconds until the next check, at most until `end` (time.monotonic)."""
        soon = SOON if self.most else min(max(SOON, self._over() / FAST), LATE)
        return max(0.0, min(soon, end - time.monotonic()))

    def waits(self, child: subprocess.Popen[bytes], end: float) -> str:
        """Wait until the command ends, at most until `end`. Return why the command must be stopped, or ""."""
        while not (why := self.exceeded(child.pid)):
            with suppress(subprocess.TimeoutExpired):
                child.wait(self.pause(end))
                return ""
            if time.monotonic() >= end:
                return ""
        return why

    def keep(self, folder: Path) -> None:
        """Save it with the command's files. Raises OSError."""
        disk.replace(folder / "least", json.dumps({**self.least, MOST: self.most}).encode(), durable=False)

    def _over(self) -> int:
        """Return how much more may be written on the disk with the least room."""
        found = [free - least for place, least in self.least.items() if (free := _free(place)) is not None]
        return min(found, default=1 << 62)


def make_limits(places: Iterable[Path], most: int = 0) -> Space:
    """Return the limits for a command that begins now and writes in these folders."""
    found = {str(place): _free(str(place)) for place in places}
    return Space({place: free // SHARE for place, free in found.items() if free is not None}, most)


def saved_limits(folder: Path, work: Path) -> Space:
    """Return the limits saved with a command, or new ones if an earlier version saved none."""
    with suppress(OSError, ValueError, AttributeError, TypeError):
        given = json.loads(disk.read(folder / "least"))
        most = int(given.pop(MOST, 0))
        return Space({str(place): int(least) for place, least in given.items()}, most)
    return make_limits([work])


def _free(place: str) -> int | None:
    """Return the free bytes, or None if they are unknown or the folder is gone."""
    try:
        found = os.statvfs(place)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize
