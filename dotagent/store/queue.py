"""The spool between agents and providers: requests to models as files that move from directory to directory.

Owns `calls/`: `new/<provider>/<id>` placed, `taken/<id>` by a process, `stream/<id>.<n>` the nth attempt's text as it
comes, `done/<agent>/<id>` answered or failed. Taking is a rename, answering a link that fails if an answer is there,
so any number of processes may serve one spool, and any of them may die. *Answered* means: durable.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from dotagent.store import disk, process
from dotagent.store.blobs import Blobs
from dotagent.store.call import Call as Call
from dotagent.store.call import Outcome as Outcome
from dotagent.store.call import call_in, outcome_in
from dotagent.store.home import Home
from dotagent.text import escape, reasoning, times
from dotagent.text.reference import ID, short

TRIES = 3  # how many takers may die over one call before it has failed
UNSIGNED = 2.0  # seconds that a program of somebody's own has between taking a call and signing it


def place(home: Home, call: Call) -> None:
    """Place a call for its provider; placing it again while it waits changes nothing."""
    directory = f"{home.calls}/new/{call.provider}"
    disk.make_dir(directory)
    _write(home, replace(call, at=call.at or times.now()), f"{directory}/{call.id}")


def take(home: Home, provider: str, kind: str = "", taker: tuple[int, str] | None = None) -> Call | None:
    """Take the next call for this provider, live ones first, then the oldest; None when there is none."""
    fitting = (call for call in waiting(home, provider) if kind in ("", call.kind))
    return next(filter(None, (claim(home, call, taker) for call in fitting)), None)


def claim(
    home: Home, call: Call, taker: tuple[int, str] | None = None, begin: Callable[[Call], None] | None = None
) -> Call | None:
    """Take this waiting call for oneself; None when it is gone or another has taken it.

    The taker is this process unless another (pid, start time) is named. `begin` is called with the call once it is
    taken, and before its file says by whom: what it starts may get ready meanwhile.
    """
    path = f"{home.calls}/taken/{call.id}"
    with _turn(home):
        if not _move(f"{home.calls}/new/{call.provider}/{call.id}", path):
            return None
        signed = replace(call, takers=(*call.takers, taker or process.own()))
        if begin:
            begin(signed)
        _write(home, signed, path)
    return signed


def waiting(home: Home, provider: str) -> list[Call]:
    """The calls placed for a provider and not taken: live ones first, then the oldest."""
    directory = f"{home.calls}/new/{provider}"
    found = [_read(f"{directory}/{name}", provider) for name in names(directory)]
    return sorted((call for call in found if call), key=lambda call: (call.kind != "live", call.at))


def out(home: Home) -> Iterator[tuple[str, Call]]:
    """All calls that are out, each with its state: `new`, the next of each provider first, or `taken`."""
    new = home.calls / "new"
    for provider in sorted(os.listdir(new)) if new.is_dir() else []:
        for call in waiting(home, provider):
            yield "new", call
    for id in names(home.calls / "taken"):
        if held := taken(home, id):
            yield "taken", held


def taken(home: Home, id: str) -> Call | None:
    """The call as its taker signed it; None when nobody has taken it."""
    return _read(f"{home.calls}/taken/{id}")


def placed(home: Home, provider: str, id: str) -> bool:
    """Whether the call waits for a taker or is with one."""
    return (home.calls / "new" / provider / id).exists() or (home.calls / "taken" / id).exists()


def give_back(home: Home, call: Call) -> None:
    """Put a call that this process took and cannot answer now back, as if it had not been taken."""
    path = home.calls / "taken" / call.id
    with _turn(home):
        if not path.exists():  # it was cancelled
            return
        _write(home, replace(call, takers=call.takers[:-1]), path)
        _move(path, home.calls / "new" / call.provider / call.id)
    if (home.calls / "done" / call.agent / call.id).exists():
        disk.remove(home.calls / "new" / call.provider / call.id)


def put_back(home: Home, unsigned: float = UNSIGNED) -> None:
    """Put every call whose taker is gone back to be taken again, or fail it when it has cost too many takers.

    A call that nobody has signed yet is left alone for `unsigned` seconds.
    """
    for name in names(home.calls / "taken"):
        with _turn(home):
            _put_back(home, f"{home.calls}/taken/{name}", unsigned)


def _put_back(home: Home, path: str, unsigned: float) -> None:
    call = _read(path)
    if call is None or _held(call, path, unsigned):
        return
    if (home.calls / "done" / call.agent / call.id).exists():
        disk.remove(path)
    elif call.attempt >= TRIES:
        fail(home, call, "crashed", f"{call.attempt} provider processes died over it (see calls/{call.provider}.log)")
    else:
        disk.make_dir(home.calls / "new" / call.provider)
        _move(path, home.calls / "new" / call.provider / call.id)


def _turn(home: Home) -> AbstractContextManager[None]:
    """One process at a time takes or puts back: who puts back has read a call that another may take meanwhile."""
    directory = f"{home.calls}/taken"
    disk.make_dir(directory)
    return disk.locked_dir(directory)


def stream(home: Home, id: str) -> Path:
    """The file for the next attempt's text, made empty."""
    path, fd = opened_stream(home, id)
    os.close(fd)
    return Path(path)


