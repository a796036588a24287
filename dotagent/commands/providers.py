"""List model providers; --check tests each configured one.

The command reads the keys from the environment and from the home's .env, and never shows a key. With --check, the
command sends one tiny prompt to each configured provider. A hosted provider charges you for this prompt. The exit
status is 1 if a provider fails. A model server on your own machine does not count as failed if it is not running and
has no settings.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import date

from dotagent import commands, errors, providers
from dotagent.errors import Misuse
from dotagent.providers import Config, Prompt, Provider, ProviderError, Seen
from dotagent.providers.server import catalogue, cost, media_input
from dotagent.store import agent_tables, credentials, home, key_handover, launch, model_end, options
from dotagent.store.home import Home, Settings
from dotagent.store.requests import ChatMessage
from dotagent.text import escape
from dotagent.text.lazy import replace
from dotagent.text.senses import Senses, make_senses

GROUP = "setup"

PROMPT: tuple[ChatMessage, ...] = (
    {"role": "system", "content": "This is a test of the connection. Answer with one word."},
    {"role": "user", "content": "Say hello."},
)
LONGEST = 120.0  # seconds for one answer
Row = dict[str, object]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the providers and --check."""
    parser.add_argument("name", nargs="*", metavar="P", help="show only these providers (default: all)")
    parser.add_argument(
        "--check", action="store_true", help="send each configured provider a short request; may cost a little"
    )
    key_handover.option(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print one line per provider."""
    where = home.find(asked.home)
    settings = home.settings(where)
    order = [*launch.ORDER, *launch.OWN]  # as they are chosen; others after them
    if unknown := [name for name in asked.name if not settings.kind(name)]:
        names = ", ".join(dict.fromkeys((*settings.names(), *options.presets())))
        raise Misuse(f"no provider {unknown[0]!r}; the providers are {names}")
    environ = {**os.environ, **key_handover.take_over(where, asked.keys_on_stdin)}
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

    commands.print_list(asked, "provider model >window state", each(), "no providers", wrap=True)
    return int(any(row.get("ok") is False for row in rows))


def row_of(where: Home, name: str, settings: Settings, environ: Mapping[str, str], live: bool) -> Row:
    """Return the facts about one provider; with `live`, after a test call."""
    provider, mine = providers.load(settings.kind(name)), settings.table(name)
    config = providers.configure(name, environ, mine)
    why = provider.why_not(config)
    model = settings.model if settings.model and settings.provider in (None, name) else ""
    seen = _find_model(where, provider, name, config, model)
    row: Row = {"name": name, "configured": why is None, "why": why or "", "model": seen.model, "window": seen.window}
    row["sees"] = list(_find_senses(where, settings.kind(name), name, config, seen).kinds)
    doubts = [providers.old(name, seen.model, date.today())]
    if not seen.model and provider.MODEL:
        doubts.append(f"no model is set; set `model` under [providers.{name}], or DOTAGENT_MODEL")
    if left := options.former(mine):
        doubts.append(f"dotagent no longer uses {', '.join(left)}; remove this from [providers.{name}]")
    if seen.guess and seen.window:
        doubts.append(catalogue.guessed(name, seen))
    if chosen := _options(name, settings, seen.model):
        row["options"] = chosen
    for life, table in settings.agents.items():
        own = {key: one for key, one in table.items() if key not in agent_tables.OWN}
        if left := options.untaken(settings.kind(name), own):
            doubts.append(f"this provider does not support {', '.join(left)} of [agents.{life}]")
    if not why and any(doubts):
        row["warning"] = "; ".join(filter(None, doubts))
    if why or not live:
        return row
    told = check(name, provider, config, model, settings.prices)
    row.pop("warning", None)
    if not mine and not credentials.credentials(name, environ) and told.get("kind") == "network" and not provider.MODEL:
        told = {"ok": None, "hint": "the server is not running"}
    return {**row, **told}


def _options(name: str, settings: Settings, model: str) -> Row:
    """Return the options of the provider's calls: the usual ones, and those of agents and background calls that
    differ."""
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
    """Ask the provider once. Return the model, window, time in ms and usage, or the error."""
    began = time.monotonic()
    try:
        try:
            seen = providers.describe(provider, config, model)
        except ProviderError:  # if there is a model, the test call decides
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
    doubts = [
        catalogue.guessed(name, seen) if seen.guess else "",
        model_end.ending(seen.model, seen.ends, date.today()),
    ]
    doubt = {"warning": "; ".join(filter(None, doubts))} if any(doubts) else {}
    return {"ok": True, "model": seen.model, "window": seen.window, "ms": ms, "usage": used, **doubt}


def _find_model(where: Home, provider: Provider, name: str, config: Config, model: str) -> Seen:
    """Return the model and window without asking the server: from the running provider, otherwise from the table."""
    seen = providers.describe(provider, config, model, ask=False)
    told = launch.published(where).get(name, {})
    windows = told.get("windows")
    there, size = str(told.get("model") or ""), told.get("window") if told.get("known") else None
    if seen.model not in ("", there):
        there, size = seen.model, windows.get(seen.model) if isinstance(windows, dict) else None
    if isinstance(size, int):
        return Seen(there, size, bool(told.get("guess")))
    return seen if seen.model else replace(seen, window=0)  # a server that names its model has its own window, too


def _find_senses(where: Home, kind: str, name: str, config: Config, seen: Seen) -> Senses:
    """Return the media that the model accepts: from the running provider, otherwise from settings and the table."""
    told = launch.published(where).get(name, {})
    if told.get("model") == seen.model and told.get("known"):
        return make_senses(told.get("sees"))
    return media_input.find_senses(kind, config, seen)


def _cells(row: Row) -> tuple[object, ...]:
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
    told += "".join(_format_options(whose, table) for whose, table in _table(row.get("options")).items())
    doubt = f"; {row['warning']}" if row.get("warning") else ""
    return row["name"], model, window, escape.one_line(told + doubt, 700)


def _format_options(whose: str, table: object) -> str:
    """Return the options in words, for all calls, for an agent's, or for background calls."""
    words = [f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in _table(table).items()]
    return f"; {f'{whose}: ' if whose else ''}{', '.join(words) or 'no options'}"


def _table(value: object) -> Row:
    return value if isinstance(value, dict) else {}
