"""Answers by quoting: the sentences of the notes, the rooms and the files read that share most with a question.

A word counts for as much as it is rare (idf, Spärck Jones 1972), and "my" means who says it. It quotes, with who said
it and when, and never puts a sentence together, so it is only ever wrong about what fits. It owns nothing on disk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log

from dotagent import extensions
from dotagent.providers.offline_wits import asks, notes
from dotagent.providers.offline_wits.prompt import Entry, Said, heard, owner, reminded
from dotagent.providers.offline_wits.words import FIRST, content, tokens
from dotagent.text.escape import one_line
from dotagent.text.said import ME, words
from dotagent.text.standing import sentences

ENOUGH = 0.45  # the share of a question's weight that a sentence must have to be quoted
FAINT = 0.3  # the same where the search was asked: it has chosen already
NEAR = 0.8  # what may stand beside the best
QUOTE = 300  # characters

_NOT_QUOTED = ("RECALL ok", "UNCOMPACT ok")  # what these show is old, and half of it one's own
_WHO_AM_I = re.compile(
    r"(?:who am i|what(?:'s|’s| is) my name|do you know (?:who i am|my name))[\s?.!]*\Z", re.IGNORECASE
)
_WIDE = re.compile(r"\b(?:about|everything|all)\b", re.IGNORECASE)
_DIGIT = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:today|tomorrow|noon|midnight|week|month)\b", re.I
)
_PLACE = re.compile(r"\b(?:in|at|on|to|near|under|behind|from)\b", re.IGNORECASE)
_SORT = re.compile(r"(?:what|which)\s+(\w+)\b", re.IGNORECASE)
_FORGET = re.compile(r"forget|delete|remove|erase|drop|strike", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """A sentence that may be quoted: where from, in words, and who its "my" is."""

    text: str
    label: str
    me: str = ""
    words: frozenset[str] = field(default_factory=frozenset)
    people: frozenset[str] = field(default_factory=frozenset)


def answer(view: Sequence[Entry], said: Said, question: str, enough: float = ENOUGH) -> str:
    """What the entries say to a question of `said`'s sender: quotes; empty when nothing does."""
    if _WHO_AM_I.match(question):
        return f"You are {said.who} here: that is the name your messages carry."
    pool = list(_sources(view))
    names = {source.me for source in pool if source.me} | {_plain(said.who)}
    pool = [_read(source, names) for source in pool]
    wanted, people = set(content(question)), _people(question, _plain(said.who), names)
    wanted -= set(content(" ".join(people)))
    ranked = [one for one in _rank(pool, wanted, people, question) if one[0] >= enough]
    most = 5 if _WIDE.search(question) else 3
    if not ranked:
        return ""
    best = ranked[0][0]
    quotes = dict.fromkeys(source.text for score, _, source in ranked if score >= best * (0.4 if most == 5 else NEAR))
    labels = {source.text: source.label for _, _, source in reversed(ranked)}
    return "\n".join(f"{labels[text]}: {quoted(text)}" for text in list(quotes)[:most])


def quoted(text: str) -> str:
    """A text as one line in quotation marks, cut; the marks inside are made plain, so a quote ends where it ends."""
    return "“" + one_line(text.replace("“", '"').replace("”", '"'), QUOTE) + "”"


def _rank(
    pool: Sequence[Source], wanted: set[str], people: frozenset[str], question: str
) -> list[tuple[float, int, Source]]:
    """The sources that are near enough, best first, the newest of equals first."""
    count = Counter(word for source in pool for word in source.words | {f"@{name}" for name in source.people})
    weight = {word: log(1 + len(pool) / (1 + count[word])) for word in wanted | {f"@{name}" for name in people}}
    sort = _SORT.match(question)
    for word in content(sort[1]) if sort else ():
        weight[word] *= 0.3  # “which colour”: an answer says red, and seldom colour
    total = sum(weight.values())
    found: list[tuple[float, int, Source]] = []
    for order, source in enumerate(pool):
        shared = wanted & source.words
        if total <= 0 or (wanted and not shared) or (not wanted and not people & source.people):
            continue
        score = sum(weight[word] for word in shared) + sum(weight[f"@{name}"] for name in people & source.people)
        score = score / total * (0.5 if people and source.people and not people & source.people else 1)
        found.append((score + (_fits(question, source.text) if score >= FAINT else 0.0), order, source))
    return sorted(found, key=lambda one: (-one[0], -one[1]))


