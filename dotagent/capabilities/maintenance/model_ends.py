"""The warning that an agent's provider switches its model off soon: at the start, and once a day behind an answer, when
the provider may have said it only then. Owns nothing on disk."""

from __future__ import annotations

from dotagent import errors
from dotagent.life.events import Reply
from dotagent.life.session import Session
from dotagent.store import provider_status
from dotagent.store.log import Line
from dotagent.text import times

_CHOSEN = "--model="  # the option for the model


class ModelEnds:
    """The warnings of one agent's process. Each is printed once."""

    def __init__(self, session: Session) -> None:
        self._session, self._told, self._day = session, "", ""
        self._answered = False

    def heard(self, line: Line) -> None:
        """Note that the provider has answered, so that it has also said when its models end."""
        self._answered |= line.event == Reply.WORD

    def rest(self) -> None:
        """Print the warning after the first answer of a day."""
        if self._answered and self._day != (day := times.now()[:10]):
            self.look()
            self._day = day

    def look(self) -> None:
        """Print the warning, unless it was printed. The agent's helpers use the same model and print nothing."""
        session = self._session
        if session.terms or not provider_status.published(session.home).get(session.provider, {}).get("ends"):
            return
        from dotagent.store import model_end  # few models end soon

        chosen = next((one.removeprefix(_CHOSEN) for one in session.options if one.startswith(_CHOSEN)), "")
        told = model_end.of_provider(session.home, session.provider, chosen)
        if told and told != self._told:
            errors.tell(f"{session.provider}: {told}")
        self._told = told or self._told
