"""The errors that end a command: each is one line that says what is wrong, where, and what to do about it.

Every process edge (agent.py, chat.py, clean.py, `python -m dotagent`) prints that line and leaves with `status`;
a tool turns it into a result. Anything else that is raised is a fault of ours and shows as one.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from dotagent import terminal
from dotagent.text import escape


class Trouble(Exception):
    """Something that a person can cause and mend: one clear line."""

    status = 1


class Misuse(Trouble):
    """A command used in a way that it cannot be: exit status 2."""

    status = 2


HINTS = {
    errno.ENOSPC: "free some space, then start again: nothing written is lost",
    errno.EDQUOT: "free some space, then start again: nothing written is lost",
    errno.EROFS: "this file system is read-only: choose another home with --home DIR",
    errno.EACCES: "check its owner and permissions, or choose another home with --home DIR",
    errno.EPERM: "check its owner and permissions, or choose another home with --home DIR",
    errno.EISDIR: "a directory stands where a file should be: move it away",
    errno.ENOTDIR: "a file stands where a directory should be: move it away",
    errno.EEXIST: "something stands where a directory should be: move it away",
    errno.ELOOP: "a symbolic link stands where none may be, or links lead in a circle: remove it",
    errno.ENXIO: "a pipe, socket or device stands where a file should be: move it away",
    errno.EFBIG: "it cannot be one of ours: move it away",
    errno.EMFILE: "too many files are open: raise `ulimit -n`",
}


def line(error: OSError) -> str:
    """What the system refused, where, and what to do: one line."""
    name = error.filename2 or error.filename  # of a rename and a link, what matters is the place it leads to
    where = str(name) if isinstance(name, int) else os.fsdecode(name) if name else "the system"
    hint = HINTS.get(error.errno or 0)
    return f"{where}: {error.strerror or error}" + (f" ({hint})" if hint else "")


def edge(main: Callable[[], int | None]) -> int:
    """Run a process's main function behind the door; what a person can cause is one line on stderr and a status."""
    while (fd := os.open(os.devnull, os.O_RDWR)) < 3:  # one that was closed: a file of ours must not take its place
        pass
    os.close(fd)
    terminal.guard()
    try:
        try:
            return main() or 0
        finally:  # --help leaves from within
            _flush()
    except Trouble as trouble:
        tell(str(trouble))
        return trouble.status
    except BrokenPipeError:
        return 1
    except OSError as error:
        tell(line(error))
        return 1
    except KeyboardInterrupt:
        print(end="\n" if sys.stderr.isatty() else "", file=sys.stderr)  # a shell's prompt begins a line
        return 130


def _flush() -> None:
    """Write what a buffer still holds: what the interpreter's last flush meets shows as a fault of ours."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the last one has somewhere to go
        raise


def tell(text: str) -> None:
    """Print one line for the person who started this process."""
    print(f"dotagent: {escape.one_line(text, 4000)}", file=sys.stderr)
