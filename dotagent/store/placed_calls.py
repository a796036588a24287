"""The agent's side of the queue of requests to models: place a request, look at it, take its outcome.

The providers' side, and the description of the files in `calls/`, are in queue.py.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from dotagent.store import disk
from dotagent.store.call import Call, Outcome, call_in, outcome_in
from dotagent.store.home import Home
from dotagent.text import times
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


def streams(home: Home, id: str) -> list[Path]:
    """Return the attempts' files so far, oldest first."""
    directory = home.calls / "stream"
    there = os.listdir(directory) if directory.is_dir() else []
    numbers = [name[len(id) + 1 :] for name in there if name.startswith(f"{id}.")]
    return [directory / f"{id}.{number}" for number in sorted(filter(str.isdecimal, numbers), key=int)]


def reading(home: Home, id: str) -> Path:
    """Return the file that says how much of a call's prompt the server has read so far, in tokens: `1200/4000`."""
    return home.calls / "stream" / f"{id}.read"


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


def attempts(home: Home, provider: str, id: str) -> int:
    """Return how many processes have taken the waiting call; 0 if it does not wait."""
    try:
        call = call_in(home.calls / "new" / provider / id)
    except FileNotFoundError:
        return 0
    return len(call.takers) if call else 0
