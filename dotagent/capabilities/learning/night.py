"""Dreaming at night: if settings allow it, an idle agent dreams once a day, after half an hour without an event.

Its proposals wait for a person (`dream list`). A model is asked only with `dream = "model"`. Owns nothing on disk,
because the dream itself records its time.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dotagent.capabilities.learning import dream, model_dream, review
from dotagent.capabilities.learning.proposal import Memories
from dotagent.store import home, lives
from dotagent.store.home import Home, Settings
from dotagent.text import names
from dotagent.text.reference import short
from dotagent.text.sizes import plural

QUIET, AGAIN = timedelta(minutes=30), timedelta(days=1)


def dream_if_due(where: Home, self_id: str, settings: Settings, now: datetime) -> str:
    """Let the agent dream if it is time. Return the message for the user, or "". Raises OSError, Misuse."""
    if not settings.dream or lives.is_made(where, self_id):
        return ""
    mine = dream.memories_of(where, self_id, names.folder(home.owner(settings)))
    if told := _record_answer(where, self_id, mine):
        return told
    last, before = (where.agent(self_id) / "LIFE.md").stat().st_mtime, dream.when(mine)
    quiet, since = now.timestamp() - last, now.timestamp() - before
    if quiet < QUIET.total_seconds() or last < before or 0 <= since < AGAIN.total_seconds():
        return ""
    dreamt = dream.dream_of_agent(where, self_id, mine.actor, now)
    new = dreamt.new
    if dreamt.seen and settings.dream == model_dream.MODEL:
        model_dream.begin(where, self_id, mine, settings)
    rows = [f"{plural(len(new), 'new proposal')}, {len(review.waiting(mine))} waiting"] if new else []
    rows += [f"{plural(len(dreamt.learned), 'rule')} accepted without asking you"] if dreamt.learned else []
    return (
        f"dotagent looked for repetitions in the messages of agent {short(self_id)}: {', '.join(rows)}; "
        f"`dream list` shows them"
        if rows
        else ""
    )


def _record_answer(where: Home, self_id: str, mine: Memories) -> str:
    """Record a model's answer, if it has arrived. Return the message for the user, or ""."""
    new = model_dream.take(where, self_id, mine)
    if not new:
        return ""
    told = f"{plural(len(new), 'new proposal')}, {len(review.waiting(mine))} waiting"
    return f"a model looked for repetitions in the messages of agent {short(self_id)}: {told}; `dream list` shows them"
