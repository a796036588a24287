"""The addition of maintenance: an agent repairs its directory at a start, and reports copies of its rooms. Owns nothing
on disk."""

from __future__ import annotations

from dotagent.capabilities.maintenance import moved_account, tidy
from dotagent.capabilities.maintenance.copies import Copies
from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    tidy.begin(session)
    return Living(look=Copies(session).look)


CAPABILITY = Capability(settled=moved_account.settled, live=_live)
