"""The score of a turn for a query: BM25 over the turn and what surrounds it. A turn answers the question before it, is
echoed by the one after it, and is found by the person who said it; so each word counts from the best of these places.
Pure. The weights were chosen on conversations by leaving one out; they are round, for finer ones did not carry over."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from dotagent.forgetting.query import Query, on
from dotagent.forgetting.words import ASKS, FINAL, NAMES, TIMED, day_words

K1, B = 1.0, 0.2  # BM25 (Robertson and Zaragoza, 2009): saturation of repeats, weight of length
ANSWER = 1.2  # of the questions of the turn before
ANSWERED = 0.6  # of the rest of a turn that holds a question
BEFORE = 0.2  # of a turn before that asks nothing
AFTER = 0.5  # of the turn after: it echoes
TWO = 0.3  # of the turns two before and two after
REST = 0.3  # of the places of a word beside the best one
COVER = 0.75  # for a turn that has every word, in part for a part
OTHER, SECOND = 0.5, 0.7  # where another speaker, or the first of several, is named
ASKING = 0.8  # of a turn that ends in a question
TOLD_WHEN, TOLD_NAME = 0.6, 0.4  # for a time where a time is asked, for a name where a name is
ON_DAY = 0.5  # for a turn of a named day
TELLING, SHORT = 0.3, 6  # for a turn that tells much, at this many words the whole of it
REACH = 2  # turns to either side that count


@dataclass(frozen=True)
class Row:
    """One turn (or one piece of a long one) as the index holds it; neighbours in a room have neighbouring keys."""

    key: int
    number: int
    speaker: int
    day: int
    shape: int
    tells: str
    asks: str


def rarity(turns: int, total: int) -> float:
    """BM25's weight of a word that is in `turns` of `total` turns, in nats."""
    return math.log(1 + (total - turns + 0.5) / (turns + 0.5)) if turns <= total else 0.0


def spread(found: Iterable[tuple[float, Collection[int]]], most: int) -> list[int]:
    """The keys worth a look, the best first: those of every word and their neighbours, weighed without reading any. The
    neighbours of 4 * `most` are looked at."""
    own: dict[int, float] = {}
    for weight, keys in found:
        for key in keys:
            own[key] = own.get(key, 0.0) + weight
    best = sorted(own, key=lambda key: (-own[key], -key))[: 4 * most]
    near: dict[int, float] = {}
    for key in best:
        weight = own[key]
        for step, part in ((-2, TWO), (-1, AFTER), (0, 1.0), (1, ANSWERED), (2, TWO)):
            near[key + step] = near.get(key + step, 0.0) + part * weight
    return sorted(near, key=lambda key: (-near[key], -key))


@dataclass(frozen=True)
class Scored:
    key: int
    score: float  # nats, roughly: the rarity of what was found, times what speaks for the turn
    found: float  # the rarity of what was found in the turn or about it, each word once


def score(query: Query, weights: Sequence[float], whole: float, rows: Sequence[Row], mean: float) -> list[Scored]:
    """Every row that has to do with the query, best first; of equals the later one first. `weights` is the rarity of
    each term of the query, `whole` that of all that was
    asked, `mean` the usual number of words of a row."""
    places = _places(query, weights, rows, mean)
    scored: list[Scored] = []
    for row in rows:
        place = places.get(row.key)
        if place is not None:
            best, sums = place
            found = sum(weight for weight, value in zip(weights, best, strict=True) if value)
            points = (1 - REST) * sum(best) + REST * sum(sums)
            scored.append(Scored(row.key, points * (1 + COVER * found / whole) * _fit(query, row), found))
    return sorted(scored, key=lambda one: (-one.score, -one.key))


def _places(
    query: Query, weights: Sequence[float], rows: Sequence[Row], mean: float
) -> dict[int, tuple[list[float], list[float]]]:
    """For each key, what each term counts there: from the best place, and from all together."""
    wanted = {form: i for i, term in enumerate(query.terms) for form in term.forms}
    dated = any(form.startswith("@") for form in wanted)
    places: dict[int, tuple[list[float], list[float]]] = {}

    def give(key: int, i: int, value: float) -> None:
        place = places.get(key)
        if place is None:
            place = places[key] = ([0.0] * len(weights), [0.0] * len(weights))
        if value > place[0][i]:
            place[0][i] = value
        place[1][i] += value

    for row in rows:
        tells, asks = row.tells.split(), row.asks.split()
        told, asked = _counts(tells, wanted), _counts(asks, wanted)
        flat = K1 * (1 - B + B * (len(tells) + len(asks)) / mean)
        for i in told.keys() | asked.keys():
            tell, ask = told.get(i, 0), asked.get(i, 0)
            weight = weights[i] * (K1 + 1)
            value = weight * (tell + ask) / (tell + ask + flat)
            give(row.key, i, value)
            give(row.key - 1, i, AFTER * value)
            give(row.key - 2, i, TWO * value)
            give(row.key + 2, i, TWO * value)
            if tell:
                give(row.key + 1, i, (ANSWERED if row.shape & ASKS else BEFORE) * weight * tell / (tell + flat))
            if ask:
                give(row.key + 1, i, ANSWER * weight * ask / (ask + flat))
        if dated:
            for i in _counts(day_words(row.day), wanted):
                give(row.key, i, weights[i])
    return places


def _counts(words: Sequence[str], wanted: dict[str, int]) -> dict[int, int]:
    """How often each term is among the words."""
    counts: dict[int, int] = {}
    for word in words:
        if word in wanted:
            i = wanted[word]
            counts[i] = counts.get(i, 0) + 1
    return counts


def _fit(query: Query, row: Row) -> float:
    """How well the turn itself fits: its speaker, its shape, its day."""
    fit = 1 + TELLING * min(1.0, row.tells.count(" ") / SHORT)
    if query.speakers and row.speaker not in query.speakers[0]:
        fit *= SECOND if len(query.speakers) > 1 else OTHER
    if row.shape & FINAL:
        fit *= ASKING
    if query.when and row.shape & TIMED:
        fit *= 1 + TOLD_WHEN
    if query.named and row.shape & NAMES:
        fit *= 1 + TOLD_NAME
    if any(on(day, row.day) for day in query.days):
        fit *= 1 + ON_DAY
    return fit