def opened_stream(home: Home, id: str) -> tuple[str, int]:
    """The same, and a descriptor that writes there."""
    directory = f"{home.calls}/stream"
    disk.make_dir(directory)
    for number in count(1):
        path = f"{directory}/{id}.{number}"
        with suppress(FileExistsError):
            return path, disk.open_file(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    raise AssertionError("some number is free")


def stray(home: Home) -> list[Path]:
    """What was streamed for calls that are gone: a power cut may leave it."""
    streamed = sorted((home.calls / "stream").glob("*"))  # listed first: a call's entry is older than what it streams
    there = {path.name for depth in ("*/*", "*/*/*") for path in home.calls.glob(depth)}
    return [path for path in streamed if path.stem not in there]


def sweep(home: Home) -> None:
    """Remove it."""
    for path in stray(home):
        disk.remove(path)


def streams(home: Home, id: str) -> list[Path]:
    """The attempts' files so far, oldest first."""
    directory = home.calls / "stream"
    there = os.listdir(directory) if directory.is_dir() else []
    numbers = [name[len(id) + 1 :] for name in there if name.startswith(f"{id}.")]
    return [directory / f"{id}.{number}" for number in sorted(filter(str.isdecimal, numbers), key=int)]


def answer(home: Home, store: Blobs, call: Call, text: str, outcome: Outcome) -> bool:
    """Answer a call: the reply becomes a blob, then the call is done; False when an answer was there already."""
    body, gist = text.encode("utf-8", "replace"), escape.one_line(reasoning.strip(text))
    reply = store.put(body, at=times.now(), gist=gist, parent=call.id, agent=call.agent)
    store.sync()
    return _finish(home, call, replace(outcome, reply=reply))


def fail(home: Home, call: Call, kind: str, hint: str, *, retryable: bool = False, size: int | None = None) -> bool:
    """Give a call up, with a hint that a person can act on; False when an answer was there already."""
    return failed(home, call, Outcome(kind=kind, hint=hint, retryable=retryable, size=size))


def failed(home: Home, call: Call, outcome: Outcome) -> bool:
    """Give a call up, as this says; False when an answer was there already. Who stopped it did not know what it had
    taken by then: that is added."""
    if _finish(home, call, replace(outcome, hint=escape.one_line(outcome.hint, 400))):
        return True
    there = done(home, call.agent, call.id) if outcome.lost else None
    if there and not there.reply:
        more = replace(there, lost=outcome.lost, model=outcome.model)
        disk.replace(home.calls / "done" / call.agent / call.id, _encoded(call, more))
    return False


def done(home: Home, agent: str, id: str) -> Outcome | None:
    """What came of the call, or None while it is out. An answer that cannot be read is set aside, and has failed."""
    path = f"{home.calls}/done/{agent}/{id}"
    try:
        outcome = outcome_in(path)
    except FileNotFoundError:
        return None
    if outcome is None:
        _set_aside(path)
        return Outcome(kind="lost", retryable=True, hint=f"{path}: this was no answer, and is set aside")
    return outcome


def drop(home: Home, agent: str, id: str) -> None:
    """Forget a call whose outcome is in LIFE: all its entries go."""
    for path in (home.calls / "taken" / id, home.calls / "done" / agent / id, *streams(home, id)):
        with suppress(IsADirectoryError, PermissionError):  # that is none of ours; doctor names it
            disk.remove(path)


def finished(home: Home, agent: str) -> list[str]:
    """The ids of all calls of an agent that are done and not dropped."""
    return names(home.calls / "done" / agent)


def cancel(home: Home, call: Call, kind: str = "cancelled", hint: str = "the call was cancelled") -> bool:
    """Stop a call: whoever works on it sees that it is done and leaves it. False when it was answered before."""
    stopped = fail(home, call, kind, hint, retryable=kind != "cancelled")
    withdraw(home, call.id)
    return stopped


def withdraw(home: Home, id: str) -> None:
    """Let nobody take a call that waits, for whichever provider."""
    for path in (home.calls / "new").glob(f"*/{id}"):
        disk.remove(path)


def _finish(home: Home, call: Call, outcome: Outcome) -> bool:
    directory = f"{home.calls}/done/{call.agent}"
    disk.make_dir(directory)
    made = disk.create(f"{directory}/{call.id}", _encoded(call, outcome), home.calls)
    if made:
        disk.remove(f"{home.calls}/taken/{call.id}")
    return made


def _encoded(call: Call, outcome: Outcome) -> bytes:
    outcome = replace(outcome, provider=call.provider, background=call.kind != "live")
    return json.dumps(vars(outcome), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _held(call: Call, path: str, unsigned: float) -> bool:
    """Whether a living process has the call: the one that signed it, or one that has only just taken it."""
    if call.takers:
        return process.lives(*call.takers[-1])
    try:
        return 0 <= time.time() - os.stat(path).st_ctime < unsigned
    except FileNotFoundError:
        return True  # it was answered this very moment


def _write(home: Home, call: Call, path: str | Path) -> None:
    told = dict(vars(call))
    if not call.hurried:
        del told["hurried"]  # which a provider of an earlier version, that still runs, would not understand
    disk.move(disk.write_aside(home.calls, json.dumps(told).encode() + b"\n"), path)


def _read(path: str, provider: str = "") -> Call | None:
    try:
        call = call_in(path)
    except FileNotFoundError:
        return None
    if call and provider in ("", call.provider):
        return call
    _set_aside(path)
    return None


def _set_aside(path: str) -> None:
    directory, _, name = path.rpartition("/")
    with suppress(OSError):  # where even that cannot be done it is passed over
        _move(path, f"{directory}/.unreadable-{short(name)}")


def names(directory: str | Path) -> list[str]:
    """The calls in one of the spool's directories, by id."""
    try:
        return sorted(filter(ID.fullmatch, os.listdir(directory)))
    except OSError:
        if os.path.isdir(directory):
            raise
        return []


def _move(source: str | Path, target: str | Path) -> bool:
    try:
        os.rename(source, target)
    except FileNotFoundError:
        return False  # whoever was quicker has it
    return True
