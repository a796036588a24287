"""What settings ask for can be had: who answers is configured, bridges have tokens, lives that are named are here.

Settings that cannot be read at all are told of elsewhere (doctor/home.py); then there is nothing to look at here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from dotagent import extensions, providers
from dotagent.doctor import Finding, ok, warning
from dotagent.errors import Misuse
from dotagent.store import credentials, home, launch
from dotagent.store.home import SETTINGS, Home, Settings
from dotagent.text.reference import PREFIX


def answering(where: Home) -> Iterator[Finding]:
    """Whoever settings name to answer is configured."""
    found = _read(where)
    if not found:
        return
    settings, environ = found
    provider = launch.choose(where, settings.provider, environ) if not _unknown(where, settings) else ""
    beside = settings.background.get("provider")
    for name in dict.fromkeys((provider, *settings.fallback, *([str(beside)] if beside else []))):
        if not name or not settings.kind(name):
            there = (where.calls / "new" / name).is_dir() if name else False
            wanted = name or settings.provider
            yield (ok(f"{name} answers, a program of your own", SETTINGS) if there
                   else warning(f"no provider {wanted}", SETTINGS, "name another: `providers` lists them"))  # fmt: skip
            continue
        config = providers.configure(name, environ, settings.table(name))
        if why := providers.load(settings.kind(name)).why_not(config):
            yield warning(f"{name} is not configured: {why}", SETTINGS, "set it, e.g. by `onboard`")
        else:
            yield ok(f"{name} is configured", SETTINGS)


def bridges(where: Home) -> Iterator[Finding]:
    """Each bridge of the settings has its token."""
    if found := _read(where):
        settings, environ = found
        for name in settings.bridges:
            tokens = extensions.constants("bridges", name).get("TOKENS")
            if isinstance(tokens, tuple) and tokens and not any(environ.get(one) for one in tokens):
                yield warning(f"{name} has no token", ".env", f"`config set {tokens[0]}` asks for it")
            else:
                yield ok(f"{name} is set up", SETTINGS)


def named(where: Home) -> Iterator[Finding]:
    """The lives that settings name are here."""
    if not (found := _read(where)):
        return
    settings, lives = found[0], home.lives(where)
    given = {"agents": settings.agents, "run": settings.run, "roots": settings.roots}
    for place, names in given.items():
        for name in filter(PREFIX.fullmatch, names):
            if not any(one.startswith(name) for one in lives):
                yield warning(f"{place} names {name}, and no such life is here", SETTINGS, "mend the id or take it out")
            else:
                yield ok(f"{place} names {name}", SETTINGS)


def _read(where: Home) -> tuple[Settings, dict[str, str]] | None:
    """The settings and all variables; None where either cannot be read."""
    try:
        return home.settings(where), {**credentials.env_file(where), **os.environ}
    except Misuse:
        return None


def _unknown(where: Home, settings: Settings) -> bool:
    wanted = settings.provider
    return bool(wanted and not settings.kind(wanted) and not (where.calls / "new" / wanted).is_dir())
