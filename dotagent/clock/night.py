"""A life at rest dreams, where settings say so: once a day, when nothing happened to it for half an hour.

What it finds waits for a person (`dream list`). A model is asked only with `dream = "model"`. Owns nothing on disk: the
dream marks when it was.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dotagent.dreaming import asked, dream, review
from dotagent.dreaming.proposal import Memories
from dotagent.store import home, lives
from dotagent.store.home import Home, Settings
from dotagent.text import names
from dotagent.text.reference import short

QUIET, AGAIN = timedelta(minutes=30), timedelta(days=1)


def look(where: Home, self_id: str, settings: Settings, now: datetime) -> str:
    """Let the life dream if it is time; what there is to tell of it, "" for nothing. Raises OSError, Misuse."""
    if not settings.dream or lives.is_made(where, self_id):
        return ""
    mine = dream.memories_of(where, self_id, names.folder(home.owner(settings)))
    if told := _answered(where, self_id, mine):
        return told
    last, before = (where.agent(self_id) / "LIFE.md").stat().st_mtime, dream.when(mine)
    quiet, since = now.timestamp() - last, now.timestamp() - before
    if quiet < QUIET.total_seconds() or last < before or 0 <= since < AGAIN.total_seconds():
        return ""
    dreamt = dream.of_life(where, self_id, mine.actor, now)
    new = dreamt.new
    if dreamt.seen and settings.dream == asked.MODEL:
        asked.begin(where, self_id, mine, settings)
    rows = [f"{len(new)} new of {len(review.waiting(mine))}"] if new else []
    rows += [f"{len(dreamt.learned)} learned by itself"] if dreamt.learned else []
    return f"{short(self_id)} dreamt: {', '.join(rows)}, see `dream list`" if rows else ""


def _answered(where: Home, self_id: str, mine: Memories) -> str:
    """What is to be told of a model's answer that has come."""
    new = asked.take(where, self_id, mine)
    return f"{short(self_id)} dreamt with a model: {len(new)} new of {len(review.waiting(mine))}" if new else ""
