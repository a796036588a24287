"""The score of a turn for a query: BM25 over the turn and what surrounds it. Pure.

A turn answers the question before it, and the one after it repeats its words. So a word counts where it stands best:
in the turn, before it or after it. The weights were chosen on conversations, each time leaving one out; they are round,
since finer ones did not carry over.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
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
PHRASE = 0.3  # of the commoner of two words that stand side by side as they were asked, beside the words themselves
OTHER, SECOND = 0.5, 0.7  # where another speaker is named, or another first
ASKING = 0.8  # of a turn that ends in a question
TOLD_WHEN, TOLD_NAME = 0.7, 0.4  # for a time where a time is asked, for a name where a name is
ON_DAY, WISH = 0.5, 0.5  # for a turn of a named day; for an exchange that says what must always be so
TELLING, SHORT = 0.3, 6  # for a turn that tells much: this many words, or in part
WITHIN = 0.5  # of the other pieces of the same turn
SHARE = 0.5  # for who says little beside the others: a person beside an agent that answers at length
FAR, PAIR = 3.0, 0.5  # an answer that fits so much better stands for its exchange; what the other side adds
FITS = 0.5  # of what stands for an exchange: its other side is shown, too
MEANT = 0.5  # of what is like the query by its meaning, beside the best by its words (bench/recall.py --like)
ALIKE = 0.35  # the cosine from which a turn is found without one word of the query: the strange stay below
REACH = 2  # turns to either side that count
NEAR = ((-2, TWO), (-1, AFTER), (0, 1.0), (1, ANSWERED), (2, TWO))  # the same before a turn is read

PLACE = 1 << 10  # keys to a place: the pieces of one turn
ROOM = 1 << 30  # places to a room


class Row(NamedTuple):  # hundreds are made for a query, and a dataclass takes four times as long
    """One turn (or one piece of a long one) as the index holds it; neighbours in a room have neighbouring keys."""

    key: int
    number: int
    speaker: int
    opens: int
    day: int
    shape: int
    tells: str
    asks: str


class Scored(NamedTuple):
    """A turn's worth for a query: the rarity of what was found in it or about it, times what speaks for the turn."""

    score: float
    number: int
    key: int
    beside: int = 0  # the key of the exchange's other side where that fits well, too
    shape: int = 0  # of all its sides


def rarity(turns: int, total: int) -> float:
    """BM25's weight of a word that is in `turns` of `total` turns, in nats."""
    return math.log(1 + (total - turns + 0.5) / (turns + 0.5)) if turns <= total else 0.0


Near = tuple[list[tuple[float, int]], dict[int, list[int]]]


def spread(found: Iterable[tuple[float, Iterable[int]]], most: int) -> Near:
    """The places worth a look and what they weigh, the best first: those of every word and, for the best `most` of
    them, their neighbours, weighed without reading any; and of each place the pieces that were found, best first."""
    own, near = defaultdict[int, float](float), defaultdict[int, float](float)
    for weight, keys in found:
        for key in keys:
            own[key] += weight
    pieces: dict[int, list[int]] = {}
    whole: dict[int, float] = {}
    for key, weight in own.items():
        place = key // PLACE
        if place in whole:
            pieces[place].append(key)
        else:
            pieces[place], whole[place] = [key], weight
    for place, keys in pieces.items():
        if len(keys) > 1:
            keys.sort(key=own.__getitem__, reverse=True)
            whole[place] = own[keys[0]] + WITHIN / 2 * own[keys[1]]
    for weight, place in _best(whole)[:most]:
        for step, part in NEAR:
            near[place + step] += part * weight
    return _best(near), pieces


def _best(weights: dict[int, float]) -> list[tuple[float, int]]:
    """Largest first; of equals the later one first."""
    return sorted(zip(weights.values(), weights.keys(), strict=True), reverse=True)


Shares = Mapping[tuple[int, int], float]
"""By room and speaker: how much of the talk is theirs, beside a usual other's."""


class Scale(NamedTuple):
    """By what turns are weighed: the rarity of each term of a query, its sum for all that were asked, how many words a
    row usually has, and who speaks how much."""

    weights: Sequence[float]
    whole: float
    mean: float
    shares: Shares


