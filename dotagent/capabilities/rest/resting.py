"""When an agent's context is summarised at rest, if no message came until then, and if that pays: after a short pause,
or else shortly before the cache of the provider drops the last prompt.

The compactor asks for the summaries, and swaps at once after a short pause, or else when the cache has ended. Owns
`run/rest.json` in the agent's directory, the plan of the next rest; the command `status` shows it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from dotagent import tools
from dotagent.capabilities.rest import replies, rule
from dotagent.capabilities.rest.plan_file import PlannedRest
from dotagent.capabilities.rest.replies import Last
from dotagent.capabilities.rest.rule import Price
from dotagent.errors import Trouble
from dotagent.life import context, prompt, questions
from dotagent.life.context import tokens_of
from dotagent.life.events import Ask
from dotagent.life.session import Session
from dotagent.store import disk, home, provider_status, requests
from dotagent.store.log import Line
from dotagent.text import times

EARLY = 0.9  # share of the cache's lifetime after which the summaries are requested
ANSWER = 20.0  # seconds before that: as long as a long answer takes
PAUSE = 300.0  # seconds without a message after which a rest can pay although the cache lasts longer


class Resting:
    """The next rest of one agent. `clock` returns the present as Unix time."""

    def __init__(self, session: Session, clock: Callable[[], float] = lambda: time.time()) -> None:
        self._session, self._clock = session, clock
        PlannedRest.remove(session.path)  # an earlier process left it, and knew no more than this process
        self._seen = ""  # the time of the last request for which a rest was considered
        self._plan: PlannedRest | None = None
        self._asked = False  # whether this process has sent a request

    def hear(self, line: Line) -> None:
        """Forget the plan when a request is sent."""
        if line.event == Ask.WORD:
            self._asked = True
            self._drop()

    def consider(self) -> None:
        """Plan a rest after the last request, once, if it pays."""
        forgetting, turn = self._session.state.forgetting, self._session.state.turn
        if turn.call or turn.look or turn.waits or turn.unanswered or forgetting.compaction or forgetting.restate:
            return
        last = replies.last(self._session.path / "LIFE.md")
        if last is None or last.at == self._seen:
            return
        self._seen = last.at
        if plan := self._make(last):
            self._plan = plan
            plan.write(self._session.path)

    def sleep(self) -> float | None:
        """Return the seconds until the planned rest, or None without one."""
        return max(0.05, self._plan.begin - self._clock()) if self._plan else None

    def look(self) -> bool:
        """Request the planned compaction if its time has come. Return False: this records no event."""
        plan = self._plan
        if plan and self._clock() >= plan.begin:
            self._drop()
            if not plan.by_model or (self._clock() < plan.end and self._begins_alike(plan.request)):
                disk.make_dir(self._session.path / "run")
                wish = f"{'rest' if plan.by_model else 'extract'} {plan.lasts:.0f}"
                disk.replace(self._session.path / "run" / "fade", wish.encode())
        return False

    def _drop(self) -> None:
        if self._plan:
            self._plan = None
            PlannedRest.remove(self._session.path)

    def _make(self, last: Last) -> PlannedRest | None:
        """Return the plan of a rest after this request, or None if it does not pay or cannot be computed."""
        settings = home.settings_now(self._session.home, self._session.settings)
        by_model = settings.rest == "priced"
        price = self._price(last) if settings.rest != "off" and not (by_model and settings.background) else None
        if price is None or self._session.terms:
            return None
        sizes, limit = self._sizes(), self._session.limit
        seen = replies.find_pauses(self._session.path / "LIFE.md", last.told["provider"], last.told["model"])
        lasts = rule.lifetime(price.lasts, list(seen))
        begin, waits = (EARLY * lasts - ANSWER if by_model else lasts), lasts
        saves = rule.saving(sizes, price, by_model)
        early = rule.saving_early(sizes, price, limit if sizes.prevents(limit + self._fixed) else 0, by_model)
        if begin > PAUSE and early > 0 and not self._continues_soon():
            begin, waits, saves = PAUSE, 0.0, early
        if saves <= 0 or begin <= 0:
            return None
        asked = times.parse(last.at).timestamp()
        return PlannedRest(last.id, asked + begin, asked + lasts, waits, sizes.before, sizes.after, saves, by_model)

    @property
    def _fixed(self) -> int:
        """Return the tokens of the prompt before its entries, which the limit does not count."""
        model = self._session.state.model
        return int(model.fixed * model.ratio)

    def _continues_soon(self) -> bool:
        """Return True if the conversation will soon continue, because a helper works or a question to the person is
        open."""
        heard = self._session.state.heard
        if heard.spawned:
            from dotagent.life import background_events  # most agents have no helpers

            if any(one.goes_on for one in background_events.works(heard).values()):
                return True
        return any(one.until > times.now() for one in questions.standing(self._session.state))

    def _price(self, last: Last) -> Price | None:
        """Return the price of the request's model, or None if it is unknown."""
        provider, model = last.told.get("provider", ""), last.told.get("model", "")
        published = provider_status.published(self._session.home).get(provider, {}).get("prices")
        if provider != self._session.provider or not isinstance(published, dict):
            return None
        from dotagent.store import options  # most agents have no priced model

        return rule.read(options.longest(published, model))

    def _sizes(self) -> rule.Sizes:
        """Return the tokens of the prompt now and after the rest."""
        from dotagent.compaction import fade_plan, plan  # most agents never rest

        session = self._session
        fading = plan.dense(plan.eligible(session.entries, fade_plan.held(session), why=plan.REST), plan.REST)
        gone = tokens_of(fading)
        summary = min(plan.SUMMED, int(plan.summary_share(fading) * gone))
        ratio = session.state.model.ratio
        before = int(tokens_of(session.entries) * ratio) + self._fixed
        enough = len(fading) > 1 and gone >= plan.SMALL
        left = before - int((gone - summary) * ratio) if enough else before
        same = session.entries.index(fading[0]) if fading else 0
        new = left - self._fixed - int(tokens_of(session.entries[:same]) * ratio)
        return rule.Sizes(before, left, int(plan.ASKED * summary * ratio), new)

    def _begins_alike(self, id: str) -> bool:
        """Return True if a request now begins byte for byte as that request, so that the cache has its beginning."""
        from dotagent.store import request_rebuilding  # most agents never rest

        session = self._session
        try:
            parts = request_rebuilding.Rebuilder(session.store).request(id).parts
        except Trouble:
            return False
        usage, schemas = tools.describe_tools(session)
        native = bool(requests.tools(parts))
        if native and not self._asked:
            return False  # the first request of a process outside the conversation lacks the definitions of tools
        head = session.head(usage, schemas() if native else "")
        now = [*head, *prompt.parts(context.in_prompt_order(session.entries))]
        return [(one.role, one.text) for one in now[: len(parts)]] == [(one.role, one.text) for one in parts]
