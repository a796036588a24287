"""The additions of erasure: `forget that …` in the owner's room, removed text that comes again is held back, and old
events are removed while agents are idle, after learning has used them. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from dotagent import errors
from dotagent.capabilities.erasure import returns, room
from dotagent.contract import Capability, Living
from dotagent.errors import Trouble
from dotagent.life.session import Session
from dotagent.store.home import Home, Settings
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    room.tell(session)
    found = returns.Returns(session)
    session.held_back, session.held_reply = found.hold, found.hold_reply
    return Living(
        look=lambda: room.wished(session) or room.show_again(session) or found.look(),
        answer=found.answer,
        pending=lambda name: room.find_pending(session, name),
        warn=found.warn,
        instead=found.instead,
    )


def _round(where: Home, settings: Settings, now: datetime) -> Iterator[str]:
    from dotagent.capabilities.erasure import retain

    try:
        if told := retain.delete_if_due(where, settings, now):
            yield told
    except (OSError, Trouble) as error:
        yield f"retention: {errors.line(error) if isinstance(error, OSError) else error}"


CAPABILITY = Capability(after=("learning", "persona"), live=_live, round=_round)
