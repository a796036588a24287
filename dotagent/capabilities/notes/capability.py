"""The addition of notes: what a person or the agent writes into `memory/` is read. Owns nothing on disk."""

from __future__ import annotations

import os

from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store import disk, reserved_names
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    def read() -> str:
        if not os.path.lexists(session.path / reserved_names.MEMORY):
            return ""
        from dotagent.life import daily  # imported only if there are notes

        return daily.read(session)

    def tell() -> bool:
        if not disk.is_file(session.path / "run" / "moved"):
            return False
        from dotagent.life import facts  # imported only if facts moved out of MEMORY.md

        return facts.tell(session)

    return Living(documents=read, look=tell)


CAPABILITY = Capability(live=_live)
