"""The score of a turn for a query: BM25 over the turn and what surrounds it. Pure.

A turn answers the question before it, and the one after it repeats its words. So a word counts where it stands best:
in the turn, before it or after it. The weights were chosen on conversations, each time leaving one out; they are round,
since finer ones did not carry over.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from dotagent.search.query import Query, on
from dotagent.search.turn import ASKS, FINAL, NAMES, TIMED, day_words

K1, B = 0.8, 0.3  # BM25 (Robertson and Zaragoza, 2009): saturation of repeats, weight of length
ANSWER = 1.0  # of what the turn before asks
ANSWERED = 0.7  # of the rest of a turn before that asks something
BEFORE = 0.2  # of a turn before that asks nothing
AFTER = 0.5  # of the turn after: it echoes
TWO = 0.4  # of the turns two before and two after
REST = 0.3  # of the places of a word beside its best one
COVER = 0.5  # for a turn that has every word, in part for a part
OTHER, SECOND = 0.5, 0.7  # where another speaker is named, or another first
ASKING = 0.8  # of a turn that ends in a question
TOLD_WHEN, TOLD_NAME = 0.7, 0.4  # for a time where a time is asked, for a name where a name is
ON_DAY = 0.5  # for a turn of a named day
TELLING, SHORT = 0.3, 6  # for a turn that tells much: this many words, or in part
REACH = 2  # turns to either side that count
NEAR = ((-2, TWO), (-1, AFTER), (0, 1.0), (1, ANSWERED), (2, TWO))  # the same before a turn is read


class Row(NamedTuple):  # hundreds are made for a query, and a dataclass takes four times as long
    """One turn (or one piece of a long one) as the index holds it; neighbours in a room have neighbouring keys."""

    key: int
    number: int
    speaker: int
    day: int
    shape: int
    tells: str
    asks: str


class Scored(NamedTuple):
    """A turn's worth for a query: the rarity of what was found in it or about it, times what speaks for the turn."""

    score: float
    number: int
    key: int


def rarity(turns: int, total: int) -> float:
    """BM25's weight of a word that is in `turns` of `total` turns, in nats."""
    return math.log(1 + (total - turns + 0.5) / (turns + 0.5)) if turns <= total else 0.0


def spread(found: Iterable[tuple[float, Iterable[int]]], most: int) -> list[tuple[float, int]]:
    """The keys worth a look and what they weigh, the best first: those of every word and, for the best `most` of them,
    their neighbours, weighed without reading any."""
    own, near = defaultdict[int, float](float), defaultdict[int, float](float)
    for weight, keys in found:
        for key in keys:
            own[key] += weight
    for weight, key in _best(own)[:most]:
        for step, part in NEAR:
            near[key + step] += part * weight
    return _best(near)


def _best(weights: dict[int, float]) -> list[tuple[float, int]]:
    """Largest first; of equals the later one first."""
    return sorted(zip(weights.values(), weights.keys(), strict=True), reverse=True)


def score(
    query: Query, weights: Sequence[float], whole: float, rows: Sequence[Row], mean: float, wanted: Collection[int]
) -> list[Scored]:
    """The rows of wanted keys with something of the query in or beside them, best first, of equals the later.

    `weights` is the rarity of each term of the query, `whole` the sum for all terms that were asked, `mean` the usual
    number of words of a row.
    """
    places = _places(query, weights, rows, mean, wanted)
    scored: list[Scored] = []
    for row in rows:
        if row.key in places:
            best, sums = places[row.key]
            found = sum(weight for weight, value in zip(weights, best, strict=True) if value)
            points = (1 - REST) * sum(best) + REST * sum(sums)
            scored.append(Scored(points * (1 + COVER * found / whole) * fit(query, row), row.number, row.key))
    return sorted(scored, reverse=True)


Place = tuple[list[float], list[float]]  # what each term counts in a turn: from its best place, from all together


def _places(
    query: Query, weights: Sequence[float], rows: Sequence[Row], mean: float, wanted: Collection[int]
) -> dict[int, Place]:
    forms = {form: i for i, term in enumerate(query.terms) for form in term}
    dated = any(form.startswith("@") for form in forms)
    places: dict[int, Place] = {}

    def give(key: int, i: int, value: float) -> None:
        if key in wanted:
            if key not in places:
                places[key] = ([0.0] * len(weights), [0.0] * len(weights))
            best, sums = places[key]
            if value > best[i]:
                best[i] = value
            sums[i] += value

    for row in rows:
        tells, asks = row.tells.split(), row.asks.split()
        told = [forms[word] for word in tells if word in forms]
        asked = [forms[word] for word in asks if word in forms]
        flat = K1 * (1 - B + B * (len(tells) + len(asks)) / mean)
        for i in {*told, *asked}:
            tell, ask, weight = told.count(i), asked.count(i), weights[i] * (K1 + 1)
            value = weight * (tell + ask) / (tell + ask + flat)
            for step, part in ((0, 1.0), (-1, AFTER), (-2, TWO), (2, TWO)):
                give(row.key + step, i, part * value)
            if tell:
                give(row.key + 1, i, (ANSWERED if row.shape & ASKS else BEFORE) * weight * tell / (tell + flat))
            if ask:
                give(row.key + 1, i, ANSWER * weight * ask / (ask + flat))
        for word in day_words(row.day) if dated else ():
            if word in forms:
                give(row.key, forms[word], weights[forms[word]])
    return places


def fit(query: Query, row: Row) -> float:
    """How well the turn itself fits, as a factor: its speaker, its shape, its day."""
    worth = 1 + TELLING * min(1.0, row.tells.count(" ") / SHORT)
    if query.speakers and row.speaker not in query.speakers[0]:
        worth *= SECOND if len(query.speakers) > 1 else OTHER
    if row.shape & FINAL:
        worth *= ASKING
    if query.when and row.shape & TIMED:
        worth *= 1 + TOLD_WHEN
    if query.named and row.shape & NAMES:
        worth *= 1 + TOLD_NAME
    if query.days and any(on(day, row.day) for day in query.days):
        worth *= 1 + ON_DAY
    return worth
