"""What is derived from a life's LIFE and blobs: where it stands, and what it holds in mind. Nothing of it is stored:
living on and deriving anew come to the same, which a test holds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.life.state import State, after, change, unpack
from dotagent.store import log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import tokens

SHARE = 4  # a quarter of the limit in tokens, as bytes: one entry's share of the context is about a sixteenth
LEAST_SHARE = 600  # bytes


@dataclass(frozen=True)
class View:
    """What is derived from a life: where it stands, and what it holds in mind."""

    state: State
    entries: tuple[Entry, ...]


def derive(home: Home, self_id: str, limit: int) -> View:
    """The state and the context of a life, from its LIFE since the last swap, and blobs. `limit` is in tokens."""
    store, path = home.store(), home.agent(self_id) / "LIFE.md"
    state, entries = State(), list[Entry]()
    start = log.last_offset(path, "SWAP")
    while start is not None:
        try:
            state, entries = _snapshot(store, next(log.lines(path, start)), limit)
            break
        except (BlobMissing, BlobCorrupt):  # doctor tells of it; the swap before it, and all since, serve as well
            start = log.last_offset(path, "SWAP", start)
    for line in log.lines(path, start or 0):
        state = after(state, line)
        found = context.entry(line, state.number + 1, lambda id: store.get(id).body, share(limit, state))
        if found:
            entries.append(found)
            state = change(state, number=found.number)
    return View(state, tuple(entries))


def _snapshot(store: Blobs, swap: Line, limit: int) -> tuple[State, list[Entry]]:
    """The state and the entries that a swap left; its blob lists them and copies nothing."""
    first, *rows = store.get(swap.id).body.decode("utf-8", "replace").split("\n")
    state, entries = unpack(json.loads(first)), list[Entry]()
    most = share(limit, state)
    for row in filter(None, rows):
        number, kind, text = row.split(" ", 2)
        line = log.parse(text.encode("utf-8", "replace"))
        if line:
            found = context.entry(line, int(number), lambda id: store.get(id).body, most, bare=kind == "bare")
            entries.extend([found] if found else [])
    return state, entries


def share(limit: int, state: State) -> int:
    """How many bytes one entry's content may have, for a context of `limit` tokens, or what the model takes."""
    return max(LEAST_SHARE, min(limit, state.most or limit) // SHARE)


def size(entry: Entry) -> int:
    """About how many tokens the entry takes in a prompt, by the plain estimate."""
    return tokens.estimate(context.render(entry))
