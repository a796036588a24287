"""RECALL: search everything this life ever heard, said or saw."""

from __future__ import annotations

from dotagent.life.session import Session
from dotagent.search.feed import Feed
from dotagent.text import escape
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short
from dotagent.tools import ToolError

USAGE = ("RECALL seat on the flight to Tokyo",)
REMINDER = True

MOST = 8
WORDS = 240  # characters shown of each turn


def act(session: Session, call: ToolCall) -> bytes:
    """The turns that fit best, a line each, with the ids that UNCOMPACT takes."""
    if not call.args.strip():
        raise ToolError("recall what? RECALL and some words, best with who said it or when")
    feed = Feed(session.path, session.store, session.owner)
    hits = feed.search(call.args, MOST)
    feed.close()
    if not hits:
        return b"nothing was found; other words, a name or a date may find it"
    lines = []
    for hit in hits:
        turn = hit.turn
        where = f" in {turn.room}" if turn.room else ""
        lines.append(f"{short(turn.id)}  {turn.at[:16]}  {turn.speaker}{where}: {escape.one_line(turn.text, WORDS)}")
    return "\n".join(lines).encode("utf-8", "replace")
