"""An answer as it comes: one file an attempt, so that a retry never doubles what was written before it.

Owns `calls/stream/` while it writes.
"""

from __future__ import annotations

import os

from dotagent.store import disk, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.text import reasoning


class Stream:
    """The file of an attempt: what came so far, written as the reply will be, reasoning in its block, then the text."""

    def __init__(self, where: Home, call: Call) -> None:
        self._home, self._call = where, call
        self._channel = ""

    def begin(self, number: int) -> None:
        """Begin the next attempt's file: what an attempt before it wrote is void."""
        self._path = queue.stream(self._home, self._call.id)
        self._channel = ""

    def write(self, channel: str, delta: str) -> None:
        """Append what was just written."""
        if channel != self._channel:
            mark = reasoning.OPEN if channel == "reasoning" else reasoning.CLOSE if self._channel else ""
            self._channel, delta = channel, mark + delta
        fd = disk.open_append(self._path)
        try:
            disk.append(fd, delta.encode("utf-8", "replace"), self._path)
        finally:
            os.close(fd)
