"""Find what a request names: numbers and codes, quotations, and rare runs of words of the earlier talk.

People ask in whole sentences: “Delete the older PIN of Mia. The value 6714 should be gone.” Few sentences share most of
these words, but the sentences with 6714 are meant. Of two codes, the one said first is the old one. Pure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from dotagent.text import passages, spellings, standing_instructions
from dotagent.text import words as compared

CODE = 4  # characters of a number or code that means one thing
MANY = 12  # sentences: a code in more of them is no secret value, but for example a product's name
NEAR = 3  # words from one code of a list to the next
WORDS_IN_A_ROW = 2  # informative words of a run, and of a description in a sentence that tells its value
TELLING, BESIDE = 0.5, 0.8  # share of a description's weight in such a sentence; and of the share of the best one

Words = tuple[str, ...]
Key = TypeVar("Key")

_CLAUSE = re.compile(r"(?<=[;；])\s*")
_PAUSE = re.compile(r"[,;:.!?()]\s|[，。；：、]")
_TITLED = re.compile(r"\b([^\W\d_a-zß-ÿ][^\W\d_A-ZÀ-Þ]+) (\d{3,})\b")

_DATE = re.compile(r"(?:19|20)\d\d|\d{1,4}[-/.]\d\d?[-/.]\d{1,4}|\d{4}-\d\d-\d\dt.*")
_TIME = re.compile(r"\d\d?[:.]\d\d(?:[ap]m)?|\d+(?:st|nd|rd|th|[ap]m|%)")
_QUOTED = re.compile(
    r"“([^“”\n]+)”|„([^„“”\n]+)[“”]|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』|\"([^\"\n]+)\"|‘([^‘’\n]+)’"
    r"|(?<![^\W_])'([^'\n]+)'(?![^\W_])"
)


def codes(text: str, *, times: bool = False) -> frozenset[str]:
    """Return the numbers and codes in a text, without years and dates, and without times of day unless `times`."""
    return frozenset(
        name
        for name in spellings.names(text)
        if len(name) >= CODE
        and any(sign.isdigit() for sign in name)
        and not _DATE.fullmatch(name)
        and (times or not _TIME.fullmatch(name))
    )


def with_codes(told: Mapping[Key, str], wanted: Collection[str]) -> dict[Key, str]:
    """Return the sentences that may contain one of these codes. This quick check leaves few of many sentences."""
    return {key: text for key, text in told.items() if any(code in text.lower() for code in wanted)} if wanted else {}


def own_sentences(asked: str) -> frozenset[Words]:
    """Return the request's own sentences, without short ones, which anybody may say."""
    own = (tuple(passages.words(one)) for one in standing_instructions.sentences(asked))
    return frozenset(one for one in own if one and passages.is_long(one))


def named(
    asked: str, told: Mapping[Words, str], said: Mapping[Words, str], shared: Mapping[Words, Collection[str]]
) -> tuple[set[Words], set[Words]]:
    """Return the sentences that a request means because they contain what it names, and the sentences with something
    newer that it also names. `told` are all sentences, `said` when each was said first, and `shared` the stems that
    each has in common with the request.

    Codes decide, otherwise the first clause of the request that names something: the next ones may name what stays.
    """
    own = own_sentences(asked)
    earlier = {key: text for key, text in told.items() if key not in own}
    meant, other = older(_listed(asked, _coded(asked, earlier)), said)
    clauses = [one for sentence in standing_instructions.sentences(asked) for one in _CLAUSE.split(sentence)]
    for clause in clauses:
        quoted = [tuple(passages.words(one[one.lastindex or 0])) for one in _QUOTED.finditer(clause)]
        quotes = [group for run in quoted if len(run) >= WORDS_IN_A_ROW and (group := _with_run(run, earlier))]
        group = (quotes or [[]])[0] or ([] if meant else _with_time(clause, earlier))
        group = [*group, *([] if meant or quotes else _longest_run(clause, earlier, shared))]
        if group:
            rest = {key for one in quotes[1:] for key in one}
            return meant | set(group), (other | rest) - meant - set(group)
    return meant, other


def describes(asked: str) -> bool:
    """Return True if a request names no value itself: no code, no time and no quotation."""
    return not (codes(asked, times=True) or _QUOTED.search(asked))


def described(
    told: Mapping[Words, str],
    shares: Mapping[Words, float],
    shared: Mapping[Words, Collection[str]],
    said: Mapping[Words, str],
) -> tuple[set[Words], set[Words]]:
    """Return the sentences with the value that a description means, and the sentences with the newest of several.

    The value is a code or a quotation. It is nearest to the description's words in the sentences that have most of
    them. `shares` is the part of the description's weight that each sentence has, and `shared` are its stems there.
    """
    votes = dict[Words, float]()
    for key in told:
        if (
            shares[key] >= TELLING
            and len(shared[key]) >= WORDS_IN_A_ROW
            and (value := _nearest(told[key], shared[key]))
        ):
            votes[value] = max(shares[key], votes.get(value, 0.0))
    least = BESIDE * max(votes.values(), default=0.0)
    values = [value for value, share in votes.items() if share >= least]
    groups = {" ".join(value): _with_run(value, told) for value in values} if len(values) <= MANY else {}
    if any(len(group) > MANY for group in groups.values()):
        return set(), set()
    first = {one: min((said[key] for key in group if said.get(key)), default="") for one, group in groups.items()}
    newest = max(first, key=lambda one: first[one]) if len(first) > 1 else ""
    meant = {key for one, group in groups.items() if one != newest for key in group}
    return meant, set(groups.get(newest, ())) - meant


