"""The queue between agents and providers: requests to models as files that move between directories.

Owns `calls/`: `new/<provider>/<id>` (waiting), `taken/<id>` (in progress), `stream/<id>.<n>` (text of the nth attempt
so far), `stream/<id>.read` (how much of the prompt the server has read), and `done/<agent>/<id>` (answered or failed,
durably). A call is taken by a rename, and answered by a link that fails if an answer exists. So any number of processes
may serve a queue, and any of them may crash.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from itertools import count
from pathlib import Path

from dotagent.store import disk, process
from dotagent.store.blobs import Blobs
from dotagent.store.call import Call as Call
from dotagent.store.call import Outcome as Outcome
from dotagent.store.call_ending import attempts as attempts
from dotagent.store.call_ending import cancel as cancel
from dotagent.store.call_ending import fail as fail
from dotagent.store.call_ending import failed as failed
from dotagent.store.call_ending import finish
from dotagent.store.call_ending import withdraw as withdraw
from dotagent.store.home import Home
from dotagent.store.placed_calls import done as done
from dotagent.store.placed_calls import drop as drop
from dotagent.store.placed_calls import find_taken as find_taken
from dotagent.store.placed_calls import finished as finished
from dotagent.store.placed_calls import is_placed as is_placed
from dotagent.store.placed_calls import move, read_call, write
from dotagent.store.placed_calls import names as names
from dotagent.store.placed_calls import place as place
from dotagent.store.placed_calls import reading as reading
from dotagent.store.placed_calls import streams as streams
from dotagent.text import escape, reasoning, times
from dotagent.text.lazy import replace

TRIES = 3  # crashed processes after which a call fails
UNSIGNED = 2.0  # seconds that a custom program may take between taking a call and signing it


def take(home: Home, provider: str, kind: str = "", taker: tuple[int, str] | None = None) -> Call | None:
    """Take the next call for this provider, live calls first, then the oldest. Return None if none waits."""
    fitting = (call for call in waiting(home, provider) if kind in ("", call.kind))
    return next(filter(None, (claim(home, call, taker) for call in fitting)), None)


def claim(
    home: Home, call: Call, taker: tuple[int, str] | None = None, begin: Callable[[Call], None] | None = None
) -> Call | None:
    """Take this waiting call. Return None if it is gone or taken, or already has an outcome: then it is removed. An
    agent that is killed while it cancels a call leaves such a one.

    The taker is this process, or `taker` (pid, start time). `begin` is called with the call after it is taken and
    before its file is signed, so that its preparations run meanwhile.
    """
    path = f"{home.calls}/taken/{call.id}"
    with lock_taken(home):
        if not move(f"{home.calls}/new/{call.provider}/{call.id}", path):
            return None
        if os.path.exists(f"{home.calls}/done/{call.agent}/{call.id}"):
            disk.remove(path)
            return None
        signed = replace(call, takers=(*call.takers, taker or process.own_mark()))
        if begin:
            begin(signed)
        write(home, signed, path)
    return signed


def waiting(home: Home, provider: str) -> list[Call]:
    """Return the waiting calls of a provider: live calls first, then the oldest."""
    directory = f"{home.calls}/new/{provider}"
    found = [read_call(f"{directory}/{name}", provider) for name in names(directory)]
    return sorted((call for call in found if call), key=lambda call: (call.kind != "live", call.at))


def out(home: Home) -> Iterator[tuple[str, Call]]:
    """Yield all unfinished calls with their state: `new`, in the order of each provider's queue, or `taken`."""
    new = home.calls / "new"
    for provider in sorted(os.listdir(new)) if new.is_dir() else []:
        for call in waiting(home, provider):
            yield "new", call
    for id in names(home.calls / "taken"):
        if held := find_taken(home, id):
            yield "taken", held


def give_back(home: Home, call: Call) -> None:
    """Put back a call that this process took and cannot answer now, as if it had not been taken."""
    path = home.calls / "taken" / call.id
    with lock_taken(home):
        if not path.exists():  # it was cancelled
            return
        write(home, replace(call, takers=call.takers[:-1]), path)
        move(path, home.calls / "new" / call.provider / call.id)
    if (home.calls / "done" / call.agent / call.id).exists():
        disk.remove(home.calls / "new" / call.provider / call.id)


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
        fail(
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


def stream(home: Home, id: str) -> Path:
    """Create the empty file for the next attempt's text."""
    path, fd = create_stream(home, id)
    os.close(fd)
    return Path(path)


def create_stream(home: Home, id: str) -> tuple[str, int]:
    """Create that file, and also return a descriptor for writing."""
    directory = f"{home.calls}/stream"
    disk.make_dir(directory)
    for number in count(1):
        path = f"{directory}/{id}.{number}"
        with suppress(FileExistsError):
            return path, disk.open_file(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    raise AssertionError("some number is free")


def stray(home: Home) -> list[Path]:
    """Return the stream files of calls that no longer exist, which a power cut may leave."""
    streamed = sorted((home.calls / "stream").glob("*"))  # listed first, because a call exists before its stream
    there = {path.name for depth in ("*/*", "*/*/*") for path in home.calls.glob(depth)}
    return [path for path in streamed if path.stem not in there]


def sweep(home: Home) -> None:
    """Remove these stream files."""
    for path in stray(home):
        disk.remove(path)


def answer(home: Home, store: Blobs, call: Call, text: str, outcome: Outcome) -> bool:
    """Store the reply as a blob and finish the call. Return False if the call already had an answer or is gone: its
    reply is not stored, because it may repeat what was permanently deleted meanwhile."""
    body, gist = text.encode("utf-8", "replace"), escape.one_line(reasoning.strip(text))
    with lock_taken(home):
        if (home.calls / "done" / call.agent / call.id).exists() or not is_placed(home, call.provider, call.id):
            return False
        reply = store.put(body, at=times.now(), gist=gist, parent=call.id, agent=call.agent)
    store.sync()
    return finish(home, call, replace(outcome, reply=reply))
