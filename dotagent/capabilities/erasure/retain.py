"""Retention: while all agents of a home are idle, at most once a day, delete events older than settings allow.

It also finishes a deletion that a crash interrupted. Owns nothing on disk.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dotagent.erasure import ledger, retention, sweep
from dotagent.store import disk, home
from dotagent.store.home import Home, Settings
from dotagent.text.sizes import plural

QUIET = timedelta(minutes=30)  # without an event of any agent
SECONDS = 10.0  # seconds that running agents have to restart


def delete_if_due(where: Home, settings: Settings, now: datetime) -> str:
    """Delete old events if it is time. Return the message for the user, or "". Raises OSError, Trouble."""
    left = ledger.is_unfinished(where)
    if left and disk.is_locked(where.root / ledger.PROMISE):
        return ""  # another process is deleting
    if not left and not (settings.retention and _is_at_rest(where, now) and retention.begin(where, settings, now)):
        return ""
    done = sweep.finish(where, SECONDS)
    if not done:
        return ""
    if done.by != retention.BY:
        return f"finished a permanent deletion that a crash had interrupted: {plural(done.items, 'sentence')}"
    before = done.ages.episodes[:10] or done.ages.audit[:10]
    return f"removed {plural(done.items, 'event')} from before {before} (retention)"


def _is_at_rest(where: Home, now: datetime) -> bool:
    """Return True if no agent had an event for a while."""
    last = max(((where.agent(one) / "LIFE.md").stat().st_mtime for one in home.lives(where)), default=0.0)
    return now.timestamp() - last >= QUIET.total_seconds()
