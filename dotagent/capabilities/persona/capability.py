"""The addition of persona: dotagent itself answers `/persona …`, and tells an agent's name. Owns nothing on disk."""

from __future__ import annotations

from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.home import Home, Settings
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    def answer(room: str, who: str, said: str) -> str:
        if not said.startswith("/persona"):
            return ""
        from dotagent.capabilities.persona import room as persona

        return persona.answer(session, who, said)

    return Living(answer=answer)


def _label(where: Home, settings: Settings, self_id: str) -> str:
    from dotagent.store import display

    return display.make_label(where, settings, self_id)


CAPABILITY = Capability(live=_live, label=_label)
