"""The queue between agents and providers: requests to models as files that move between directories.

Owns `calls/`: `new/<provider>/<id>` (waiting), `taken/<id>` (in progress), `stream/<id>.<n>` (text of the nth attempt
so far), `stream/<id>.read` (how much of the prompt the server has read), and `done/<agent>/<id>` (answered or failed,
durably). A call is taken by a rename, and answered by a link that fails if an answer exists. So any number of processes
may serve a queue, and any of them may crash.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from itertools import count
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.store import disk, process
from dotagent.store.blobs import Blobs
from dotagent.store.call import Call as Call
from dotagent.store.call import Outcome as Outcome
from dotagent.store.call import call_in, outcome_in
from dotagent.store.home import Home
from dotagent.text import escape, reasoning, times, tokens
from dotagent.text.lazy import replace
from dotagent.text.reference import ID, short

TRIES = 3  # crashed processes after which a call fails
UNSIGNED = 2.0  # seconds that a custom program may take between taking a call and signing it


def place(home: Home, call: Call) -> None:
    """Queue a call for its provider. Queueing it again while it waits has no effect."""
    directory = f"{home.calls}/new/{call.provider}"
    disk.make_dir(directory)
    _write(home, replace(call, at=call.at or times.now()), f"{directory}/{call.id}")


def take(home: Home, provider: str, kind: str = "", taker: tuple[int, str] | None = None) -> Call | None:
    """Take the next call for this provider, live calls first, then the oldest. Return None if none waits."""
    fitting = (call for call in waiting(home, provider) if kind in ("", call.kind))
    return next(filter(None, (claim(home, call, taker) for call in fitting)), None)


def claim(
    home: Home, call: Call, taker: tuple[int, str] | None = None, begin: Callable[[Call], None] | None = None
) -> Call | None:
    """Take this waiting call. Return None if it is gone or taken.

    The taker is this process, or `taker` (pid, start time). `begin` is called with the call after it is taken and
    before its file is signed, so that its preparations run meanwhile.
    """
    path = f"{home.calls}/taken/{call.id}"
    with _turn(home):
        if not _move(f"{home.calls}/new/{call.provider}/{call.id}", path):
            return None
        signed = replace(call, takers=(*call.takers, taker or process.own_mark()))
        if begin:
            begin(signed)
        _write(home, signed, path)
    return signed


def waiting(home: Home, provider: str) -> list[Call]:
    """Return the waiting calls of a provider: live calls first, then the oldest."""
    directory = f"{home.calls}/new/{provider}"
    found = [_read(f"{directory}/{name}", provider) for name in names(directory)]
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


def find_taken(home: Home, id: str) -> Call | None:
    """Return the taken call with its taker's signature, or None if it is not taken."""
    return _read(f"{home.calls}/taken/{id}")


def is_placed(home: Home, provider: str, id: str) -> bool:
    """Return True if the call is waiting or taken."""
    return (home.calls / "new" / provider / id).exists() or (home.calls / "taken" / id).exists()


def attempts(home: Home, provider: str, id: str) -> int:
    """Return how many processes have taken the waiting call; 0 if it does not wait."""
    try:
        call = call_in(home.calls / "new" / provider / id)
    except FileNotFoundError:
        return 0
    return len(call.takers) if call else 0


def give_back(home: Home, call: Call) -> None:
    """Put back a call that this process took and cannot answer now, as if it had not been taken."""
    path = home.calls / "taken" / call.id
    with _turn(home):
        if not path.exists():  # it was cancelled
            return
        _write(home, replace(call, takers=call.takers[:-1]), path)
        _move(path, home.calls / "new" / call.provider / call.id)
    if (home.calls / "done" / call.agent / call.id).exists():
        disk.remove(home.calls / "new" / call.provider / call.id)


def put_back(home: Home, unsigned: float = UNSIGNED) -> None:
    """Put back each call whose taker has ended, or fail it after too many takers.

    An unsigned call is left alone for `unsigned` seconds.
    """
    for name in names(home.calls / "taken"):
        with _turn(home):
            _put_back(home, f"{home.calls}/taken/{name}", unsigned)


def _put_back(home: Home, path: str, unsigned: float) -> None:
    call = _read(path)
    if call is None or _is_held(call, path, unsigned):
        return
    if (home.calls / "done" / call.agent / call.id).exists():
        disk.remove(path)
    elif call.attempt >= TRIES:
        fail(
            home,
            call,
            "crashed",
            f"{call.attempt} provider processes crashed during this call (see calls/{call.provider}.log)",
        )
    else:
        disk.make_dir(home.calls / "new" / call.provider)
        _move(path, home.calls / "new" / call.provider / call.id)


def _turn(home: Home) -> AbstractContextManager[None]:
    """Lock taking and putting back, because a process that puts a call back has read it, and another could take it
    meanwhile."""
    directory = f"{home.calls}/taken"
    disk.make_dir(directory)
    return disk.locked_dir(directory)


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


def streams(home: Home, id: str) -> list[Path]:
    """Return the attempts' files so far, oldest first."""
    directory = home.calls / "stream"
    there = os.listdir(directory) if directory.is_dir() else []
    numbers = [name[len(id) + 1 :] for name in there if name.startswith(f"{id}.")]
    return [directory / f"{id}.{number}" for number in sorted(filter(str.isdecimal, numbers), key=int)]


