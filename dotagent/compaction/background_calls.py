"""The model calls of compaction, in the background of the conversation: requests that continue the present prompt by an
instruction, and requests that only let a server cache a prompt. life/model_calls.py places and checks them. Owns
nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dotagent.life import other_contexts, window
from dotagent.life.context import Entry
from dotagent.life.event import Event
from dotagent.life.events import Error
from dotagent.life.model_calls import ModelCalls
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import call_ending
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.call import Call
from dotagent.text.lazy import replace
from dotagent.text.reference import ID

SMALL = (
    "the model for summaries ({}) cannot read a prompt as long as this agent's, so the model of the conversation "
    "writes the summaries; name a model with a larger window in [background]"
)
WHOLE = ("\n", ". ", "! ", "? ")  # the ends of a line or a sentence


class BackgroundCalls:
    """The background calls of one agent."""

    def __init__(self, session: Session, calls: ModelCalls) -> None:
        self._session, self._calls = session, calls
        self._small = False  # whether the background model of settings could not read a prompt

    @property
    def provider(self) -> str:
        """Return the provider of calls outside the conversation."""
        given = "" if self._small else self._session.settings.background.get("provider")
        return str(given or self._session.provider)

    @property
    def ahead(self) -> str:
        """Return the call that lets a server cache a prompt, or ""."""
        return self._calls.ahead

    def fork(self, event: Event, instruction: str, most: int) -> None:
        """Announce and place a request for at most `most` tokens: the present prompt and an instruction."""
        session = self._session
        session.route.choose(live=False)
        who = self.provider
        given = "" if self._small else session.settings.background.get("model")
        model = str(given or (self._calls.wanted() if who == session.provider else ""))
        chosen = window.options(session, who, model or window.usual(session, who), live=False)
        id, *_ = session.request(model, (self._calls.tools()[0], str), instruction, chosen, most=most)
        session.record(event, id=id, gist=f"{event.WORD} of {len(session.entries)} entries")
        session.sync()
        self._place(id, who)

    def read(self, entries: Sequence[Entry], state: State) -> None:
        """Let the server cache a prompt of these entries and this state. LIFE does not record this call; its id is
        `ahead` until another call replaces it."""
        shown = [self._session.fitted(entry) for entry in entries]
        id = other_contexts.request(self._session, self._calls.wanted(), self._calls.tools(), shown, state)
        self._place(id, self._session.provider)
        self._calls.ahead = id

    def is_reading(self) -> bool:
        """Return True while a server reads the prompt of `ahead`."""
        if self.ahead and self.answer(self.ahead) != (None, ""):
            self._calls.ahead = ""
        return bool(self.ahead)

    def _place(self, id: str, who: str) -> None:
        self._calls.tidy()  # the budget must include the usage of finished calls
        self._calls.place_unless_held(Call(id, self._session.id, who, "background"))

    def answer(self, id: str) -> tuple[str | None, str]:
        """Return a call's answer, or None and the reason, which is "" while it is pending. A truncated answer is cut to
        its last complete sentence."""
        session = self._session
        call = Call(id, session.id, self.provider, "background")
        if (outcome := self._calls.outcome(call)) is None:
            return None, ""
        if away := session.route.away_beside(replace(call, provider=outcome.provider), outcome):
            session.record(away)
        if outcome.kind == "too_long" and session.settings.background and not self._small:
            self._small = True  # the model of the conversation can read the prompt
            session.record(Error(SMALL.format(outcome.provider)))
        if not outcome.reply:
            return None, outcome.hint or outcome.kind
        try:
            text = session.store.get(outcome.reply).body.decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt) as lost:
            return None, str(lost)
        return text[: max(text.rfind(end) for end in WHOLE) + 1] if outcome.finish == "length" else text, ""

    def cancel(self, ids: Iterable[str]) -> None:
        """Cancel these calls."""
        for id in filter(ID.fullmatch, ids):
            call_ending.cancel(self._session.home, Call(id, self._session.id, self.provider))

    def asked_since(self, id: str) -> bool:
        """Return True if a call of the conversation was placed after this one."""
        return self._calls.asked_since(id)

    def head(self) -> list[str]:
        """Return the parts of every prompt before the context."""
        return [one.text for one in self._session.head(self._calls.tools()[0])]
