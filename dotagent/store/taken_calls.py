"""The requests that processes have taken from the queue, and their return when such a process has ended.

queue.py describes the files in `calls/`.
"""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager

from dotagent.store import disk, process
from dotagent.store.call import Call
from dotagent.store.home import Home
from dotagent.store.placed_calls import move, names, read_call

TRIES = 3  # crashed processes after which a call fails
UNSIGNED = 2.0  # seconds that a custom program may take between taking a call and signing it


def put_back(home: Home, unsigned: float = UNSIGNED) -> None:
    """Put back each call whose taker has ended, or fail it after too many takers.

    An unsigned call is left alone for `unsigned` seconds.
    """
    for name in names(home.calls / "taken"):
        with lock_taken(home):
            _put_back(home, f"{home.calls}/taken/{name}", unsigned)


def _put_back(home: Home, path: str, unsigned: float) -> None:
    call = read_call(path)
    if call is None or _is_held(call, path, unsigned):
        return
    if (home.calls / "done" / call.agent / call.id).exists():
        disk.remove(path)
    elif call.attempt >= TRIES:
        from dotagent.store import call_ending

        call_ending.fail(
            home,
            call,
            "crashed",
            f"{call.attempt} provider processes crashed during this request (see calls/{call.provider}.log)",
        )
    else:
        disk.make_dir(home.calls / "new" / call.provider)
        move(path, home.calls / "new" / call.provider / call.id)


def lock_taken(home: Home) -> AbstractContextManager[None]:
    """Lock taking, putting back and storing replies, because a process that puts a call back has read it, and another
    could take it meanwhile."""
    directory = f"{home.calls}/taken"
    disk.make_dir(directory)
    return disk.locked_dir(directory)


def _is_held(call: Call, path: str, unsigned: float) -> bool:
    """Return True if the process that signed the call is running, or the call was taken a moment ago."""
    if call.takers:
        return process.lives(*call.takers[-1])
    try:
        return 0 <= time.time() - os.stat(path).st_ctime < unsigned
    except FileNotFoundError:
        return True  # answered at this moment
