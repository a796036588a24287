"""Complete the state of a swap that an earlier version of dotagent wrote, or that was written while a capability was
missing. Owns nothing on disk.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

from dotagent.life import events, origins, slices, snapshot, usage
from dotagent.life.slices import Unfolded
from dotagent.life.state import State, change
from dotagent.store import lineage, log, log_search
from dotagent.store.blobs import Blobs
from dotagent.store.log import Line


def completed(store: Blobs, path: Path, state: State, start: int) -> State:
    """Return the state at the swap with this byte offset, with what it lacks: usage, slices and origins."""
    if not state.used.day:
        counted = usage.read(store, path, until=start)[0]
        state = change(state, used=change(counted, asks=state.used.asks))
    state = _caught_up(store, path, state, start)
    return state if state.heard.origins else add_origins(log.lines(path), state, start)


def add_origins(lines: Iterable[Line], state: State, until: int) -> State:
    """Return the state with the origins of these lines up to a byte offset."""
    for line in itertools.takewhile(lambda one: one.end <= until, lines):
        if line.event in origins.WORDS and (event := events.parse(line)):
            state = origins.add_origins(state, event)
    return change(state, heard=change(state.heard, since=0))  # these lines do not contain the numbers of entries


def _caught_up(store: Blobs, path: Path, state: State, start: int) -> State:
    """Return the state at the swap with this byte offset, after each slice whose capability was missing before has
    folded the events that it missed."""
    for name, known in slices.find_all().items():
        kept = state.slices.get(name)
        if isinstance(kept, Unfolded):
            state = known.put(state, snapshot.read(known, kept))
            parts, day = lineage.parts(store, path.parent, start), kept.until[:10]
            since = [log_search.offset_of_day(part.path, day) if day else 0 for part in parts]
            missed = (line for part, at in zip(parts, since, strict=True) for line in part.picked(known.folds, at))
            state = known.fold(state, (line for line in missed if line.at > kept.until))
    return state
