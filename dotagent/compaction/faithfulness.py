"""Check that a summary is faithful to its entries, and add facts that it lacks, by names, numbers, dates and words
alone.

Small models invent facts, or repeat an example of the prompt. So each sentence is compared with the words of the
entries; and missing facts come from an extract, so that a summary is never worse than one without a model. Pure; it
owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from dotagent.compaction import caseless, unsaid
from dotagent.text import extract, lazy, lexicon, speakers, standing_instructions, tokens, words
from dotagent.text.lazy import dataclass, field

PLAIN = 0.6  # share of informative words that the entries must contain, for a sentence without names and numbers
NAMED = 0.2  # the same for a sentence with a name or a number
PART = 0.25  # share of a summary's informative words; if fewer are in faithful sentences, none is accepted
LOOSE, TELLING = 0.12, 8  # PART in other languages; the least number of words for it
COMMON = 0.2  # a text with a smaller share of English stop words is in another language

_SPEAKER = lazy.compile(r"\A(?:[-*•]\s+)?[^\s:：]{1,60}[ \u00a0\u202f]?(?::[*_`]*\s+|：[*_`]*\s*)")
_SUBJECT = lazy.compile(r"\A(?:[-*•]\s+)?[*_`]*[^\W\d_]{1,60}[*_`]*\s+(?=\w)")
_MARKS = " \u00a0\u202f\t-*•:：_`"
_OTHER = frozenset(lexicon.OTHERS.split())


@dataclass(frozen=True)
class Source:
    """The source of a summary: the messages as lines, and their days. `others` are texts of the same prompt, such as
    examples, that are not part of the source. `said` are the messages as (speaker, text) pairs, and `persons` the
    speakers who are people. `listed` are the standing instructions that the prompt lists, `who: words`."""

    words: str = ""
    others: str = ""
    days: tuple[str, ...] = field(default=())
    said: tuple[tuple[str, str], ...] = field(default=())
    persons: frozenset[str] = field(default=frozenset())
    listed: tuple[str, ...] = field(default=())

    @cached_property
    def known(self) -> frozenset[str]:
        """Return every word of the source, literally and stemmed, and the parts of its days."""
        days = (part.lstrip("0") for day in self.days for part in day[:10].split("-"))
        months = (words.MONTHS[int(day[5:7]) - 1] for day in self.days if day[5:7].isdigit() and 0 < int(day[5:7]) < 13)
        return _all_words(self.words) | frozenset(days) | frozenset(months)

    @cached_property
    def speakers(self) -> Mapping[str, Source]:
        """Return each speaker's own words as a source."""
        own = dict[str, list[str]]()
        for who, text in self.said:
            own.setdefault(who, []).append(text)
        return {who: Source("\n".join(texts), days=self.days) for who, texts in own.items()}

    @cached_property
    def facts(self) -> frozenset[str]:
        """Return its names, numbers and dates, without the speakers' names."""
        lines = self.words.split("\n")
        who = {line.partition(":")[0].lower() for line in lines if _SPEAKER.match(line)}
        return frozenset(fact for line in lines for fact in facts(line)) - who

    @cached_property
    def strange(self) -> frozenset[str]:
        """Return the words that only the other texts contain."""
        return frozenset(extract.terms(self.others)) - self.known

    @cached_property
    def strange_facts(self) -> frozenset[str]:
        """Return the names and numbers that only the other texts contain, including first words of sentences."""
        capital = {word.lower() for word in re.findall(r"\b[A-Z][\w’-]+", self.others)} - words.STOP
        return frozenset(capital | {fact for one in self.others.split("\n") for fact in facts(one)}) - self.known


def facts(line: str) -> set[str]:
    """Return the names, numbers and dates in a line, without its speaker, in the form for comparison."""
    return extract.facts(_SPEAKER.sub("", line))


