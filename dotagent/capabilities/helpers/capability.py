"""The addition of helpers: their results start a turn, and a helper finishes by itself. Owns nothing on disk."""

from __future__ import annotations

from dotagent.capabilities.helpers import results
from dotagent.capabilities.helpers.results import Spawns
from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    results.begin(session)
    made = Spawns(session, watch)
    return Living(look=made.look, sleep=made.sleep, waits=made.waits, stop=made.stop,
                  end=lambda: results.finish_if_done(session))  # fmt: skip


CAPABILITY = Capability(live=_live)
