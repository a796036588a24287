"""The score of a turn for a query: BM25 over the turn and its neighbours. Pure; owns nothing on disk.

A turn answers the question before it, and the turn after it repeats its words. So a word counts at its best place: in
the turn, before it or after it. The words of an agent count less, because it speaks much and echoes everything.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple

from dotagent.search.query import Query
from dotagent.search.turn import day_words

K1, B = 0.8, 0.4  # BM25 (Robertson and Zaragoza, 2009): saturation of repeats, weight of length
ASKED, AFTER, NEAR = 0.8, 0.5, 0.4  # for a word in the turn before if it asks, in the turn after, and in others near
AGENT = 0.3  # factor for text that no person wrote
OTHER = 0.6  # factor for a turn if the query names another speaker
REACH = 2  # turns on either side that count

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


class Scale(NamedTuple):
    """The data for weighing turns: the rarity of each term of the query, the mean number of words of a person's piece,
    and the factor for text that no person wrote."""

    weights: Sequence[float]
    mean: float
    agent: float = AGENT


class Weighed(NamedTuple):
    """A turn that was read, and the weight of each term in it."""

    row: Row
    values: dict[int, float]


def voice(speaker: int) -> int:
    """Return the voice of a person in keys."""
    return 1 + speaker % (VOICES - 1)


def rarity(rows: int, total: int) -> float:
    """Return BM25's weight of a word that is in `rows` of `total` pieces, in nats."""
    return math.log(1 + (total - rows + 0.5) / (rows + 0.5)) if rows <= total else 0.0


def choose(found: Iterable[tuple[float, Collection[int]]], query: Query, agent: float, look: int, out: Collection[int]
           ) -> tuple[list[int], dict[int, int]]:  # fmt: skip
    """Return the `look` places that seem best before they are read, without those in `out`, and the best matching piece
    of each place. `found` has the keys in which a word is, and its weight."""
    own = defaultdict[int, float](float)
    for weight, keys in found:
        for key in keys:
            own[key] += weight
    named = {voice(speaker) for speaker in query.speakers} if query.speakers else range(VOICES)
    fits = [(1.0 if one else agent) * (1.0 if one in named else OTHER) for one in range(VOICES)]
    best = dict[int, tuple[float, int]]()
    for key, weight in own.items():
        place, one = key // PLACE, (weight * fits[key % VOICES], -key)
        if place not in best or one > best[place]:
            best[place] = one
    seen = nlargest(4 * look + len(out), best.items(), key=itemgetter(1))
    beside = dict[int, float]()
    for place, (weight, _) in seen:
        for step in range(-REACH, REACH + 1):
            if step:
                beside[place + step] = max(beside.get(place + step, 0.0), AFTER * weight)
    near = (beside.keys() | {place for place, _ in seen}) - set(out)
    whole = {place: best.get(place, (0.0,))[0] + beside.get(place, 0.0) for place in near}
    chosen = nlargest(look, near, key=lambda place: (whole[place], place))
    return chosen, {place: -one[1] for place, one in best.items()}


def read(query: Query, scale: Scale, rows: Iterable[Row]) -> dict[int, Weighed]:
    """Return the turns of these rows, by place."""
    forms = {form: i for i, term in enumerate(query.terms) for form in term}
    turns: dict[int, Weighed] = {}
    for row in rows:
        words = row.words.split()
        flat = K1 * (1 - B + B * len(words) / scale.mean)
        counts = Counter(forms[word] for word in words if word in forms)
        values = {i: scale.weights[i] * (K1 + 1) * count / (count + flat) for i, count in counts.items()}
        turns[row.key // PLACE] = Weighed(row, values)
    return turns


def score(query: Query, scale: Scale, turns: Mapping[int, Weighed], wanted: Iterable[int]) -> list[Scored]:
    """Return the turns of the wanted places that match the query in or near them, best first, and the later first for
    equal scores. A turn of an agent must contain a word of the query: "Noted." next to the right turn is not a
    match."""
    forms = {form: i for i, term in enumerate(query.terms) for form in term if form.startswith("@")}
    found = list[Scored]()
    for place in wanted:
        turn = turns.get(place)
        if turn is None or not (turn.values or turn.row.key % VOICES):
            continue
        best = dict(turn.values)
        for i in (forms[word] for word in day_words(turn.row.day) if word in forms):
            best[i] = max(best.get(i, 0.0), scale.weights[i])
        for part, values in _weigh_neighbours(turns, place):
            for i, value in values.items():
                best[i] = max(best.get(i, 0.0), part * value)
        points = sum(best.values()) * fit(query, turn.row) * (1.0 if turn.row.key % VOICES else scale.agent)
        if points:
            found.append(Scored(points, turn.row.number, turn.row.key))
    return sorted(found, reverse=True)


def _weigh_neighbours(turns: Mapping[int, Weighed], place: int) -> Iterable[tuple[float, dict[int, float]]]:
    """Yield the weight and the terms of each neighbour. An agent's turn does not count as a neighbour, and hides the
    turns behind it."""
    for side in (-1, 1):
        for step in range(1, REACH + 1):
            there = turns.get(place + side * step)
            if there is None or not there.row.key % VOICES:
                break
            part = AFTER if side == 1 else ASKED if there.row.asks else NEAR
            yield NEAR if step > 1 else part, there.values


def fit(query: Query, row: Row) -> float:
    """Return a factor for the turn's speaker, which is lower if the query names another."""
    return OTHER if query.speakers and row.speaker not in query.speakers else 1.0


def fused(rankings: Sequence[tuple[float, Sequence[Scored]]]) -> list[Scored]:
    """Return the turns of several rankings, each with its weight, by the weighted sum of their scores; the best turn of
    a ranking counts as 1. The piece of a turn comes from the first ranking that has the turn."""
    found: dict[int, Scored] = {}
    worth = defaultdict[int, float](float)
    for weight, ranking in rankings:
        for one in ranking:
            worth[one.number] += weight * one.score / ranking[0].score
            found.setdefault(one.number, one)
    return sorted((one._replace(score=worth[number]) for number, one in found.items()), reverse=True)
