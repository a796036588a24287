"""The addition of working memory: the file is written when no work is left. Owns nothing on disk."""

from __future__ import annotations

from dotagent.capabilities.working_memory.current import Current
from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    return Living(rest=Current(session).write)


CAPABILITY = Capability(live=_live)
