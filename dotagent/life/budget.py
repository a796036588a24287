"""Budgets: what all answers to a life and its helpers, and to all lives of a home, may take in a day or a month; told
of when little is left, and held when nothing is.

What was used stands in LIFE, so a restart changes nothing. It is looked at before each request, and a request that is
out is paid for: a budget may be passed by what is under way then. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from dotagent.errors import Misuse
from dotagent.life import spending
from dotagent.life.events import Tell
from dotagent.life.session import Session
from dotagent.life.state import Used
from dotagent.store import allowance, home, spawned
from dotagent.store.allowance import Limit
from dotagent.store.home import Home, Settings
from dotagent.text import times

NEARLY = 0.8  # of a budget: from here on its life's person is told


class Others:
    """What the other lives of a home used: of each what is new in its LIFE is read at every look."""

    def __init__(self, where: Home, but: str = "") -> None:
        self._home, self._but = where, but
        self._store = where.store()
        self._read = dict[str, tuple[Used, int]]()

    def used(self) -> dict[str, Used]:
        """Of each what it used, as of its last answer."""
        for life in home.lives(self._home):
            path = self._home.agent(life) / "LIFE.md"
            if life != self._but and (life not in self._read or path.stat().st_size > self._read[life][1]):
                self._read[life] = spending.read(self._store, path, self._read.get(life))
        return {life: used for life, (used, _) in self._read.items()}


class Budget:
    """The budgets that a life is under; `clock` tells the present, as times.now does."""

    def __init__(self, session: Session, clock: Callable[[], str] = times.now) -> None:
        self._session, self._clock = session, clock
        self._others = Others(session.home, session.id)
        self._makers = {session.id: spawned.makers(session.store, session.id)}
        self._limits = self._known(session.settings)

    def held(self) -> str:
        """Why nothing is asked now, and how to go on; "" where all may be asked.

        Settings are read again for that, so who raised a budget need not start the life anew.
        """
        if self._over():
            with suppress(Misuse):
                self._limits = self._known(home.settings(self._session.home))
        if not (over := self._over()):
            return ""
        limit, took = over
        until = "midnight" if limit.daily else "the first of next month"
        return (
            f"the budget of {told(limit)} is used up ({limit.amount(took)}): I go on after {until}, or as soon as "
            f"{limit.name} under {limit.place} in dotagent.toml is higher and you say a word"
        )

    def nearly(self, room: str) -> Tell | None:
        """That most of a budget is used, to be told once in the room; None where there is no such."""
        day = times.local_day(self._clock())
        for limit, took in self._sums():
            mark = f"{limit.life or 'home'}:{limit.name}:{limit.most:g}:{day if limit.daily else day[:7]}"
            if took >= NEARLY * limit.most and mark not in self._session.state.used.told:
                text = f"(budget: {took / limit.most:.0%} of {told(limit)} is used, {limit.amount(took)})"
                return Tell(room, budget=mark, text=text)
        return None

    def pause(self) -> float:
        """Seconds until the next day begins, an hour at most."""
        return min(3600.0, times.left_of_day(self._clock()) + 1.0)

    def _known(self, settings: Settings) -> list[tuple[Limit, str]]:
        """The budgets and whose they are: the home's, its own, and those of who made it."""
        mine = (self._session.id, *self._makers[self._session.id])
        shared = [(limit, "") for limit in allowance.limits(settings.budget, {}, "")]
        return [(limit, one) for one in mine for limit in allowance.limits({}, settings.agents, one)] + shared

    def _over(self) -> tuple[Limit, float] | None:
        return next(((limit, took) for limit, took in self._sums() if took >= limit.most), None)

    def _sums(self) -> Iterator[tuple[Limit, float]]:
        used = {self._session.id: self._session.state.used, **(self._others.used() if self._limits else {})}
        for life in used:
            if life not in self._makers:
                self._makers[life] = spawned.makers(self._session.store, life)
        day = times.local_day(self._clock())
        for limit, whose in self._limits:
            yield limit, took(limit, kin(used, whose, self._makers), day)


def kin(used: Mapping[str, Used], life: str, makers: Mapping[str, Collection[str]]) -> list[Used]:
    """What a life and its helpers, and theirs, used; for none what all did."""
    return [one for id, one in used.items() if not life or id == life or life in makers[id]]


def report(where: Home, settings: Settings, lives: Collection[str], day: str) -> Iterator[tuple[str, Limit, float]]:
    """Every budget of the home and of these lives: whose it is, the limit, and what was taken of it by this day."""
    found = {life: spending.read(where.store(), where.agent(life) / "LIFE.md")[0] for life in home.lives(where)}
    for limit in allowance.limits(settings.budget, {}, ""):
        yield "home", limit, took(limit, found.values(), day)
    makers = {life: spawned.makers(where.store(), life) for life in found}
    for life in lives:
        for limit in allowance.limits({}, settings.agents, life):
            yield life, limit, took(limit, kin(found, life, makers), day)


def told(limit: Limit) -> str:
    """The budget, for a person: `$2.00 a day for this home`."""
    whose = "this agent" if limit.life else "this home"
    return f"{limit.amount(limit.most)} a {'day' if limit.daily else 'month'} for {whose}"


def took(limit: Limit, lives: Iterable[Used], day: str) -> float:
    """What these lives took of a budget by this day, as `times.local_day` tells it, in tokens or US dollars."""
    now = [spending.on(one, day) for one in lives]
    if limit.dollars:
        return sum(one.day_cost if limit.daily else one.month_cost for one in now) / 1e6
    return float(sum(one.day_tokens if limit.daily else one.month_tokens for one in now))
