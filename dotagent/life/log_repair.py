"""Remove events at the end of LIFE whose blobs were lost in a power cut, and sync the blobs of the other events.

This is safe: blobs and LIFE are synced before anything is shown, so no one has seen what those events led to. The end
is set aside like an incomplete line, and its events happen again. A message is read again from its room, a document is
read again, and a call is repeated or settled.
"""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path

from dotagent.life.events import Ask, Did, Effect, Fail, Long, Reply, Result, Resume, Swap
from dotagent.store import log
from dotagent.store.blobs import BlobCorrupt, BlobForgotten, BlobMissing, Blobs
from dotagent.store.log import Line, Log

REQUESTS = (Ask.WORD, "LOOK", "SEGMENT", "SUMMARISE")
"""Events whose blob is a request. A lost request is made again, so it need not be durable."""
_SYNCED = (Reply.WORD, "LOOKED", Long.WORD, Swap.WORD)  # everything before them was synced
_ENDS = (Did.WORD, Result.WORD)  # the end of a call, whose Effect was synced before it


def cut(opened: Log, store: Blobs) -> None:
    """Set aside the end of LIFE that may be unsynced, from the first line whose blob is lost.

    Sync the blobs of the rest: if a process was killed before it did, this process would make their lines durable
    without them, and a later power cut could destroy what was already answered.
    """
    gone = find_lost(opened.path, store)
    if gone:
        opened.cut(log.begin(opened.path, gone[-1]))
    begun = takewhile(lambda one: one.event != Resume.WORD, unsure(opened.path))  # an earlier start synced the rest
    for line in begun:
        if line.id and line.event not in REQUESTS and os.path.exists(store.path(line.id)):
            store.doubt(line.id)
    store.sync()


def find_lost(path: Path, store: Blobs) -> list[Line]:
    """Return the possibly unsynced events whose blobs are lost, newest first."""
    return [line for line in unsure(path) if not _has_blob(store, line)]


def unsure(path: Path) -> list[Line]:
    """Return the last events that may be unsynced, newest first."""
    found, later = list[Line](), ""
    for line in log.backwards(path):
        failed = line.event == Fail.WORD and not line.detail.endswith("stopped")  # this failure does not follow a call
        if line.event in _SYNCED or (line.event == Effect.WORD and later in _ENDS):
            break
        found.append(line)
        if failed:
            break  # everything before it was synced, but not its own blob
        later = line.event
    return found


def _has_blob(store: Blobs, line: Line) -> bool:
    """Return True if the line needs no blob, or if its blob is intact or was forgotten on purpose."""
    try:
        return not line.id or line.event in REQUESTS or bool(store.get(line.id))
    except BlobForgotten:
        return True
    except (BlobMissing, BlobCorrupt):
        return False
