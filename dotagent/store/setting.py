"""The rules for the core's settings of dotagent.toml, and where to find those for the others. Owns nothing on disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeVar

from dotagent import capabilities
from dotagent.text import lazy, names, times
from dotagent.text.reference import PREFIX

T = TypeVar("T")

Rule = tuple[Callable[[Any], bool], str]
"""A test for a value, and the message if it fails."""
TRUTH: Rule = (lambda value: isinstance(value, bool), "must be true or false")

_KEYED = lazy.compile(r"://[^/?#\s]*@|://\S*[?&#][^=&\s]*(?:key|token|secret|passw|auth|sig)[^=&\s]*=[^&\s]", re.I)


def is_text(value: object) -> bool:
    """Return True if the value is a text."""
    return isinstance(value, str)


def is_texts(value: object) -> bool:
    """Return True if the value is a list of texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


TEXT: Rule = (is_text, "must be a text")
RULES: Mapping[str, Rule] = {  # a test for each setting, and the message if it fails
    "provider": TEXT,
    "model": TEXT,
    "context_limit": (
        lambda value: type(value) is int and value >= 1000,
        "must be a whole number of tokens, 1000 or more, also in the variable DOTAGENT_CONTEXT_LIMIT",
    ),
    "fade_to": (
        lambda value: isinstance(value, float) and 0.1 <= value <= 0.9,
        "must be a number from 0.1 to 0.9: the share of the old text that stays when summaries replace old messages",
    ),
    "owner": (
        lambda value: isinstance(value, str) and (not value or names.PERSON.fullmatch(value) is not None),
        "must be one name, without spaces, colons and square brackets",
    ),
    "zone": (
        lambda value: isinstance(value, str) and (not value or times.is_zone(value)),
        "must be the name of a time zone, e.g. Europe/Berlin",
    ),
    "capabilities": (is_texts, 'must be a list of capabilities, e.g. ["scheduler"]; [] turns all capabilities off'),
}


OWNERS: Mapping[str, str] = {"heartbeat": "scheduler", "spawn": "helpers", "web": "web"}
"""The owner of each table of a capability. A name stays here for ever: settings outlive a capability's folder."""


NEEDS: Mapping[str, tuple[str, ...]] = {
    "heartbeat": ("scheduler",),
    "retention": ("erasure", "scheduler"),
    "dream": ("learning", "scheduler"),
    "rest": ("rest",),
    "hooks": ("hooks",),
    "web": ("web",),
    "budget": ("budget",),
    "fallback": ("fallback",),
    "spawn": ("helpers",),
    "system_prompt_extra": ("persona",),
}
"""The capabilities without which a setting has no effect."""


def flaw(table: Mapping[str, Any], rules: Mapping[str, Rule], unknown: str) -> str:
    """Return the first problem: a name without a rule, which the message calls `unknown`, or a bad value; or ""."""
    for name, value in table.items():
        if name not in rules:
            from dotagent.text import suggestions  # loaded only for a mistake

            return f"{unknown} {name[:40]!r}{suggestions.suggest_all(name, rules)}"
        holds, wanted = rules[name]
        if not holds(value):
            return f"{name} {wanted}"
    return ""


def are_core(used: Collection[str]) -> bool:
    """Return True if these are settings of the core. The rules of the others are in setting_rules.py."""
    return RULES.keys() >= {*used}


def idle(given: Collection[str]) -> list[str]:
    """Return the tables among these settings whose capability is absent."""
    return [name for name in given if name in OWNERS and OWNERS[name] not in capabilities.names()]


def find_ineffective(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each setting whose capability is off or absent, and each chosen capability that is absent."""
    known = capabilities.names()
    chosen = given.get("capabilities", known)
    for name in chosen:
        if name not in known:
            from dotagent.text import suggestions

            yield f"capabilities: {name[:40]!r} is not installed here{suggestions.suggest_all(name, known)}"
    own = {name for table in given.get("agents", {}).values() for name in table}
    for name, needs in NEEDS.items():
        for one in needs if _is_used(given.get(name)) or name in own else ():
            if one not in known or one not in chosen:
                yield f"{name} has no effect: {one} is {'off' if one in known else 'not installed here'}"
                break


def _is_used(value: object) -> bool:
    """Return True if the setting needs a capability. An alternate character needs no hook."""
    return bool(value.keys() - {"soul-evil"}) if isinstance(value, dict) else bool(value)


def find_for_agent(table: Mapping[str, T], audience: str, life: str, owner: str) -> list[T]:
    """Return what such a table has for an agent, under its audience and under its own id."""
    mine = {audience, "private" if audience == f"private {owner}" else audience}
    return [one for name, one in table.items() if name in mine or (PREFIX.fullmatch(name) and life.startswith(name))]


def credentials(value: object, place: str = "") -> Iterator[str]:
    """Yield the places in settings, e.g. `providers.ollama.base`, where an address contains a name, password or key."""
    if isinstance(value, str) and _KEYED.search(value):
        yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
    for name, one in inner:
        yield from credentials(one, f"{place}.{name}")