def _fits(question: str, text: str) -> float:
    """A little more for a sentence that has what the question asks for, a time or a place."""
    asked = question.casefold()
    timed = asked.startswith("when") or "what time" in asked or "how m" in asked
    return 0.05 * bool((timed and _DIGIT.search(text)) or (asked.startswith("where") and _PLACE.search(text)))


def _sources(view: Sequence[Entry]) -> Iterator[Source]:
    """All that can be quoted, oldest first, the notes last; what somebody asked to forget is not there."""
    told: list[Source] = []
    person = owner(view)
    for entry in view:
        if entry.event in ("HEAR", "JOIN"):
            for said in heard(entry, person):
                told = _without(told, said)
                told += _told(said)
        elif old := reminded(entry):
            told += [source for said in old for source in _told(said)]
        elif entry.event == "FADED":
            told += _faded(entry)
        elif entry.event == "TOOL" and entry.detail not in _NOT_QUOTED and entry.detail.endswith(" ok"):
            told += _shown(entry)
    yield from told
    for line in notes.lines(view):
        if line.strip() and not line.startswith("#"):
            said_by = re.search(r" \(said by ([^()\s]+)\)\Z", line)
            yield Source(line.removeprefix("- ").strip(), "My notes say", said_by[1] if said_by else "")


def _faded(entry: Entry) -> Iterator[Source]:
    """The lines of a summary that are somebody else's words."""
    for who, text in words("FADED", entry.detail, entry.body, extensions.tools()):
        if who != ME:
            facts = [text] if not asks.asks(text, False) else []
            yield from (Source(fact, f"{who} said, as I remember (#{entry.number})", _plain(who)) for fact in facts)


def _shown(entry: Entry) -> Iterator[Source]:
    """The sentences of a tool's result."""
    first, _, rest = entry.body.partition("\n")
    file = entry.detail.startswith("READ_FILE")
    name = first.partition(", ")[0] if file else f"#{entry.number} {entry.event}"
    yield from (Source(text, f"{name} says") for text in sentences(rest if name in first else entry.body))


def _told(said: Said) -> Iterator[Source]:
    """The sentences of a message that tell something: what was asked or commanded is no answer to anything."""
    who = f"agent {said.who}" if said.agent else said.who
    when = (f" on {said.at[:10]}" if said.at else "") + (f" at {said.at[11:16]}" if said.at[11:] else "")
    where = f" in {said.room}" if said.room else ""
    for text in sentences(said.text):
        asked = asks.asks(text, False)
        facts = [ask.text for ask in asked if ask.kind == "remember"] if asked else [text]
        yield from (Source(fact, f"{who} said{where}{when}", _plain(said.who)) for fact in facts if fact)


def _without(told: list[Source], said: Said) -> list[Source]:
    """The sources without those that this message asks to forget."""
    if said.agent or not _FORGET.search(said.text):
        return told
    for ask in asks.asks(said.text, False):
        if ask.kind == "forget" and ask.text:
            gone = set(notes.matching([source.text for source in told], ask.text))
            told = [source for source in told if source.text not in gone]
    return told


def _read(source: Source, names: set[str]) -> Source:
    people = _people(source.text, source.me, names)
    words = frozenset(content(source.text)) - set(content(" ".join(people)))
    return Source(source.text, source.label, source.me, words, people)


def _people(text: str, me: str, names: set[str]) -> frozenset[str]:
    """Who a text is about: the names in it, and its "my"."""
    found = set(tokens(text))
    return frozenset(found & names) | (frozenset({me}) if me and found & FIRST else frozenset())


def _plain(who: str) -> str:
    """A name as people say it: `discord/Ana` is ana."""
    return who.rpartition("/")[2].casefold()
