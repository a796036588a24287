"""The search over everything that an agent read, said or saw, for RECALL and faint memory.

FTS5 finds some thousand pieces, starting with rare words. The best of these and their neighbours are read and ranked by
rank.py. The file is a cache (table.py): even if it is damaged, a search returns, if only an empty list.
"""

import math
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from dotagent.search.query import Query, parse
from dotagent.search.rank import AGENT, AROUND, OTHER, PLACE, VOICES, Scored, choose, fit, fused, rarity, score
from dotagent.search.shown import ShownTurns
from dotagent.search.table import OTHERS, PERSONS, Table
from dotagent.search.turn import Passage
from dotagent.text import standing_instructions
from dotagent.text.lazy import dataclass

T = TypeVar("T")
WORDS = 24  # the rarest words of a query; the others are ignored
LONGEST = 4000  # characters of a query that are read
LOOK = 120  # turns that are read and ranked
MEANING = 0.75  # weight of the ranking by meaning; a ranking by words has 1, and both together find more than either
ALIKE = 0.35  # the least cosine of a turn without any word of the query; unrelated turns stay below
WORD = 0.3  # score that a reminder needs for each word of the message and nat of chance; statements need a nat more
RARE = 0.8  # share of the chance in nats: the rarity of a word that causes a reminder alone, if no speaker is named


Like = Callable[[str, Collection[int]], Mapping[int, float]]
"""A function from a query and keys of first pieces to the cosine similarity of these and of the most similar ones."""


@dataclass(frozen=True)
class Hit:
    """A turn in the result; for a long turn, its matching passage (`part` of `parts`). Scores can be compared only
    within one query."""

    turn: Passage
    score: float
    part: int = 1
    parts: int = 1


class Index:
    """A searchable index, in the file `path`, which is opened or created at the first use. No method raises an error
    because of the file. A damaged file is rebuilt, and `mark` is then empty."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._table: Table | None = None

    def close(self) -> None:
        """Close the file until the next use."""
        if self._table:
            self._table.close()
            self._table = None

    def make_anew(self) -> None:
        """Start with an empty file."""
        self.close()
        _remove(self.path)

    def mark(self) -> str:
        """Return the feeder's note about its progress, "" in an index that is new or was rebuilt."""
        return self._ask(Table.mark, "")

    def add(self, turns: Iterable[Passage], mark: str | None = None) -> bool:
        """Index the turns with new numbers, and the feeder's mark if given, in one transaction. Give turns of a room in
        rising order. Return False if nothing was written: another process locks the file for longer than table.HELD,
        the disk is full, or the file was damaged and starts again."""
        turns = list(turns)
        return self._ask(lambda table: table.add(turns, mark), False, again=False)

    def search(self, query: str, k: int = 10, like: Like | None = None) -> list[Hit]:
        """Return the `k` best turns for a query, best first, by their words and, with `like`, by meaning."""
        return self._ask(lambda table: search(table, query, k, like), [])

    def near(self, id: str, reach: int) -> list[Passage]:
        """Return the last turn whose id begins with `id`, and `reach` turns of its room on either side, complete."""
        return self._ask(lambda table: table.near(id, reach), [])

    def remind(self, text: str, *, exclude: Sequence[int] = (), most: int = 5) -> list[Hit]:
        """Return at most `most` turns that a new message clearly refers to, best first. The context shows the turns in
        `exclude`. To save time, give the same sequence again, with new numbers at its end."""
        return self._ask(lambda table: _reminded(table, text, most, exclude), [])

    def _ask(self, ask: Callable[[Table], T], otherwise: T, again: bool = True) -> T:
        """Call `ask` with the table. A damaged file is rebuilt and asked again, but not by `add`, because the new index
        would contain only the end of LIFE and seem complete. After any other error return `otherwise`."""
        self._table = self._table or _open(self.path)
        try:
            return ask(self._table)
        except sqlite3.ProgrammingError:
            raise  # an index of another thread is the caller's mistake
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
    return Table(None)  # the file is locked by another process, or cannot be written


