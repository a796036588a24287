"""Whether a summary says what its entries say, and what of theirs it lacks: by names, numbers, dates and words alone.

A small model makes up lunches, and takes an example in its prompt for what happened. What it writes is therefore held
against the words of the entries, sentence by sentence; and what they tell beside it comes from an extract of them, so
that a summary never tells less than no model at all would. Pure; it owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from dotagent.text import extract, lexicon, standing, tokens, words

PLAIN = 0.6  # of the telling words of a sentence without any name or number: what must stand in the entries
NAMED = 0.2  # of those of one with a name or a number that they have
PART = 0.25  # of a summary's telling words: where fewer are in sentences that are grounded, none of it counts
LOOSE, TELLING = 0.12, 8  # the same in other languages, where only names and numbers are the same; of so many words
COMMON = 0.2  # of a text's words: so many are English words of every text, or it is in another language

_SPEAKER = re.compile(r"\A(?:[-*•]\s+)?[^\s:]{1,60}:\s+")
_OTHER = frozenset(lexicon.OTHERS.split())


@dataclass(frozen=True)
class Source:
    """What a summary is of: who said what, below one another, and the days on which; `others` are texts that stand in
    the same prompt, as its examples do, and are no part of it."""

    words: str = ""
    others: str = ""
    days: tuple[str, ...] = field(default=())

    @cached_property
    def known(self) -> frozenset[str]:
        """Every word of it, as it stands and as it is compared, and its days' parts."""
        days = (part.lstrip("0") for day in self.days for part in day[:10].split("-"))
        months = (words.MONTHS[int(day[5:7]) - 1] for day in self.days if day[5:7].isdigit() and 0 < int(day[5:7]) < 13)
        return _all(self.words) | frozenset(days) | frozenset(months)

    @cached_property
    def facts(self) -> frozenset[str]:
        """Its names, numbers and dates, but for the names of who speaks."""
        lines = self.words.split("\n")
        who = {line.partition(":")[0].lower() for line in lines if _SPEAKER.match(line)}
        return frozenset(fact for line in lines for fact in facts(line)) - who

    @cached_property
    def strange(self) -> frozenset[str]:
        """The words of the other texts that it has not."""
        return frozenset(extract.terms(self.others)) - self.known

    @cached_property
    def strange_facts(self) -> frozenset[str]:
        """The names and numbers of the other texts that it has not, also those that begin a sentence there."""
        capital = {word.lower() for word in re.findall(r"\b[A-Z][\w’-]+", self.others)} - words.STOP
        return frozenset(capital | {fact for one in self.others.split("\n") for fact in facts(one)}) - self.known


def facts(line: str) -> set[str]:
    """The names, numbers and dates in a line, without its speaker, as they are compared."""
    return extract.facts(_SPEAKER.sub("", line))


def grounded(text: str, source: Source) -> str:
    """Of a summary the sentences that can be about its source; "" where that is too little of it."""
    if not source.words.strip():
        return text
    strict = _english(source.words) and _english(text) and not _foreign(text)
    kept, lines, good, bad = list[str](), text.split("\n"), 0, 0
    for line in lines:
        held = list[str]()
        for sentence in standing.sentences(line):
            label = _SPEAKER.match(sentence)
            if label and _all(label[0]) & source.strange_facts:
                sentence = sentence[label.end() :]  # who speaks in an example, and not here
            told = len(set(extract.terms(sentence)))
            if _is_grounded(sentence, source, strict):
                held.append(sentence)
                good += told
            else:
                bad += told
        if held or not line.strip():
            kept.append(line if len(held) > 1 and " ".join(held) in line else " ".join(held))
    if good < PART * (good + bad) or not good:
        return ""
    loose = set(extract.terms(text))
    if not strict and len(loose) >= TELLING and _plain(text) == _plain(source.words):
        return "\n".join(kept).strip() if len(loose & source.known) >= LOOSE * len(loose) else ""
    return "\n".join(kept).strip()


def _is_grounded(sentence: str, source: Source, strict: bool) -> bool:
    told, named = set(extract.terms(sentence)), facts(sentence)
    unknown = told - source.known
    plain = _all(_SPEAKER.sub("", sentence))
    if plain & source.strange_facts or len(unknown & source.strange) > max(1, len(told) / 3):
        return False
    if not strict or not told:
        return True
    if any(not _is_known(fact, source) for fact in named):
        return False
    return len(told - unknown) >= (NAMED if named else PLAIN) * len(told)


