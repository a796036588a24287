"""A long life that forgets: each event has its blob, and each time when the context is full, a swap makes it smaller.

It is written in the real forms, without the loop that lives it, so a million events take a minute. The texts are drawn
from a pool, so that there are as many blobs as one likes. By turns, a quarter of the life has long texts, as of tools,
and a quarter short ones, as of people who chat: then a context has seven times as many entries.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import common
import histories

from dotagent.compaction import tree
from dotagent.compaction.tree import Member
from dotagent.life import events as kinds
from dotagent.life import snapshot
from dotagent.life.context import Entry
from dotagent.life.events import Ask, Fade, Faded, Hear, Reply, Result, Swap
from dotagent.life.state import State, change
from dotagent.store import log
from dotagent.store.blobs import Blobs, content_id
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import tag, times, tokens

LEFT = 0.6  # part of the limit that a swap leaves
CHUNK, SUMMARIES = 40, 12  # entries that one summary replaces, and summaries in a context
GIST = 60  # characters
QUARTERS = 4
LONG, SHORT = 4.0, 1.0  # logarithms of the median words of a text
HEAD = 22  # tokens of an entry besides its text

Text = tuple[str, str, int]
"""A blob of the pool: its id, its gist, and its tokens."""


def make(path: Path, events: int, blobs: int, limit: int) -> tuple[Home, str]:
    """A sleeping life of so many events, in a home of about so many blobs, whose context never has more than so many
    tokens."""
    where = common.make_home(path)
    self_id = common.born(where)
    life = where.agent(self_id) / "LIFE.md"
    histories.age(life, histories.EVERY * events)
    with common.living(where, self_id) as living:
        living.turn("hello", "hello")
        state = living.session.state
    made = _Life(where.store(), self_id, state, limit, blobs - events // 100)  # the others are of swaps
    first = times.parse(next(log.backwards(life)).at)
    step = (datetime.now(UTC) - timedelta(minutes=10) - first) / (events + 1)
    with open(life, "ab") as file:
        for written, line in enumerate(made.lines(first, step)):
            file.write(f"{log.render(line)}\n".encode())
            made.short = written * QUARTERS // events % 2 == 1
            if written + 1 == events:
                break
    return where, self_id


class _Life:
    """The life as it is written: its context, and what is next in LIFE."""

    def __init__(self, store: Blobs, self_id: str, state: State, limit: int, pool: int) -> None:
        self._store, self._id, self._state, self._limit = store, self_id, state, limit
        self._chance, self._number, self._size = random.Random(37), state.number, 0
        self._entries = list[tuple[Entry, int]]()
        at = times.now()
        several = ("HEAR", "REPLY", "TOOL", "")  # of summaries: ""
        self._pool = {
            (kind, short): [self._text(kind, at, SHORT if short else LONG) for _ in range(pool // 8)]
            for kind in several for short in (True, False)
        }  # fmt: skip
        self.short = False
        self._asked = content_id(b"a request")

    def _text(self, kind: str, at: str, median: float) -> Text:
        """Keep a text of about so many words, as a logarithm."""
        many = min(600, int(self._chance.lognormvariate(median, 0.9)) + 1)
        words = " ".join(self._chance.choices(histories.WORDS, k=many))
        text = tag.render("USER", "ana", at, words) if kind == "HEAR" else words
        return histories.put(self._store, self._id, text, at), words[:GIST].strip(), tokens.estimate(text)

    def lines(self, first: datetime, step: timedelta) -> Iterator[Line]:
        """Yield turns of a message, a tool and an answer, and the swaps between them."""
        number = 0
        for event, detail, kind in self._turns():
            if event == Hear.WORD and self._size > self._limit:
                for line in self._swap():
                    number += 1
                    yield self._stamped(line, first + step * number)
            number += 1
            id, gist, size = (
                self._chance.choice(self._pool[kind, self.short]) if kind else (self._asked * (event == "ASK"), "", 0)
            )
            line = Line(histories.stamp(first + step * number), event, detail, id, gist)
            if kind:
                self._number += 1
                self._entries.append((Entry(self._number, line, detail.partition(" ")[0], None), size + HEAD))
                self._size += size + HEAD
            yield line

    def _turns(self) -> Iterator[tuple[str, str, str]]:
        offset = 0
        while True:
            offset += self._chance.randrange(40, 400)
            used = Reply(
                "dev", {"finish": "stop", "model": "script", "input": str(self._size), "output": "40"}
            ).detail()
            yield Hear.WORD, Hear("dev", offset, "0123456789ab", "", "person", "USER:ana").detail(), Hear.WORD
            yield Ask.WORD, "scripted dev 9000", ""
            yield Reply.WORD, used, Reply.WORD
            yield Result.WORD, "READ_FILE ok", Result.WORD
            yield Ask.WORD, "scripted dev 9000", ""
            yield Reply.WORD, used, Reply.WORD
            yield "EFFECT", f"SAY dev {offset} 2026-11-21T20:17:24.123456Z", ""
            yield "DID", "SAY", ""

    def _stamped(self, line: Line, at: datetime) -> Line:
        return Line(histories.stamp(at), line.event, line.detail, line.id, line.gist)

    def _swap(self) -> Iterator[Line]:
        """Yield the chunks that fade and the swap, and make the context smaller."""
        was, gone = self._size, 0
        old = [one for one in self._entries if one[0].event == Faded.WORD]
        new = [one for one in self._entries if one[0].event != Faded.WORD]
        while new and self._size > self._limit * LEFT:
            run, new = new[:CHUNK], new[CHUNK:]
            gone = sum(size for _, size in run)
            span = f"{run[0][0].number}-{run[-1][0].number}"
            members = [Member(one.number, one.line) for one, _ in run]
            id = histories.put(self._store, self._id, tree.encode(members).decode(), run[0][0].line.at, self._id)
            summary, gist, size = self._chance.choice(self._pool["", self.short])
            yield Line("", Fade.WORD, Fade(span, "limit", 5, f"{gone}->{size}").detail(), id, gist)
            line = Line(run[0][0].line.at, Faded.WORD, Faded(span, 5, summary).detail(), id, gist)
            old.append((Entry(run[0][0].number, line, f"{span} relevance=5", None), size + HEAD))
            self._size += size + HEAD - gone
        while len(old) > SUMMARIES:
            (first, _), (second, size), *rest = old
            event = kinds.parse(second.line)
            assert isinstance(event, Faded)
            span = f"{first.number}-{event.last}"
            line = Line(
                first.line.at, Faded.WORD, Faded(span, 5, event.summary).detail(), first.line.id, second.line.gist
            )
            old = [(Entry(first.number, line, f"{span} relevance=5", None), size), *rest]
        self._entries = [*old, *new]
        self._size = sum(size for _, size in self._entries)
        body = snapshot.encode(change(self._state, number=self._number), [one for one, _ in self._entries]).decode()
        id = histories.put(self._store, self._id, body, times.now())
        yield Line("", Swap.WORD, Swap("limit", f"{was}->{self._size}").detail(), id, "the new context")
