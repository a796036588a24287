"""Search everything an agent ever read, said or saw."""

from __future__ import annotations

import argparse

from dotagent import commands, embedding, installed
from dotagent.errors import Misuse
from dotagent.search import results
from dotagent.search.feed import Feed
from dotagent.search.index import Hit
from dotagent.store import home
from dotagent.text import escape, times
from dotagent.text.reference import short

GROUP = "daily"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent and the query."""
    commands.life_argument(parser, "the agent: 8 or more digits of its id (default: the only agent)")
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words, names or dates to search for")
    parser.add_argument(
        "--near", metavar="ID", help="show the messages around the message with this id (8 or more digits)"
    )
    parser.add_argument("--page", type=commands.many, default=1, metavar="N", help="the page of results (default: 1)")
    parser.add_argument("-k", type=commands.many, default=10, metavar="N", help="results per page (default: 10)")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Update the index, and print one line per turn: best match first, or in order around one turn."""
    where = commands.home_of(asked)
    if asked.self and not commands.first_is_life(asked, where):
        asked.self, asked.query = None, [asked.self, *asked.query]
    query = results.parse_query(f"near {asked.near}" if asked.near else " ".join(asked.query))
    if not query.words.strip():
        raise Misuse(f"the query is missing: {installed.program('recall')} [AGENT] QUERY")
    if (asked.near and not query.near) or (query.near and not query.near.id):
        raise Misuse(
            f"--near needs 8 to 32 digits of an id from a search: {installed.program('recall')} [AGENT] --near ID"
        )
    path = where.agent(commands.life_of(asked, where))
    settings = home.settings(where)
    feed = Feed(path, where.store(), home.owner(settings))
    feed.like = embedding.make_comparison(where, settings, feed.index.path)
    try:
        if query.near:
            rows = [_row(Hit(turn, 0.0)) for turn in feed.near(query.near.id, results.REACH)]
        else:
            most, page = asked.k, max(asked.page, query.page)
            hits = results.ranked(feed.search(query.words, most * page)[most * (page - 1) :], query.words)
            rows = [_row(hit, hit.score) for hit in hits]
    finally:
        feed.close()
    more = "no more matches" if max(asked.page, query.page) > 1 else "no match"
    empty = f"{more} for {' '.join(asked.query)!r}"
    if query.near:
        empty = f"no message has the id {query.near.id}; a search shows ids"
    commands.print_list(asked, "id at who room text" if query.near else ">score id at who room text", rows,
                    escape.one_line(empty, 100), wrap=True)  # fmt: skip
    return 0


def _row(hit: Hit, score: float | None = None) -> commands.Row:
    turn = hit.turn
    row = {"id": turn.id, "room": turn.room, "speaker": turn.speaker, "at": turn.at, "text": turn.text,
           "part": hit.part, "parts": hit.parts}  # fmt: skip
    cells = (short(turn.id), times.format_stamp(turn.at), turn.speaker, turn.room, results.words(hit))
    if score is None:
        return row, cells
    return {"score": round(score, 4), **row}, (f"{score:.2f}", *cells)
