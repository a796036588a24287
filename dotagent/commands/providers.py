"""List the providers: configured or why not, model, window; --check asks each that is configured.

This process reads the keys as a provider's does, from the environment and the home's .env, and keeps them as close.
With --check each configured provider answers one tiny prompt, which a hosted one bills; exit status 1 when one fails.
A server of one's own for which nothing is set and which does not run has not failed.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from dotagent import commands, extensions, providers
from dotagent.errors import Misuse
from dotagent.providers import Config, Prompt, ProviderError, Seen
from dotagent.providers.server import catalogue, cost
from dotagent.store import credentials, home, launch
from dotagent.store.home import Home, Settings
from dotagent.store.requests import ChatMessage
from dotagent.text import escape

PROMPT: tuple[ChatMessage, ...] = (
    {"role": "system", "content": "This is a test of the connection. Answer with one word."},
    {"role": "user", "content": "Say hello."},
)
LONGEST = 120.0  # seconds for one answer
Row = dict[str, object]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which, and whether to ask them."""
    parser.add_argument("name", nargs="*", help="these only")
    parser.add_argument("--check", action="store_true", help="ask each that is configured, live; it may cost a little")
    credentials.option(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a provider."""
    where = home.find(asked.home)
    settings = home.settings(where)
    order = [*launch.ORDER, *launch.OWN]  # as they are chosen; others after them
    wanted = asked.name or sorted(extensions.names("providers"), key=lambda name: (*order, name).index(name))
    if unknown := set(wanted) - set(extensions.names("providers")):
        raise Misuse(f"no provider {sorted(unknown)[0]!r}: there are {', '.join(extensions.names('providers'))}")
    environ = {**os.environ, **credentials.take_over(where, asked.keys_on_stdin)}
    failed = False
    for name in wanted:
        row = row_of(where, name, settings, environ, asked.check)
        failed = failed or row.get("ok") is False
        commands.show(row, _line(row), asked)
    return int(failed)


def row_of(where: Home, name: str, settings: Settings, environ: Mapping[str, str], live: bool) -> Row:
    """What is to be said of one provider, after a call to it when it is to be `live`."""
    provider = providers.load(name)
    mine = settings.providers.get(name, {})
    config = providers.configure(name, environ, mine)
    why = provider.why_not(config)
    model = settings.model if settings.model and settings.provider in (None, name) else ""
    seen = _known(where, name, config, model)
    row: Row = {"name": name, "configured": why is None, "why": why or "", "model": seen.model, "window": seen.window}
    doubts = [providers.old(name, seen.model, date.today())]
    if seen.guess and seen.window:
        doubts.append(catalogue.guessed(name, seen))
    if not why and any(doubts):
        row["warning"] = "; ".join(filter(None, doubts))
    if why or not live:
        return row
    told = check(name, config, model, settings.prices)
    row.pop("warning", None)
    if not mine and not credentials.credentials(name, environ) and told.get("kind") == "network" and not provider.MODEL:
        told = {"ok": None, "hint": "it does not run"}
    return {**row, **told}


def check(name: str, config: Config, model: str, prices: cost.Prices) -> Row:
    """Ask the provider once: model, window and how long it took (ms) and used, or what is wrong."""
    provider, began = providers.load(name), time.monotonic()
    try:
        try:
            seen = providers.describe(provider, config, model)
        except ProviderError:  # a live call decides, where there is a model to ask
            if not (seen := providers.describe(provider, config, model, ask=False)).model:
                raise
        began = time.monotonic()
        request = Prompt(seen.model, PROMPT)
        reply = provider.answer(request, config, lambda channel, text: None, lambda: time.monotonic() - began > LONGEST)
    except ProviderError as error:
        hint = error.hint if error.kind != "cancelled" else f"no answer within {LONGEST:.0f} s"
        return {"ok": False, "kind": error.kind, "hint": escape.one_line(hint, 400)}
    ms = round((time.monotonic() - began) * 1000)
    used = cost.record(reply.usage, prices, seen.model, name)
    doubt = {"warning": catalogue.guessed(name, seen)} if seen.guess else {}
    return {"ok": True, "model": seen.model, "window": seen.window, "ms": ms, "usage": used, **doubt}


def _known(where: Home, name: str, config: Config, model: str) -> Seen:
    """Model and window as they are known without asking: as the running provider told, else as the table says."""
    seen = providers.describe(providers.load(name), config, model, ask=False)
    told = launch.published(where).get(name, {})
    windows = told.get("windows")
    there, size = str(told.get("model") or ""), told.get("window") if told.get("known") else None
    if seen.model not in ("", there):
        there, size = seen.model, windows.get(seen.model) if isinstance(windows, dict) else None
    if isinstance(size, int):
        return Seen(there, size, bool(told.get("guess")))
    return seen if seen.model else replace(seen, window=0)  # a server that names its model has its own window, too


def _line(row: Row) -> str:
    """One provider, for people."""
    model = f"model {row['model']}" if row["model"] else "the model that its server names"
    window = f", window {row['window']:,}" if row["window"] else ""
    told = "configured" if row["configured"] else f"not configured: {row['why']}"
    if row.get("ok"):
        used = row["usage"]
        assert isinstance(used, dict)
        counts = ", ".join(f"{count:,} {what}" for what, count in used.items() if what != "cost")
        told = f"answered in {row['ms']:,} ms" + (f" ({counts} tokens)" if counts else "")
    elif "ok" in row:
        told = f"{'FAILED: ' if row['ok'] is False else ''}{row['hint']}"
    doubt = f"; {row['warning']}" if row.get("warning") else ""
    return escape.one_line(f"{row['name']}: {model}{window}; {told}{doubt}", 700)
