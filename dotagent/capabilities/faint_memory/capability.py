"""The addition of faint memory: a reminder before a request, and an index of what faded. Owns nothing on disk.

Nothing is loaded before something has faded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher

if TYPE_CHECKING:
    from dotagent.search.feed import Feed

_FEEDS: WeakKeyDictionary[Session, Feed] = WeakKeyDictionary()


def feed_of(session: Session) -> Feed:
    """Return the index of this agent, opened at the first call."""
    from dotagent.search.feed import Feed

    return _FEEDS.get(session) or _FEEDS.setdefault(session, Feed(session.path, session.store, session.owner))


def _live(session: Session, watch: Watcher) -> Living:
    def ask() -> None:
        if session.faded:
            from dotagent.capabilities.faint_memory import faint

            faint.remind(session, feed_of(session))

    def rest() -> None:
        if session.faded:
            from dotagent.capabilities.faint_memory import faint

            faint.keep_up(session, feed_of(session))

    def close() -> None:
        if feed := _FEEDS.pop(session, None):
            feed.close()

    return Living(ask=ask, rest=rest, close=close)


CAPABILITY = Capability(live=_live)
