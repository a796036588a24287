"""List the providers: configured or why not, model, window; --check asks each that is configured.

This process reads the keys as a provider's does, from the environment and the home's .env, and keeps them as close.
With --check each configured provider answers one tiny prompt, which a hosted one bills; exit status 1 when one fails.
A server of one's own for which nothing is set and which does not run has not failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

from dotagent import commands, errors, providers
from dotagent.errors import Misuse
from dotagent.providers import Config, Prompt, Provider, ProviderError, Seen
from dotagent.providers.server import catalogue, cost, exhibits
from dotagent.store import allowance, credentials, home, launch, options
from dotagent.store.home import Home, Settings
from dotagent.store.requests import ChatMessage
from dotagent.text import escape, media
from dotagent.text.media import Senses

PROMPT: tuple[ChatMessage, ...] = (
    {"role": "system", "content": "This is a test of the connection. Answer with one word."},
    {"role": "user", "content": "Say hello."},
)
LONGEST = 120.0  # seconds for one answer
Row = dict[str, object]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which, and whether to ask them."""
    parser.add_argument("name", nargs="*", metavar="P", help="these only")
    parser.add_argument("--check", action="store_true", help="ask each that is configured, live; it may cost a little")
    credentials.option(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a provider."""
    where = home.find(asked.home)
    settings = home.settings(where)
    order = [*launch.ORDER, *launch.OWN]  # as they are chosen; others after them
    if unknown := [name for name in asked.name if not settings.kind(name)]:
        names = ", ".join(dict.fromkeys((*settings.names(), *options.presets())))
        raise Misuse(f"no provider {unknown[0]!r}: there are {names}")
    environ = {**os.environ, **credentials.take_over(where, asked.keys_on_stdin)}
    keyed = [name for name in options.presets() if environ.get(str(settings.table(name)["key"]))]
    there = dict.fromkeys((*settings.names(), *keyed))
    wanted = asked.name or sorted(there, key=lambda name: (*order, name).index(name))
    rows = list[Row]()

    def each() -> Iterator[commands.Row]:
        for name in wanted:
            if asked.check and sys.stderr.isatty():
                errors.tell(f"asking {name}")  # it may take a while
            rows.append(row_of(where, name, settings, environ, asked.check))
            yield rows[-1], _cells(rows[-1])

    commands.listed(asked, "provider model >window state", each(), "there are no providers", wrap=True)
    return int(any(row.get("ok") is False for row in rows))


def row_of(where: Home, name: str, settings: Settings, environ: Mapping[str, str], live: bool) -> Row:
    """What is to be said of one provider, after a call to it when it is to be `live`."""
    provider, mine = providers.load(settings.kind(name)), settings.table(name)
    config = providers.configure(name, environ, mine)
    why = provider.why_not(config)
    model = settings.model if settings.model and settings.provider in (None, name) else ""
    seen = _known(where, provider, name, config, model)
    row: Row = {"name": name, "configured": why is None, "why": why or "", "model": seen.model, "window": seen.window}
    row["sees"] = list(_sight(where, settings.kind(name), name, config, seen).kinds)
    doubts = [providers.old(name, seen.model, date.today())]
    if not seen.model and provider.MODEL:
        doubts.append(f"no model is set: `model` under [providers.{name}], or DOTAGENT_MODEL")
    if seen.guess and seen.window:
        doubts.append(catalogue.guessed(name, seen))
    if chosen := _options(name, settings, seen.model):
        row["options"] = chosen
    for life, table in settings.agents.items():
        own = {key: one for key, one in table.items() if key not in allowance.OWN}
        if left := options.untaken(settings.kind(name), own):
            doubts.append(f"it does not take {', '.join(left)} of [agents.{life}]")
    if not why and any(doubts):
        row["warning"] = "; ".join(filter(None, doubts))
    if why or not live:
        return row
    told = check(name, provider, config, model, settings.prices)
    row.pop("warning", None)
    if not mine and not credentials.credentials(name, environ) and told.get("kind") == "network" and not provider.MODEL:
        told = {"ok": None, "hint": "it does not run"}
    return {**row, **told}


def _options(name: str, settings: Settings, model: str) -> Row:
    """What the provider's calls are asked with, of any life and, where that is otherwise, of some and beside them."""
    usual = settings.options(name, model, "", live=True)
    found: Row = {"": usual} if usual else {}
    for life in settings.agents:
        if (mine := settings.options(name, model, life, live=True)) != usual:
            found[life] = mine
    if settings.background.get("provider", name) == name:
        other = str(settings.background.get("model") or model)
        if (beside := settings.options(name, other, "", live=False)) != usual:
            found["background"] = beside
    return found


def check(name: str, provider: Provider, config: Config, model: str, prices: cost.Prices) -> Row:
    """Ask the provider once: model, window and how long it took (ms) and used, or what is wrong."""
    began = time.monotonic()
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


def _known(where: Home, provider: Provider, name: str, config: Config, model: str) -> Seen:
    """Model and window as they are known without asking: as the running provider told, else as the table says."""
    seen = providers.describe(provider, config, model, ask=False)
    told = launch.published(where).get(name, {})
    windows = told.get("windows")
    there, size = str(told.get("model") or ""), told.get("window") if told.get("known") else None
    if seen.model not in ("", there):
        there, size = seen.model, windows.get(seen.model) if isinstance(windows, dict) else None
    if isinstance(size, int):
        return Seen(there, size, bool(told.get("guess")))
    return seen if seen.model else replace(seen, window=0)  # a server that names its model has its own window, too


def _sight(where: Home, kind: str, name: str, config: Config, seen: Seen) -> Senses:
    """What the model sees, as the running provider told, else as settings and the table say."""
    told = launch.published(where).get(name, {})
    if told.get("model") == seen.model and told.get("known"):
        return media.sight(told.get("sees"))
    return exhibits.sight(kind, config, seen)


def _cells(row: Row) -> tuple[object, ...]:
    """One provider, for people."""
    model = row["model"] or "its server's"
    window = f"{row['window']:,}" if row["window"] else ""
    told = "configured" if row["configured"] else f"not configured: {row['why']}"
    if row.get("ok"):
        used = row["usage"]
        assert isinstance(used, dict)
        counts = ", ".join(f"{count:,} {what}" for what, count in used.items() if what != "cost")
        told = f"answered in {row['ms']:,} ms" + (f" ({counts} tokens)" if counts else "")
    elif "ok" in row:
        told = f"{'FAILED: ' if row['ok'] is False else ''}{row['hint']}"
    if isinstance(sees := row["sees"], list) and sees and row["configured"]:
        told += f"; sees {', '.join(sees)}"
    told += "".join(_chosen(whose, table) for whose, table in _table(row.get("options")).items())
    doubt = f"; {row['warning']}" if row.get("warning") else ""
    return row["name"], model, window, escape.one_line(told + doubt, 700)


def _chosen(whose: str, table: object) -> str:
    """What is asked with, for people: of all calls, or of a life's, or of those in the background."""
    words = [f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in _table(table).items()]
    return f"; {f'{whose}: ' if whose else ''}{', '.join(words) or 'no options'}"


def _table(value: object) -> Row:
    return value if isinstance(value, dict) else {}
