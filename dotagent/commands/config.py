"""Show and change settings.

The command checks a change before it saves the change, and keeps your comments in dotagent.toml. NAME is the name of a
setting after the names of its tables: model, budget.dollars_a_day, bridges.discord.users, prices."gpt-4.1".input. You
can write a list as a,b. The command saves a secret, such as DEEPSEEK_API_KEY or DISCORD_BOT_TOKEN, in .env. If you
leave out the VALUE of a secret, the command asks for it without showing it, or reads it from a pipe. You can also use
the names that settings have in DotAgent and Moltbot (providers.openrouter.api_key, agents.defaults.model).
"""

from __future__ import annotations

import argparse
import getpass
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dotagent import commands, errors
from dotagent.answers import read_answer
from dotagent.bridges.pattern import rules
from dotagent.errors import Misuse, Trouble
from dotagent.store import aliases, credentials, home, launch, setting_rules, settings_edit
from dotagent.store.home import SETTINGS, Home, Settings
from dotagent.text import escape, suggestions

GROUP = "setup"

FROM_ENVIRONMENT = ("provider", "model", "context_limit", "nearby", "sandbox", "policy")
OPEN = ("_TOKEN_FILE", "_ORGANIZATION", "_PROJECT")  # not secret, although in .env


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, the name and the value."""
    what = ("list", "get", "set", "unset")
    parser.add_argument("do", nargs="?", choices=what, default="list", help="what to do (default: list)")
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="the setting's name, or the environment variable of a secret"
    )
    parser.add_argument("value", nargs="?", metavar="VALUE", help="the new value, as TOML or a plain word")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Run the action, and return the exit status."""
    where = home.find(asked.home)
    if (asked.name is None) != (asked.do == "list") or (asked.value is not None and asked.do != "set"):
        raise Misuse("config list, config get NAME, config set NAME VALUE, or config unset NAME")
    if asked.do == "list":
        settings = _read(where)
        commands.print_list(asked, "setting value from", _rows(where, settings), "nothing is set", wrap=True)
        return 0
    name = aliases.own_name(asked.name)
    if name != asked.name:
        errors.tell(f"{asked.name} is called {name} in dotagent")
    if secret := settings_edit.find_variable(where, name):
        return _secret(where, secret, asked)
    if asked.do == "get":
        return _get(where, name, asked)
    home.prepare(where)
    settings_edit.require_known(name)
    if asked.do == "set" and asked.value is None:
        raise Misuse(f"the value is missing: `config set {asked.name} VALUE`")
    given = [] if asked.do == "unset" else list(settings_edit.meanings(asked.value))

    def check(settings: Settings) -> None:
        rules.check(settings)
        chosen = {"provider": [settings.provider] if settings.provider else [], "fallback": settings.fallback}
        for one in chosen.get(name, ()):
            if not settings.kind(one):
                launch.choose(where, one, {})  # raises, unless the person's own program serves it
        if name == "policy.allow":
            _check_allowed(settings.policy.get("allow", ()))

    value = settings_edit.change(where, name, given, check)
    if overridden(there := settings_edit.way_of(name)[0]):
        errors.tell(f"the environment variable DOTAGENT_{there.upper()} overrides this setting")
    told = {"name": name, "value": value, "file": str(where.root / SETTINGS)}
    commands.tell(
        told, f"{name} is now {'unset' if value is None else _format_value(value)} in {where.root / SETTINGS}", asked
    )
    return 0


def _check_allowed(allowed: Sequence[str]) -> None:
    """Raise Misuse if no effect is of the kind of an allowed one: the agent would go on asking."""
    kinds = setting_rules.effects() - {""}
    for rule in allowed:
        if (kind := rule.partition(" ")[0]) not in kinds:
            raise Misuse(f"policy.allow: no kind of action {kind[:40]!r}{suggestions.suggest_all(kind, sorted(kinds))}")


