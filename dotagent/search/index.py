"""The search over everything an agent heard, said or saw, for RECALL and faint memory.

It finds some thousand turns through FTS5, rare words first, reads the best of these and what surrounds them, and ranks
them by hand (rank.py). Its file is a cache (table.py): whatever happens to that, a search answers, if with nothing.
"""

import math
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from dotagent.search import leads, newer
from dotagent.search.newer import Newer
from dotagent.search.query import Query, parse
from dotagent.search.rank import PLACE, REACH, ROOM, WISH, Near, Row, Scale, Scored, fit, fused, rarity, score, spread
from dotagent.search.table import Late, Table
from dotagent.search.turn import WISHES, Passage, split
from dotagent.text.words import raw, stems

T = TypeVar("T")
WORDS = 24  # words of a query that count, the rarest
PIECES = 2  # of a turn that are read, the best
LONGEST = 4000  # characters of a query that are read
LOOK = 40  # turns that are read and ranked, at least
FEW, FEW_LOOK = 20_000, 64  # the same among so few pieces, where it takes no longer than LOOK among 100,000
LIKE_LOOK = 240  # the same where meaning is asked for, which takes 0.4 s anyway; so many words alone would take 25 ms
GLANCE = 20  # turns that a reminder reads and ranks: more come too late in a long life
YOUNG, YOUNG_GLANCE = 5_000, 40  # the same among so few pieces, where there is time for it
# A reminder is due when its best turn scores so much, and so much more per word of what was heard, times the logarithm
# of the number of turns: by chance the best of many scores more, and so does a longer message. Found by measuring
# (bench/recall.py): who asks is nearly always reminded, who tells only of what is plainly the same matter, and of a
# message that does both each part counts as far as it goes.
ASKED, ASKED_WORD = 0.0, 0.4
TOLD, TOLD_WORD = 2.0, 0.3
CALLED = 0.7  # of that for who names somebody that was heard
RARE = 0.8  # of that logarithm: so rare is a word that reminds alone, where nobody is named
SPARE = 0.5  # of the time that a reminder has: with less of it left nobody looks for what was corrected
BESIDE = 0.3  # of the best score: what else is named reaches this


Like = Callable[[str, Collection[int]], Mapping[int, float]]
"""From a query, and keys of turns' first pieces, to how like it these are, and those that are most like it: cosines."""


@dataclass(frozen=True)
class Hit:
    """A turn that was found, of a long one the passage (`part` of `parts`), and how well it fits: scores of one query
    compare, of two they do not. `beside` is the other side of an exchange, if that fits, too; `later` is who corrected
    it later, with the words in which they did."""

    turn: Passage
    score: float
    part: int = 1
    parts: int = 1
    beside: "Hit | None" = None
    later: Passage | None = None


class Index:
    """What was heard, said and seen, to be searched; the file `path` is opened, or made, when it is first needed.

    No method raises for the file's sake: a damaged one is made anew, and `mark` tells that it is empty then.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._table: Table | None = None

    def close(self) -> None:
        """Let go of the file, until it is needed again."""
        if self._table:
            self._table.close()
            self._table = None

    def make_anew(self) -> None:
        """Begin with an empty file."""
        self.close()
        _remove(self.path)

    def mark(self) -> str:
        """The feeder's own note on how far it came, empty in a new index. To be asked each time, not remembered."""
        return self._ask(Table.mark, "")

    def add(self, turns: Iterable[Passage], mark: str | None = None) -> bool:
        """Index the turns whose numbers are new, and the feeder's mark if one is given, in one transaction.

        False when it was neither: another process holds the file for longer than table.HELD, the disk is full, or the
        file was damaged and begins anew. Turns of a room come in rising order; a late one gets the neighbours of its
        arrival.
        """
        turns = list(turns)
        return self._ask(lambda table: table.add(turns, mark), False, again=False)

    def search(self, query: str, k: int = 10, like: Like | None = None) -> list[Hit]:
        """The `k` best turns for a query, best first: by their words and, where something tells it, their meaning."""

        def found(table: Table) -> list[Hit]:
            asked = _parsed(table, query)
            look = LIKE_LOOK if like else LOOK if table.size()[0] > FEW else FEW_LOOK
            scored = _ranked(table, asked, max(look, 2 * k))
            if like:
                scored = _meant(table, scored, like(query, {key - key % PLACE for key in _keys(scored)}))
            if asked.about_talk:
                return _hits(table, scored, {}, k)
            return _hits(table, *newer.first(table, asked, _lifted(scored)), k)

        return self._ask(found, [])

    def near(self, id: str, reach: int) -> list[Passage]:
        """The turn whose id begins so, whole, with `reach` turns of its room before and after it; none if it is not
        there. It is the last one of those that have the same bytes."""
        return self._ask(lambda table: table.near(id, reach), [])

    def remind(self, text: str, *, exclude: Collection[int] = (), most: int = 5, seconds: float = 0.005,
               sure: float = 1.0) -> list[Hit]:  # fmt: skip
        """The turns, at most `most`, to which something just heard plainly refers, best first; none when nothing does,
        or when it is not known after `seconds`. `sure`: the best must score so many times what is due of it."""
        try:
            return self._ask(lambda table: _reminded(table, text, most, frozenset(exclude), seconds, sure), [])
        except Late:
            return []

    def _ask(self, ask: Callable[[Table], T], otherwise: T, again: bool = True) -> T:
        """What the table answers. A damaged file is made anew and asked again; any other failure leaves it as it is.

        Nothing is added again: the new index would hold the end of a life and seem whole.
        """
        self._table = self._table or _open(self.path)
        try:
            return ask(self._table)
        except sqlite3.ProgrammingError:
            raise  # another thread's index: the caller's mistake
        except sqlite3.DatabaseError as error:
            if not _damaged(error):
                return otherwise
        self.make_anew()
        return self._ask(ask, otherwise, again=False) if again else otherwise


