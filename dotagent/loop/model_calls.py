"""Asking: a request placed in the spool, and its answer taken back into LIFE.

A call that is out is looked after until it is answered: a provider that died is started again, one that never comes
makes the call fail with a hint, so the agent never waits for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.life.session import Session
from dotagent.store import launch, queue
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.queue import Call, Outcome
from dotagent.text import tokens

LOOK = 1.0  # seconds between two looks after a call that is out
UNTAKEN = 60.0  # seconds after which a call that nobody takes has failed
LONGEST = 1800.0  # seconds after which a call that somebody holds has failed
LONG = 4  # how often in a turn a prompt that is too long fades and is asked again
RETRY = (30.0, 900.0)  # seconds until a retryable failure is asked about again: at first, and at most


class ModelCalls:
    """What this process does about requests; what is out is in LIFE, here is only since when it looks."""

    def __init__(
        self, session: Session, provider: str, model: str | None, usage: str, watch: Callable[[Path], None]
    ) -> None:
        self._session = session
        self._watch = watch
        self.provider = provider
        self._model = model or ""
        self._usage = usage
        self._since = time.monotonic()
        self._looked = 0.0
        self._patience = RETRY[0] / 2
        self._failed_at = time.monotonic() - RETRY[1]  # a new process asks again at once about what is owed
        self._published = b""
        self._window = 0  # of the model, as it was told last

    def ask(self, room: str) -> None:
        """Announce the next request and place it: who answers it is another process's business."""
        session = self._session
        self._fit()
        id, size = session.request(self._model, self._usage)
        session.record("ASK", f"{self.provider} {room} {size}", id=id, gist=f"{len(session.entries)} entries")
        session.sync()
        self._place(room, id)
        self.tidy()

    def background(self, event: str, detail: str, instruction: str) -> None:
        """Announce and place a request beside the conversation: the prompt as it is now, and one instruction."""
        session = self._session
        id, _ = session.request(self._model, self._usage, instruction)
        session.record(event, detail, id=id, gist=instruction.rpartition("\n")[2])
        session.sync()
        queue.place(session.home, Call(id, session.id, self.provider, "background"))
        launch.ensure(session.home, self.provider)

    def take(self) -> bool:
        """Take the answer to the call that is out; False while there is none."""
        session, id = self._session, self._session.state.call
        outcome = queue.done(session.home, session.id, id)
        if outcome is None:
            return self._look_after(id)
        if outcome.reply:
            try:
                gist = session.blob(outcome.reply).gist
            except (BlobMissing, BlobCorrupt) as lost:
                outcome = Outcome(kind="lost", retryable=True, hint=str(lost))
        if outcome.reply:
            upstream = f"upstream={outcome.upstream}" if outcome.upstream else ""
            words = [
                session.state.room,
                f"finish={outcome.finish or 'stop'}",
                _used(outcome, session.state.served),
                upstream,
            ]
            session.record("REPLY", " ".join(filter(None, words)), id=outcome.reply, gist=gist)
            self._patience = RETRY[0] / 2
        elif outcome.kind == "too_long" and session.state.long < LONG:
            session.record("LONG", f"{outcome.size or 0} {session.tokens}")
        else:
            self._fail(outcome)
        return True

    def waits(self) -> bool:
        """Whether a request is out."""
        return bool(self._session.state.call)

    def patience(self) -> float | None:
        """How many seconds the loop may sleep at most; None: until something changes."""
        state = self._session.state
        if state.call or (state.fading and (state.fading.call or state.fading.out)):
            return LOOK
        if state.owed and state.failed == "retryable":
            return max(0.1, self._failed_at + self._patience - time.monotonic())
        return None

    def owed(self) -> bool:
        """Ask again about what was never answered, once the provider is back or after a while; False if not yet."""
        state = self._session.state
        if not state.owed:
            return False
        waited = time.monotonic() - self._failed_at
        ready = not state.failed or self._published != self._state_of_providers()
        if not ready and not (state.failed == "retryable" and waited >= self._patience) and waited < RETRY[1]:
            return False
        room = state.owed[0]
        self._session.record("NOTE", f"{room} owed", f"The room {room} still waits for an answer.".encode())
        return True

    def tidy(self) -> None:
        """Drop the entries of calls whose outcome LIFE holds durably; of those beside the conversation it now tells
        what they used."""
        state = self._session.state
        out = {state.call, *((state.fading.call, *state.fading.out) if state.fading else ())}
        over = [id for id in queue.finished(self._session.home, self._session.id) if id not in out]
        counted = [id for id in over if self._count(id)]
        if counted:
            self._session.sync()
        for id in over:
            queue.drop(self._session.home, self._session.id, id)

    def _count(self, id: str) -> bool:
        """Record what a background call used; False when that was nothing, or it is in the reply's line already."""
        try:
            outcome = queue.done(self._session.home, self._session.id, id)
        except Trouble:  # nothing that is an answer: it goes
            return False
        if outcome is None or not (outcome.background and outcome.reply and outcome.usage):
            return False
        told = _used(outcome, outcome.provider)
        self._session.record("USAGE", told, id=outcome.reply, gist="what a call beside the conversation used")
        return True

    def _fit(self) -> None:
        """Take note when the model's window is too small for what the context may grow to: its limit is less then;
        and when it is another than it was: what the model was found not to take, it may take now."""
        told = launch.published(self._session.home).get(self.provider, {})
        windows, window = told.get("windows"), told.get("window") if told.get("known", True) else None
        if self._model not in ("", told.get("model")):
            window = windows.get(self._model) if isinstance(windows, dict) else None
        if not isinstance(window, int) or window == self._window:
            return
        self._window = window
        most = tokens.limit(window)
        if most < self._session.limit or 0 < self._session.state.most < most:
            self._session.record("WINDOW", str(most))

    def _fail(self, outcome: Outcome) -> None:
        session = self._session
        self._watch(session.home.calls)  # there it is told when a provider is back
        self._failed_at = time.monotonic()
        self._patience = min(self._patience * 2, RETRY[1])
        self._published = self._state_of_providers()
        again = "retryable" if outcome.retryable else "final"
        if outcome.kind == "lost":
            session.renew()
        session.record("FAIL", f"{outcome.kind} {again}", outcome.hint.encode(), gist=outcome.hint)

    def _place(self, room: str, id: str) -> None:
        self._since = time.monotonic()
        queue.place(self._session.home, Call(id, self._session.id, self.provider, "live", room))
        self._looked = 0.0
        self._look_after(id)

    def _look_after(self, id: str) -> bool:
        """See to it that the call can still be answered; always False: it is not yet."""
        session, now = self._session, time.monotonic()
        if now - self._looked < LOOK:
            return False
        self._looked = now
        served = session.state.served
        queue.put_back(session.home)
        if not queue.placed(session.home, served, id) and queue.done(session.home, session.id, id) is None:
            return self._again(id)
        launch.ensure(session.home, served)
        taker = queue.taken(session.home, id)
        waited = now - self._since
        if taker is None and waited > UNTAKEN:
            call = Call(id, session.id, served)
            hint = f"nothing takes calls for {served}: see calls/{served}.log; `python -m dotagent provider` serves all"
            queue.cancel(session.home, call, kind="unserved", hint=hint)
        elif waited > LONGEST:
            hint = f"{served} gave no answer within {LONGEST / 60:.0f} minutes"
            queue.cancel(session.home, Call(id, session.id, served), kind="timeout", hint=hint)
        return False

    def _again(self, id: str) -> bool:
        """Place a call whose entry is gone: as it was, or made anew when a power cut took its request too."""
        session = self._session
        try:
            session.store.get(id)
        except (BlobMissing, BlobCorrupt):
            session.renew()
            self.ask(session.state.room)
            return False
        self._since = time.monotonic()
        queue.place(session.home, Call(id, session.id, session.state.served, "live", session.state.room))
        launch.ensure(session.home, session.state.served)
        return False

    def _state_of_providers(self) -> bytes:
        path = self._session.home.calls / "providers.json"
        return path.read_bytes() if path.exists() else b""


def _used(outcome: Outcome, provider: str) -> str:
    """Who answered, by which model, for how many tokens, as LIFE tells it: `provider=… model=… input=…`."""
    model = "_".join(outcome.model.split()) or "-"
    return " ".join([f"provider={provider}", f"model={model}", *(f"{what}={n}" for what, n in outcome.usage.items())])
