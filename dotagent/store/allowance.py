"""What a person allows their agents, as settings say it: who answers instead of a provider that is away, and how much
all answers may take.

`fallback` and `[budget]` are the home's; a life's own stand under `[agents.9f8e7d6c]`, its id or the beginning of it,
or under its name (store/listed.py). Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dotagent.store import listed
from dotagent.text import names
from dotagent.text.reference import PREFIX

Own = Mapping[str, Mapping[str, object]]
"""The settings of lives' own, under their ids."""


BUDGETS = ("tokens_a_day", "tokens_a_month", "dollars_a_day", "dollars_a_month")


@dataclass(frozen=True)
class Limit:
    """One budget: under its `name`, of BUDGETS, `most` tokens or US dollars, for a `life` as settings name it, or
    (empty) for the home."""

    life: str
    name: str
    most: float

    @property
    def dollars(self) -> bool:
        """Whether it is of money."""
        return self.name.startswith("dollars")

    @property
    def daily(self) -> bool:
        """Whether it is a day's."""
        return self.name.endswith("day")

    @property
    def place(self) -> str:
        """Where in the settings it stands."""
        return f"[agents.{self.life}.budget]" if self.life else "[budget]"

    def amount(self, used: float) -> str:
        """So much of it, for a person."""
        if not self.dollars:
            return f"{used:,.0f} tokens"
        return f"${used:,.2f}" if used >= 1 or used == round(used, 2) else f"${used:,.4f}"


def _budgeted(value: object) -> bool:
    """Whether this is a table of budgets."""
    numbers = isinstance(value, dict) and all(type(one) in (int, float) and 0 <= one < 1e12 for one in value.values())
    return numbers and isinstance(value, dict) and set(value) <= set(BUDGETS)


def faced(value: object) -> bool:
    """Whether this is a table of how an agent is shown."""
    texts = isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
    return texts and isinstance(value, dict) and set(value) <= {"name", "avatar", "emoji"}


def _listed(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and names.ROOM.fullmatch(one) for one in value)


def _owned(value: object) -> bool:
    """Whether these are tables of lives; what stands in them is looked at apart (`flaw`)."""
    return isinstance(value, dict) and all(
        isinstance(one, dict) and (PREFIX.fullmatch(id) or listed.is_name(id)) for id, one in value.items()
    )


def flaw(table: Mapping[str, object]) -> str:
    """What is wrong with a fallback, a budget or an identity of a life's own, "" for nothing."""
    wrong = (name for name, holds in OWN.items() if name in table and not holds(table[name]))
    return next((f"{name} {WANTED[name]}" for name in wrong if name in WANTED), "")


OWN: Mapping[str, Callable[[object], bool]] = {
    "fallback": _listed,
    "budget": _budgeted,
    "identity": faced,
    **{name: holds for name, (holds, _) in listed.OWN.items()},
}  # what a life can have of its own
WANTED = {
    "budget": f"must be a table of {', '.join(BUDGETS)}, each a number, e.g. [budget] dollars_a_day = 2",
    "fallback": 'must be a list of providers, e.g. ["openai", "local"]',
    "identity": "must be a table of name, avatar and emoji, each a text",
}
RULES: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "budget": (_budgeted, WANTED["budget"]),
    "fallback": (_listed, WANTED["fallback"]),
    "agents": (
        _owned,
        "must be tables under lives' ids (8 digits or more) or names, which may have options, fallback, budget and "
        'identity, and under a name soul, audience, rooms, provider and model, e.g. [agents.aria] rooms = ["dev"]',
    ),
}


def fallback(shared: tuple[str, ...], agents: Own, life: str) -> tuple[str, ...]:
    """Who answers a life instead of a provider that is away, one after the other: its own list, else the home's."""
    own = of(agents, life).get("fallback")
    return tuple(map(str, own)) if isinstance(own, list) else shared


def limits(shared: Mapping[str, float], agents: Own, life: str) -> list[Limit]:
    """The budgets that a life is under, its own and the home's; `life` empty: the home's alone."""
    tables = [(id, agents[id]["budget"]) for id in agents if life.startswith(id) and "budget" in agents[id]]
    id, own = max(tables, key=lambda one: len(one[0]), default=("", {}))
    mine = [Limit(id, name, float(most)) for name, most in own.items()] if isinstance(own, dict) else []
    return [*mine, *(Limit("", name, float(most)) for name, most in shared.items())]


def of(agents: Own, life: str) -> Mapping[str, object]:
    """The settings of a life's own; of several tables that name it, the one that names it longest goes before."""
    mine = sorted((id for id in agents if life.startswith(id)), key=len)
    return {name: value for id in mine for name, value in agents[id].items()}