def overridden(name: str) -> bool:
    """Return True if the environment overrides the setting of this name."""
    given = os.environ.get(f"DOTAGENT_{name.upper()}")
    return name in FROM_ENVIRONMENT and given is not None and (given != "" or name == "nearby")


def _read(where: Home) -> Settings:
    """Return the current settings. Raise Misuse."""
    settings = home.settings(where)
    rules.check(settings)
    return settings


def _get(where: Home, name: str, asked: argparse.Namespace) -> int:
    """Print the current value. Raise Trouble if it is not set."""
    settings_edit.require_known(name)
    value: Any = {key: _read(where).value(key) for key in setting_rules.rules()}
    for key in settings_edit.way_of(name):
        value = value.get(key) if isinstance(value, Mapping) else None
    if value is None or value == {}:
        raise Trouble(f"{name} is not set")
    commands.tell({"name": name, "value": _to_list(value)}, _format_value(value), asked)
    return 0


def _secret(where: Home, name: str, asked: argparse.Namespace) -> int:
    """Set or unset a variable in .env, or report its place, and never show its value."""
    known = credentials.env_file(where)
    if asked.do == "get":
        place = "the environment" if os.environ.get(name) else ".env" if known.get(name) else ""
        if not place:
            raise Trouble(f"{name} is not set")
        commands.tell(
            {"name": name, "set": True, "from": place}, f"{name} is set in {place}; its value is never shown", asked
        )
        return 0
    if asked.do == "unset" and name not in known:
        raise Misuse(f"{name} is not set in .env")
    home.prepare(where)
    value = _hushed(name, asked.value) if asked.do == "set" else ""
    settings_edit.secret(where, name, value)
    told = {"name": name, "set": bool(value), "file": str(where.root / ".env")}
    commands.tell(told, f"{name} is {'saved in' if value else 'removed from'} {where.root / '.env'}", asked)
    return 0


def _hushed(name: str, given: str | None) -> str:
    """Return the secret: as given, typed without echo, or from a pipe. Raise Misuse if it is empty."""
    if given is not None:
        if not name.endswith(OPEN):
            errors.tell(
                f"your shell's history now contains {name}; next time leave out VALUE, and the command asks for it"
            )
    elif sys.stdin.isatty():
        given = read_answer(f"{name} (input is hidden): ", getpass.getpass)
    else:
        given = sys.stdin.readline()
    if not given.strip():
        raise Misuse(f"the value of {name} is empty, so nothing was changed")
    return given.strip()


def _rows(where: Home, settings: Settings) -> Iterator[commands.Row]:
    """Yield every setting, those with a value first, and the names of the secrets."""
    usual, there = Settings(), list[tuple[str, object, str]]()
    for name in setting_rules.rules():
        value, default = settings.value(name), usual.value(name)
        source = "environment" if overridden(name) else "default" if value == default else SETTINGS
        there += [(key, one, source) for key, one in _leaves(name, value, settings)]
    held = {**dict.fromkeys(credentials.env_file(where), ".env"), **dict.fromkeys(os.environ, "environment")}
    for name, place in held.items():
        if name.isupper() and name.endswith(("_API_KEY", "_TOKEN", "_TOKEN_FILE")):
            there.append((name, "(set)", place))
    for name, value, source in sorted(there, key=lambda one: one[2] == "default"):
        yield {"name": name, "value": _to_list(value), "from": source}, (name, _format_value(value), source)


def _leaves(name: str, value: object, settings: Settings) -> Iterator[tuple[str, object]]:
    """Yield the values of a setting under their full names. Tables of plug-in providers are not shown."""
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


def _to_list(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _format_value(value: object) -> str:
    """Return a value for a person: text unchanged, other values as in TOML."""
    if value is None or value in ({}, (), ""):
        return "none"
    return escape.one_line(value, 400) if isinstance(value, str) else escape.dumps(_to_list(value))
