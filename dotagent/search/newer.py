"""What of that which was found somebody corrected later: the newer comes first, and the older tells of it.

A person's turn corrects an older one of the same person when a clause of it has a sign of change (text/corrected.py)
and both speak of the same thing: they share words that are rare, or that were asked for. A sign that says less needs
more of them. Whoever only repeats or adds corrects nothing. Derived at each search; owns nothing on disk.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from dotagent.search.query import Query
from dotagent.search.rank import PLACE, Row, Scored, rarity
from dotagent.search.table import Table
from dotagent.search.turn import CHANGES, FINAL, split
from dotagent.text import corrected
from dotagent.text.corrected import Clause, Values

LOOK = 12  # exchanges that are looked at, the best
ENOUGH = 0.7  # of the logarithm of the number of turns: so rare, together, are words that two share of one thing
SAME = {corrected.REVOKES: 0.5, corrected.DENIES: 0.7, corrected.NEWS: 0.8}  # so much of what either says, by the sign
ASKED, LESS = 0.5, 0.3  # with so much of what was asked for among the shared words, so much of what either says will do
MANY = {corrected.REVOKES: 2, corrected.DENIES: 3, corrected.NEWS: 2}  # shared words, at least, where less will do
LEAST = 0.3  # of what was asked for they share in any case; it will do where both count one thing, and not as many
FEW = 2  # words: a clause of fewer is read with those beside it
REPLY = (1, 2)  # places: so far before a reply stands what it takes back, with at most an answer between


class Newer(NamedTuple):
    """A turn that corrects, and the words in which it does."""

    key: int
    words: str


Corrected = Mapping[int, Sequence[Newer]]
"""By the key of what was corrected: what corrects it, the newest first."""


class Uttered(NamedTuple):
    """A person's turn, or a piece of it: its clauses with those beside them, and of these the ones that say that
    something has changed."""

    row: Row
    text: str
    clauses: Sequence[Clause]
    changed: Sequence[Clause]


class Weights(NamedTuple):
    """How rare each word is, how rare shared ones must be together, what was asked for, and how rare all of that is."""

    rare: Mapping[str, float]
    enough: float
    asked: frozenset[str]
    whole: float
    values: Callable[[str], Values]  # of a text, looked for once

    def worth(self, words: Collection[str]) -> float:
        """How rare words are together."""
        return sum(self.rare.get(word, 0.0) for word in words)


def first(table: Table, query: Query, scored: list[Scored]) -> tuple[list[Scored], dict[int, Newer]]:
    """What was found, each behind what corrects it; and, of what was corrected, the newest that does."""
    looked = scored[:LOOK]
    if not any(one.shape & CHANGES for one in looked):
        return scored, {}
    by = _corrections(table, query, [key for one in looked for key in (one.key, one.beside) if key])
    at = {key: place for place, one in enumerate(looked) for key in (one.key, one.beside)}
    order = dict[int, None]()

    def put(place: int) -> None:
        for key in (looked[place].key, looked[place].beside):
            for newer in by.get(key, ()):
                put(at[newer.key])
        order.setdefault(place)

    for place in range(len(looked)):
        put(place)
    found = [looked[place]._replace(score=one.score) for place, one in zip(order, looked, strict=True)]
    return [*found, *scored[LOOK:]], {key: _newest(key, by) for key in by}


def _newest(key: int, by: Corrected) -> Newer:
    """The end of the chain that begins with what corrects this."""
    newer = by[key][0]
    return _newest(newer.key, by) if newer.key in by else newer


def _corrections(table: Table, query: Query, keys: Collection[int]) -> dict[int, list[Newer]]:
    """What corrects what among the turns, or pieces of turns, of these keys."""
    rows = sorted(table.rows(keys), key=lambda row: -row.number)
    asked = frozenset(form for term in query.terms for form in term if not form.startswith("@"))
    told = {row.key: frozenset(row.tells.split()) for row in rows}
    rare = _rarities(table, asked)
    enough, whole = ENOUGH * math.log(table.size()[0] + 1), sum(rare.values()) or 1.0
    scale = Weights(rare, enough, asked, whole, cache(corrected.values))
    near = {row.key for row in rows if scale.worth(told[row.key] & asked) >= LEAST * scale.whole}
    rare |= _rarities(table, {word for key in near for word in told[key]})
    pairs = list(_pairs(scale, rows, near, told))
    turns = table.turns({row.key for pair in pairs for row in pair})
    said = {row.key: _said(row, turns[row.key][0].text) for row in rows if row.key in turns}
    found: dict[int, list[Newer]] = {}
    for newer, older in ((said[one.key], said[other.key]) for one, other in pairs):
        words = _corrects(scale, newer, older) or (newer.text if _takes_back(table, newer, older) else "")
        if words:
            found.setdefault(older.row.key, []).append(Newer(newer.row.key, words))
    return found


def _rarities(table: Table, words: Collection[str]) -> dict[str, float]:
    total, _ = table.size()
    return {word: rarity(min(total, count), total) for word, count in table.turns_with(words).items()}


def _pairs(
    scale: Weights, rows: Sequence[Row], near: Collection[int], told: Mapping[int, frozenset[str]]
) -> Iterator[tuple[Row, Row]]:
    """The newer and the older of what may be of one thing, by all their words, or stands just before a reply."""
    for older in rows:
        for newer in rows if older.key in near else ():
            if newer.shape & CHANGES and newer.speaker == older.speaker and newer.number > older.number:
                shared = told[newer.key] & told[older.key]
                alike = newer.key in near and told[newer.key] != told[older.key] and scale.worth(shared) >= scale.enough
                if alike or newer.key // PLACE - older.key // PLACE in REPLY:
                    yield newer, older


def _said(row: Row, text: str) -> Uttered:
    clauses = corrected.clauses(split(text)[0])
    whole = [_together(clauses[max(0, at - 1) : at + 2]) for at in range(len(clauses))]
    return Uttered(row, text, whole, _changed(clauses, whole))


def _together(clauses: Sequence[Clause]) -> Clause:
    """Clauses as one."""
    about = frozenset(word for one in clauses for word in one.about)
    return Clause(", ".join(one.text for one in clauses), about, max(one.sign for one in clauses))


def _changed(clauses: Sequence[Clause], whole: Sequence[Clause]) -> list[Clause]:
    """The clauses that say that something has changed, with those beside them; what is taken back is said in the clause
    itself where that says enough."""
    found = list[Clause]()
    for one, beside in zip(clauses, whole, strict=True):
        own = one.sign == corrected.REVOKES and len(one.about) >= FEW
        if one.sign:
            found.append(Clause(beside.text, one.about if own else beside.about, one.sign))
    return found


def _corrects(scale: Weights, newer: Uttered, older: Uttered) -> str:
    """The words with which one turn corrects another, or none."""
    for one in newer.changed:
        if any(_of_one(scale, one, other) for other in older.clauses):
            return one.text
    return ""


def _of_one(scale: Weights, newer: Clause, older: Clause) -> bool:
    """Whether two clauses are of the same thing, and the newer one says it otherwise."""
    shared = newer.about & older.about
    worth, asked = scale.worth(shared), scale.worth(shared & scale.asked) / scale.whole
    if worth < scale.enough or asked < LEAST:
        return False
    part = worth / min(scale.worth(newer.about), scale.worth(older.about))
    if part < LESS:
        return False
    differ = corrected.differ(scale.values(newer.text), scale.values(older.text))
    counted = any(kind.startswith("of ") for kind in differ)
    much = len(shared) >= MANY[newer.sign] and (counted or asked >= ASKED)
    if part < (LESS if much else SAME[newer.sign]):
        return False
    if newer.sign == corrected.NEWS:
        return bool(differ) and (differ != {"name"} or part >= SAME[corrected.REVOKES])
    repeats = older.sign == newer.sign and (newer.sign == corrected.DENIES or newer.about <= older.about)
    return bool(differ) or not repeats


def _takes_back(table: Table, newer: Uttered, older: Uttered) -> bool:
    """Whether a turn is a reply to another of the same person just before it, with another value and at most an answer
    between that asks nothing."""
    place, speaker = newer.row.key // PLACE, newer.row.speaker
    steps = place - older.row.key // PLACE
    if steps not in REPLY or not corrected.replies(newer.text):
        return False
    if not corrected.differ(corrected.values(newer.text), corrected.values(older.text)):
        return False
    between = table.rows([(place - 1) * PLACE], words=False) if steps > 1 else []
    return not any(row.speaker == speaker or row.shape & FINAL for row in between)
