"""Show and change settings: config list, get NAME, set NAME VALUE, unset NAME.

A change is checked by the code that reads settings, and comments in dotagent.toml stay. NAME is as it stands there,
with its tables: model, budget.dollars_a_day, bridges.discord.users, prices."gpt-4.1".input; a list may be written a,b.
A secret (DEEPSEEK_API_KEY, DISCORD_BOT_TOKEN) goes into .env: without a VALUE it is asked for, and not shown, or read
from a pipe. Names of DotAgent and Moltbot (providers.openrouter.api_key, agents.defaults.model) are understood.
"""

from __future__ import annotations

import argparse
import getpass
import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from dotagent import commands, errors, extensions
from dotagent.arguments import typed
from dotagent.bridges.pattern import rules
from dotagent.errors import Misuse, Trouble
from dotagent.store import credentials, foreign, home, options, setting, written
from dotagent.store.home import SETTINGS, Home, Settings
from dotagent.text import escape, near

FROM_ENVIRONMENT = ("provider", "model", "context_limit", "nearby", "sandbox", "policy")
KINDS = ("API_KEY", "API_BASE", "OAUTH_ACCESS_TOKEN", "OAUTH_TOKEN_FILE", "ORGANIZATION", "PROJECT", "PROXY")
OPEN = ("_TOKEN_FILE", "_ORGANIZATION", "_PROJECT")  # what stands in .env and is no secret


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with which."""
    what = ("list", "get", "set", "unset")
    parser.add_argument("do", nargs="?", choices=what, default="list", help="what to do (default: list)")
    parser.add_argument("name", nargs="?", metavar="NAME", help="the setting, or the variable of a secret")
    parser.add_argument("value", nargs="?", metavar="VALUE", help="what it shall be, as TOML or a word")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Do it."""
    where = home.find(asked.home)
    if (asked.name is None) != (asked.do == "list") or (asked.value is not None and asked.do != "set"):
        raise Misuse("config list, config get NAME, config set NAME VALUE, or config unset NAME")
    if asked.do == "list":
        settings = _read(where)
        commands.listed(asked, "setting value from", _rows(where, settings), "nothing is set", wrap=True)
        return 0
    name = foreign.ours(asked.name)
    if name != asked.name:
        errors.tell(f"{asked.name} is {name} here")
    if variable := _variable(where, name):
        return _secret(where, variable, asked)
    if asked.do == "get":
        return _get(where, name, asked)
    home.prepare(where)
    _known(name)
    given = [] if asked.do == "unset" else list(written.meanings(_wanted(asked)))
    value = written.change(where, name, given, rules.check)
    if overridden(there := written.way_of(name)[0]):
        errors.tell(f"DOTAGENT_{there.upper()} in the environment goes before it")
    told = {"name": name, "value": value, "file": str(where.root / SETTINGS)}
    commands.tell(told, f"{name} is {'unset' if value is None else _shown(value)}, in {where.root / SETTINGS}", asked)
    return 0


def overridden(name: str) -> bool:
    """Whether the environment says the setting of this name, whatever the file says."""
    given = os.environ.get(f"DOTAGENT_{name.upper()}")
    return name in FROM_ENVIRONMENT and given is not None and (given != "" or name == "nearby")


def _read(where: Home) -> Settings:
    """The settings in force. Raises Misuse."""
    settings = home.settings(where)
    rules.check(settings)
    return settings


def _known(name: str) -> None:
    """Raise Misuse for a setting that there is not; what reads settings knows of the rest."""
    if (first := written.way_of(name)[0]) not in setting.RULES:
        raise Misuse(f"no setting {first!r}{near.among(first, setting.RULES)}")


def _wanted(asked: argparse.Namespace) -> str:
    if asked.value is None:
        raise Misuse(f"config set {asked.name} VALUE: what shall it be?")
    return str(asked.value)


def _get(where: Home, name: str, asked: argparse.Namespace) -> int:
    """Print what is in force. The status is 1 where nothing is."""
    _known(name)
    value: Any = {key: getattr(_read(where), key) for key in setting.RULES}
    for key in written.way_of(name):
        value = value.get(key) if isinstance(value, Mapping) else None
    if value is None or value == {}:
        raise Trouble(f"{name} is not set")
    commands.tell({"name": name, "value": _plain(value)}, _shown(value), asked)
    return 0


