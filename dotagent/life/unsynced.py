"""The end of LIFE that reached the disk before its blobs did. A power cut may leave lines whose blobs are lost: nobody
has seen anything that came after them, since blobs and LIFE are synced before anything is shown.

So that end is set aside, as a torn line is, and what it told of happens again: a message is heard again from its room,
a document is read again, a call is done again or settled.
"""

from __future__ import annotations

from pathlib import Path

from dotagent.life.events import Ask, Did, Effect, Fail, Long, Reply, Result, Segment, Summarise, Swap
from dotagent.store import log
from dotagent.store.blobs import BlobCorrupt, BlobForgotten, BlobMissing, Blobs
from dotagent.store.log import Line, Log

REQUESTS = (Ask.WORD, Segment.WORD, Summarise.WORD)
"""Events whose blob is a request: that is made anew when it is lost, and need not be durable."""
_SYNCED = (Reply.WORD, Long.WORD, Swap.WORD)  # events that come only after all before them was synced
_ENDS = (Did.WORD, Result.WORD)  # of a call, whose Effect was synced before it


def cut(opened: Log, store: Blobs) -> None:
    """Set aside the end of LIFE that is not sure to have been synced, from the first line on whose blob is lost."""
    gone = lost(opened.path, store)
    if gone:
        opened.cut(log.begin(opened.path, gone[-1]))


def lost(path: Path, store: Blobs) -> list[Line]:
    """The last events that may never have been synced and whose blobs are lost, the latest first."""
    return [line for line in _unsure(path) if not _there(store, line)]


def _unsure(path: Path) -> list[Line]:
    """The last events, the latest first, as far as they may never have been synced."""
    found, later = list[Line](), ""
    for line in log.backwards(path):
        failed = line.event == Fail.WORD and not line.detail.endswith("stopped")  # that one follows no call
        if failed or line.event in _SYNCED or (line.event == Effect.WORD and later in _ENDS):
            break
        found.append(line)
        later = line.event
    return found


def _there(store: Blobs, line: Line) -> bool:
    """Whether the line's blob is what it was, if it needs one."""
    try:
        return not line.id or line.event in REQUESTS or bool(store.get(line.id))
    except BlobForgotten:
        return True
    except (BlobMissing, BlobCorrupt):
        return False
