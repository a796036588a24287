"""What a program prints, on a terminal, into a pipe or a log: harmless text, whoever it came from (see text.escape).

Every process edge puts its stdout and stderr behind this door, so that prints, complaints of the command line,
tracebacks and what libraries log pass it alike. Bytes that are asked for as they are go by `buffer`.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from dotagent.text import escape


class Door:
    """A stream that lets through what `printable` leaves; all but its writing is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what the locale cannot write
        self._stream = stream

    def write(self, text: str) -> int:
        """Write it so."""
        return self._stream.write(escape.printable(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each so."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def guard() -> None:
    """Put stdout and stderr behind the door, unless they are; what was closed is empty. All that is typed is read."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if (stream := getattr(sys, name)) is None:
            stream = os.fdopen(fd, "w" if fd else "r", closefd=False)  # the edge put /dev/null there
        setattr(sys, name, stream if isinstance(stream, Door) or not fd else Door(stream))
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is typed in another encoding than the locale's
