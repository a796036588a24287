"""The warning at an agent's start that its provider switches its model off soon. Owns nothing on disk."""

from __future__ import annotations

from dotagent import errors
from dotagent.life.session import Session
from dotagent.store import provider_status

_CHOSEN = "--model="  # the option for the model


def begin(session: Session) -> None:
    """Print the warning. The agent's helpers use the same model and print nothing."""
    if session.terms or not provider_status.published(session.home).get(session.provider, {}).get("ends"):
        return
    from dotagent.store import model_end  # few models end soon

    chosen = next((one.removeprefix(_CHOSEN) for one in session.options if one.startswith(_CHOSEN)), "")
    if told := model_end.of_provider(session.home, session.provider, chosen):
        errors.tell(f"{session.provider}: {told}")