def score(query: Query, scale: Scale, rows: Sequence[Row], wanted: Collection[int]) -> list[Scored]:
    """The exchanges of the wanted places with something of the query in or beside them, best first, of equals the
    later; of a long turn its best piece."""
    weights, shares = scale.weights, scale.shares
    read = _read(query, [*weights, *_phrases(query, weights)], rows, scale.mean)
    turns = {place: _turn(pieces, shares) for place, pieces in read.items()}
    forms = {form: i for i, term in enumerate(query.terms) for form in term if form.startswith("@")}
    best: dict[int, tuple[Scored, Row]] = {}
    for place in wanted:
        around = _around(turns, place)
        for piece in turns[place].pieces if place in turns else ():
            sources: Sources = [(1.0, piece.values), *around]
            sources += [(WITHIN, one.values) for one in turns[place].pieces if one is not piece]
            if forms:
                days = [forms[word] for word in day_words(piece.row.day) if word in forms]
                sources.append((1.0, {i: weights[i] for i in days}))
            points, found = _points(sources)
            cover = 1 + COVER * sum(weights[i] for i in found if i < len(weights)) / scale.whole
            one = Scored(points * cover * fit(query, piece.row, shares), piece.row.number, piece.row.key)
            if points and (place not in best or one > best[place][0]):
                best[place] = one, piece.row
    return _paired(best)


def _phrases(query: Query, weights: Sequence[float]) -> list[float]:
    """The weights of the pairs that were asked for, which count as terms do, behind them."""
    rare = {form: weights[i] for i, term in enumerate(query.terms) for form in term}
    return [PHRASE * min(rare.get(one, 0.0), rare.get(other, 0.0)) for one, other in query.pairs]


