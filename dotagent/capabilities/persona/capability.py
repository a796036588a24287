"""The addition of persona: dotagent itself answers `/persona …`, reports an agent's name, and shows a person's addition
to the prompt. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.contract import Capability, Living
from dotagent.life.persona import EXTRA
from dotagent.life.session import Session
from dotagent.store import setting
from dotagent.store.home import Home, Settings
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    def answer(room: str, who: str, said: str) -> str:
        if not said.startswith("/persona"):
            return ""
        from dotagent.capabilities.persona import room as persona

        return persona.answer(session, who, said)

    def texts() -> Mapping[str, str]:
        given = session.settings.system_prompt_extra
        found = setting.find_for_agent(given, session.state.audience, session.id, session.owner)
        return {EXTRA: "\n\n".join(found)}

    return Living(answer=answer, texts=texts)


def _label(where: Home, settings: Settings, self_id: str) -> str:
    from dotagent.store import display

    return display.make_label(where, settings, self_id)


CAPABILITY = Capability(live=_live, label=_label)
