"""Find the value that a description means, such as “the locker PIN of Laurel”, and the sentences that contain it.

The value is next to the description's words: a code or a quotation, otherwise a time or a repeated run of words.
“The helper phrase is coral lantern” tells such a run, since other sentences repeat “coral lantern”. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise

from dotagent.erasure.named_values import MANY, ONLY, QUOTED, Words, codes, contains
from dotagent.text import passages
from dotagent.text import words as compared

LEAST = 2  # informative words of a description in a sentence with its value
TELLING, BESIDE = 0.5, 0.9  # share of a description's weight in such a sentence; and of the share of the best one
SHARED, CODED = 0.4, 0.15  # mean share of its weight in the sentences with a time or a repeated run; with a code
COMMON = 20  # sentences: a word in more of them says little
MOSTLY = 0.5  # the same as ONLY, if both words are rare and new

Value = tuple[int, Words]
"""A value with its place among the words of a sentence."""
Pairs = Mapping[Words, Sequence[Words]]
"""Pairs of neighbouring informative words, each with the sentences that contain it."""

Find = Callable[[Sequence[passages.Token], str], list[Value]]

_PAUSE = re.compile(r"[,;:.!?()]\s|[，。；：、]")


def describes(asked: str) -> bool:
    """Return True if a request names no value itself: no code, no time and no quotation."""
    return not (codes(asked, times=True) or QUOTED.search(asked))


def described(
    told: Mapping[Words, str],
    shared: Mapping[Words, Collection[str]],
    weight: Mapping[str, float],
    said: Mapping[Words, str],
) -> tuple[set[Words], set[Words]]:
    """Return the sentences with the value that a description means, and the sentences with the newest of several.

    The value is nearest to the description's words in the clauses that have most of them. `shared` are the stems of the
    description in each sentence, and `weight` is the share of the description that each of its stems is.
    """
    shares = {key: sum(weight.get(one, 0.0) for one in shared[key]) for key in told}
    near = [key for key in told if shares[key] >= TELLING and compared.count(shared[key]) >= LEAST]
    pairs = _repeated(told, near, shared)
    kinds: tuple[tuple[Find, float], ...] = (
        (_codes_and_quotations, CODED),
        (partial(_times_and_runs, pairs=pairs), SHARED),
    )
    for find, least in kinds:
        votes = dict[Words, float]()
        for key in near:
            value, vote = _nearest(told[key], shared[key], weight, find)
            votes[value] = max(vote, votes.get(value, 0.0))
        votes.pop((), None)
        if len(_best(votes)) > MANY:
            return set(), set()
        first = sorted(votes, key=lambda one: -votes[one])[:MANY]
        groups = {value: pairs.get(value) or [key for key in told if contains(value, key)] for value in first}
        means = {one: _mean(keys, shares) for one, keys in groups.items() if len(keys) <= MANY}
        fit = {one: votes[one] * (mean if one in pairs else 1) for one, mean in means.items() if mean >= least}
        if fit:
            wide = {one for one in first if one not in means and votes[one] >= TELLING}
            return _without_newest({value: groups[value] for value in (*_best(fit), *wide)}, said, wide)
    return set(), set()


def _best(votes: Mapping[Words, float]) -> list[Words]:
    enough = BESIDE * max(votes.values(), default=0.0)
    return [value for value, vote in votes.items() if vote >= enough]


def _mean(keys: Collection[Words], shares: Mapping[Words, float]) -> float:
    return sum(shares[key] for key in keys) / len(keys)


def _without_newest(
    groups: Mapping[Words, Collection[Words]], said: Mapping[Words, str], wide: Collection[Words]
) -> tuple[set[Words], set[Words]]:
    """Return the sentences with these values, and those with the newest of several. Of the `wide` values, which are in
    too many sentences, only the times count: the value after such a value is the newest."""
    first = {one: min((said[key] for key in group if said.get(key)), default="") for one, group in groups.items()}
    newest = max(first, key=lambda one: first[one]) if len(first) > 1 else ()
    meant = {key for one, group in groups.items() if one != newest and one not in wide for key in group}
    return meant, set(groups.get(newest, ())) - meant


def _nearest(text: str, sought: Collection[str], weight: Mapping[str, float], find: Find) -> tuple[Words, float]:
    """Return the value that is nearest to these words in a sentence, in the same clause: the next one, or the one
    before. A word within a value does not count: “the helper phrase of Coral Pool is coral lantern”. Nor does a run of
    words directly before them, which describes too: “Lena's exact Sunday departure”."""
    found = passages.tokens(text)
    if not (values := find(found, text)):
        return (), 0.0
    inside = {at for begin, value in values for at in range(begin, begin + len(value))}
    stems = [_stems_at(found, at) for at in range(len(found))]
    hits = [at for at, own in enumerate(stems) if at not in inside and not own.isdisjoint(sought)]
    pauses = [at + 1 for at in range(len(found) - 1) if _PAUSE.search(text[found[at][1] : found[at + 1][0]])]
    for hit in reversed(hits):
        begin = max((at for at in pauses if at <= hit), default=0)
        end = min((at for at in pauses if at > hit), default=len(found))
        own = [at for at in hits if begin <= at < end]
        vote = sum(weight.get(one, 0.0) for one in {one for at in own for one in stems[at]} & set(sought))
        if after := [value for at, value in values if own[-1] < at < end]:
            return after[0], vote
        if before := [one for at, one in values if begin <= at < own[0] - len(one) + (find is _codes_and_quotations)]:
            return before[-1], vote
    return (), 0.0