def grounded(text: str, source: Source) -> str:
    """Return the sentences of a summary that fit its source, or "" if these are too few."""
    if not source.words.strip():
        return text
    strict = _english(source.words) and _english(text) and not _foreign(text)
    kept, lines, good, bad = list[str](), text.split("\n"), 0, 0
    styles = _styles(lines, source)
    for line in lines:
        held = list[str]()
        for sentence in standing_instructions.sentences(line):
            if sentence.strip() == speakers.NOTHING:
                continue
            label = _SPEAKER.match(sentence)
            if label and _all_words(label[0]) & source.strange_facts:
                sentence = sentence[label.end() :]  # a speaker of an example, not of the source
            sentence = _attributed(sentence, source, styles)
            told = len(set(extract.terms(sentence)))
            swapped = not sentence.isascii() and caseless.is_swapped(sentence, source.said)
            if not swapped and _is_grounded(sentence, source, strict):
                held.append(sentence)
                good += told
            else:
                bad += told
        if held or not line.strip():
            kept.append(line if len(held) > 1 and " ".join(held) in line else " ".join(held))
    if good < PART * (good + bad) or not good:
        return ""
    loose = set(extract.terms(text))
    if not strict and len(loose) >= TELLING and _is_mostly_ascii(text) == _is_mostly_ascii(source.words):
        return "\n".join(kept).strip() if len(loose & source.known) >= LOOSE * len(loose) else ""
    return "\n".join(kept).strip()


def _attributed(sentence: str, source: Source, styles: Collection[_Style]) -> str:
    """Return the sentence with the speaker whose words it repeats.

    If its speaker did not say most of it, the only speaker who said all of it is named instead, otherwise no one. That
    holds for `bob: …` and for `Bob is …`, and for a label in one of these styles that names no one in the talk.
    """
    label = _SPEAKER.match(sentence)
    begun = label or _SUBJECT.match(sentence)
    if begun is None:
        return sentence
    named = begun[0].strip(_MARKS).lower()
    own = next((words for who, words in source.speakers.items() if who.lower() == named), None)
    own = Source() if own is None and named == speakers.ME.lower() else own  # the agent, which said nothing here
    if own is None and label and _style(label[0]) in styles and not _all_words(named) & source.known:
        own = Source()
    if own is None or (
        not label and (named in (speakers.ME.lower(), "me") or named not in map(str.lower, source.persons))
    ):
        return sentence
    plain = sentence[begun.end() :]
    if not plain.isascii() and caseless.share(plain, own.words) >= caseless.SAME:
        return sentence
    told, counted = set(extract.terms(plain)), unsaid.numbers(plain)
    if len(told & own.known) >= PLAIN * len(told):
        return sentence
    foreign = not {one for one in told if not one.isdecimal()} & source.known  # then only numbers can be compared
    if foreign and counted and counted <= unsaid.numbers(own.words):
        return sentence
    if not label and any(named in words.known and _is_grounded(sentence, words, True)
                         for words in source.speakers.values()):  # fmt: skip
        return sentence  # another person said this about them
    whose = [who for who, words in source.speakers.items() if _is_grounded(plain, words, True)]
    if len(whose) == 1 and whose[0]:
        return f"{whose[0]}: {plain}"
    return plain if label or foreign else ""


_Style = tuple[bool, bool]


def _style(label: str) -> _Style:
    """Return how a name is written: in which kind of letters, and whether small."""
    plain = label.strip(_MARKS)
    return plain.isascii(), plain.islower()


def _styles(lines: Iterable[str], source: Source) -> set[_Style]:
    """Return the styles in which speakers of the source are named, there and in the lines of a summary."""
    known = {who.lower() for who in source.speakers} - {""}
    labels = (found[0] for line in lines if (found := _SPEAKER.match(line)))
    return {_style(one) for one in (*source.persons, *labels) if one.strip(_MARKS).lower() in known}


def keep_person(text: str, extracted: str, source: Source) -> str:
    """Return a summary that contains at least one line of a person word for word, from an extract if necessary."""
    said = [words for who, words in source.said if who in source.persons]
    if any(one in text for words in said for one in standing_instructions.sentences(words)):
        return text
    lines = extracted.split("\n")
    theirs = [line for line in lines if line.partition(": ")[0] in source.persons and line not in text]
    return "\n".join([text, *theirs[:1]])


