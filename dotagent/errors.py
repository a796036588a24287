"""The errors that end a command: each is one line with the problem, its place, and what to do. Owns nothing on disk.

Every process (agent.py, chat.py, clean.py, `python -m dotagent`) prints that line and exits with `status`. A tool turns
it into a result. Any other exception is a bug and shows a traceback.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NoReturn, TextIO

from dotagent.text import escape


class Trouble(Exception):
    """A problem that a person can cause and solve, in one line."""

    status = 1


class Misuse(Trouble):
    """A command that was used wrongly: exit status 2."""

    status = 2


INTERRUPTED = 130  # the exit status after Ctrl-C, as in shells
HINTS = {
    errno.ENOSPC: "free some space, then start again; nothing already written is lost",
    errno.EDQUOT: "free some space, then start again; nothing already written is lost",
    errno.EROFS: "this file system is read-only; choose another data directory with --home DIR",
    errno.EACCES: "check its owner and permissions",
    errno.EPERM: "check its owner and permissions",
    errno.EISDIR: "expected a file but found a directory; move it away",
    errno.ENOTDIR: "expected a directory but found a file; move it away",
    errno.EEXIST: "a file or link has the name that a directory needs; move it away",
    errno.ELOOP: "found a symbolic link that is not allowed, or a circle of links; remove it",
    errno.ENXIO: "expected a file but found a pipe, socket or device; move it away",
    errno.EFBIG: "this file is too large to come from dotagent; move it away",
    errno.EMFILE: "too many files are open; raise `ulimit -n`",
}


def line(error: OSError) -> str:
    """Return one line: the path, the system's error, and a hint."""
    name = error.filename2 or error.filename  # the target of a rename or link matters
    where = str(name) if isinstance(name, int) else os.fsdecode(name) if name else "the system"
    hint = HINTS.get(error.errno or 0)
    return f"{where}: {error.strerror or error}" + (f" ({hint})" if hint else "")


def edge(main: Callable[[], int | None]) -> int:
    """Run a process's main function and return its exit status. A person's mistake becomes one line on stderr."""
    while (fd := os.open(os.devnull, os.O_RDWR)) < 3:  # fill a closed 0, 1 or 2, or a file of ours gets that number
        pass
    os.close(fd)
    _guard()
    early = signal.getsignal(signal.SIGINT) is signal.SIG_DFL  # until the program was loaded (dotagent/__init__.py)
    if early:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        try:
            return main() or 0
        finally:  # --help exits inside main
            _flush()
            if early:
                signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left to do but to end
    except Trouble as trouble:
        tell(str(trouble))
        return trouble.status
    except BrokenPipeError:
        return 1
    except OSError as error:
        tell(line(error))
        return 1
    except KeyboardInterrupt:
        print(end="\n" if sys.stderr.isatty() else "", file=sys.stderr)  # a shell's prompt starts on a new line
        return INTERRUPTED


def end() -> NoReturn:
    """End the process at once with status 0. Python would first take all modules apart, which is most of the work after
    a signal."""
    with suppress(OSError):
        _flush()
        sys.stderr.flush()
    os._exit(0)


def _flush() -> None:
    """Write buffered output now, because an error at the interpreter's own flush would show a traceback."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the last one has somewhere to go
        raise


def tell(text: str) -> None:
    """Print one line for the person who started this process."""
    print(f"dotagent: {escape.one_line(text, 4000)}", file=sys.stderr)


# --- the output of a process


class Door:
    """A stream that makes control characters in written text harmless (text/escape.py). Everything else is the stream's
    own.

    Every process wraps its stdout and stderr in a Door, so that print, error messages, tracebacks and logging of
    libraries are filtered. Raw bytes go through `buffer`.
    """

    def __init__(self, stream: TextIO) -> None:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for characters that the locale lacks
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the filtered text."""
        return self._stream.write(escape.printable(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write all lines filtered."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _guard() -> None:
    """Wrap stdout and stderr in a Door once, and replace a closed stream by an empty one. Input in any encoding can be
    read."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if (stream := getattr(sys, name)) is None:
            stream = os.fdopen(fd, "w" if fd else "r", closefd=False)  # edge opened /dev/null there
        setattr(sys, name, stream if isinstance(stream, Door) or not fd else Door(stream))
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # for input in another encoding than the locale's
