"""A life's calls to models, live and background: placed in the spool, looked after while they are out, and taken back
into LIFE.

A provider that died is started again, and one that never comes makes the call fail with a hint, so a life never waits
for ever. Which calls are out is in LIFE; here is only since when this process looks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from dotagent.life import other_provider
from dotagent.life.event import Event
from dotagent.life.events import Ask, Error, Fail, Long, Note, Reply, Spent, Tell, Window
from dotagent.life.session import Session
from dotagent.store import launch, queue
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.queue import Call, Outcome
from dotagent.text import names, tokens
from dotagent.text.reference import ID

LONG = 4  # how often in a turn a prompt that is too long fades and is asked again
MOST = 10**12  # of counts that a provider tells: what is more is no count


class ModelCalls:
    """The one owner of a life's calls to models; `watch` is told of a directory in which names will appear."""

    def __init__(self, session: Session, model: str, usage: str, watch: Callable[[Path], None]) -> None:
        self._session = session
        self._model, self._usage, self._watch = model, usage, watch
        self._placed: dict[str, float] = {}  # since when this process knows of each call that is out
        self._taken: dict[str, float] = {}  # since when somebody works on it
        self._looked: dict[str, float] = {}
        self._retry = session.patience.retry / 2
        self._failed_at = time.monotonic() - session.patience.retry_most  # a new process asks again at once
        self._looked_round = False  # whether a person knows that another provider answers
        self._owed = False  # whether the call that is out asks again about what was never answered
        self._anew = ""  # the call that was placed for one that was lost
        self._published: dict[str, dict[str, object]] = {}  # of providers, when the last call failed
        self._window = 0  # of the model, as it was told last

    # --- placing

    def ask(self, room: str) -> None:
        """Announce the next live request and place it: who answers it is another process's business."""
        session = self._session
        word, self._looked_round = other_provider.look(session, self._looked_round), True
        if word:
            session.record(Tell(room, word))
            return
        id, size = session.request(self._model, self._usage)
        session.record(Ask(session.provider, room, size), id=id, gist=f"{len(session.entries)} entries")
        session.sync()
        self._place(Call(id, session.id, session.provider, "live", room))
        self.tidy()

    def fork(self, event: Event, instruction: str) -> None:
        """Announce and place a background request: the prompt as it is now, and one instruction."""
        session = self._session
        id, _ = session.request(self._model, self._usage, instruction)
        session.record(event, id=id, gist=instruction.rpartition("\n")[2])
        session.sync()
        self._place(Call(id, session.id, session.provider, "background"))

    def _place(self, call: Call) -> None:
        self._placed[call.id] = self._looked[call.id] = time.monotonic()
        queue.place(self._session.home, call)
        launch.ensure(self._session.home, call.provider)

    # --- what became of them

    def take(self) -> bool:
        """Take the answer to the live call that is out into LIFE; False while there is none."""
        session, turn = self._session, self._session.state.turn
        call = Call(turn.call, session.id, turn.provider, "live", turn.room)
        if self._move(call):
            return True
        outcome = self._outcome(call)
        if outcome is None:
            return False
        gist = ""
        if outcome.reply:
            try:
                gist = session.store.get(outcome.reply).gist
            except (BlobMissing, BlobCorrupt) as lost:
                outcome = Outcome(kind="lost", retryable=True, hint=str(lost))
        if outcome.reply:
            told = {"finish": outcome.finish or "stop", **_used(outcome, turn.provider)}
            upstream = {"upstream": "_".join(outcome.upstream.split())} if outcome.upstream else {}
            session.record(Reply(turn.room, {**told, **upstream}), id=outcome.reply, gist=gist)
            self._retry = self._session.patience.retry / 2
        elif outcome.kind == "lost" and turn.call != self._anew:  # a power cut took a request, or its answer
            session.record(Error(f"{outcome.hint}: it is asked again"))
            session.renew()
            self.ask(turn.room)
            self._anew = session.state.turn.call
        elif outcome.kind == "too_long" and turn.long < LONG:
            session.record(Long(_count(outcome.size or 0), session.tokens))
        else:
            self._fail(outcome)
        return True

    def _move(self, call: Call) -> bool:
        """Ask anew by the provider that the life goes on under, when a call is out by the one before, unanswered.

        It is announced before the other is cancelled: who dies between the two has asked, and is owed one answer.
        """
        session = self._session
        sound = ID.fullmatch(call.id) and names.ROOM.fullmatch(call.provider)
        if not sound or call.provider == session.provider or queue.done(session.home, call.agent, call.id):
            return False
        session.record(Error(f"{call.provider} had not answered: {session.provider} is asked instead"))
        self.ask(call.room)
        queue.cancel(session.home, call)
        return True

    def answer(self, id: str) -> tuple[str | None, str]:
        """A background call's answer, or why there is none; neither while it is out."""
        session = self._session
        outcome = self._outcome(Call(id, session.id, session.provider, "background"))
        if outcome is None:
            return None, ""
        if not outcome.reply:
            return None, outcome.hint or outcome.kind
        try:
            return session.store.get(outcome.reply).body.decode("utf-8", "replace"), ""
        except (BlobMissing, BlobCorrupt) as lost:
            return None, str(lost)

    def cancel(self, ids: Iterable[str]) -> None:
        """Let nobody work on these background calls any more."""
        for id in filter(ID.fullmatch, ids):
            queue.cancel(self._session.home, Call(id, self._session.id, self._session.provider))

    def waits(self) -> bool:
        """Whether any call is out."""
        return bool(self._out())

    def _out(self) -> set[str]:
        state, compaction = self._session.state, self._session.state.forgetting.compaction
        background = (compaction.call, *compaction.out) if compaction else ()
        return {id for id in (state.turn.call, *background) if id}

    def _outcome(self, call: Call) -> Outcome | None:
        """What came of a call, or None while it is out: then it is looked after."""
        home = self._session.home
        if not (ID.fullmatch(call.id) and names.ROOM.fullmatch(call.provider)):  # a LIFE that somebody changed
            return Outcome(kind="lost", retryable=True, hint="the request that was out is none")
        outcome = queue.done(home, call.agent, call.id)
        if outcome is None and self._look_after(call):
            outcome = queue.done(home, call.agent, call.id)
        return outcome

    def _look_after(self, call: Call) -> bool:
        """See to it that a call can still be answered, now and then; whether it was given up instead."""
        home, now, id = self._session.home, time.monotonic(), call.id
        since = self._placed.setdefault(id, now)
        if now - self._looked.get(id, 0.0) < self._session.patience.look:
            return False
        self._looked[id] = now
        queue.put_back(home, self._session.patience.unsigned)
        if not queue.placed(home, call.provider, id) and queue.done(home, call.agent, id) is None:
            return self._again(call)
        launch.ensure(home, call.provider)
        if queue.taken(home, id):
            working = now - self._taken.setdefault(id, now)
            late = working > (self._session.patience.longest if call.kind == "live" else self._session.patience.stalled)
            return late and self._give_up(call, "timeout", f"{call.provider} gave no answer within {working:.0f} s")
        self._taken.pop(id, None)  # a provider that is asked too much may give it back
        if now - since <= (self._session.patience.untaken if call.kind == "live" else self._session.patience.longest):
            return False
        hint = f"nothing takes calls for {call.provider}: see calls/{call.provider}.log; `python -m dotagent provider` "
        return self._give_up(call, "unserved", hint + "serves all")

    def _give_up(self, call: Call, kind: str, hint: str) -> bool:
        queue.cancel(self._session.home, call, kind=kind, hint=hint)
        return True

    def _again(self, call: Call) -> bool:
        """Place a call whose entry is gone: as it was, or made anew when a power cut took its request too."""
        session = self._session
        try:
            session.store.get(call.id)
        except (BlobMissing, BlobCorrupt):
            if call.kind != "live":
                return self._give_up(call, "lost", "a power cut took the request")
            session.renew()
            self.ask(session.state.turn.room)
            return False
        self._taken.pop(call.id, None)
        queue.withdraw(session.home, call.id)  # of the provider that the life was under before
        self._place(call)
        return False

    def _fail(self, outcome: Outcome) -> None:
        session = self._session
        self._watch(session.home.calls)  # there it is told when a provider is back
        self._failed_at = time.monotonic()
        if self._owed or self._retry < session.patience.retry:  # what is said meanwhile does not lengthen the wait
            self._retry = min(self._retry * 2, session.patience.retry_most)
        self._owed = False
        self._published = launch.published(session.home)
        again = "retryable" if outcome.retryable else "final"
        session.record(Fail(outcome.kind, again), outcome.hint.encode(), gist=outcome.hint)

    # --- asking again

    def sleep(self) -> float | None:
        """How many seconds the loop may sleep at most; None: until something changes."""
        turn = self._session.state.turn
        if self._out():
            return self._session.patience.look
        if turn.unanswered and turn.failed == "retryable":
            return max(0.1, self._failed_at + self._retry - time.monotonic())
        return None

    def unanswered(self) -> bool:
        """Ask again about what was never answered, once the provider is back or after a while; False if not yet."""
        turn = self._session.state.turn
        if not turn.unanswered:
            return False
        waited = time.monotonic() - self._failed_at
        ready = not turn.failed or self._published != launch.published(self._session.home)
        most = self._session.patience.retry_most
        due = waited >= (min(self._retry, most) if turn.failed == "retryable" else most)
        if not ready and not due:
            return False
        room = turn.unanswered[0]
        self._owed = True
        self._session.record(Note(room, "owed"), f"The room {room} still waits for an answer.".encode())
        return True

    # --- counting

    def tidy(self) -> None:
        """Drop the entries of calls whose outcome LIFE holds durably; of background ones it now tells what they
        used."""
        session, out = self._session, self._out()
        over = [id for id in queue.finished(session.home, session.id) if id not in out]
        counted = [id for id in over if self._record_usage(id)]
        if counted:
            session.sync()
        for id in over:
            queue.drop(session.home, session.id, id)
            for known in (self._placed, self._taken, self._looked):
                known.pop(id, None)

    def _record_usage(self, id: str) -> bool:
        """Record what a background call used; False when that was nothing, or it is in the reply's line already."""
        session = self._session
        outcome = queue.done(session.home, session.id, id)
        if outcome is None or not (outcome.background and outcome.reply and outcome.usage):
            return False
        told = Spent(_used(outcome, outcome.provider))
        session.record(told, id=outcome.reply, gist="what a call beside the conversation used")
        return True

    def fit(self) -> None:
        """Note the window of the model that will answer, if it is smaller than the context's limit."""
        session = self._session
        told = launch.published(session.home).get(session.provider, {})
        window = told.get("window") if told.get("known", True) else None
        if self._model and self._model != told.get("model"):
            windows = told.get("windows")
            window = windows.get(self._model) if isinstance(windows, dict) else None
        if not isinstance(window, int) or not 0 < window < MOST or window == self._window:
            return
        self._window = window
        most = tokens.limit(window)
        if most < session.limit or 0 < session.state.model.most < most:
            session.record(Window(most))


def _used(outcome: Outcome, provider: str) -> dict[str, str]:
    """Who answered, by which model, for how many tokens, as LIFE tells it."""
    counts = {name: str(_count(count)) for name, count in outcome.usage.items()}
    return {"provider": provider, "model": "_".join(outcome.model.split()) or "-", **counts}


def _count(told: int) -> int:
    """A count that was told, as far as it can be one."""
    return told if 0 <= told < MOST else 0
