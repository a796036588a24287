"""What is derived from a life's LIFE and blobs: where it stands, and what it holds in its context. Nothing of it is
stored: living on and deriving anew come to the same, which a test holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dotagent.life import context, events, snapshot
from dotagent.life.context import Entry
from dotagent.life.events import Fail, Reply, Swap
from dotagent.life.fold import after
from dotagent.life.state import State, change
from dotagent.store import log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import tokens

SHARE = 4  # a quarter of the limit in tokens, as bytes: one entry's share of the context is about a sixteenth
LEAST_SHARE = 600  # bytes
FAR = 200  # events in which the last failure is looked for


@dataclass(frozen=True)
class View:
    """What is derived from a life; `unread` are the lines since the last swap that say nothing to this version."""

    state: State
    entries: tuple[Entry, ...]
    unread: tuple[Line | int, ...] = ()
    """An event that cannot be read, or the byte offset of a line that is no event."""


def derive(home: Home, self_id: str, limit: int) -> View:
    """The state and the context of a life, from its LIFE since the last swap, and blobs. `limit` is in tokens."""
    store, path = home.store(), home.agent(self_id) / "LIFE.md"
    state, entries, start = _last_swap(store, path, limit)
    audience = _born_for(store, self_id)
    unread = list[Line | int]()
    for line in log.read(path, start):
        if isinstance(line, int) or events.parse(line) is None:
            unread.append(line)
            continue
        state = after(state, line)
        found = context.entry(line, state.number + 1, lambda id: store.get(id).body, share(limit, state))
        if found:
            entries.append(found)
            state = change(state, number=found.number)
    if state.audience and audience:  # whatever a line or a snapshot says
        state = change(state, audience=audience)
    return View(state, tuple(entries), tuple(unread))


def _born_for(store: Blobs, self_id: str) -> str:
    """The audience that the life was born for, which its id vouches for; empty when that blob is lost."""
    try:
        return soul(store, self_id)[0]
    except (BlobMissing, BlobCorrupt):
        return ""


def soul(store: Blobs, self_id: str) -> tuple[str, str]:
    """The audience and the SOUL a life was born with. Raises BlobMissing or BlobCorrupt."""
    first, _, text = store.get(self_id).body.decode("utf-8", "replace").partition("\n\n")
    return first.removeprefix("audience: "), text


def _last_swap(store: Blobs, path: Path, limit: int) -> tuple[State, list[Entry], int]:
    """What the last swap left whose blob can be read, and the offset of its line; where none can, a life's beginning.

    The swap before a lost one, and all that happened since, serve as well.
    """
    start = log.last_offset(path, Swap.WORD)
    while start is not None:
        try:
            return *_snapshot(store, next(log.lines(path, start)), limit), start
        except (BlobMissing, BlobCorrupt, ValueError):  # doctor tells of it
            start = log.last_offset(path, Swap.WORD, start)
    return State(), [], 0


def _snapshot(store: Blobs, swap: Line, limit: int) -> tuple[State, list[Entry]]:
    state, rows = snapshot.decode(store.get(swap.id).body)
    most = share(limit, state)
    found = [context.entry(line, number, lambda id: store.get(id).body, most, stripped=stripped)
             for number, stripped, line in rows]  # fmt: skip
    return state, [entry for entry in found if entry]


def share(limit: int, state: State) -> int:
    """How many bytes one entry's content may have, for a context of `limit` tokens, or what the model takes."""
    return max(LEAST_SHARE, min(limit, state.model.most or limit) // SHARE)


def size(entry: Entry) -> int:
    """About how many tokens the entry takes in a prompt, by the plain estimate."""
    return tokens.estimate(context.render(entry))


def failing(path: Path) -> str:
    """Why the model does not answer a life, and since when, by the end of its LIFE; "" when it does."""
    why = since = ""
    for line in reversed(log.tail(path, FAR)):
        event = events.parse(line)
        if isinstance(event, Reply) or (isinstance(event, Fail) and event.again == "stopped"):
            break
        if isinstance(event, Fail):
            why, since = why or line.gist, line.at
    return f"no answer from the model since {since[:16]}: {why}" if since else ""
