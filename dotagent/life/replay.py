"""What is derived from a life's LIFE and blobs: where it stands, and what it holds in its context. Nothing of it is
stored: living on and deriving anew come to the same, which a test holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dotagent import extensions
from dotagent.life import context, events, origins, snapshot, spending
from dotagent.life.context import Entry
from dotagent.life.events import Away, Fail, Reply, Swap
from dotagent.life.fold import after
from dotagent.life.state import State, Turn, change
from dotagent.store import log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import grammar, tokens

SHARE = 4  # a quarter of the limit in tokens, as bytes: one entry's share of the context is about a sixteenth
LEAST_SHARE = 600  # bytes
FAR = 1000  # events in which the last failure is looked for
T = TypeVar("T")


@dataclass(frozen=True)
class View:
    """What is derived from a life; `unread` are the lines since the last swap that say nothing to this version."""

    state: State
    entries: tuple[Entry, ...]
    unread: tuple[Line | int, ...] = ()
    """An event that cannot be read, or the byte offset of a line that is no event."""


def derive(home: Home, self_id: str, limit: int, *, without: int | None = None, until: int | None = None) -> View:
    """The state and the context of a life, from its LIFE since the last swap, and blobs. `limit` is in tokens.

    As they would be `without` the swap at this byte offset and those after it; or as they were when LIFE was `until`
    bytes long.
    """
    store, path = home.store(), home.agent(self_id) / "LIFE.md"
    before = until if without is None else without
    (state, entries), start = _last(path, before, lambda swap: swapped(store, swap, limit)) or ((State(), []), 0)
    if entries and not state.used.day:  # a version that did not count wrote the swap
        counted = spending.read(store, path, until=start)[0]
        state = change(state, used=change(counted, asks=state.used.asks))
    if entries and not state.heard.origins:  # nor one that did not know whose words it had
        state = origins.read(log.lines(path), state, until=start)
    audience = _born_for(store, self_id)
    unread = list[Line | int]()
    for line in log.read(path, start):
        if until is not None and (line if isinstance(line, int) else line.end - 1) >= until:
            break
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


def standing(home: Home, self_id: str) -> State:
    """Where a life stands by its LIFE alone, without the blobs that a context needs."""
    store, path = home.store(), home.agent(self_id) / "LIFE.md"
    state, start = _last(path, None, lambda swap: snapshot.decode(store.get(swap.id).body)[0]) or (State(), 0)
    for line in log.lines(path, start):
        state = after(state, line)
    return state


def is_done(store: Blobs, turn: Turn) -> bool:
    """Whether all is done that the turn's reply asks for; also where there is none, or it is lost."""
    try:
        said = store.get(turn.reply).body.decode("utf-8", "replace") if turn.reply else ""
    except (BlobMissing, BlobCorrupt):
        return True
    due = grammar.read(said, extensions.tools(), turn.cut).due
    return not turn.reply or turn.done >= max(1, len(due))  # one without calls is said


def _born_for(store: Blobs, self_id: str) -> str:
    """The audience that the life was born for, which its id vouches for; empty when that blob is lost."""
    try:
        return soul(store, self_id)[0]
    except (BlobMissing, BlobCorrupt):
        return ""


def soul(store: Blobs, self_id: str) -> tuple[str, str]:
    """The audience and the SOUL a life was born with. Raises BlobMissing or BlobCorrupt."""
    first, _, text = store.get(self_id).body.decode("utf-8", "replace").partition("\n\n")
    return first.partition("\n")[0].removeprefix("audience: "), text


def _last(path: Path, before: int | None, read: Callable[[Line], T]) -> tuple[T, int] | None:
    """What is read of the last swap (the last before a byte offset, if there is one) of which it can be, and the offset
    of its line: the swap before a lost one, and all that happened since, serve as well. None where none can."""
    start = log.last_offset(path, Swap.WORD, before)
    while start is not None:
        try:
            return read(next(log.lines(path, start))), start
        except (BlobMissing, BlobCorrupt, ValueError):  # doctor tells of it
            start = log.last_offset(path, Swap.WORD, start)
    return None


def swapped(store: Blobs, swap: Line, limit: int) -> tuple[State, list[Entry]]:
    """What a swap left. Raises BlobMissing, BlobCorrupt, and ValueError for a blob that is no snapshot."""
    state, rows = snapshot.decode(store.get(swap.id).body)
    most = share(limit, state)
    found = [context.entry(line, number, lambda id: store.get(id).body, most, stripped=stripped)
             for number, stripped, line in rows]  # fmt: skip
    return state, [entry for entry in found if entry]


def share(limit: int, state: State) -> int:
    """How many bytes one entry's content may have, for a context of `limit` tokens, or what the model takes."""
    return max(LEAST_SHARE, min(limit, state.model.most or limit) // SHARE)


def size(entry: Entry) -> int:
    """About how many tokens the entry takes in a prompt, by the plain estimate, with what is shown beside its text."""
    return tokens.estimate(context.render(entry)) + entry.weight


def failing(path: Path) -> str:
    """Why the model does not answer a life, or another in its place, and since when, by the end of its LIFE; "" when
    it does."""
    why = since = answers = ""
    away = dict[str, str]()
    for line in log.tail(path, FAR):
        event = events.parse(line)
        if isinstance(event, Reply) or (isinstance(event, Fail) and event.again == "stopped"):
            why = since = ""
            answers = event.told.get("provider", "") if isinstance(event, Reply) else answers
            away.pop(answers, None)
        elif isinstance(event, Fail):
            why, since = line.gist, since or line.at
            away.clear()
        elif isinstance(event, Away):
            away[event.provider] = f"since {line.at[:16]}: {event.why}"
    if since:
        return f"no answer from the model since {since[:16]}: {why}"
    return f"{answers} answers {next(iter(away.values()))}" if away and answers else ""
