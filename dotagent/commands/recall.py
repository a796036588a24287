"""Search everything an agent ever heard, said or saw."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.search.feed import Feed
from dotagent.store import home
from dotagent.text import escape
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which agent, and what for."""
    commands.life_argument(parser)
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words, names, dates")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="how many (default: 10)")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a turn, the best first; the index is brought up to date before."""
    where = commands.home_of(asked)
    if asked.self and not commands.first_is_life(asked, where):
        asked.self, asked.query = None, [asked.self, *asked.query]
    if not asked.query:
        raise Misuse("recall what? python -m dotagent recall [SELF] QUERY")
    path = where.agent(commands.life_of(asked, where))
    feed = Feed(path, where.store(), home.owner(home.settings(where)))
    for hit in feed.search(" ".join(asked.query), max(1, asked.k)):
        turn = hit.turn
        row = {"id": turn.id, "score": round(hit.score, 4), "room": turn.room, "speaker": turn.speaker,
               "at": turn.at, "text": turn.text}  # fmt: skip
        who = turn.speaker + (f" in {turn.room}" if turn.room else "")
        line = f"{hit.score:7.2f}  {short(turn.id)}  {turn.at[:16]}  {who}: {escape.one_line(turn.text, 200)}"
        commands.show(row, line, asked)
    feed.close()
    return 0