def reading(home: Home, id: str) -> Path:
    """Return the file that says how much of a call's prompt the server has read so far, in tokens: `1200/4000`."""
    return home.calls / "stream" / f"{id}.read"


def answer(home: Home, store: Blobs, call: Call, text: str, outcome: Outcome) -> bool:
    """Store the reply as a blob and finish the call. Return False if the call already had an answer."""
    body, gist = text.encode("utf-8", "replace"), escape.one_line(reasoning.strip(text))
    reply = store.put(body, at=times.now(), gist=gist, parent=call.id, agent=call.agent)
    store.sync()
    return _finish(home, call, replace(outcome, reply=reply))


def fail(home: Home, call: Call, kind: str, hint: str, *, retryable: bool = False, size: int | None = None) -> bool:
    """Fail a call with a hint for a person. Return False if the call already had an answer."""
    return failed(home, call, Outcome(kind=kind, hint=hint, retryable=retryable, size=size))


def failed(home: Home, call: Call, outcome: Outcome) -> bool:
    """Fail a call with this outcome. Return False if the call already had an answer.

    If the call was cancelled, the tokens of its lost attempts replace those in its outcome, because the canceller only
    estimated them.
    """
    if _finish(home, call, replace(outcome, hint=escape.one_line(outcome.hint, 400))):
        return True
    there = done(home, call.agent, call.id) if outcome.lost else None
    if there and not there.reply:
        more = replace(there, lost=outcome.lost, model=outcome.model)
        disk.replace(home.calls / "done" / call.agent / call.id, _encoded(call, more))
    return False


def done(home: Home, agent: str, id: str) -> Outcome | None:
    """Return the outcome of the call, or None if it is unfinished. An unreadable outcome is set aside and counts as
    failed."""
    path = f"{home.calls}/done/{agent}/{id}"
    try:
        outcome = outcome_in(path)
    except FileNotFoundError:
        return None
    if outcome is None:
        _set_aside(path)
        return Outcome(kind="lost", retryable=True, hint=f"{path}: not a valid answer, so it was set aside")
    return outcome


def drop(home: Home, agent: str, id: str) -> None:
    """Remove all files of a call whose outcome is in LIFE."""
    for path in (home.calls / "taken" / id, home.calls / "done" / agent / id, reading(home, id), *streams(home, id)):
        with suppress(IsADirectoryError, PermissionError):  # not ours; doctor reports it
            disk.remove(path)


def finished(home: Home, agent: str) -> list[str]:
    """Return the ids of an agent's finished calls that are not yet dropped."""
    return names(home.calls / "done" / agent)


def cancel(home: Home, call: Call, kind: str = "cancelled", hint: str = "the call was cancelled") -> bool:
    """Cancel a call by recording a failed outcome, with about what had come of its answer. A worker that has taken it
    stops when it sees the outcome. Return False if the call already had an answer."""
    outcome = Outcome(kind=kind, hint=hint, retryable=kind != "cancelled")
    stopped = failed(home, call, _with_lost(home, call.id, outcome))
    withdraw(home, call.id)
    return stopped


def _with_lost(home: Home, id: str, outcome: Outcome) -> Outcome:
    """Return the outcome with the estimated usage of the attempts of which a part had come. The agent may take the
    outcome before the worker, which knows the usage better, has added it."""
    came = [text for path in streams(home, id) if (text := disk.read(path, missing=b""))]
    if not came:
        return outcome
    from dotagent.store.request_rebuilding import Rebuilder  # loaded only when an answer is stopped in its midst

    try:
        asked = Rebuilder(home.store()).request(id)
    except Trouble:  # a lost blob: what came is counted alone
        return replace(outcome, lost={"output": sum(map(tokens.estimate, came)), "estimated": 1})
    used = {"input": asked.tokens * len(came), "output": sum(map(tokens.estimate, came)), "estimated": 1}
    return replace(outcome, lost=used, model=asked.model)


def withdraw(home: Home, id: str) -> None:
    """Remove a waiting call from every provider's queue."""
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


def _is_held(call: Call, path: str, unsigned: float) -> bool:
    """Return True if the process that signed the call is running, or the call was taken a moment ago."""
    if call.takers:
        return process.lives(*call.takers[-1])
    try:
        return 0 <= time.time() - os.stat(path).st_ctime < unsigned
    except FileNotFoundError:
        return True  # answered at this moment


def _write(home: Home, call: Call, path: str | Path) -> None:
    told = dict(vars(call))
    if not call.hurried:
        del told["hurried"]  # a provider of an earlier version that still runs would not understand it
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
    with suppress(OSError):  # a file that cannot even be renamed is skipped
        _move(path, f"{directory}/.unreadable-{short(name)}")


def names(directory: str | Path) -> list[str]:
    """Return the ids of the calls in one of the queue's directories."""
    try:
        return sorted(filter(ID.fullmatch, os.listdir(directory)))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _move(source: str | Path, target: str | Path) -> bool:
    try:
        os.rename(source, target)
    except FileNotFoundError:
        return False  # another process was faster
    return True
