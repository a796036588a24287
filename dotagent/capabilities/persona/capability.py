"""The addition of persona: dotagent itself answers `/persona …`. Owns nothing on disk."""

from __future__ import annotations

from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    def answer(room: str, who: str, said: str) -> str:
        if not said.startswith("/persona"):
            return ""
        from dotagent.capabilities.persona import room as persona

        return persona.answer(session, said)

    return Living(answer=answer)


CAPABILITY = Capability(live=_live)
