"""The score of a turn for a query: BM25 over the turn and its neighbours, and the fusion of several rankings. Pure;
owns nothing on disk.

A turn answers the question before it, and the turn after it repeats its words. So a word counts at its best place: in
the turn, before it or after it.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from dotagent.search.query import Query
from dotagent.search.turn import day_words

K1, B = 0.8, 0.4  # BM25 (Robertson and Zaragoza, 2009): saturation of repeats, weight of length
ASKED, WEAK = 0.8, 0.2  # for a turn before, with and without a question; WEAK also for a neighbour of no person
AFTER, TWO = 0.5, 0.4  # for the turn after, and for the turns two away
REST = 0.3  # for a word's other places besides its best
PHRASE = 0.5  # for two neighbouring words of the query: this part of the commoner word's weight is added
OTHER = 0.6  # factor for a turn if the query names another speaker
REACH = 2  # turns on either side that count

PLACE = 1 << 10  # keys for a place: the pieces of one turn
ROOM = 1 << 30  # places for a room


class Row(NamedTuple):  # hundreds are made for a query, and a dataclass takes four times as long
    """A turn, or a piece of a long one, in the index; neighbours in a room have neighbouring keys. `asks` says whether
    the turn has a question; `size` is the number of words of the whole turn, up to a limit."""

    key: int
    number: int
    speaker: int
    day: int
    asks: int
    size: int
    words: str


class Scored(NamedTuple):
    """The score of a turn for a query, and the key of its best piece."""

    score: float
    number: int
    key: int


def rarity(turns: int, total: int) -> float:
    """Return BM25's weight of a word that is in `turns` of `total` turns, in nats."""
    return math.log(1 + (total - turns + 0.5) / (turns + 0.5)) if turns <= total else 0.0


Near = tuple[list[tuple[float, int]], dict[int, list[int]]]