def _is_known(fact: str, source: Source) -> bool:
    """Whether a name or number is in the source, as it is or in parts; a single digit may count what is there."""
    parts = [part.lstrip("0") for part in re.findall(r"\w+", fact)]
    return fact in source.known or all(part in source.known or len(part) < 2 for part in parts)


def completed(text: str, extracted: str, room: int, source: Source) -> str:
    """A summary with the lines of an extract that tell what it lacks, names, numbers and dates first, as far as `room`
    tokens allow. Where it has fewer of these than the extract, or is too long, its poorest sentences make room.
    """
    mine = [(at, one) for at, line in enumerate(text.split("\n")) for one in standing.sentences(line)]
    order = {one: place for place, one in enumerate(mine)}
    lines = [line for line in extracted.split("\n") if line.strip()]
    least = len(_told(lines) & source.facts)
    room = max(room, tokens.estimate(extracted) + len(lines))
    worth = {one: (len(facts(one[1]) & source.facts) / tokens.estimate(one[1]), -one[0]) for one in mine}
    mine.sort(key=lambda one: worth[one])  # the poorest first: they make room
    size = sum(tokens.estimate(one) for _, one in mine)
    while mine and size > room + len(mine):  # by itself each is estimated one token too large
        size -= tokens.estimate(mine.pop(0)[1])
    while mine and tokens.estimate("\n".join(one for _, one in mine)) > room:
        mine.pop(0)
    while True:
        have = [one for _, one in mine]
        added = _lacking(have, lines, room, source)
        if not mine or len(_told([*have, *added]) & source.facts) >= least:
            break
        mine.pop(0)
    mine.sort(key=lambda one: order[one])
    rows = dict[int, list[str]]()
    for at, one in mine:
        rows.setdefault(at, []).append(one)
    return "\n".join([*(" ".join(row) for row in rows.values()), *(line for line in lines if line in added)])


def _lacking(have: list[str], lines: list[str], room: int, source: Source) -> list[str]:
    """The lines that bring the most of what is not there for their length, as many as there is room for: those with
    names, numbers or dates first, then those of which at least half the words are new."""
    known, left, added = _all("\n".join(have)), room - tokens.estimate("\n".join(have)), list[str]()
    wanted = {line: (facts(line) & source.facts, set(extract.terms(_SPEAKER.sub("", line)))) for line in lines}

    def worth(line: str) -> tuple[float, float]:
        told, plain = wanted[line]
        new = plain - known
        return len(told - known) / tokens.estimate(line), len(new) if 2 * len(new) >= len(plain) else 0

    while wanted:
        line = max(wanted, key=worth)
        if worth(line) == (0, 0):
            break
        wanted.pop(line)
        takes = tokens.estimate(line) + 1
        if takes <= left:
            added.append(line)
            known |= _all(line)
            left -= takes
    return added


def _told(lines: Iterable[str]) -> set[str]:
    return {fact for line in lines for fact in facts(line)}


def _all(text: str) -> frozenset[str]:
    """Every word of a text: as it stands, in small letters, and as it is compared."""
    plain = frozenset(words.raw(text))
    return plain | frozenset(map(words.stem, plain)) | extract.facts(text)


def _plain(text: str) -> bool:
    """Whether most of the text's letters are ASCII."""
    letters = [letter.isascii() for letter in text[:4000] if letter.isalpha()]
    return sum(letters) * 2 >= len(letters)


def _english(text: str) -> bool:
    """Whether a text may well be English: short notes have few words of every text, so that they pass for it."""
    plain = [word for word in words.raw(text[:20_000]) if not word.isdigit()]  # a number is of no language
    return _plain(text) and (len(plain) < 40 or sum(word in words.STOP for word in plain) >= COMMON * len(plain))


def _foreign(text: str) -> bool:
    """Whether it has words that only other languages have."""
    plain = words.raw(text)
    return sum(word in _OTHER for word in plain) > max(1, sum(word in words.STOP for word in plain))
