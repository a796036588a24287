"""The queue of calls: every call can be read, every taker is alive, nothing is left over.

The queue itself sets aside what it cannot read; here a call is read where it lies, and nothing is moved.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dotagent.doctor import Finding, ok, open_to_others, told, warning
from dotagent.store import home, launch, process, queue
from dotagent.store.call import Call, call_in, outcome_in
from dotagent.store.home import Home
from dotagent.text.reference import short
from dotagent.text.sizes import plural

LONG = 60.0  # seconds that a call may wait for a taker before that is worth a word


@dataclass(frozen=True)
class Waiting:
    """A call that is out: whether it is `new` or `taken`, its file, and the call; None when it cannot be read."""

    state: str
    path: Path
    call: Call | None


def entries(where: Home) -> list[Waiting]:
    """All calls that are placed or taken, as they are."""
    new = sorted(path for path in (where.calls / "new").glob("*") if path.is_dir())
    directories = [*(("new", path) for path in new), ("taken", where.calls / "taken")]
    found = []
    for state, path in directories:
        for id in queue.names(path):
            with suppress(FileNotFoundError):  # it moved on meanwhile
                found.append(Waiting(state, path / id, call_in(path / id)))
    return found


def calls(where: Home) -> Iterator[Finding]:
    """Every call and every answer can be read, and somebody is there for it."""
    if not where.calls.is_dir():
        return
    there = entries(where)
    wrong = [finding for entry in there for finding in _entry(where, entry)]
    wrong += [*_answers(where), *_leftovers(where)]
    wrong += open_to_others([one.path for one in there if one.path.exists()], "calls")
    yield from told(wrong, "calls", lambda: f"{plural(len(there), 'call')} out")


def _entry(where: Home, entry: Waiting) -> Iterator[Finding]:
    place, call = str(entry.path.relative_to(where.root)), entry.call
    if call is None:
        yield warning("cannot be read", place, "remove it: its agent places the call again")
        return
    if call.agent not in home.lives(where):
        yield warning(f"its agent {short(call.agent)} is not here", place, "remove it")
    waited = time.time() - entry.path.stat().st_ctime if entry.path.exists() else 0.0
    if entry.state == "new" and waited > LONG and not launch.served(where, call.provider):
        yield warning(f"waits, and nobody serves {call.provider}", place, f"see calls/{call.provider}.log")
    if entry.state == "taken" and waited > queue.UNSIGNED and not (call.takers and process.lives(*call.takers[-1])):
        yield warning("its taker is gone", place, "whoever looks next puts it back")


def _answers(where: Home) -> Iterator[Finding]:
    done = where.calls / "done"
    for agent in sorted(os.listdir(done)) if done.is_dir() else []:
        for id in queue.names(done / agent):
            with suppress(FileNotFoundError):  # its agent has taken it meanwhile
                if outcome_in(done / agent / id) is None:
                    yield warning("is no answer", f"calls/done/{agent}/{id}", "its agent sets it aside and asks again")


def _leftovers(where: Home) -> Iterator[Finding]:
    for path in sorted(where.calls.rglob(".unreadable-*")):
        yield warning("was set aside as unreadable", str(path.relative_to(where.root)), "remove it")
    for path in queue.stray(where):
        yield warning("belongs to no call", f"calls/stream/{path.name}", "remove it")


def providers(where: Home) -> Iterator[Finding]:
    """The providers that run are configured."""
    for name, one in sorted(launch.published(where).items()):
        running = launch.served(where, name)
        if running and not one.get("configured"):
            yield warning(f"provider {name} is not configured: {one.get('why')}", "calls/providers.json", "set it")
        elif running and one.get("warning"):
            yield warning(f"provider {name}: {one['warning']}", "calls/providers.json", "see docs/providers.md")
        elif running:
            yield ok(f"provider {name} is served, model {one.get('model')}", f"calls/{name}.pid")
