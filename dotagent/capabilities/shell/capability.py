"""The addition of the shell: the end of a process that outlived its turn starts a turn. Owns nothing on disk."""

from __future__ import annotations

from dotagent.capabilities.shell.endings import Ends
from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    ends = Ends(session, watch)
    return Living(look=ends.look, stop=ends.stop, waits=lambda: session.terms is not None and ends.waits())


CAPABILITY = Capability(live=_live)
