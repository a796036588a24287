"""The score of a turn for a query: BM25 over the turn and its neighbours. Pure; owns nothing on disk.

A turn answers the question before it, and the turn after it repeats its words. So a word counts at its best place: in
the turn, before it or after it. The words of an agent count less, because it speaks much and echoes everything. Two
words that follow each other in a turn count more if the query has them in this order.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from dotagent.search.query import Query, Term
from dotagent.search.turn import day_words

K1, B = 0.9, 0.5  # BM25's saturation of repeats and weight of length, near the defaults of Anserini (Yang et al., 2017)
HALF, NEAR = 0.5, 0.45  # for a word in the turn after, and in others near; the turn before counts twice if it asks
AGENT = 0.3  # factor for text that no person wrote, also near a turn
OTHER = 0.6  # factor for a turn if the query names another speaker
REACH = 2  # turns on either side that count
AROUND = tuple(step for step in range(-REACH, REACH + 1) if step)

VOICES = 1 << 5  # a key ends with the voice: 0 for no person, the others are shared by the persons
PIECES = 1 << 10  # before it is the number of the piece in its turn
PLACE = VOICES * PIECES  # keys for a place
ROOM = 1 << 26  # places for a room


class Row(NamedTuple):  # hundreds are made for a query, and a dataclass takes four times as long
    """A turn, or a piece of a long one, in the index; neighbours in a room have neighbouring places. `asks` says
    whether the turn has a question."""

    key: int
    number: int
    speaker: int
    day: int
    asks: int
    words: str


class Scored(NamedTuple):
    """The score of a turn for a query, and the key of its best piece."""

    score: float
    number: int
    key: int


def voice(speaker: int) -> int:
    """Return the voice of a person in keys."""
    return 1 + speaker % (VOICES - 1)


def rarity(rows: int, total: int) -> float:
    """Return BM25's weight of a word that is in `rows` of `total` pieces, in nats."""
    return math.log(1 + (total - rows + 0.5) / (rows + 0.5)) if rows <= total else 0.0


def choose(found: Iterable[tuple[float, Collection[int]]], query: Query, look: int, out: set[int]
           ) -> tuple[list[int], dict[int, int]]:  # fmt: skip
    """Return the `look` places that seem best before they are read, without those in `out`, and the best matching piece
    of each place. `found` has the keys in which a word is, and its weight."""
    own = dict[int, float]()
    for weight, keys in found:
        again = {key: own[key] + weight for key in own.keys() & keys}
        own |= dict.fromkeys(keys, weight) | again
    if query.speakers:
        named = {voice(speaker) for speaker in query.speakers}
        own = {key: points if key % VOICES in named else OTHER * points for key, points in own.items()}
    order = sorted(own, key=own.__getitem__)
    pieces = {key // PLACE: key for key in order}
    best = (key // PLACE for key in reversed(order) if pieces[key // PLACE] == key)
    seen = islice((place for place in best if place not in out), look)
    near = {place + step for place in seen for step in (0, *AROUND)}.difference(out)

    def whole(place: int) -> tuple[float, int]:
        points = [own.get(pieces.get(place + step, -1), 0.0) for step in AROUND]
        return own.get(pieces.get(place, -1), 0.0) + HALF * max(points), place

    return nlargest(look, near, key=whole), pieces


def score(query: Query, weights: Mapping[Term, float], mean: float, agent: float, rows: Iterable[Row],
          wanted: Iterable[int]) -> list[Scored]:  # fmt: skip
    """Return the turns of the wanted places that match the query in or near them, best first, and the later first for
    equal scores. `weights` has the rarity of each word, and `mean` the mean number of words of a person's piece. A turn
    of an agent must contain a word of the query: "Noted." next to the right turn is not a match."""
    forms = {form: term for term in weights for form in term}
    pairs = {*combinations((term for term in query.terms if term in weights), 2)}
    turns = {row.key // PLACE: (row, _weigh(row, forms, weights, mean)) for row in rows}
    found = list[Scored]()
    for place in wanted:
        row, values = turns.get(place, (None, {}))
        if row is None or not (values or row.key % VOICES):
            continue
        best = dict(values)
        for step in AROUND:
            near, beside = turns.get(place + step, (row, {}))
            part = HALF if step == 1 else 2 * NEAR if step == -1 and near.asks else NEAR
            part = part if near.key % VOICES else AGENT
            for term, value in beside.items():
                best[term] = max(best.get(term, 0.0), part * value)
        follow = pairs & {*pairwise(map(forms.get, row.words.split()))} if len(values) > 1 else ()
        points = sum(best.values()) + HALF * math.fsum(min(values[one], values[two]) for one, two in follow)
        points *= fit(query, row) * (1.0 if row.key % VOICES else agent)
        if points:
            found.append(Scored(points, row.number, row.key))
    return sorted(found, reverse=True)


def _weigh(row: Row, forms: Mapping[str, Term], weights: Mapping[Term, float], mean: float) -> dict[Term, float]:
    """Return BM25's weight of each word of the query in a turn. The words of its day have their whole weight, but an
    agent's turn must contain another word of the query: it answers many messages of a day with "Noted."."""
    words = row.words.split()
    flat = K1 * (1 - B + B * len(words) / mean)
    counts = Counter(forms[word] for word in words if word in forms)
    values = {term: weights[term] * (K1 + 1) * count / (count + flat) for term, count in counts.items()}
    if not (values or row.key % VOICES):
        return {}
    return values | {forms[word]: weights[forms[word]] for word in day_words(row.day) if word in forms}


def fit(query: Query, row: Row) -> float:
    """Return a factor for the turn's speaker, which is lower if the query names another."""
    return OTHER if query.speakers and row.speaker not in query.speakers else 1.0


def fused(first: Sequence[Scored], second: Sequence[Scored], part: float) -> list[Scored]:
    """Return the turns of two rankings by the sum of their scores, of which the second counts in `part`; the best turn
    of a ranking counts as 1. The piece of a turn comes from the first ranking that has the turn."""
    found = {one.number: one for one in (*second, *first)}
    worth = defaultdict[int, float](float)
    for weight, ranking in ((1.0, first), (part, second)):
        for one in ranking:
            worth[one.number] += weight * one.score / ranking[0].score
    return sorted((one._replace(score=worth[number]) for number, one in found.items()), reverse=True)
