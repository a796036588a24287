"""The model calls of an agent: place them in the queue, and record their outcome in LIFE. The requests of a compaction
are in compaction/background_calls.py; overdue_calls.py checks calls that take long.

LIFE lists the pending calls; this process only remembers since when it checks them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dotagent.life import finished_calls, window
from dotagent.life.events import Ask, Error, Fail, Long, Note, Reply, Spent, Tell
from dotagent.life.session import Session
from dotagent.store import placed_calls, provider_status
from dotagent.store.call import Call, Outcome
from dotagent.text import names
from dotagent.text.lazy import replace
from dotagent.text.reference import ID

if TYPE_CHECKING:
    from dotagent.life.overdue_calls import OverdueCalls
    from dotagent.life.retries import Retries

Told = tuple[str, Callable[[], str]]
"""The usage text of an agent's tools, and what returns their schemas for a provider with native tool calls."""
LONG = 4  # attempts in a turn with a prompt that was too long


class ModelCalls:
    """The only owner of an agent's model calls. `watch` is called with each directory where names will appear. `held`
    returns why no request may be sent now, and `warn` a message to post before a request."""

    def __init__(
        self,
        session: Session,
        model: str,
        told: Callable[[], Told],
        watch: Callable[[Path], None],
        held: Callable[[], str],
        warn: Callable[[str], Tell | None],
    ) -> None:
        self._session, self._model, self.tools, self._watch = session, model, told, watch
        self.held, self._warn = held, warn
        self._placed: dict[str, float] = {}  # when this process first saw each pending call
        self._looked: dict[str, float] = {}  # when this process last checked it
        self._live = 0.0  # when the last live call was placed
        self.ahead = ""  # the call that only lets a server cache the prompt (compaction/prefetch.py)
        self._anew = ""  # the call that replaces a lost one

    def ask(self, room: str) -> None:
        """Announce the next live request and place it. The room may get a warning first, and a capability may hold the
        request back."""
        session = self._session
        if hint := self.held():
            hint, task = self._add_task(hint)
            session.record(Fail("budget", "held", room, due=task), hint.encode(), gist=hint)
            return
        model = self.wanted()
        first = not session.state.turn.call
        if first and (tell := self._warn(room) or window.guessed(session, model, room)):
            session.record(tell)
            return
        chosen = window.options(session, session.provider, window.published(session, model)[0])
        id, *sizes = session.request(model, self.tools(), options=chosen)
        session.record(Ask(session.provider, room, *sizes), id=id, gist=f"{len(session.entries)} entries")
        session.sync()
        self.place(Call(id, session.id, session.provider, "live", room))
        self.tidy()

    def look(self) -> bool:
        """Announce the second look at the person's message and place it."""
        from dotagent.life import second_look
        from dotagent.life.look_events import SecondLook

        session = self._session
        id = second_look.request(session, self.wanted(), self.tools())
        session.record(SecondLook(session.provider), id=id, gist="a second look")
        session.sync()
        self.place_unless_held(Call(id, session.id, session.provider))
        self.tidy()
        return True

    def _take_look(self) -> bool:
        """Record the answer to the second look and its usage. Return False while it is pending."""
        session, turn = self._session, self._session.state.turn
        from dotagent.life.look_events import LookAnswer

        outcome = self.outcome(Call(turn.look, session.id, turn.looker))
        if outcome is None:
            return False
        outcome, gist = finished_calls.check_outcome(session, outcome)
        if outcome.reply:
            session.record(
                Spent(finished_calls.usage_words(outcome, turn.looker, outcome.usage)), id=outcome.reply, gist=gist
            )
        session.record(LookAnswer(outcome.finish or "stop"), id=outcome.reply, gist=gist)
        return True

    def wanted(self) -> str:
        """Return the model that a person chose, or "" for a provider other than the first: it lacks this model."""
        return self._model if self._session.provider == self._session.order[0] else ""

    def place_unless_held(self, call: Call) -> None:
        """Place a call that is announced, or fail it if a capability holds requests back."""
        if hint := self.held():
            from dotagent.store import call_ending

            call_ending.fail(self._session.home, call, "budget", hint)
        else:
            self.place(call)

    def place(self, call: Call) -> None:
        """Put a call into the queue, and make sure that its provider runs."""
        if self.ahead:
            self._cancel(Call(self.ahead, self._session.id, self._session.provider))
            self.ahead = ""
        self._placed[call.id] = self._looked[call.id] = time.monotonic()
        self._live = self._placed[call.id] if call.kind == "live" else self._live
        hurried = call.kind == "live" and self._session.route.has_others(call.provider)
        placed_calls.place(self._session.home, replace(call, hurried=hurried))
        self._serve(call.provider)

    def _serve(self, provider: str) -> bool:
        """Start the provider's process again if it has ended. Return True if it had."""
        home = self._session.home
        if provider_status.served(home, provider):
            return False
        from dotagent.store import launch  # the process that started the agent started the provider, too

        ended = launch.has_ended(home, provider)
        launch.ensure(home, provider)
        return ended

    def take(self) -> bool:
        """Record the answer to the pending live call. Return False while it is pending."""
        session, turn = self._session, self._session.state.turn
        if turn.look:
            return self._take_look()
        call = Call(turn.call, session.id, turn.provider, "live", turn.room)
        if self._move(call):
            return True
        if (outcome := self.outcome(call)) is None:
            return False
        outcome, gist = finished_calls.check_outcome(session, outcome)
        if outcome.reply:
            if word := session.route.word(turn.room, turn.provider):
                session.record(Tell(turn.room, text=word))
            told = {
                "finish": outcome.finish or "stop",
                **finished_calls.usage_words(outcome, turn.provider, outcome.usage),
            }
            upstream = {"upstream": "_".join(outcome.upstream.split())} if outcome.upstream else {}
            session.record(Reply(turn.room, {**told, **upstream}), id=outcome.reply, gist=gist)
            if why := finished_calls.ENDED.get(outcome.finish):
                session.record(Note(turn.room, "ended"), why.encode())
            self.__dict__.pop("retries", None)
        elif outcome.kind == "lost" and turn.call != self._anew:  # a power cut destroyed a request, or its answer
            session.record(Error(f"{outcome.hint}; the request is sent again"))
            session.renew()
            self.ask(turn.room)
            self._anew = session.state.turn.call
        elif outcome.kind == "too_long" and turn.long < LONG:
            session.record(Long(finished_calls.count(outcome.size or 0), session.tokens))
        elif away := session.route.away(call, outcome):
            session.record(away)
        else:
            self._fail(outcome)
        if outcome.lost:  # before the next request, because it may have used up a budget
            self.tidy()
        return True

    def _move(self, call: Call) -> bool:
        """Ask again if a live call is pending with a provider that the agent no longer uses. Return True if it did.

        The new request is announced before the old one is cancelled, so a crash in between loses no answer.
        """
        session = self._session
        sound = ID.fullmatch(call.id) and names.ROOM.fullmatch(call.provider)
        if not sound or call.provider in session.order or placed_calls.done(session.home, call.agent, call.id):
            return False
        session.record(Error(f"{call.provider} did not answer, so I send the request to {session.provider} instead"))
        self.ask(call.room)
        self._cancel(call)
        return True

    def asked_since(self, id: str) -> bool:
        """Return True if a live call was placed after this one."""
        return self._placed.get(id, self._live) < self._live

    def stop(self, hint: str) -> bool:
        """Cancel the pending live call, because a person stopped the turn. Return False if it already had an answer."""
        turn, session = self._session.state.turn, self._session
        call = Call(turn.look or turn.call, session.id, turn.looker if turn.look else turn.provider, "live", turn.room)
        return not ID.fullmatch(call.id) or self._cancel(call, hint)

    def waits(self) -> bool:
        """Return True if any call is pending."""
        return bool(self._out())

    def _out(self) -> set[str]:
        state, compaction = self._session.state, self._session.state.forgetting.compaction
        background = (compaction.call, *compaction.out) if compaction else ()
        return {id for id in (state.turn.call, state.turn.look, *background) if id}

    def outcome(self, call: Call) -> Outcome | None:
        """Return the outcome of a call, or None while it is pending. A pending call is checked."""
        home = self._session.home
        if not (ID.fullmatch(call.id) and names.ROOM.fullmatch(call.provider)):  # someone edited LIFE
            return Outcome(
                kind="lost",
                retryable=True,
                hint="the agent waits for an answer, but its log LIFE.md contains no valid line for the request",
            )
        outcome = placed_calls.done(home, call.agent, call.id)
        return placed_calls.done(home, call.agent, call.id) if outcome is None and self._is_given_up(call) else outcome

    def _is_given_up(self, call: Call) -> bool:
        """Check at intervals that a call can still be answered. Return True if it was given up."""
        now = time.monotonic()
        since = self._placed.setdefault(call.id, now)
        if now - self._looked.get(call.id, 0.0) < self._session.patience.look:
            return False
        self._looked[call.id] = now
        return self._overdue.check(call, since)

    @cached_property
    def _overdue(self) -> OverdueCalls:
        """Return the checks of calls that take long."""
        from dotagent.life import overdue_calls  # loaded only for an answer that takes long

        return overdue_calls.OverdueCalls(self._session, self._serve, self.place, self.ask)

    def _cancel(self, call: Call, hint: str = "the request was cancelled") -> bool:
        """Cancel a call. Return False if it already had an answer."""
        from dotagent.store import call_ending  # few requests are cancelled

        return call_ending.cancel(self._session.home, call, hint=hint)

    @cached_property
    def retries(self) -> Retries:
        """Return when failed requests are sent again."""
        from dotagent.life import retries  # loaded only after a failure

        return retries.Retries(self._session)

    def _fail(self, outcome: Outcome) -> None:
        session = self._session
        self._watch(session.home.calls)  # it shows when a provider works again
        until = self.retries.failed(outcome)
        stopped = outcome.kind == "cancelled"  # stopped by a person, who can ask again
        retried = outcome.retryable or session.state.turn.passed
        again = "stopped" if stopped else "retryable" if retried else "final"
        hint = session.route.hints(outcome.hint)
        hint, task = (hint, "") if stopped else self._add_task(hint)
        session.record(Fail(outcome.kind, again, until=until, due=task), hint.encode(), gist=hint)

    def _add_task(self, hint: str) -> tuple[str, str]:
        from dotagent.life import failures  # loaded only after a failure

        return failures.add_task(self._session, hint)

    def sleep(self) -> float | None:
        """Return the most seconds that the loop may sleep, or None to sleep until a file changes."""
        if self._out():
            return self._session.patience.look
        return self.retries.sleep() if self._session.state.turn.unanswered else None

    def unanswered(self) -> bool:
        """Ask again for an unanswered message, if the provider works or the wait is over. Return False if not yet."""
        turn = self._session.state.turn
        if not turn.unanswered or (self.held() if turn.failed == "held" else not self.retries.begin()):
            return False
        room = turn.unanswered[0]
        self._session.record(Note(room, "owed"), f"The room {room} still waits for an answer.".encode())
        return True

    def tidy(self) -> None:
        """Remove the entries of finished calls, once LIFE has their usage."""
        for id in finished_calls.tidy(self._session, self._out() | {self.ahead}):
            self._placed.pop(id, None)
            self._looked.pop(id, None)
            if "_overdue" in self.__dict__:
                self._overdue.forget(id)

    def fit(self) -> None:
        """Switch to the first available provider, and record the model's window if it is below the context's limit."""
        session = self._session
        session.route.choose(live=True)
        if session.shows:
            from dotagent.life import media_results  # many agents see no media

            session.see(media_results.senses(session.home, session.provider, self.wanted()))
        window.fit(session, self.wanted())
