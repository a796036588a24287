"""The queue of calls: every call can be read, every taker is running, and nothing is left over.

The queue itself moves unreadable calls aside. Here calls are read in place, and nothing is moved.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent.doctor import Finding, limit_findings, ok, open_to_others, warning
from dotagent.store import home, launch, process, queue, taken_calls
from dotagent.store.call import Call, call_in, outcome_in
from dotagent.store.home import Home
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short
from dotagent.text.sizes import plural

LONG = 60.0  # seconds that a call may wait for a taker without a warning


@dataclass(frozen=True)
class Waiting:
    """An open call: its state, `new` or `taken`, its file, and the call, or None if it cannot be read."""

    state: str
    path: Path
    call: Call | None


def entries(where: Home) -> list[Waiting]:
    """Return all calls that are waiting or taken."""
    new = sorted(path for path in (where.calls / "new").glob("*") if path.is_dir())
    directories = [*(("new", path) for path in new), ("taken", where.calls / "taken")]
    found = []
    for state, path in directories:
        for id in queue.names(path):
            with suppress(FileNotFoundError):  # it was moved meanwhile
                found.append(Waiting(state, path / id, call_in(path / id)))
    return found


def calls(where: Home) -> Iterator[Finding]:
    """Check that every call and answer can be read and has a running process."""
    if not where.calls.is_dir():
        return
    there = entries(where)
    wrong = [finding for entry in there for finding in _entry(where, entry)]
    wrong += [*_answers(where), *_leftovers(where)]
    wrong += open_to_others([one.path for one in there if one.path.exists()], "calls")
    yield from limit_findings(wrong, "calls", lambda: f"{plural(len(there), 'model request')} waiting")


def _entry(where: Home, entry: Waiting) -> Iterator[Finding]:
    place, call = str(entry.path.relative_to(where.root)), entry.call
    if call is None:
        yield warning(
            "this model request is unreadable", place, "remove this file; the agent then sends the request again"
        )
        return
    if call.agent not in home.lives(where):
        yield warning(
            f"agent {short(call.agent)}, which sent this model request, does not exist", place, "remove this file"
        )
    waited = time.time() - entry.path.stat().st_ctime if entry.path.exists() else 0.0
    if entry.state == "new" and waited > LONG and not launch.served(where, call.provider):
        yield warning(
            f"this request to a model waits, because the process that asks the provider {call.provider} is not running",
            place,
            f"see calls/{call.provider}.log",
        )
    if (
        entry.state == "taken"
        and waited > taken_calls.UNSIGNED
        and not (call.takers and process.lives(*call.takers[-1]))
    ):
        yield warning(
            "the process that took this model request has exited",
            place,
            "no action needed: dotagent sends the request again",
        )


def _answers(where: Home) -> Iterator[Finding]:
    done = where.calls / "done"
    for agent in sorted(os.listdir(done)) if done.is_dir() else []:
        for id in queue.names(done / agent):
            with suppress(FileNotFoundError):  # its agent has taken it meanwhile
                if outcome_in(done / agent / id) is None:
                    yield warning(
                        "the file is not a valid answer of a provider",
                        f"calls/done/{agent}/{id}",
                        "no action needed: the agent asks again",
                    )


def _leftovers(where: Home) -> Iterator[Finding]:
    for path in sorted(where.calls.rglob(".unreadable-*")):
        yield warning(
            "the file is unreadable, so dotagent set it aside", str(path.relative_to(where.root)), "remove the file"
        )
    for path in queue.stray(where):
        yield warning(
            "this file contains an unfinished answer, but no model request waits for it",
            f"calls/stream/{path.name}",
            "remove this file",
        )


def providers(where: Home) -> Iterator[Finding]:
    """Check that running providers are configured."""
    for name, one in sorted(launch.published(where).items()):
        running = launch.served(where, name)
        if running and not one.get("configured"):
            yield warning(
                f"provider {name} is not configured: {one.get('why')}", "calls/providers.json", "configure it"
            )
        elif running and one.get("warning"):
            yield warning(f"provider {name}: {one['warning']}", "calls/providers.json", "see docs/providers.md")
        elif running:
            yield ok(f"provider {name} is running, model {one.get('model')}", f"calls/{name}.pid")
