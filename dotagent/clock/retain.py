"""What is older than settings keep goes while all lives of a home are at rest, at most once a day; what a death left
half done of it, or of what a person wished gone, is done as well. Owns nothing on disk.
"""

from __future__ import annotations

from datetime import datetime

from dotagent.clock.night import QUIET
from dotagent.forgetting import retention, sweep
from dotagent.store import disk, home
from dotagent.store.home import Home, Settings
from dotagent.text.sizes import plural

SECONDS = 10.0  # seconds in which those that run may begin anew


def look(where: Home, settings: Settings, now: datetime) -> str:
    """Let go what is too old, if it is time; what there is to tell of it, "" for nothing. Raises OSError, Trouble."""
    left = sweep.due(where)
    if left and disk.is_locked(where.root / sweep.PROMISE):
        return ""  # somebody is at it
    if not left and not (settings.retention and _at_rest(where, now) and retention.begin(where, settings, now)):
        return ""
    done = sweep.finish(where, SECONDS)
    if not done:
        return ""
    if done.by != retention.BY:
        return f"forgotten for good: {plural(done.items, 'sentence')}, which a death had left"
    return f"retention: {plural(done.items, 'event')} before {done.ages.episodes[:10] or done.ages.audit[:10]} are gone"


def _at_rest(where: Home, now: datetime) -> bool:
    """Whether nothing happened to any life for a while."""
    last = max(((where.agent(one) / "LIFE.md").stat().st_mtime for one in home.lives(where)), default=0.0)
    return now.timestamp() - last >= QUIET.total_seconds()
