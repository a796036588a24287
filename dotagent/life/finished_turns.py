"""Whether a turn has nothing left to do, for processes that look at an agent from outside. Owns nothing on disk."""

from __future__ import annotations

from dotagent import extensions
from dotagent.life.state import Turn
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.text import grammar


def is_done(store: Blobs, turn: Turn) -> bool:
    """Return True if all calls of the turn's reply are done, or if the reply does not exist or is lost."""
    try:
        said = store.get(turn.reply).body.decode("utf-8", "replace") if turn.reply else ""
    except (BlobMissing, BlobCorrupt):
        return True
    due = grammar.read(said, extensions.tools(), turn.cut).due
    return not turn.reply or turn.done >= max(1, len(due))  # a reply without calls is one message