def _stems_at(found: Sequence[passages.Token], at: int) -> frozenset[str]:
    """Return the stems of a word. In a script without spaces, words are single characters and stems are pairs."""
    pair = found[at : at + 2]
    return _stems_of("".join(word for _, _, word in (pair if pair[0][1] == pair[-1][0] else pair[:1])))


def _codes_and_quotations(found: Sequence[passages.Token], text: str, *, times: bool = False) -> list[Value]:
    words, made = tuple(word for _, _, word in found), set[Value]()
    quoted = (one[one.lastindex or 0] for one in QUOTED.finditer(text))
    for run in (tuple(passages.words(one)) for one in (*codes(text, times=times), *quoted)):
        made |= {(at, run) for at in range(len(words)) if run and words[at : at + len(run)] == run}
    return sorted(made)


def _times_and_runs(found: Sequence[passages.Token], text: str, pairs: Pairs) -> list[Value]:
    """Return the times, and the rarest pair of each run of words that other sentences repeat."""
    made, run = _codes_and_quotations(found, text, times=True), list[Value]()
    places = [(at, word) for at, (_, _, word) in enumerate(found) if _is_informative(word)]
    for (at, one), (_, two) in [*pairwise(places), ((0, ""), (0, ""))]:
        if (one, two) in pairs:
            run.append((at, (one, two)))
        elif run:
            made.append(min(run, key=lambda value: len(pairs[value[1]])))
            run = []
    return sorted(made)


def _repeated(told: Mapping[Words, str], near: Collection[Words], shared: Mapping[Words, Collection[str]]) -> Pairs:
    """Return the pairs of words of these `near` sentences that others repeat and that may be a part of a value: one of
    the words is rare and mostly in this pair, and not both are words of the description. Without a stop word of English
    in the sentence, one of them may be such a word of another language, so both are mostly in this pair."""
    sought = {one for key in near for one in shared[key]}
    wanted = {pair for key in near for pair in _pairs(key) if any(_stems_of(one).isdisjoint(sought) for one in pair)}
    framed = {pair for key in near if not compared.STOP.isdisjoint(compared.raw(told[key])) for pair in _pairs(key)}
    words, there, pairs = {one for pair in wanted for one in pair}, Counter[str](), dict[Words, list[Words]]()
    for key in told:
        if own := words.intersection(key):
            there.update(own)
            for pair in wanted.intersection(_pairs(key)):
                pairs.setdefault(pair, []).append(key)

    def is_value(pair: Words, keys: Sequence[Words]) -> bool:
        new = [there[one] for one in pair if _stems_of(one).isdisjoint(sought)]
        many, told_of = len(keys), sum(bool(shared[key]) for key in keys)
        if not 1 < many <= MANY or 2 * told_of < many:
            return False
        if pair not in framed and many < ONLY * max(there[one] for one in pair):
            return False
        return many >= (ONLY if len(new) < len(pair) or max(new) > COMMON else MOSTLY) * min(new)

    return {pair: keys for pair, keys in pairs.items() if is_value(pair, keys)}


def _pairs(key: Words) -> Iterator[Words]:
    return pairwise(word for word in key if _is_informative(word))


def _is_informative(word: str) -> bool:
    return len(word) > 1 and bool(_stems_of(word))


@lru_cache(maxsize=1 << 14)
def _stems_of(word: str) -> frozenset[str]:
    return frozenset(compared.distinctive_stems(compared.raw(word)))
