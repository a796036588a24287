"""The rules for the tables of single agents, such as `[agents.9f8e7d6c]`, and for fallback providers and budgets. Owns
nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dotagent.store import named_agents
from dotagent.text import names
from dotagent.text.reference import PREFIX

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
        'must be one table for each agent, e.g. [agents.aria] rooms = ["dev"]. The name of a table is the id (8 digits '
        "or more) or the name of the agent. Each table may have options, fallback, budget and identity. If you use the "
        "agent's name, the table may also have soul, audience, rooms, provider and model",
    ),
}