def _open(path: Path) -> Table:
    for _ in range(2):
        try:
            return Table(path)
        except sqlite3.DatabaseError as error:
            if _damaged(error):
                _remove(path)
    return Table(None)  # the file is held by another, or in a place that cannot be written


def _damaged(error: sqlite3.DatabaseError) -> bool:
    """Whether the file's content is wrong, and not its place, a lock or a full disk."""
    if not isinstance(error, sqlite3.OperationalError):
        return True
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR)


def _remove(path: Path) -> None:
    with suppress(OSError):  # not ours to remove: the index lives in memory then
        for end in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + end).unlink(missing_ok=True)


def _reminded(table: Table, text: str, most: int, exclude: frozenset[int], seconds: float, sure: float) -> list[Hit]:
    with table.within(seconds):
        query, chance = _parsed(table, text), math.log(table.size()[0] + 1)
        look = GLANCE if table.size()[0] > YOUNG else YOUNG_GLANCE
        scored = _ranked(table, query, look, exclude, 0.0 if query.speakers else RARE * chance)
        if not scored or scored[0].score < sure * chance * _due(query, text):
            return []
        table.hurry()
        due = [one for one in scored[:most] if one.score >= BESIDE * scored[0].score]
        if table.left() > seconds * SPARE:
            named, later = newer.first(table, query, due)
            due = [one for one in named if one.key not in later]
        return _hits(table, due, {}, most)


def _due(query: Query, text: str) -> float:
    """What the best turn must score for a reminder, for each nat of chance."""
    tells, asks = (len(stems(part)) for part in split(text[:LONGEST]))
    told, words = tells / (tells + asks or 1), min(WORDS, len(query.terms))
    due = told * (TOLD + TOLD_WORD * words) + (1 - told) * (ASKED + ASKED_WORD * words)
    return due * (CALLED if query.speakers else 1.0)


def _parsed(table: Table, text: str) -> Query:
    text = text[:LONGEST]
    words = raw(text)
    return parse(text, words, table.called(frozenset(words)))


def _ranked(
    table: Table, query: Query, look: int, exclude: frozenset[int] = frozenset(), least: float = 0.0
) -> list[Scored]:
    """The best of `look` turns, or pieces of turns, that look best unread; none for one word alone that is less rare
    than `least` nats."""
    total, mean = table.size()
    counts = table.turns_with({form for term in query.terms for form in term})
    rare = {term: rarity(min(total, sum(counts.get(form, 0) for form in term)), total) for term in query.terms}
    known = sorted((term for term in rare if any(form in counts for form in term)), key=lambda term: -rare[term])
    if len(known) == 1 and rare[known[0]] < least:
        return []
    query = replace(query, terms=tuple(known[:WORDS]))
    table.hurry()
    near = spread(leads.found(table, leads.of(query, rare, counts), look), 4 * look + len(exclude))
    table.hurry()
    shares = table.shares({place // ROOM for _, place in near[0][: 4 * look]})
    fits = partial(fit, query, shares=shares)
    places = _glanced(table, fits, near, exclude, look)
    around = {place + step for place in places for step in range(-REACH, REACH + 1)}
    rows = table.rows({key for place in around for key in near[1].get(place, [place * PLACE])[:PIECES]})
    table.hurry()
    scale = Scale([rare[term] for term in query.terms], sum(rare.values()) or 1.0, mean, shares)
    return score(query, scale, rows, places)


def _glanced(
    table: Table, fits: Callable[[Row], float], near: Near, exclude: frozenset[int], look: int
) -> frozenset[int]:
    """The `look` places that weigh most once speaker, shape and day are known; their words are not read yet.

    Of those whose numbers are not excluded, the first 4 * `look` are compared.
    """
    places, pieces = near
    weights = {place: weight for weight, place in places}
    kept: list[tuple[float, int]] = []
    for start in range(0, len(places), 4 * look):
        keys = [pieces.get(place, [place * PLACE])[0] for _, place in places[start : start + 4 * look]]
        heads = [row for row in table.rows(keys, words=False) if row.number not in exclude]
        kept += [(weights[row.key // PLACE] * fits(row), row.key // PLACE) for row in heads]
        if len(kept) >= look:
            break
    return frozenset(place for _, place in sorted(kept, reverse=True)[:look])


def _keys(scored: list[Scored]) -> list[int]:
    return [key for one in scored for key in (one.key, one.beside) if key]


def _meant(table: Table, scored: list[Scored], near: Mapping[int, float]) -> list[Scored]:
    """The same with what is like the query, in the order of both."""
    return fused(scored, near, {row.key: row for row in table.rows({*near, *_keys(scored)}, words=False)})


def _lifted(scored: list[Scored]) -> list[Scored]:
    """The same, what must always be so further up: it holds for more than its words name."""
    return sorted(
        (one._replace(score=(1 + WISH) * one.score) if one.shape & WISHES else one for one in scored), reverse=True
    )


def _hits(table: Table, scored: list[Scored], later: Mapping[int, Newer], k: int) -> list[Hit]:
    """The best `k`, read."""
    chosen = scored[: max(0, k)]
    keys = _keys(chosen)
    turns = table.turns({*keys, *(later[key].key for key in keys if key in later)})

    def hit(key: int, score: float, beside: Hit | None = None) -> Hit:
        by = later.get(key)
        return Hit(turns[key][0], score, *turns[key][1:], beside, by and replace(turns[by.key][0], text=by.words))

    return [
        hit(one.key, one.score, hit(one.beside, 0.0) if one.beside in turns else None)
        for one in chosen
        if one.key in turns
    ]
