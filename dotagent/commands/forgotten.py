"""List what faded from an agent's context, or show an original by its id."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.compaction import tree
from dotagent.errors import Misuse
from dotagent.life import events
from dotagent.life.events import Fade, Faded
from dotagent.life.replay import derive
from dotagent.store import home, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.text import times
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which agent, and perhaps which original."""
    commands.life_argument(parser)
    parser.add_argument("id", nargs="?", help="show what this id names, whole")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a chunk that is forgotten now; or one original."""
    where = commands.home_of(asked)
    if asked.self and not asked.id and not commands.first_is_life(asked, where):
        asked.self, asked.id = None, asked.self
    self_id = commands.life_of(asked, where)
    if asked.id:
        _show(where.store(), self_id, asked)
    else:
        _list(where, self_id, asked)
    return 0


def _list(where: Home, self_id: str, asked: argparse.Namespace) -> None:
    store, found = where.store(), 0
    told_of = ((line.id, events.parse(line)) for line in log.lines(where.agent(self_id) / "LIFE.md"))
    tokens = {id: event.tokens for id, event in told_of if isinstance(event, Fade)}
    for entry in derive(where, self_id, home.settings(where).context_limit).entries:
        event = events.parse(entry.line)
        if not isinstance(event, Faded):
            continue
        found += 1
        originals, came = _count(store, entry.line.id), tokens.get(entry.line.id, "")
        told = {"id": entry.line.id, "entries": event.span, "originals": originals, "relevance": event.relevance,
                "tokens": came, "gist": entry.line.gist, "since": times.to_second(entry.line.at)}  # fmt: skip
        many = "lost" if originals is None else originals
        line = (f"{short(entry.line.id)}  #{event.span:<14}{many:>6} entries  relevance {event.relevance:>2}  "
                f"{came:>12} tokens  {entry.line.gist}")  # fmt: skip
        commands.show(told, line, asked)
    if not found and not asked.json:
        print("nothing is forgotten: all that happened is in the context")


def _count(store: Blobs, id: str) -> int | None:
    """How many originals the tree names; None when it, or one below it, is lost: doctor tells which."""
    try:
        return sum(1 for _ in tree.originals(store, id))
    except (BlobMissing, BlobCorrupt):
        return None


def _show(store: Blobs, self_id: str, asked: argparse.Namespace) -> None:
    blob = store.get(store.find(asked.id))
    if blob.agent != self_id and blob.id != self_id:
        raise Misuse(f"{asked.id} is not of this agent's life")
    if not tree.tree(blob):
        commands.give(blob.body)
        return
    for member in tree.originals(store, blob.id):
        line = member.line
        told = {"entry": member.number, "at": line.at, "event": line.event, "detail": line.detail, "id": line.id,
                "gist": line.gist}  # fmt: skip
        commands.show(told, f"#{member.number} {log.render(line)}", asked)
