"""A life's calls to models, live and background: placed in the spool, looked after while they are out, and taken back
into LIFE.

A provider that died is started again; one that never comes makes the call fail with a hint. Which calls are out is in
LIFE; here is only since when this process looks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from dotagent import installed
from dotagent.life import finished, foreseen, other_provider, persons, showing, turns, window
from dotagent.life.budget import Budget
from dotagent.life.context import Entry
from dotagent.life.event import Event
from dotagent.life.events import Ask, Error, Fail, Long, Note, Reply, Tell
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import home, launch, queue
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.queue import Call, Outcome
from dotagent.text import names
from dotagent.text.reference import ID

Told = tuple[str, str]
"""How a life's tools are called, and the same as a model is told of them whose service has a form of its own."""
LONG = 4  # how often in a turn a prompt that is too long fades and is asked again


class ModelCalls:
    """The one owner of a life's calls to models; `watch` is told of a directory in which names will appear."""

    def __init__(self, session: Session, model: str, told: Callable[[], Told], watch: Callable[[Path], None]) -> None:
        self._session, self._model, self._tools, self._watch = session, model, told, watch
        self._placed: dict[str, float] = {}  # since when this process knows of each call that is out
        self._taken: dict[str, float] = {}  # since when somebody works on it
        self._looked: dict[str, float] = {}
        self._live = 0.0  # when the last live call was placed
        self._retry = session.patience.retry / 2
        self._failed_at = time.monotonic() - session.patience.retry_most  # a new process asks again at once
        self._owed = False  # whether the call that is out asks again about what was never answered
        self.ahead = ""  # the call that only lets a server read the prompt (compaction/ahead.py)
        self._anew = ""  # the call that was placed for one that was lost
        self._condition: dict[str, tuple[object, ...]] = {}  # of providers, when the last call failed
        self._budget = Budget(session)
        self._window = ("", 0)  # the last provider's, as it was told

    def ask(self, room: str) -> None:
        """Announce the next live request and place it. First the room is told of a budget that is nearly used; for one
        that is used up nothing is asked."""
        session = self._session
        if hint := self._budget.held():
            session.record(Fail("budget", "held", room), hint.encode(), gist=hint)
            return
        model = self._wanted()
        if not session.state.turn.call and (tell := self._budget.nearly(room) or window.guessed(session, model, room)):
            session.record(tell)
            return
        chosen = window.options(session, session.provider, window.published(session, model)[0])
        near = turns.wanted(home.settings_now(session.home, session.settings).kind(session.provider), chosen)
        id, size = session.request(model, self._tools(), options=chosen, beside=near)
        session.record(Ask(session.provider, room, size), id=id, gist=f"{len(session.entries)} entries")
        session.sync()
        self._place(Call(id, session.id, session.provider, "live", room))
        persons.of(session)
        self.tidy()

    def fork(self, event: Event, instruction: str, most: int) -> None:
        """Announce and place a background request for at most so many tokens: the prompt as it is, an instruction."""
        session = self._session
        session.provider = other_provider.choose(session)
        who = self.beside
        model = str(session.settings.background.get("model") or (self._wanted() if who == session.provider else ""))
        chosen = window.options(session, who, model or window.usual(session, who), live=False)
        id, _ = session.request(model, (self._tools()[0], ""), instruction, chosen, most=most)
        session.record(event, id=id, gist=f"{event.WORD} of {len(session.entries)} entries")
        session.sync()
        self._place_beside(id, who)

    def read(self, entries: Sequence[Entry], state: State) -> None:
        """Let the server read a prompt of these entries and this state, as a call in the background of which LIFE does
        not know: its id is `ahead`, until another call takes its place."""
        id = foreseen.request(self._session, self._wanted(), self._tools(), entries, state)
        self._place_beside(id, self._session.provider)
        self.ahead = id

    def _place_beside(self, id: str, who: str) -> None:
        self.tidy()  # what the ones before used counts
        call = Call(id, self._session.id, who, "background")
        if hint := self._budget.held():
            queue.fail(self._session.home, call, "budget", hint)
        else:
            self._place(call)

    def _wanted(self) -> str:
        """The model that a person named: one of the first provider's, which the others do not have."""
        return self._model if self._session.provider == self._session.order[0] else ""

    @property
    def beside(self) -> str:
        """The provider of calls beside the conversation."""
        return str(self._session.settings.background.get("provider") or self._session.provider)

    def head(self) -> list[str]:
        """What stands in every prompt before the context."""
        return [one.text for one in self._session.head(self._tools()[0])]

    def _place(self, call: Call) -> None:
        self.cancel([self.ahead])
        self.ahead = ""
        self._placed[call.id] = self._looked[call.id] = time.monotonic()
        self._live = self._placed[call.id] if call.kind == "live" else self._live
        hurried = call.kind == "live" and other_provider.others(self._session, call.provider)
        queue.place(self._session.home, replace(call, hurried=hurried))
        launch.ensure(self._session.home, call.provider)

    def take(self) -> bool:
        """Take the answer to the live call that is out into LIFE; False while there is none."""
        session, turn = self._session, self._session.state.turn
        call = Call(turn.call, session.id, turn.provider, "live", turn.room)
        if self._move(call):
            return True
        if (outcome := self._outcome(call)) is None:
            return False
        outcome, gist = finished.known(session, outcome)
        if outcome.reply:
            if word := other_provider.word(session, turn.room, turn.provider):
                session.record(Tell(turn.room, text=word))
            told = {"finish": outcome.finish or "stop", **finished.used(outcome, turn.provider, outcome.usage)}
            upstream = {"upstream": "_".join(outcome.upstream.split())} if outcome.upstream else {}
            session.record(Reply(turn.room, {**told, **upstream}), id=outcome.reply, gist=gist)
            self._retry = self._session.patience.retry / 2
        elif outcome.kind == "lost" and turn.call != self._anew:  # a power cut took a request, or its answer
            session.record(Error(f"{outcome.hint}: it is asked again"))
            session.renew()
            self.ask(turn.room)
            self._anew = session.state.turn.call
        elif outcome.kind == "too_long" and turn.long < LONG:
            session.record(Long(finished.count(outcome.size or 0), session.tokens))
        elif away := other_provider.away(session, call, outcome):
            session.record(away)
        else:
            self._fail(outcome)
        if outcome.lost:  # before anybody else is asked, since it may have used a budget up
            self.tidy()
        return True

    def _move(self, call: Call) -> bool:
        """Ask anew by the provider that the life goes on under, when a call is out by another, unanswered.

        It is announced before the other is cancelled: who dies between the two has asked, and is owed one answer.
        """
        session = self._session
        sound = ID.fullmatch(call.id) and names.ROOM.fullmatch(call.provider)
        if not sound or call.provider in session.order or queue.done(session.home, call.agent, call.id):
            return False
        session.record(Error(f"{call.provider} had not answered: {session.provider} is asked instead"))
        self.ask(call.room)
        queue.cancel(session.home, call)
        return True

    def answer(self, id: str) -> tuple[str | None, str]:
        """A background call's answer, or why there is none; neither while it is out. Of an answer that was cut off only
        what is whole counts."""
        session = self._session
        call = Call(id, session.id, self.beside, "background")
        if (outcome := self._outcome(call)) is None:
            return None, ""
        if away := other_provider.away_beside(session, replace(call, provider=outcome.provider), outcome):
            session.record(away)
        return finished.whole(session, outcome)

    def asked_since(self, id: str) -> bool:
        """Whether a live call was placed since this one."""
        return self._placed.get(id, self._live) < self._live

    def cancel(self, ids: Iterable[str]) -> None:
        """Let nobody work on these background calls any more."""
        for id in filter(ID.fullmatch, ids):
            queue.cancel(self._session.home, Call(id, self._session.id, self.beside))

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
        return queue.done(home, call.agent, call.id) if outcome is None and self._look_after(call) else outcome

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
        see = f"see calls/{call.provider}.log; `{installed.typed('provider')}` serves all"
        return self._give_up(call, "unserved", f"nothing takes calls for {call.provider}: {see}")

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
        self._condition = launch.condition(session.home)
        stopped = outcome.kind == "cancelled"  # by a person, who will say when it is wanted after all
        retried = outcome.retryable or session.state.turn.passed
        again = "stopped" if stopped else "retryable" if retried else "final"
        hint = other_provider.hints(session, outcome.hint)
        session.record(Fail(outcome.kind, again), hint.encode(), gist=hint)

    def sleep(self) -> float | None:
        """How many seconds the loop may sleep at most; None: until something changes."""
        turn = self._session.state.turn
        if self._out():
            return self._session.patience.look
        if turn.unanswered and turn.failed == "held":
            return self._budget.pause()
        if turn.unanswered and turn.failed == "retryable":
            return max(0.1, self._failed_at + self._retry - time.monotonic())
        return None

    def unanswered(self) -> bool:
        """Ask again about what was never answered, once the provider is back or after a while; False if not yet."""
        turn = self._session.state.turn
        if not turn.unanswered:
            return False
        waited = time.monotonic() - self._failed_at
        ready = not turn.failed or self._condition != launch.condition(self._session.home)
        most = self._session.patience.retry_most
        due = waited >= (min(self._retry, most) if turn.failed == "retryable" else most)
        if self._budget.held() if turn.failed == "held" else not ready and not due:
            return False
        room = turn.unanswered[0]
        self._owed = True
        self._session.record(Note(room, "owed"), f"The room {room} still waits for an answer.".encode())
        return True

    def tidy(self) -> None:
        """Drop the entries of calls that are over, once LIFE holds what they used."""
        for id in finished.tidy(self._session, self._out() | {self.ahead}):
            for known in (self._placed, self._taken, self._looked):
                known.pop(id, None)

    def fit(self) -> None:
        """Turn to who will answer, and note the window of that model, if it is smaller than the context's limit."""
        session = self._session
        other_provider.turn_to(session)
        showing.see(session, self._wanted())
        self._window = window.fit(session, self._wanted(), self._window)
