"""Check that what settings ask for is possible: providers have keys, bridges have tokens, named agents exist.

Settings that cannot be read at all are a finding of doctor/home.py. Then the checks here find nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from dotagent import extensions, installed, providers
from dotagent.doctor import Finding, damage, ok, warning
from dotagent.errors import Misuse
from dotagent.store import credentials, home, key_handover, launch
from dotagent.store.home import SETTINGS, Home, Settings
from dotagent.text.reference import PREFIX


def answering(where: Home) -> Iterator[Finding]:
    """Check that each chosen provider can be asked."""
    found = _read(where)
    if not found:
        return
    settings, environ = found
    chosen = settings.provider
    unknown = chosen and not settings.kind(chosen) and not (where.calls / "new" / chosen).is_dir()
    provider = "" if unknown else launch.choose(where, chosen, environ)
    for name in dict.fromkeys((provider, *settings.fallback, *_others(settings))):
        if not name or not settings.kind(name):
            there = (where.calls / "new" / name).is_dir() if name else False
            wanted = name or settings.provider
            own = f"the provider {name} is your own program, which reads requests from calls/new/{name}"
            yield (ok(own, SETTINGS) if there
                   else damage(f"no provider {wanted}", SETTINGS, "see `providers`"))  # fmt: skip
            continue
        config = providers.configure(name, environ, settings.table(name))
        if why := providers.load(settings.kind(name)).why_not(config):
            empty = ", ".join(_empty(name, environ, credentials.key_of(where, name) or ""))
            why += f" ({empty} is set, but empty)" if empty else ""
            yield damage(f"{name} is not configured: {why}", SETTINGS, "configure this provider, e.g. with `onboard`")
        else:
            yield ok(f"{name} is configured", SETTINGS)
    if provider == launch.LAST and not settings.provider:
        for variable in (one for name in launch.ORDER for one in _empty(name, environ)):
            do = f"enter the key with `{installed.program('config')} set {variable}`, or remove the line"
            yield damage(f"{variable} is set, but empty, so no model answers", ".env or the environment", do)

    yield from _searching(where, settings)


def _searching(where: Home, settings: Settings) -> Iterator[Finding]:
    """Check that a provider chosen for search by meaning has its key in `.env`, the only place it is read from."""
    name, asked = str(settings.memory_search.get("provider", "")), settings.memory_search
    if not asked.get("enabled", True) or name not in extensions.names("providers") or name == "local":
        return
    variable = credentials.variable(name, "API_KEY")
    if not asked.get("base") and not credentials.env_file(where).get(variable):
        do = f"enter the key with `{installed.program('config')} set {variable}`"
        yield damage(f"{name} has no key, so memory is searched by words alone", "[memory_search]", do)


def _others(settings: Settings) -> Iterator[str]:
    """Return the providers that settings choose for single agents and for calls in the background."""
    for table in (settings.background, *settings.agents.values()):
        if provider := table.get("provider"):
            yield str(provider)
        fallback = table.get("fallback")
        yield from map(str, fallback if isinstance(fallback, list) else ())


def _empty(provider: str, environ: Mapping[str, str], key: str = "") -> list[str]:
    """Return the variables for a key of this provider that are set to nothing."""
    return [name for name in (key, *credentials.variables_of(provider)) if name and environ.get(name) == ""]


def bridges(where: Home) -> Iterator[Finding]:
    """Check that each bridge of the settings has a token, and that each token has its bridge in the settings."""
    if not (found := _read(where)):
        return
    settings, environ = found
    for name in settings.bridges:
        tokens = extensions.constants("bridges", name).get("TOKENS")
        if isinstance(tokens, tuple) and tokens and not any(environ.get(one) for one in tokens):
            yield damage(f"the bridge to {name} has no token", ".env", f"enter the token with `config set {tokens[0]}`")
        else:
            yield ok(f"the bridge {name} is set up", SETTINGS)
    for name, variable in key_handover.tokens_without_bridge(settings.bridges, environ):
        yield damage(
            f"{variable} is set, but there is no [bridges.{name}], so `up` does not start {name}",
            SETTINGS,
            f"add the line [bridges.{name}] to {SETTINGS}",
        )


def lacking(where: Home) -> Iterator[Finding]:
    """Yield the settings that cannot be used: the damage that these two checks find."""
    yield from (one for check in (answering, bridges) for one in check(where) if one.level == "damage")


def named(where: Home) -> Iterator[Finding]:
    """Check that the agents named in settings exist."""
    if not (found := _read(where)):
        return
    settings, lives = found[0], home.lives(where)
    given = {"agents": settings.agents, "run": settings.run, "roots": settings.roots}
    for place, names in given.items():
        for name in filter(PREFIX.fullmatch, names):
            if not any(one.startswith(name) for one in lives):
                yield warning(
                    f"the setting {place} names the agent {name}, which does not exist",
                    SETTINGS,
                    f"correct the id under `{place}`, or delete it there",
                )
            else:
                yield ok(f"{place} names {name}", SETTINGS)


def _read(where: Home) -> tuple[Settings, dict[str, str]] | None:
    """Return the settings and all variables, or None if either cannot be read."""
    try:
        return home.settings(where), {**credentials.env_file(where), **os.environ}
    except Misuse:
        return None
