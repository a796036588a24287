"""The agent's side of the queue of requests to models: place a request, look at it, give it up, take its outcome.

The providers' side, and the description of the files in `calls/`, are in queue.py.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.store import disk
from dotagent.store.call import Call, Outcome, call_in, outcome_in
from dotagent.store.home import Home
from dotagent.text import escape, times, tokens
from dotagent.text.lazy import replace
from dotagent.text.reference import ID, short


def place(home: Home, call: Call) -> None:
    """Queue a call for its provider. Queueing it again while it waits has no effect."""
    directory = f"{home.calls}/new/{call.provider}"
    disk.make_dir(directory)
    write(home, replace(call, at=call.at or times.now()), f"{directory}/{call.id}")


def find_taken(home: Home, id: str) -> Call | None:
    """Return the taken call with its taker's signature, or None if it is not taken."""
    return read_call(f"{home.calls}/taken/{id}")


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


def streams(home: Home, id: str) -> list[Path]:
    """Return the attempts' files so far, oldest first."""
    directory = home.calls / "stream"
    there = os.listdir(directory) if directory.is_dir() else []
    numbers = [name[len(id) + 1 :] for name in there if name.startswith(f"{id}.")]
    return [directory / f"{id}.{number}" for number in sorted(filter(str.isdecimal, numbers), key=int)]


def reading(home: Home, id: str) -> Path:
    """Return the file that says how much of a call's prompt the server has read so far, in tokens: `1200/4000`."""
    return home.calls / "stream" / f"{id}.read"


def fail(home: Home, call: Call, kind: str, hint: str, *, retryable: bool = False, size: int | None = None) -> bool:
    """Fail a call with a hint for a person. Return False if the call already had an answer."""
    return failed(home, call, Outcome(kind=kind, hint=hint, retryable=retryable, size=size))


def failed(home: Home, call: Call, outcome: Outcome) -> bool:
    """Fail a call with this outcome. Return False if the call already had an answer.

    If the call was cancelled, the tokens of its lost attempts replace those in its outcome, because the canceller only
    estimated them.
    """
    if finish(home, call, replace(outcome, hint=escape.one_line(outcome.hint, 400))):
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
        return Outcome(
            kind="lost", retryable=True, hint=f"{path}: the file is not a valid answer, so dotagent set it aside"
        )
    return outcome


def drop(home: Home, agent: str, id: str) -> None:
    """Remove all files of a call whose outcome is in LIFE."""
    for path in (home.calls / "taken" / id, home.calls / "done" / agent / id, reading(home, id), *streams(home, id)):
        with suppress(IsADirectoryError, PermissionError):  # not ours; doctor reports it
            disk.remove(path)


def finished(home: Home, agent: str) -> list[str]:
    """Return the ids of an agent's finished calls that are not yet dropped."""
    return names(home.calls / "done" / agent)


def cancel(home: Home, call: Call, kind: str = "cancelled", hint: str = "the request was cancelled") -> bool:
    """Cancel a call by recording a failed outcome, with about what had come of its answer. A worker that has taken it
    stops when it sees the outcome. Return False if the call already had an answer."""
    outcome = Outcome(kind=kind, hint=hint, retryable=kind != "cancelled")
    stopped = failed(home, call, _with_lost(home, call.id, outcome))
    withdraw(home, call.id)
    return stopped


def _with_lost(home: Home, id: str, outcome: Outcome) -> Outcome:
    """Return the outcome with the estimated usage of the attempts that had brought a part of an answer. The agent may
    take the outcome before the worker, which knows the usage better, has added it."""
    came = [text for path in streams(home, id) if (text := disk.read(path, missing=b""))]
    if not came:
        return outcome
    from dotagent.store.request_rebuilding import Rebuilder  # loaded only when an answer is stopped in its midst

    try:
        asked = Rebuilder(home.store()).request(id)
    except Trouble:  # a lost blob: only the answer's tokens count
        return replace(outcome, lost={"output": sum(map(tokens.estimate, came)), "estimated": 1})
    used = {"input": asked.tokens * len(came), "output": sum(map(tokens.estimate, came)), "estimated": 1}
    return replace(outcome, lost=used, model=asked.model)


def withdraw(home: Home, id: str) -> None:
    """Remove a waiting call from every provider's queue."""
    for path in (home.calls / "new").glob(f"*/{id}"):
        disk.remove(path)


def finish(home: Home, call: Call, outcome: Outcome) -> bool:
    """Record the outcome durably. Return False if the call already had one."""
    directory = f"{home.calls}/done/{call.agent}"
    disk.make_dir(directory)
    made = disk.create(f"{directory}/{call.id}", _encoded(call, outcome), home.calls)
    if made:
        disk.remove(f"{home.calls}/taken/{call.id}")
    return made


def _encoded(call: Call, outcome: Outcome) -> bytes:
    outcome = replace(outcome, provider=call.provider, background=call.kind != "live")
    return json.dumps(vars(outcome), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def write(home: Home, call: Call, path: str | Path) -> None:
    """Write the call's file, complete or not at all."""
    told = dict(vars(call))
    if not call.hurried:
        del told["hurried"]  # a provider of an earlier version that still runs would not understand it
    disk.move(disk.write_aside(home.calls, json.dumps(told).encode() + b"\n"), path)


def read_call(path: str, provider: str = "") -> Call | None:
    """Return the call in this file, or None. A file that contains none is set aside."""
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
        move(path, f"{directory}/.unreadable-{short(name)}")


def names(directory: str | Path) -> list[str]:
    """Return the ids of the calls in one of the queue's directories."""
    try:
        return sorted(filter(ID.fullmatch, os.listdir(directory)))
    except (FileNotFoundError, NotADirectoryError):
        return []


def move(source: str | Path, target: str | Path) -> bool:
    """Rename the file, or return False if it is gone."""
    try:
        os.rename(source, target)
    except FileNotFoundError:
        return False  # another process was faster
    return True
