"""Options and settings of providers: the keys that each provider knows, valid values, presets of servers, and the
options of a call.

A provider's module lists SETTINGS (how to reach it) and OPTIONS (how it answers). Options can be in the provider's
table, in a model's table below it, in an agent's table, and in `[background]` for background calls. The most specific
wins. Pure: it owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from dotagent import extensions
from dotagent.store import agent_tables, disk, named_agents
from dotagent.text import media, suggestions
from dotagent.text.names import ROOM
from dotagent.text.reference import PREFIX

Table = Mapping[str, object]
Tables = Mapping[str, Table]

COMMON = {
    "base": "str",
    "model": "str",
    "window": "int 1 1e12",
    "sees": "str",
    "stall": "number 0.001 1e12",
    "models": "table",
    "at_once": "int 1 32",
}
"""Settings that every provider knows."""
SERVER = {"like": "str", "key": "str", "page": "str"}
"""And what is said of a server that is spoken to like one of them."""
FORMER = frozenset({"examples"})
"""Options of earlier versions: they have no effect, but a home that still has them starts."""
BACKGROUND = {"provider": "str", "model": "str"}
"""Keys of `[background]` that are not options."""
_SAID = {"str": "a text", "int": "a whole number", "number": "a number", "bool": "true or false", "table": "a table"}
_KINDS: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "number": (int, float),
    "bool": (bool,),
    "table": (dict,),
}


@cache
def presets() -> Tables:
    """Return the preset servers, each as a table like those in settings."""
    import tomllib

    return tomllib.loads(disk.read(extensions.CODE / "providers" / "servers.toml").decode())


def allowed_keys(kind: str, what: str) -> dict[str, str]:
    """Return the keys in a provider's SETTINGS or OPTIONS, each with the allowed kinds of its value."""
    found = extensions.constants("providers", kind).get(what, {}) if kind else {}
    return {str(key): str(kinds) for key, kinds in found.items()} if isinstance(found, dict) else {}


def kind(name: str, mine: Table) -> str:
    """Return the provider module for this table, or "" for a custom program."""
    files = extensions.names("providers")
    like = str({**presets().get(name, {}), **mine}.get("like", ""))
    return name if name in files else like if like in files else ""


def flaws(providers: Tables, agents: Tables, background: Table) -> Iterator[str]:
    """Yield the problems with the tables of settings, each with its place."""
    for name, table in providers.items():
        if wrong := _server(name, table) or _flaw(name, table):
            yield f"[providers.{name}] {wrong}"
    for life, table in agents.items():
        if not PREFIX.fullmatch(life) and not named_agents.is_name(life):
            yield f"[agents.{life}] must name an agent: 8 or more digits of its id, or a name of a-z, 0-9, _ and -"
            continue
        rest = {name: one for name, one in table.items() if name not in agent_tables.OWN}
        if wrong := agent_tables.flaw(table) or named_agents.flaw(table) or _find_problem(rest):
            yield f"[agents.{life}] {wrong}"
    for name, one in background.items():
        if name in BACKGROUND and not isinstance(one, str):
            yield f"[background] {name} must be a text"
    rest = {name: one for name, one in background.items() if name not in BACKGROUND}
    other = str(background.get("provider", ""))
    if wrong := _find_problem(rest, kind(other, providers.get(other, {}))):
        yield f"[background] {wrong}"


def _server(name: str, table: Table) -> str:
    """Return the problem with a custom server's name or table, or ""."""
    if name in extensions.names("providers") or not ("like" in table or name in presets()):
        return ""
    like, key = table.get("like", presets().get(name, {}).get("like")), table.get("key", "KEY")
    if not ROOM.fullmatch(name):
        return "cannot be the name of a provider; use a-z, 0-9, _ and -"
    if like not in extensions.names("providers"):
        return f"`like` must be one of {', '.join(extensions.names('providers'))}"
    if not isinstance(key, str) or not re.fullmatch("[A-Z][A-Z0-9_]*", key):
        return 'key must be the name of a variable, e.g. key = "GROQ_API_KEY"; the secret itself belongs in .env'
    return ""


