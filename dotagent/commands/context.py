"""Show an agent's live context as a table, with its size against the limit."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from dotagent import commands
from dotagent.life import events, showing
from dotagent.life.context import Entry, weighed
from dotagent.life.events import Faded, Reply
from dotagent.life.replay import derive, size
from dotagent.store import home, log
from dotagent.store.home import Home
from dotagent.text import escape, times
from dotagent.text.media import Senses

WIDTH = 40  # characters of the bar


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which agent."""
    commands.life_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line an entry: number, kind, age, tokens, live or faded, relevance, gist."""
    where = commands.home_of(asked)
    settings = home.settings(where)
    self_id = commands.life_of(asked, where)
    view = derive(where, self_id, settings.context_limit)
    ratio, total, rows = view.state.model.ratio, 0, list[commands.Row]()
    for entry in weighed(view.entries, _senses(where, self_id)):
        tokens = int(size(entry) * ratio)
        told = _row(entry, tokens, entry.number in view.state.forgetting.kept)
        total += tokens
        state = "kept" if told["kept"] else told["state"]
        cells = (f"#{entry.number}", entry.event, told["age"], tokens, state, told["relevance"] or "", told["gist"])
        rows.append((told, cells))
    commands.listed(asked, "entry kind >age >tokens state >relevance gist", rows, "it holds nothing in mind yet")
    if not asked.json:
        limit = min(settings.context_limit, view.state.model.most or settings.context_limit)
        full = min(WIDTH, total * WIDTH // limit)
        bar = f"[{'█' * full}{'·' * (WIDTH - full)}]"
        print(f"\n{bar} {total:,} of {limit:,} tokens ({total * 100 // limit} %), estimated")
    return 0


def _senses(where: Home, self_id: str) -> Senses:
    """What the model that answered last sees and hears."""
    life = where.agent(self_id) / "LIFE.md"
    last = next((events.parse(line) for line in log.backwards(life) if line.event == Reply.WORD), None)
    told = last.told if isinstance(last, Reply) else {}
    model = told.get("model", "-")
    return showing.senses(where, told.get("provider", ""), "" if model == "-" else model)


def _row(entry: Entry, tokens: int, kept: bool) -> dict[str, object]:
    event = events.parse(entry.line)
    gist = entry.line.gist or (entry.content or b"")[:200].decode("utf-8", "replace")
    return {
        "entry": entry.number,
        "kind": entry.event,
        "age": _age(entry.line.at),
        "tokens": tokens,
        "state": "faded" if isinstance(event, Faded) else "bare" if entry.stripped else "live",
        "relevance": event.relevance if isinstance(event, Faded) else None,
        "kept": kept,
        "id": entry.id,
        "gist": escape.one_line(gist),
    }


def _age(at: str) -> str:
    seconds = int((datetime.now(UTC) - times.parse(at)).total_seconds())
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{max(0, seconds)}s"