def _paired(best: dict[int, tuple[Scored, Row]]) -> list[Scored]:
    """An exchange is one thing, found by either side: what the person said, unless an answer fits far better."""
    exchanges: dict[int, list[Scored]] = {}
    shapes = defaultdict[int, int](int)
    for one, row in best.values():
        exchanges.setdefault(row.opens, []).append(one)
        shapes[row.opens] |= row.shape
    found = list[Scored]()
    for opens, sides in exchanges.items():
        sides.sort(reverse=True)
        first, second = sides[0], sides[1] if len(sides) > 1 else None
        worth = first.score + (PAIR * second.score if second else 0.0)
        lead = next((one for one in sides if one.key // PLACE == opens and one.score * FAR >= first.score), first)
        other = second if lead is first else first
        beside = other.key if other and other.score >= FITS * lead.score else 0
        found.append(Scored(worth, lead.number, lead.key, beside, shapes[opens]))
    return sorted(found, reverse=True)


def fused(scored: Sequence[Scored], near: Mapping[int, float], rows: Mapping[int, Row]) -> list[Scored]:
    """The exchanges by their words and by their meaning: the score as a part of the best one's, and the cosine (`near`,
    by first pieces' keys) of the side that is most like the query; it leads where the other's words say less."""
    like: dict[int, tuple[float, int]] = {}
    for key in near.keys() & rows.keys():
        like[rows[key].opens] = max(like.get(rows[key].opens, (0.0, 0)), (MEANT * near[key], key))
    best, found = max((one.score for one in scored), default=0.0) or 1.0, list[Scored]()
    for one in scored:
        said, (worth, key) = one.score / best, like.pop(rows[one.key].opens, (0.0, 0))
        other = worth > said + MEANT * max(0.0, near.get(one.key - one.key % PLACE, 0.0))
        lead = one._replace(number=rows[key].number, key=key, beside=one.key) if other else one
        found.append(lead._replace(score=said + worth))
    alike = [(worth, rows[key]) for worth, key in like.values() if worth >= MEANT * ALIKE]
    found += [Scored(worth, row.number, row.key, shape=row.shape) for worth, row in alike]
    return sorted(found, reverse=True)


class Weighed(NamedTuple):
    """A row with what each term counts in it: for the words of the query in it, in what it tells, in what it asks."""

    row: Row
    values: dict[int, float]
    tells: dict[int, float]
    asks: dict[int, float]


def _read(query: Query, weights: Sequence[float], rows: Sequence[Row], mean: float) -> dict[int, list[Weighed]]:
    """The pieces of each place."""
    forms = {form: i for i, term in enumerate(query.terms) for form in term}
    pairs = [(f" {one} {other} ", i) for i, (one, other) in enumerate(query.pairs, len(query.terms))]
    turns: dict[int, list[Weighed]] = {}
    for row in rows:
        tells, asks = row.tells.split(), row.asks.split()
        told = [forms[word] for word in tells if word in forms]
        asked = [forms[word] for word in asks if word in forms]
        if len(told) > 1:
            told += [i for pair, i in pairs if pair in f" {row.tells} "]
        if len(asked) > 1:
            asked += [i for pair, i in pairs if pair in f" {row.asks} "]
        flat = K1 * (1 - B + B * (len(tells) + len(asks)) / mean)
        piece = Weighed(row, {}, {}, {})
        for i in {*told, *asked}:
            tell, ask, weight = told.count(i), asked.count(i), weights[i] * (K1 + 1)
            piece.values[i] = weight * (tell + ask) / (tell + ask + flat)
            if tell:
                piece.tells[i] = (ANSWERED if row.shape & ASKS else BEFORE) * weight * tell / (tell + flat)
            if ask:
                piece.asks[i] = ANSWER * weight * ask / (ask + flat)
        turns.setdefault(row.key // PLACE, []).append(piece)
    return turns


class Gathered(NamedTuple):
    """The pieces of a turn that were read, what each term counts in the best of them, and how much it counts beside
    another: less where somebody speaks who says much more than others, and so echoes everything."""

    pieces: list[Weighed]
    values: dict[int, float]
    tells: dict[int, float]
    asks: dict[int, float]
    beside: float


def _turn(pieces: list[Weighed], shares: Shares) -> Gathered:
    first, *more = pieces
    values, tells, asks = first.values, first.tells, first.asks
    if more:
        values, tells = _most(one.values for one in pieces), _most(one.tells for one in pieces)
        asks = _most(one.asks for one in pieces)
    return Gathered(pieces, values, tells, asks, min(1.0, 2 - 2 * _share(first.row, shares)))


def _share(row: Row, shares: Shares) -> float:
    """How much of the talk in its room is the speaker's, beside a usual other's there."""
    return shares.get((row.key // PLACE // ROOM, row.speaker), 0.5)


def _most(values: Iterable[dict[int, float]]) -> dict[int, float]:
    """Of each term the most that it counts in one of these."""
    found: dict[int, float] = {}
    for one in values:
        for i, value in one.items():
            if value > found.get(i, 0.0):
                found[i] = value
    return found


Sources = list[tuple[float, dict[int, float]]]
"""Places in which words stand: how much each counts, and what each term does there."""


def _around(turns: dict[int, Gathered], place: int) -> Sources:
    """What stands before a turn and after it; what is two away is seen through what stands between."""
    found: Sources = []
    before = turns.get(place - 1)
    if before:
        found += [(before.beside, before.tells), (before.beside, before.asks)]
    after = turns.get(place + 1)
    if after:
        found.append((AFTER * after.beside, after.values))
    for step, between in ((2, after), (-2, before)):
        there = turns.get(place + step)
        if there:
            found.append((TWO * there.beside * (between.beside if between else 1.0), there.values))
    return found


def _points(sources: Sources) -> tuple[float, Collection[int]]:
    """What a turn gets for its terms, each from its best place and in part from the others; the terms that it has."""
    best, whole = dict[int, float](), 0.0
    for part, source in sources:
        for i, own in source.items():
            value = part * own
            whole += value
            if value > best.get(i, 0.0):
                best[i] = value
    return (1 - REST) * sum(best.values()) + REST * whole, best.keys()


def fit(query: Query, row: Row, shares: Shares) -> float:
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
    worth *= 1 + SHARE * (1 - 2 * _share(row, shares))
    if query.days and any(on(day, row.day) for day in query.days):
        worth *= 1 + ON_DAY
    return worth