def _damaged(error: sqlite3.DatabaseError) -> bool:
    """Return True if the file's content is wrong, not its place, a lock or a full disk."""
    if not isinstance(error, sqlite3.OperationalError):
        return True
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR)


def _remove(path: Path) -> None:
    with suppress(OSError):  # it may not be removed, so the index is in memory then
        for end in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + end).unlink(missing_ok=True)


def search(table: Table, query: str, k: int, like: Like | None = None) -> list[Hit]:
    """Return the `k` best turns of a table; see Index.search. Raises sqlite3.Error."""
    asked = parse(query[:LONGEST], table.called)
    said = _ranked(table, asked, LOOK + k)
    if like:
        near = like(asked.unnamed, {one.key - one.key % PLACE + one.key % VOICES for one in said})  # for first pieces
        said = fused(said, _find_similar(table, asked, near, said), MEANING)
    return _hits(table, said, k)


def _reminded(table: Table, text: str, most: int, exclude: Sequence[int]) -> list[Hit]:
    """Return the turns for a reminder. The score that each needs grows with the number of turns and with the message,
    because then turns score higher by chance."""
    query, chance = parse(text[:LONGEST], table.called), math.log(table.size()[0] + 1)
    least = 0.0 if query.speakers else RARE * chance
    scored = _ranked(table, query, LOOK, 1.0, table.shown(exclude), least)
    said = list(standing_instructions.sentences(text[:LONGEST]))
    told = [len(one) for one in said if not one.rstrip().endswith(("?", "？"))]
    due = WORD * min(WORDS, len(query.terms)) + sum(told) / max(1, sum(map(len, said)))
    needed = chance * due * (OTHER if query.speakers else 1.0)
    return _hits(table, [one for one in scored if one.score >= needed], most)


def _ranked(table: Table, query: Query, look: int, agent: float = AGENT, out: ShownTurns | None = None,
            least: float = 0.0) -> list[Scored]:  # fmt: skip
    """Return the best of `look` turns that seem best before they are read, without those in `out`. Return none if the
    query's only word is less rare than `least` nats."""
    out = out or ShownTurns()
    total, mean = table.size()
    rows = table.rows_with({form for term in query.terms for form in term})
    known = {term: [rows[form] for form in term if form in rows] for term in query.terms}
    counts = {term: tuple(map(sum, zip(*pairs, strict=True))) for term, pairs in known.items() if pairs}
    rare = {term: rarity(min(total, told), total) for term, (told, _) in counts.items()}
    if len(rare) == 1 and min(rare.values()) < least:
        return []
    weights = dict(sorted(rare.items(), key=lambda one: -one[1])[:WORDS])
    leads = [(part * weights[term], keys) for at, (of, part) in enumerate(((PERSONS, 1.0), (OTHERS, agent)))
             for term, keys in table.leads(of, {term: counts[term][at] for term in weights}, out.ranges())]  # fmt: skip
    wanted, pieces = choose(leads, query, look, out.places)
    around = {place + step for place in wanted for step in (0, *AROUND)}
    found = table.rows([pieces[place] for place in around & pieces.keys()], {*wanted} - pieces.keys())
    return score(query, weights, mean, agent, found, wanted)


def _find_similar(table: Table, query: Query, near: Mapping[int, float], said: list[Scored]) -> list[Scored]:
    """Return the turns that are similar to the query. `near` has the similarity by key of a first piece. A turn that
    its words did not find needs a similarity of at least ALIKE."""
    known = {one.number for one in said}
    rows = [row for row in table.rows(near) if near[row.key] >= ALIKE or row.number in known]
    alike = (Scored(near[row.key] * fit(query, row), row.number, row.key) for row in rows if near[row.key] > 0)
    return sorted(alike, reverse=True)


def _hits(table: Table, scored: list[Scored], k: int) -> list[Hit]:
    """Return the best `k` with their text."""
    chosen = scored[: max(0, k)]
    turns = table.turns([one.key for one in chosen])
    return [Hit(turns[one.key][0], one.score, *turns[one.key][1:]) for one in chosen if one.key in turns]
