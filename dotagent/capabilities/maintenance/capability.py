"""The addition of maintenance: an agent repairs its directory at a start, reports copies of its rooms, and stops if
another machine runs it. Owns nothing on disk."""

from __future__ import annotations

from dotagent.capabilities.maintenance import moved_account, tidy
from dotagent.capabilities.maintenance.copies import Copies
from dotagent.capabilities.maintenance.other_machine import Elsewhere
from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    tidy.begin(session)
    copies, elsewhere = Copies(session), Elsewhere(session)
    elsewhere.begin()
    return Living(look=lambda: elsewhere.look() or copies.look(), heard=elsewhere.heard)


CAPABILITY = Capability(settled=moved_account.settled, live=_live)
