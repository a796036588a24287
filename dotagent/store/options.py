"""What settings say of providers and to models: which keys each provider knows, whether a value can be one, which
servers are spoken to like one of the providers, and what a call is asked with.

A provider's file says at its top what it knows: SETTINGS, of how it is reached, and OPTIONS, of how it shall answer.
Options stand in the provider's table, below it for a model, in a life's table, and in `[background]` for calls beside
the conversation; the nearest counts. Pure: it owns nothing on disk.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache

from dotagent import extensions
from dotagent.store import allowance, disk, listed
from dotagent.text import media, near
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
"""What all providers know beside their own."""
SERVER = {"like": "str", "key": "str", "page": "str"}
"""And what is said of a server that is spoken to like one of them."""
BACKGROUND = {"provider": "str", "model": "str"}
"""What `[background]` has beside options."""
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
    """The servers that are known already, each as its table in settings would be."""
    return tomllib.loads(disk.read(extensions.CODE / "providers" / "servers.toml").decode())


def known(kind: str, what: str) -> dict[str, str]:
    """The keys that a provider's file lists under SETTINGS or OPTIONS, each with the kinds of its value."""
    found = extensions.constants("providers", kind).get(what, {}) if kind else {}
    return {str(key): str(kinds) for key, kinds in found.items()} if isinstance(found, dict) else {}


def kind(name: str, mine: Table) -> str:
    """The file by which the provider with this table is spoken to; "" for a program of somebody's own."""
    files = extensions.names("providers")
    like = str({**presets().get(name, {}), **mine}.get("like", ""))
    return name if name in files else like if like in files else ""


def flaws(providers: Tables, agents: Tables, background: Table) -> Iterator[str]:
    """What is wrong with the tables of settings, each with its place."""
    for name, table in providers.items():
        if wrong := _server(name, table) or _flaw(name, table):
            yield f"[providers.{name}] {wrong}"
    for life, table in agents.items():
        if not PREFIX.fullmatch(life) and not listed.is_name(life):
            yield f"[agents.{life}] is for a life: 8 or more digits of its id, or a name: a-z, 0-9, _ and -"
            continue
        rest = {name: one for name, one in table.items() if name not in allowance.OWN}
        if wrong := allowance.flaw(table) or listed.flaw(table) or _unknown(rest):
            yield f"[agents.{life}] {wrong}"
    for name, one in background.items():
        if name in BACKGROUND and not isinstance(one, str):
            yield f"[background] {name} must be a text"
    rest = {name: one for name, one in background.items() if name not in BACKGROUND}
    other = str(background.get("provider", ""))
    if wrong := _unknown(rest, kind(other, providers.get(other, {}))):
        yield f"[background] {wrong}"


def _server(name: str, table: Table) -> str:
    """What is wrong with how a server of one's own is named, and with what is said of it."""
    if name in extensions.names("providers") or not ("like" in table or name in presets()):
        return ""
    like, key = table.get("like", presets().get(name, {}).get("like")), table.get("key", "KEY")
    if not ROOM.fullmatch(name):
        return "cannot be its name: a-z, 0-9, _ and -"
    if like not in extensions.names("providers"):
        return f"like must be one of {', '.join(extensions.names('providers'))}"
    if not isinstance(key, str) or not re.fullmatch("[A-Z][A-Z0-9_]*", key):
        return 'key must be the name of a variable, e.g. key = "GROQ_API_KEY": settings hold no secret'
    return ""


def _flaw(name: str, table: Table) -> str:
    """What is wrong with a provider's table, "" for nothing; a program of somebody's own has what it likes."""
    file = kind(name, table)
    if not file:
        return ""
    more = SERVER if file != name else {}
    if wrong := _misfit(table, {**COMMON, **more, **known(file, "SETTINGS"), **known(file, "OPTIONS")}, "setting"):
        return wrong
    if {*str(table.get("sees", "")).split()} - {*media.KINDS}:
        return f'sees must be some of {", ".join(media.KINDS)}, with blanks between, or "" for none of them'
    models = table.get("models", {})
    assert isinstance(models, dict)
    for model, options in models.items():
        if wrong := _misfit(options, known(file, "OPTIONS"), "option") if isinstance(options, dict) else "is no table":
            return f'of the model "{model}" {wrong}'
    return ""


def _misfit(table: Table, keys: Mapping[str, str], what: str) -> str:
    for key, value in table.items():
        if key not in keys:
            return f"has no {what} {key!r}{near.among(key, sorted(keys))}"
        if not fits(keys[key], value):
            return f"{key} must be {_said(keys[key])}"
    return ""


def _unknown(table: Table, file: str = "") -> str:
    """What is wrong with a table of options for this provider, or, where it is not known, for all of them."""
    files = [file] if file else extensions.names("providers")
    there: dict[str, list[str]] = {}
    for name in files:
        for key, kinds in known(name, "OPTIONS").items():
            there.setdefault(key, []).append(kinds)
    for key, value in table.items():
        if key not in there:
            return f"has no option {key!r}{near.among(key, sorted(there))}"
        if not any(fits(kinds, value) for kinds in there[key]):
            return f"{key} must be {', or '.join(dict.fromkeys(map(_said, there[key])))}"
    return ""


def fits(kinds: str, value: object) -> bool:
    """Whether a value is of one of the kinds, as `bool int 1 9` lists them: a number from the first to the second that
    follow, and of words with bars between, as `text|native`, one of these."""
    words = kinds.split()
    bounds = [float(word) for word in words if _number(word)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        right = any(type(value) in _KINDS.get(word, ()) for word in words)
        return right and (bounds[0] <= value <= bounds[1] if bounds else value == value)
    return any(value in word.split("|") if "|" in word else type(value) in _KINDS.get(word, ()) for word in words)


def _said(kinds: str) -> str:
    words = [word for word in kinds.split() if not _number(word)]
    bounds = [f"{float(word):,.15g}" for word in kinds.split() if _number(word)]
    told = [" or ".join(f'"{one}"' for one in word.split("|")) if "|" in word else _SAID[word] for word in words]
    return " or ".join(told) + (f" from {' to '.join(bounds)}" if bounds else "")


def _number(word: str) -> bool:
    return word[0].isdigit()


def longest(tables: Tables, name: str) -> Table:
    """The table whose name is the longest beginning of this one; {} where none is."""
    fitting = [one for one in tables if name.startswith(one)]
    return tables[max(fitting, key=len)] if fitting else {}


def of(file: str, mine: Table, model: str, *more: Table) -> dict[str, object]:
    """What a call is asked with: of the provider's table, of what that says of the model, and of `more`, the nearest
    last, all that the provider knows and can take. A program of somebody's own gets what is in `more`."""
    models = mine.get("models")
    layers = (mine, longest(models if isinstance(models, dict) else {}, model), *more) if file else more
    keys = known(file, "OPTIONS")
    return {
        key: value
        for table in layers
        for key, value in table.items()
        if not file or (key in keys and fits(keys[key], value))
    }


def untaken(file: str, table: Table) -> list[str]:
    """The options of a table that this provider does not know, or cannot take so."""
    keys = known(file, "OPTIONS")
    return sorted(key for key, value in table.items() if file and not (key in keys and fits(keys[key], value)))
