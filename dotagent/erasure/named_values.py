"""Find what a request names: numbers and codes, quotations, and rare runs of words of the earlier talk.

People ask in whole sentences: “Delete the older PIN of Mia. The value 6714 should be gone.” Few sentences share most of
these words, but the sentences with 6714 are meant. Of two codes, the one said first is the old one. Pure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from difflib import Match, SequenceMatcher
from itertools import pairwise
from typing import TypeVar

from dotagent.erasure import spellings
from dotagent.text import passages, standing_instructions
from dotagent.text import words as compared

CODE = 4  # characters of a number or code that means one thing
MANY = 12  # sentences: a code in more of them is not a secret value but, for example, a product's name
NEAR = 3  # words from one code of a list to the next
WORDS_IN_A_ROW = 2  # informative words of a run
ONLY = 0.8  # share of the sentences with a pair's rarer word that have the pair; otherwise its words are common words

Words = tuple[str, ...]
Key = TypeVar("Key")

_CLAUSE = re.compile(r"(?<=[;；])\s*")
_TITLED = re.compile(r"\b([^\W\d_a-zß-ÿ][^\W\d_A-ZÀ-Þ]+) (\d{3,})\b")

_DATE = re.compile(r"(?:19|20)\d\d|\d{1,4}[-/.]\d\d?[-/.]\d{1,4}|\d{4}-\d\d-\d\dt.*")
_TIME = re.compile(r"\d\d?[:.]\d\d(?:[ap]m)?|\d+(?:st|nd|rd|th|[ap]m|%)")
QUOTED = re.compile(
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
        quoted = [tuple(passages.words(one[one.lastindex or 0])) for one in QUOTED.finditer(clause)]
        groups = [[key for key in earlier if contains(run, key)] for run in quoted if len(run) >= WORDS_IN_A_ROW]
        quotes = [group for group in groups if group]
        group = (quotes or [[]])[0] or ([] if meant else _with_time(clause, earlier))
        group = [*group, *([] if meant or quotes else _longest_run(clause, told, own, shared))]
        if group:
            rest = {key for one in quotes[1:] for key in one}
            return meant | set(group), (other | rest) - meant - set(group)
    return meant, other


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
    """Return the sentences with the code that was said first, and the sentences with only other codes."""
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


def _longest_run(
    clause: str, told: Mapping[Words, str], own: Collection[Words], shared: Mapping[Words, Collection[str]]
) -> list[Words]:
    """Return the sentences with the rarest part of the longest run of words that the clause shares with one. One that
    begins alike is another request. If somebody said the clause, one in the same frame is not meant: “My son is here”
    does not mean “My dog is here”. Otherwise, both words of the part are rare: a description has ordinary words."""
    asked, earlier = _informative(clause), {key: text for key, text in told.items() if key not in own}
    near = {key: _informative(text) for key, text in earlier.items() if len(shared[key]) >= WORDS_IN_A_ROW}
    texts = {key: words for key, words in near.items() if words[:1] != asked[:1]}
    if spoken := tuple(passages.words(clause)) in told:
        texts = {key: words for key, words in texts.items() if not _is_same_frame(asked, words)}
    run = max((_common(asked, words) for words in texts.values()), key=len, default=[])
    if compared.count(run) <= WORDS_IN_A_ROW:
        return []
    there = Counter(word for key in earlier for word in shared[key])
    rarest = min(pairwise(run), key=lambda pair: math.prod(there[word] for word in pair))
    group, least = [key for key, words in texts.items() if rarest in pairwise(words)], min if spoken else max
    return group if ONLY * least(there[word] for word in rarest) <= len(group) <= MANY else []


def _informative(text: str) -> list[str]:
    return compared.distinctive_stems(compared.raw(text))


def _common(one: list[str], other: list[str]) -> list[str]:
    """Return the longest run of words of both."""
    match = _match(one, other)
    return one[match.a : match.a + match.size]


def _is_same_frame(one: list[str], other: list[str]) -> bool:
    """Return True if the longest run of both is most of one, with as many words before it, and as many or one more or
    less behind it."""
    match = _match(one, other)
    return 2 * match.size > len(one) and match.a == match.b and abs(len(one) - len(other)) <= 1


def _match(one: list[str], other: list[str]) -> Match:
    return SequenceMatcher(None, one, other, autojunk=False).find_longest_match()


def contains(run: Words, key: Sequence[str]) -> bool:
    """Return True if these words contain the run."""
    many = len(run)
    return many > 0 and any(tuple(key[at : at + many]) == run for at in range(len(key) - many + 1))