def _variable(where: Home, name: str) -> str:
    """The variable of .env that the name means; "" for a setting. Raises Misuse for a variable that nobody reads."""
    if not name.isupper():
        return ""
    if name.startswith("DOTAGENT_"):
        credentials.variables(where.root / ".env", f"{name}=".encode())  # says what is right
        raise Misuse(f"{name} is a variable of the environment; in {SETTINGS} a setting has a name without DOTAGENT_")
    try:
        tables = home.settings(where).providers
    except Misuse:
        tables = {}
    servers = {*options.presets(), *tables}
    keys = {str(Settings(providers=tables).table(one).get("key") or "") for one in servers}
    models = {credentials.variable(one, kind) for one in {*extensions.names("providers"), *servers} for kind in KINDS}
    talk = {
        credentials.variable(one, kind) for one in extensions.names("bridges") for kind in ("BOT_TOKEN", "API_BASE")
    }
    if name not in keys | models | talk:
        raise Misuse(f"nobody here reads {name}{near.hint(name, sorted(keys | models | talk))}")
    return name


def _secret(where: Home, name: str, asked: argparse.Namespace) -> int:
    """Set, unset, or tell of a variable in .env, and never show it."""
    known = credentials.env_file(where)
    if asked.do == "get":
        place = "the environment" if os.environ.get(name) else ".env" if known.get(name) else ""
        if not place:
            raise Trouble(f"{name} is not set")
        commands.tell(
            {"name": name, "set": True, "from": place}, f"{name} is set, in {place}; it is never shown", asked
        )
        return 0
    if asked.do == "unset" and name not in known:
        raise Misuse(f"{name} is not set in .env")
    home.prepare(where)
    value = _hushed(name, asked.value) if asked.do == "set" else ""
    written.secret(where, name, value)
    told = {"name": name, "set": bool(value), "file": str(where.root / ".env")}
    commands.tell(told, f"{name} is {'kept in' if value else 'taken out of'} {where.root / '.env'}", asked)
    return 0


def _hushed(name: str, given: str | None) -> str:
    """The secret: as given, as a person types it unseen, or from a pipe. Raises Misuse for an empty one."""
    if given is not None:
        if not name.endswith(OPEN):
            errors.tell(
                f"{name} was on the command line, and so in your shell's history: without a VALUE it is asked for"
            )
    elif sys.stdin.isatty():
        given = typed(f"{name} (it is not shown): ", getpass.getpass)
    else:
        given = sys.stdin.readline()
    if not given.strip():
        raise Misuse(f"{name} is empty: nothing is changed")
    return given.strip()


def _rows(where: Home, settings: Settings) -> Iterator[commands.Row]:
    """Every setting: those that are set first; and which secrets there are."""
    usual, there = Settings(), list[tuple[str, object, str]]()
    for name in setting.RULES:
        value, default = getattr(settings, name), getattr(usual, name)
        source = "environment" if overridden(name) else "default" if value == default else SETTINGS
        there += [(key, one, source) for key, one in _leaves(name, value, settings)]
    held = {**dict.fromkeys(credentials.env_file(where), ".env"), **dict.fromkeys(os.environ, "environment")}
    for name, place in held.items():
        if name.isupper() and name.endswith(("_API_KEY", "_TOKEN", "_TOKEN_FILE")):
            there.append((name, "(set)", place))
    for name, value, source in sorted(there, key=lambda one: one[2] == "default"):
        yield {"name": name, "value": _plain(value), "from": source}, (name, _shown(value), source)


def _leaves(name: str, value: object, settings: Settings) -> Iterator[tuple[str, object]]:
    """A setting's values under their whole names; what a program of somebody's own is told is not shown."""
    if not isinstance(value, Mapping) or not value:
        yield name, value
        return
    for key, one in value.items():
        bare = re.fullmatch("[A-Za-z0-9_-]+", key)
        whole = f"{name}.{key if bare else escape.dumps(key)}"
        if name == "providers" and not settings.kind(key):
            yield whole, "(not shown)"
        else:
            yield from _leaves(whole, one, settings)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _shown(value: object) -> str:
    """A value, for a person: a text as it is, all else as in TOML."""
    if value is None or value in ({}, (), ""):
        return "none"
    return escape.one_line(value, 400) if isinstance(value, str) else escape.dumps(_plain(value))
