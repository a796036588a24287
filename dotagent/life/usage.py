"""Read the usage of an agent's answers from its LIFE: in another process, or if the last swap does not contain it.

This reads LIFE from its last swap on, and later only new events. Owns nothing on disk.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

from dotagent.life.events import Swap
from dotagent.life.spending import WORDS, add_usage
from dotagent.life.state import Used
from dotagent.store import log, log_search
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.text import times


def read(store: Blobs, path: Path, before: tuple[Used, int] | None = None, until: int = -1) -> tuple[Used, int]:
    """Return the usage of the agent with this LIFE.md, and the byte offset of the end of the read part. `before` is the
    last result; `until` is an earlier offset to stop at."""
    used, start = before or _begin(store, path, None if until < 0 else until)
    stop = log_search.end(path) if until < 0 else until
    for line in log_search.picked(path, WORDS, start, stop):
        used = add_usage(used, line)
    return used, stop


def _begin(store: Blobs, path: Path, until: int | None) -> tuple[Used, int]:
    """Return the usage at the last swap, and the offset of its line. If the swap, or the one at `until`, is of a
    version that did not count, return zero and an offset before the month's first event."""
    start = log.last_offset(path, Swap.WORD, until)
    if start is None and until is None:
        return Used(), 0
    if start is not None:
        with suppress(BlobMissing, BlobCorrupt, ValueError):  # doctor reports it
            from dotagent.life import snapshot  # loaded only for an agent that has forgotten something

            used = snapshot.decode(store.get(next(log.lines(path, start)).id).body)[0].used
            if used.day:
                return used, start
    first = date.fromisoformat(times.local_day(times.now())).replace(day=1)
    return Used(), log_search.offset_of_day(path, (first - timedelta(days=1)).isoformat())
