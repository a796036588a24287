"""The queue between agents and providers: requests to models as files that move between directories.

Owns `calls/`: `new/<provider>/<id>` (waiting), `taken/<id>` (in progress), `stream/<id>.<n>` (text of the nth attempt
so far), `stream/<id>.read` (how much of the prompt the server has read), and `done/<agent>/<id>` (answered or failed,
durably). A call is taken by a rename, and answered by a link that fails if an answer exists. So any number of processes
may serve a queue, and any of them may crash.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from dotagent.store import disk, process
from dotagent.store.blobs import Blobs
from dotagent.store.call import Call as Call
from dotagent.store.call import Outcome as Outcome
from dotagent.store.call_ending import cancel as cancel
from dotagent.store.call_ending import fail as fail
from dotagent.store.call_ending import failed as failed
from dotagent.store.call_ending import finish
from dotagent.store.call_ending import withdraw as withdraw
from dotagent.store.home import Home
from dotagent.store.placed_calls import attempts as attempts
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
from dotagent.store.taken_calls import lock_taken
from dotagent.text import escape, reasoning, times
from dotagent.text.lazy import replace


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