def _is_grounded(sentence: str, source: Source, strict: bool) -> bool:
    told, named = set(extract.terms(sentence)), facts(sentence)
    unknown = told - source.known
    plain = _all_words(_SPEAKER.sub("", sentence))
    if plain & source.strange_facts or len(unknown & source.strange) > max(1, len(told) / 3):
        return False
    if unsaid.is_unsaid(_SPEAKER.sub("", sentence), source.words, source.known):
        return False
    if not strict or not told:
        return True
    if any(not _is_known(fact, source) for fact in named):
        return False
    return len(told - unknown) >= (NAMED if named else PLAIN) * len(told)


def _is_known(fact: str, source: Source) -> bool:
    """Return True if a name or number is in the source, whole, in parts or by value. A single digit may be a count."""
    parts = [part.lstrip("0") for part in re.findall(r"\w+", fact)]
    if fact in source.known or all(part in source.known or len(part) < 2 for part in parts):
        return True
    return not any(map(str.isalpha, fact)) and unsaid.numbers(fact) <= unsaid.numbers(source.words)


def completed(text: str, extracted: str, room: int, source: Source) -> str:
    """Return a summary with the lines of an extract that add missing facts, names, numbers and dates first, within
    `room` tokens. If it has fewer facts than the extract, or is too long, its least informative sentences are
    removed."""
    mine = [(at, one) for at, line in enumerate(text.split("\n")) for one in standing_instructions.sentences(line)]
    order = {one: place for place, one in enumerate(mine)}
    lines = [line for line in extracted.split("\n") if line.strip()]
    least = len(_facts_in(lines) & source.facts)
    room = max(room, tokens.estimate(extracted) + len(lines))
    worth = {one: (len(facts(one[1]) & source.facts) / tokens.estimate(one[1]), -one[0]) for one in mine}
    mine.sort(key=lambda one: worth[one])  # least informative first
    size = sum(tokens.estimate(one) for _, one in mine)
    while mine and size > room + len(mine):  # each single estimate is one token too large
        size -= tokens.estimate(mine.pop(0)[1])
    while mine and tokens.estimate("\n".join(one for _, one in mine)) > room:
        mine.pop(0)
    while True:
        have = [one for _, one in mine]
        added = _lacking(have, lines, room, source)
        if not mine or len(_facts_in([*have, *added]) & source.facts) >= least:
            break
        mine.pop(0)
    mine.sort(key=lambda one: order[one])
    rows = dict[int, list[str]]()
    for at, one in mine:
        rows.setdefault(at, []).append(one)
    return "\n".join([*(" ".join(row) for row in rows.values()), *(line for line in lines if line in added)])


def _lacking(have: list[str], lines: list[str], room: int, source: Source) -> list[str]:
    """Return the lines that add most for their length, within the room: first those with new names, numbers or dates,
    then those with at least half new words."""
    known, left, added = _all_words("\n".join(have)), room - tokens.estimate("\n".join(have)), list[str]()
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
            known |= _all_words(line)
            left -= takes
    return added


def _facts_in(lines: Iterable[str]) -> set[str]:
    return {fact for line in lines for fact in facts(line)}


def _all_words(text: str) -> frozenset[str]:
    """Return every word of a text: literally, in lower case, and stemmed."""
    plain = frozenset(words.raw(text))
    return plain | frozenset(map(words.stem, plain)) | extract.facts(text)


def _is_mostly_ascii(text: str) -> bool:
    """Return True if most of the text's letters are ASCII."""
    letters = [letter.isascii() for letter in text[:4000] if letter.isalpha()]
    return sum(letters) * 2 >= len(letters)


def _english(text: str) -> bool:
    """Return True if a text is probably English. Short notes have few stop words and are accepted."""
    plain = [word for word in words.raw(text[:20_000]) if not word.isdigit()]  # a number has no language
    return _is_mostly_ascii(text) and (
        len(plain) < 40 or sum(word in words.STOP for word in plain) >= COMMON * len(plain)
    )


def _foreign(text: str) -> bool:
    """Return True if the text has mainly words of other languages."""
    plain = words.raw(text)
    return sum(word in _OTHER for word in plain) > max(1, sum(word in words.STOP for word in plain))