def _flaw(name: str, table: Table) -> str:
    """Return the problem with a provider's table, or "". A custom program may have any settings."""
    file = kind(name, table)
    if not file:
        return ""
    more = SERVER if file != name else {}
    if wrong := _misfit(
        table, {**COMMON, **more, **allowed_keys(file, "SETTINGS"), **allowed_keys(file, "OPTIONS")}, "setting"
    ):
        return wrong
    if {*str(table.get("sees", "")).split()} - {*media.KINDS}:
        return f'`sees` must be one or more of {", ".join(media.KINDS)}, separated by spaces, or "" to send none'
    models = table.get("models", {})
    assert isinstance(models, dict)
    for model, options in models.items():
        if (
            wrong := _misfit(options, allowed_keys(file, "OPTIONS"), "option")
            if isinstance(options, dict)
            else "must be a table"
        ):
            return f'model "{model}": {wrong}'
    return ""


def _misfit(table: Table, keys: Mapping[str, str], what: str) -> str:
    for key, value in table.items():
        if key in FORMER:
            continue
        if key not in keys:
            return f"has no {what} {key!r}{suggestions.suggest_all(key, sorted(keys))}"
        if not fits(keys[key], value):
            return f"{key} must be {said(keys[key])}"
    return ""


def _find_problem(table: Table, file: str = "") -> str:
    """Return the problem with a table of options for this provider, or for all providers if `file` is empty."""
    if not table:  # most homes have no options, and need no provider's file
        return ""
    files = [file] if file else extensions.names("providers")
    there: dict[str, list[str]] = {}
    for name in files:
        for key, kinds in allowed_keys(name, "OPTIONS").items():
            there.setdefault(key, []).append(kinds)
    for key, value in table.items():
        if key in FORMER:
            continue
        if key not in there:
            return f"has no option {key!r}{suggestions.suggest_all(key, sorted(there))}"
        if not any(fits(kinds, value) for kinds in there[key]):
            return f"{key} must be {', or '.join(dict.fromkeys(map(said, there[key])))}"
    return ""


def fits(kinds: str, value: object) -> bool:
    """Return True if the value is of one of the kinds. `bool int 1 9` allows a bool or an int from 1 to 9, and
    `text|native` one of these words."""
    words = kinds.split()
    bounds = [float(word) for word in words if _number(word)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        right = any(type(value) in _KINDS.get(word, ()) for word in words)
        return right and (bounds[0] <= value <= bounds[1] if bounds else value == value)
    return any(value in word.split("|") if "|" in word else type(value) in _KINDS.get(word, ()) for word in words)


def said(kinds: str) -> str:
    """Return in words which values are of one of the kinds."""
    words = [word for word in kinds.split() if not _number(word)]
    bounds = [f"{float(word):,.15g}" for word in kinds.split() if _number(word)]
    told = [" or ".join(f'"{one}"' for one in word.split("|")) if "|" in word else _SAID[word] for word in words]
    return " or ".join(told) + (f" from {' to '.join(bounds)}" if bounds else "")


def _number(word: str) -> bool:
    return word[0].isdigit()


def longest(tables: Tables, name: str) -> Table:
    """Return the table whose name is the longest prefix of `name`, or {}."""
    fitting = [one for one in tables if name.startswith(one)]
    return tables[max(fitting, key=len)] if fitting else {}


def merge_options(file: str, mine: Table, model: str, *more: Table) -> dict[str, object]:
    """Return the options of a call, from the provider's table, the model's table, and `more`; later tables win.

    Options that the provider does not know are dropped. A custom program gets everything in `more`.
    """
    models = mine.get("models")
    layers = (mine, longest(models if isinstance(models, dict) else {}, model), *more) if file else more
    if not any(layers):
        return {}
    keys = allowed_keys(file, "OPTIONS")
    return {
        key: value
        for table in layers
        for key, value in table.items()
        if not file or (key in keys and fits(keys[key], value))
    }


def former(mine: Table) -> list[str]:
    """The options of earlier versions in a provider's table, or in what that says of models."""
    models = mine.get("models")
    tables = (mine, *(models.values() if isinstance(models, dict) else ()))
    return sorted({key for table in tables for key in FORMER.intersection(table)})


def untaken(file: str, table: Table) -> list[str]:
    """Return the options of a table that this provider does not know, or whose value is invalid."""
    keys = allowed_keys(file, "OPTIONS")
    return sorted(key for key, value in table.items() if file and not (key in keys and fits(keys[key], value)))