def _nearest(text: str, sought: Collection[str]) -> Words:
    """Return the code or quotation that is nearest to these words in a sentence, in the same clause: the next one, or
    the one before."""
    found = passages.tokens(text)
    hits = [at for at, (_, _, word) in enumerate(found) if not _stems_of(word).isdisjoint(sought)]
    pauses = [at + 1 for at in range(len(found) - 1) if _PAUSE.search(text[found[at][1] : found[at + 1][0]])]
    for hit in reversed(hits):
        begin = max((at for at in pauses if at <= hit), default=0)
        end = min((at for at in pauses if at > hit), default=len(found))
        inside = [at for at in hits if begin <= at < end]
        if after := _values(text, found[inside[-1] + 1 : end]):
            return after[0]
        if before := _values(text, found[begin : inside[0]]):
            return before[-1]
    return ()


def _values(text: str, part: Sequence[passages.Token]) -> list[Words]:
    """Return the codes and quotations in a part of a text, in their order."""
    words, made = tuple(word for _, _, word in part), list[tuple[int, Words]]()
    there = codes(text[part[0][0] : part[-1][1]]) if part else ()
    quoted = (one[one.lastindex or 0] for one in _QUOTED.finditer(text))
    for run in (tuple(passages.words(one)) for one in (*there, *quoted)):
        at = next((at for at in range(len(words)) if words[at : at + len(run)] == run), -1)
        made += [(at, run)] if at >= 0 and run else []
    return [run for _, run in sorted(made)]


@lru_cache(maxsize=1 << 14)
def _stems_of(word: str) -> frozenset[str]:
    return frozenset(compared.distinctive_stems(compared.raw(word)))


def _listed(asked: str, groups: Mapping[str, Sequence[Words]]) -> dict[str, list[Words]]:
    """Return the groups. If codes are near each other in the request, as in a list, their groups become one."""
    found, last = dict[str, list[Words]](), ("", -NEAR)
    for at, word in enumerate(asked.lower().split()):
        for code in groups.keys() & spellings.names(word):
            name = last[0] if last[0] and at - last[1] <= NEAR else code
            found.setdefault(name, []).extend(groups[code])
            last = name, at
    return found


def older(groups: Mapping[str, Sequence[Words]], said: Mapping[Words, str]) -> tuple[set[Words], set[Words]]:
    """Return the sentences with the code that was said first, and those that have only other codes."""
    first = {code: min((said[key] for key in group if said.get(key)), default="") for code, group in groups.items()}
    oldest = min(filter(None, first.values()), default="")
    old = {key for code, group in groups.items() if first[code] in ("", oldest) for key in group}
    return old, {key for group in groups.values() for key in group} - old


def _coded(asked: str, earlier: Mapping[Words, str]) -> dict[str, list[Words]]:
    """Return the sentences with each code of the request. In `Suite 730` the word before the number belongs to it."""
    found, titled = dict[str, list[Words]](), {number: title for title, number in _TITLED.findall(asked)}
    named = codes(asked) | {number.lower() for number in titled}
    for key, text in with_codes(earlier, named).items():
        titles = {number.lower(): title for title, number in _TITLED.findall(text)}
        for code in named & spellings.names(text):
            same = titles.get(code) == titled.get(code)
            if same or (len(code) >= CODE and not (code in titles and code in titled)):
                found.setdefault(code, []).append(key)
    return found


def _with_time(clause: str, earlier: Mapping[Words, str]) -> list[Words]:
    """Return the sentences with the first time that a clause names."""
    times = [one for word in clause.split() for one in codes(word, times=True)][:1]
    group = [key for key, text in earlier.items() if not spellings.names(text).isdisjoint(times)]
    return group if len(group) <= MANY else []


def _with_run(run: Words, earlier: Mapping[Words, str]) -> list[Words]:
    return [key for key in earlier if contains(run, key)]


def _longest_run(clause: str, earlier: Mapping[Words, str], shared: Mapping[Words, Collection[str]]) -> list[Words]:
    """Return the sentences with the rarest part of the longest run of words that the clause and an earlier sentence
    have in common. A sentence that begins alike is another request."""
    asked = _informative(clause)
    near = {key: _informative(text) for key, text in earlier.items() if len(shared[key]) >= WORDS_IN_A_ROW}
    texts = {key: own for key, own in near.items() if own[:1] != asked[:1]}
    run = max((_common(asked, own) for own in texts.values()), key=len, default=[])
    if len(run) <= WORDS_IN_A_ROW:
        return []
    there = Counter(word for key in earlier for word in shared[key])
    rarest = min(pairwise(run), key=lambda pair: math.prod(there[word] for word in pair))
    group = [key for key, own in texts.items() if rarest in pairwise(own)]
    return group if len(group) <= MANY else []


def _informative(text: str) -> list[str]:
    return compared.distinctive_stems(compared.raw(text))


def _common(one: list[str], other: list[str]) -> list[str]:
    """Return the longest run of words of both."""
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return one[match.a : match.a + match.size]


def contains(run: Words, key: Sequence[str]) -> bool:
    """Return True if these words contain the run."""
    many = len(run)
    return many > 0 and any(tuple(key[at : at + many]) == run for at in range(len(key) - many + 1))
