"""Show an agent's live context as a table, with its size against the limit."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from dotagent import commands
from dotagent.life import events
from dotagent.life.context import Entry
from dotagent.life.events import Faded
from dotagent.life.replay import derive, size
from dotagent.store import home
from dotagent.text import escape, times

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
    ratio, total = view.state.model.ratio, 0
    for entry in view.entries:
        tokens = int(size(entry) * ratio)
        told = _row(entry, tokens, entry.number in view.state.forgetting.kept)
        total += tokens
        state = "kept" if told["kept"] else told["state"]
        head = (
            f"#{entry.number:<7}{entry.event:<7}{told['age']:>7}{tokens:>8}  {state:<6}{told['relevance'] or '':>3}  "
        )
        commands.show(told, f"{head}{told['gist']}", asked)
    if not asked.json:
        limit = min(settings.context_limit, view.state.model.most or settings.context_limit)
        full = min(WIDTH, total * WIDTH // limit)
        bar = f"[{'█' * full}{'·' * (WIDTH - full)}]"
        print(f"\n{bar} {total:,} of {limit:,} tokens ({total * 100 // limit} %), estimated")
    return 0


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
