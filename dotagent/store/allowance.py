"""Settings for fallback providers and for budgets of tokens and dollars.

`fallback` and `[budget]` apply to the whole home. An agent's own settings are in `[agents.9f8e7d6c]`, named by the
agent's id, the beginning of its id, or its name (store/named_agents.py). Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dotagent.store import named_agents
from dotagent.text import names
from dotagent.text.reference import PREFIX

Own = Mapping[str, Mapping[str, object]]
"""The settings of single agents, keyed by id or the beginning of an id."""


BUDGETS = ("tokens_a_day", "tokens_a_month", "dollars_a_day", "dollars_a_month")


def _budgeted(value: object) -> bool:
    """Return True if `value` is a table of budgets."""
    numbers = isinstance(value, dict) and all(type(one) in (int, float) and 0 <= one < 1e12 for one in value.values())
    return numbers and isinstance(value, dict) and set(value) <= set(BUDGETS)


def faced(value: object) -> bool:
    """Return True if `value` is a table with the name, avatar and emoji of an agent."""
    texts = isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
    return texts and isinstance(value, dict) and set(value) <= {"name", "avatar", "emoji"}


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and names.ROOM.fullmatch(one) for one in value)


def _owned(value: object) -> bool:
    """Return True if `value` is a table of agents' tables. `flaw` checks the contents of these tables."""
    return isinstance(value, dict) and all(
        isinstance(one, dict) and (PREFIX.fullmatch(id) or named_agents.is_name(id)) for id, one in value.items()
    )


def flaw(table: Mapping[str, object]) -> str:
    """Return the problem with an agent's fallback, budget or identity, or ""."""
    wrong = (name for name, holds in OWN.items() if name in table and not holds(table[name]))
    return next((f"{name} {WANTED[name]}" for name in wrong if name in WANTED), "")


OWN: Mapping[str, Callable[[object], bool]] = {
    "fallback": _is_list,
    "budget": _budgeted,
    "identity": faced,
    **{name: holds for name, (holds, _) in named_agents.OWN.items()},
}  # settings that a single agent can have
WANTED = {
    "budget": f"must be a table of {', '.join(BUDGETS)}, each a number, e.g. [budget] dollars_a_day = 2",
    "fallback": 'must be a list of providers, e.g. ["openai", "local"]',
    "identity": "must be a table of name, avatar and emoji, each a text",
}
RULES: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "budget": (_budgeted, WANTED["budget"]),
    "fallback": (_is_list, WANTED["fallback"]),
    "agents": (
        _owned,
        "must be a table for each agent, under its id (8 digits or more) or its name. The table of an agent may have "
        "options, fallback, budget and identity. A table under a name may also have the fields soul, audience, rooms, "
        'provider and model, e.g. [agents.aria] rooms = ["dev"]',
    ),
}


def fallback(shared: tuple[str, ...], agents: Own, life: str) -> tuple[str, ...]:
    """Return the providers that answer for an agent while its own is unavailable, in order: its own list, or the
    home's."""
    own = own_settings(agents, life).get("fallback")
    return tuple(map(str, own)) if isinstance(own, list) else shared


def own_settings(agents: Own, life: str) -> Mapping[str, object]:
    """Return an agent's own settings. If several tables name the agent, the table with the longest name wins."""
    mine = sorted((id for id in agents if life.startswith(id)), key=len)
    return {name: value for id in mine for name, value in agents[id].items()}