def spread(found: Iterable[tuple[float, Collection[int]]], most: int) -> Near:
    """Return the places to read with their weights, best first, and for each place its matching pieces, best first. The
    neighbours of the best `most` places are included, with weights from their position alone."""
    whole, own = defaultdict[int, float](float), defaultdict[int, float](float)
    for weight, keys in found:
        for key in keys:
            own[key] += weight
        for place in {key // PLACE for key in keys}:
            whole[place] += weight
    best, near = _best(whole)[:most], defaultdict[int, float](float)
    for weight, place in best:
        for step, part in ((0, 1.0), (-1, AFTER), (1, AFTER), (-2, TWO), (2, TWO)):
            near[place + step] += part * weight
    pieces: dict[int, list[int]] = {}
    for key in own:
        if key // PLACE in near:
            pieces.setdefault(key // PLACE, []).append(key)
    for keys in pieces.values():
        keys.sort(key=own.__getitem__, reverse=True)
    return _best(near), pieces


def _best(weights: dict[int, float]) -> list[tuple[float, int]]:
    """Return (weight, place) pairs, largest first, and the later place first for equal weights."""
    return sorted(zip(weights.values(), weights.keys(), strict=True), reverse=True)


class Scale(NamedTuple):
    """The data for weighing turns: the rarity of each term of the query, the mean number of words of a person's turn,
    and the speakers that are no persons."""

    weights: Sequence[float]
    mean: float
    roles: Collection[int]


class Weighed(NamedTuple):
    """A turn that was read: the row of its best piece, the weight of each term, and the turn's weight as a neighbour.
    That weight is lower if no person speaks, because an agent echoes everything."""

    row: Row
    values: dict[int, float]
    beside: float


def read(query: Query, scale: Scale, rows: Iterable[Row]) -> dict[int, Weighed]:
    """Return the turns of these rows, by place. The pieces of a long turn are taken together."""
    forms = {form: i for i, term in enumerate(query.terms) for form in term}
    rare = {form: scale.weights[i] for form, i in forms.items()}
    pairs = [(f" {one} {other} ", i) for i, (one, other) in enumerate(query.pairs, len(query.terms))]
    weights = [*scale.weights, *(PHRASE * min(rare.get(one, 0.0), rare.get(two, 0.0)) for one, two in query.pairs)]
    pieces = defaultdict[int, list[tuple[float, Row, list[int]]]](list)
    for row in rows:
        found = [forms[word] for word in row.words.split() if word in forms]
        if len(found) > 1:
            words = f" {row.words} "
            found += [i for pair, i in pairs if pair in words]
        pieces[row.key // PLACE].append((sum(weights[i] for i in set(found)), row, found))
    turns: dict[int, Weighed] = {}
    for place, parts in pieces.items():
        row = max(parts, key=lambda part: (part[0], -part[1].key))[1]
        flat = flatness(row, scale.mean)
        found = [i for *_, some in parts for i in some]
        values = {i: weights[i] * (K1 + 1) * (count := found.count(i)) / (count + flat) for i in set(found)}
        turns[place] = Weighed(row, values, WEAK if row.speaker in scale.roles else 1.0)
    return turns


def score(query: Query, scale: Scale, turns: Mapping[int, Weighed], wanted: Iterable[int]) -> list[Scored]:
    """Return the turns of the wanted places that match the query in or near them, best first, and the later first for
    equal scores. A turn of an agent must contain a word of the query: "Noted." beside the right turn is no hit."""
    forms = {form: i for i, term in enumerate(query.terms) for form in term if form.startswith("@")}
    best = list[Scored]()
    for place in wanted:
        turn = turns[place]
        if turn.row.speaker in scale.roles and not turn.values:
            continue
        sources = [(1.0, turn.values), *_weigh_neighbours(turns, place)]
        if forms:
            days = [forms[word] for word in day_words(turn.row.day) if word in forms]
            sources.append((1.0, {i: scale.weights[i] for i in days}))
        if points := _points(sources) * fit(query, turn.row):
            best.append(Scored(points, turn.row.number, turn.row.key))
    return sorted(best, reverse=True)


Sources = list[tuple[float, dict[int, float]]]
"""Places of words: the weight of each place, and of each term there."""


def _weigh_neighbours(turns: Mapping[int, Weighed], place: int) -> Sources:
    """Return the weighted neighbours of a turn. A turn two places away is weighted by the turn between, too."""
    before, after = turns.get(place - 1), turns.get(place + 1)
    found: Sources = []
    if before:
        found.append((before.beside * (ASKED if before.row.asks else WEAK), before.values))
    if after:
        found.append((after.beside * AFTER, after.values))
    for step, between in ((-2, before), (2, after)):
        there = turns.get(place + step)
        if there and between:
            found.append((there.beside * between.beside * TWO, there.values))
    return found


def _points(sources: Sources) -> float:
    """Return the score of the terms, each from its best place and partly from the others."""
    best, whole = dict[int, float](), 0.0
    for part, source in sources:
        for i, own in source.items():
            value = part * own
            whole += value
            if value > best.get(i, 0.0):
                best[i] = value
    return (1 - REST) * sum(best.values()) + REST * whole


def flatness(row: Row, mean: float) -> float:
    """Return how many times a turn must contain a word to give half of the word's largest weight; this is more in a
    longer turn."""
    return K1 * (1 - B + B * row.size / mean)


def fit(query: Query, row: Row) -> float:
    """Return a factor for the turn's speaker, which is lower if the query names another."""
    return OTHER if query.speakers and row.speaker not in query.speakers[0] else 1.0


def fused(rankings: Sequence[tuple[float, Sequence[Scored]]]) -> list[Scored]:
    """Return the turns of several rankings, each with its weight, by the weighted mean of their scores; the best turn
    of a ranking counts as 1. The piece of a turn comes from the first ranking that has the turn."""
    found: dict[int, Scored] = {}
    worth, whole = defaultdict[int, float](float), sum(weight for weight, _ in rankings)
    for weight, ranking in rankings:
        for one in ranking:
            worth[one.number] += weight / whole * one.score / ranking[0].score
            found.setdefault(one.number, one)
    return sorted((one._replace(score=worth[number]) for number, one in found.items()), reverse=True)
