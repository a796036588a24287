"""Search everything an agent ever heard, said or saw."""

from __future__ import annotations

import argparse

from dotagent import commands, embedding, installed
from dotagent.errors import Misuse
from dotagent.search import shown
from dotagent.search.feed import Feed
from dotagent.search.index import Hit
from dotagent.search.shown import Asked
from dotagent.store import home
from dotagent.text import escape
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which agent, and what for."""
    commands.life_argument(parser, "the agent: 8 or more digits of its id (default: the only one there is)")
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words, names, dates")
    parser.add_argument("--near", metavar="ID", help="what was said around this: 8 or more digits of its id")
    parser.add_argument("--page", type=commands.many, default=1, metavar="N", help="the next ones (default: 1)")
    parser.add_argument("-k", type=commands.many, default=10, metavar="N", help="how many (default: 10)")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a turn, the best first, or in order around one; the index is brought up to date before."""
    where = commands.home_of(asked)
    if asked.self and not commands.first_is_life(asked, where):
        asked.self, asked.query = None, [asked.self, *asked.query]
    query = shown.asked(f"near {asked.near}" if asked.near else " ".join(asked.query))
    if not query.words.strip():
        raise Misuse(f"recall what? {installed.typed('recall')} [SELF] QUERY")
    if (asked.near and not query.near) or (query.near and not query.near.id):
        raise Misuse(
            f"near what? {installed.typed('recall')} [SELF] --near and 8 to 32 digits of an id, as a search tells"
        )
    path = where.agent(commands.life_of(asked, where))
    settings = home.settings(where)
    feed = Feed(path, where.store(), home.owner(settings))
    feed.like = embedding.of(where, settings, feed.index.path)
    try:
        rows = _around(feed, query.near.id) if query.near else _found(feed, query, asked)
    finally:
        feed.close()
    more = "more" if max(asked.page, query.page) > 1 else "that it ever heard, said or saw"
    empty = f"nothing {more} is like {' '.join(asked.query)!r}"
    if query.near:
        empty = f"{query.near.id} is nothing that it heard, said or saw; a search tells ids"
    commands.listed(asked, "id at who room text" if query.near else ">score id at who room text", rows,
                    escape.one_line(empty, 100), wrap=True)  # fmt: skip
    return 0


def _found(feed: Feed, query: Asked, asked: argparse.Namespace) -> list[commands.Row]:
    """A row a turn: of each exchange its sides in the order they were said."""
    most, page = asked.k, max(asked.page, query.page)
    hits = shown.ranked(feed.search(query.words, most * page)[most * (page - 1) :], query.words)
    return [_row(one, hit.score) for hit in hits for one in shown.sides(hit)]


def _around(feed: Feed, id: str) -> list[commands.Row]:
    return [_row(Hit(turn, 0.0)) for turn in feed.near(id, shown.REACH)]


def _row(hit: Hit, score: float | None = None) -> commands.Row:
    turn = hit.turn
    row = {"id": turn.id, "room": turn.room, "speaker": turn.speaker, "at": turn.at, "text": turn.text,
           "part": hit.part, "parts": hit.parts}  # fmt: skip
    cells = (short(turn.id), turn.at[:16], turn.speaker, turn.room, shown.words(hit))
    if score is None:
        return row, cells
    return {"score": round(score, 4), **row}, (f"{score:.2f}", *cells)
