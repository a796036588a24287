"""Budgets: limits for the tokens or the cost of an agent and its helpers, or of a home, in a day or a month.

Shortly before a limit, the room gets a warning; at the limit, no more requests are sent. LIFE records the usage, so a
restart changes nothing. The check comes before each request, so pending requests may exceed a budget. Owns nothing on
disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from dotagent.errors import Misuse
from dotagent.life import spending, usage
from dotagent.life.events import Tell
from dotagent.life.session import Session
from dotagent.life.state import Used
from dotagent.store import helpers, home
from dotagent.store.home import Home, Settings
from dotagent.text import times
from dotagent.text.lazy import dataclass

NEARLY = 0.8  # the part of a budget after which the room gets a warning


@dataclass(frozen=True)
class Limit:
    """A budget: at most `most` tokens or US dollars for the agent `life`, or for the home if `life` is empty. `name` is
    one of BUDGETS."""

    life: str
    name: str
    most: float

    @property
    def dollars(self) -> bool:
        """Return True if the budget is in dollars."""
        return self.name.startswith("dollars")

    @property
    def daily(self) -> bool:
        """Return True if the budget is per day."""
        return self.name.endswith("day")

    @property
    def place(self) -> str:
        """Return the name of the settings table that contains the budget."""
        return f"[agents.{self.life}.budget]" if self.life else "[budget]"

    def amount(self, used: float) -> str:
        """Format `used` with its unit, for a person."""
        if not self.dollars:
            return f"{used:,.0f} tokens"
        return f"${used:,.2f}" if used >= 1 or used == round(used, 2) else f"${used:,.4f}"


def find_limits(shared: Mapping[str, float], agents: Mapping[str, Mapping[str, object]], life: str) -> list[Limit]:
    """Return an agent's own budgets and the home's. With an empty `life`, return only the home's."""
    tables = [(id, agents[id]["budget"]) for id in agents if life.startswith(id) and "budget" in agents[id]]
    id, own = max(tables, key=lambda one: len(one[0]), default=("", {}))
    mine = [Limit(id, name, float(most)) for name, most in own.items()] if isinstance(own, dict) else []
    return [*mine, *(Limit("", name, float(most)) for name, most in shared.items())]


class Others:
    """The usage of the other agents of a home. Each check reads only the new part of their LIFE."""

    def __init__(self, where: Home, but: str = "") -> None:
        self._home, self._but = where, but
        self._store = where.store()
        self._read = dict[str, tuple[Used, int]]()

    def used(self) -> dict[str, Used]:
        """Return the usage of each agent up to its last answer."""
        for life in home.lives(self._home):
            path = self._home.agent(life) / "LIFE.md"
            if life != self._but and (life not in self._read or path.stat().st_size > self._read[life][1]):
                self._read[life] = usage.read(self._store, path, self._read.get(life))
        return {life: used for life, (used, _) in self._read.items()}


class Budget:
    """The budgets that apply to an agent. `clock` returns the present time, as times.now does."""

    def __init__(self, session: Session, clock: Callable[[], str] = times.now) -> None:
        self._session, self._clock = session, clock
        self._others = Others(session.home, session.id)
        self._makers = {session.id: helpers.makers(session.store, session.id)}
        self._limits = self._known(session.settings)

    def held(self) -> str:
        """Return why no request may be sent, and how to continue, or "" if requests are allowed.

        If a budget is used up, this reads the settings again, so that a raised budget needs no restart.
        """
        if self._over():
            with suppress(Misuse):
                self._limits = self._known(home.settings(self._session.home))
        if not (over := self._over()):
            return ""
        limit, took = over
        until = "midnight" if limit.daily else "the first of next month"
        return (
            f"the budget of {describe_limit(limit)} is used up ({limit.amount(took)}). I continue after {until}, or "
            f"when you raise {limit.name} under {limit.place} in dotagent.toml and send me a message"
        )

    def nearly(self, room: str) -> Tell | None:
        """Return the warning that a budget is nearly used up, once for each budget and period, or None."""
        day = times.local_day(self._clock())
        for limit, took in self._sums():
            mark = f"{limit.life or 'home'}:{limit.name}:{limit.most:g}:{day if limit.daily else day[:7]}"
            if took >= NEARLY * limit.most and mark not in self._session.state.used.told:
                text = f"(budget: {took / limit.most:.0%} of {describe_limit(limit)} is used, {limit.amount(took)})"
                return Tell(room, budget=mark, text=text)
        return None

    def pause(self) -> float:
        """Return the seconds until the next day begins, at most an hour."""
        return min(3600.0, times.seconds_left_of_day(self._clock()) + 1.0)

    def _known(self, settings: Settings) -> list[tuple[Limit, str]]:
        """Return each budget with the agent that it limits, "" for the home: the home's, this agent's, and its
        parents'."""
        mine = (self._session.id, *self._makers[self._session.id])
        shared = [(limit, "") for limit in find_limits(settings.budget, {}, "")]
        return [(limit, one) for one in mine for limit in find_limits({}, settings.agents, one)] + shared

    def _over(self) -> tuple[Limit, float] | None:
        return next(((limit, took) for limit, took in self._sums() if took >= limit.most), None)

    def _sums(self) -> Iterator[tuple[Limit, float]]:
        used = {self._session.id: self._session.state.used, **(self._others.used() if self._limits else {})}
        for life in used:
            if life not in self._makers:
                self._makers[life] = helpers.makers(self._session.store, life)
        day = times.local_day(self._clock())
        for limit, whose in self._limits:
            yield limit, took(limit, kin(used, whose, self._makers), day)


def kin(used: Mapping[str, Used], life: str, makers: Mapping[str, Collection[str]]) -> list[Used]:
    """Return the usage of an agent, its helpers and theirs; for "" the usage of all agents."""
    return [one for id, one in used.items() if not life or id == life or life in makers[id]]


def report(where: Home, settings: Settings, lives: Collection[str], day: str) -> Iterator[tuple[str, Limit, float]]:
    """Yield each budget of the home and of these agents: its owner, the limit, and the usage by this day."""
    found = {life: usage.read(where.store(), where.agent(life) / "LIFE.md")[0] for life in home.lives(where)}
    for limit in find_limits(settings.budget, {}, ""):
        yield "home", limit, took(limit, found.values(), day)
    makers = {life: helpers.makers(where.store(), life) for life in found}
    for life in lives:
        for limit in find_limits({}, settings.agents, life):
            yield life, limit, took(limit, kin(found, life, makers), day)


def describe_limit(limit: Limit) -> str:
    """Return the budget in words for a person: `$2.00 a day for all agents`."""
    whose = "this agent" if limit.life else "all agents"
    return f"{limit.amount(limit.most)} a {'day' if limit.daily else 'month'} for {whose}"


def took(limit: Limit, lives: Iterable[Used], day: str) -> float:
    """Return the usage of these agents in the budget's period, in tokens or US dollars. `day` is as `times.local_day`
    returns it."""
    now = [spending.on(one, day) for one in lives]
    if limit.dollars:
        return sum(one.day_cost if limit.daily else one.month_cost for one in now) / 1e6
    return float(sum(one.day_tokens if limit.daily else one.month_tokens for one in now))
