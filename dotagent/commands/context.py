"""Show an agent's context, and the size of its prompt.

The bar compares the whole prompt with the setting `context_limit`. The prompt consists of a fixed part (SOUL, the
instructions, the tools and the documents) and the entries, which the table lists.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from dotagent import commands
from dotagent.life import events, media_results, prompt_size, replay
from dotagent.life.context import Entry
from dotagent.life.events import Faded
from dotagent.life.replay import derive
from dotagent.life.state import State
from dotagent.store import home
from dotagent.text import escape, times

GROUP = "inside"

WIDTH = 40  # characters of the bar


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent."""
    commands.life_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print one line per entry: number, kind, age, tokens, live or faded, relevance, gist."""
    where = commands.home_of(asked)
    settings = home.settings(where)
    self_id = commands.life_of(asked, where)
    view = derive(where, self_id, settings.context_limit)
    sight = media_results.last(where, where.agent(self_id) / "LIFE.md")
    ratio, total, rows = view.state.model.ratio, 0, list[commands.Row]()
    for entry in (one.weighed(sight, view.state.model.other) for one in view.entries):
        tokens = int(entry.tokens * ratio)
        told = _row(entry, tokens, entry.number in view.state.forgetting.kept)
        total += tokens
        state = "kept" if told["kept"] else told["state"]
        cells = (f"#{entry.number}", entry.event, told["age"], tokens, state, told["relevance"] or "", told["gist"])
        rows.append((told, cells))
    commands.print_list(asked, "entry kind >age >tokens state >relevance gist", rows, "the context is empty")
    if not asked.json:
        _show_size(total, settings.context_limit, view.state)
    return 0


def _show_size(entries: int, setting: int, state: State) -> None:
    fixed, most = replay.fixed(state), prompt_size.most_tokens(setting, state)
    total = fixed + entries
    full = min(WIDTH, total * WIDTH // most)
    bar = f"[{'█' * full}{'·' * (WIDTH - full)}]"
    print(f"\n{bar} {total:,} of {most:,} tokens ({total * 100 // most} %), estimated")
    print(f"The prompt has {fixed:,} fixed tokens, and {entries:,} tokens of messages, results and summaries.")
    print(f"Summaries replace the oldest messages when the prompt has {fixed + replay.limit(setting, state):,} tokens.")
    if most < setting:
        print(f"The model accepts fewer tokens than the setting context_limit = {setting:,}.")
    if most > setting:
        least = f"messages, results and summaries need at least {most - fixed:,} tokens"
        print(f"The setting context_limit = {setting:,} is too small: {least}.")


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
