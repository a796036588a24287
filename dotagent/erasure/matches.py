"""Find the sentences of a home that match a request, in every form.

A sentence is listed once with all its places. Requests, swaps and trees only repeat other content, so their copies are
found when the sentence is removed. Owns nothing on disk.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from dotagent.erasure import described_values, file_text, named_values, spellings, unwritable
from dotagent.erasure import people as persons
from dotagent.erasure.named_values import CODE, Words
from dotagent.erasure.requests import Search, in_their_digits, parse_wording, source, stems, ways
from dotagent.erasure.resting import NOTHING, Resting, find_resting
from dotagent.life import events
from dotagent.life.candidates import Candidate
from dotagent.life.compaction_events import Chunks, Faint, Flush, Stands, Summed, Wishes
from dotagent.life.log_repair import REQUESTS
from dotagent.life.marks import mark_repeated
from dotagent.life.sources import Texts, of_pairs
from dotagent.store import bootstrap, directories, disk, home, log, prompts
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import encoded_text, passages, source_marks, speakers, standing_instructions, tag
from dotagent.text import words as compared
from dotagent.text.lazy import dataclass, field
from dotagent.text.reference import short

IN_LIFE = "LIFE of "
MORE = 3  # extra words in a repetition of a sentence, such as its speaker and a mark of deletion
NO_WORD = "these words have no letter or digit to search for; give a word of the sentence"
ENOUGH = 0.6  # share of the request's weight that a sentence must have to match
CLOSE = 0.85  # the same, if another sentence has exactly the words of the request
STRUCTURES = (*REQUESTS, "SWAP", "FADE", "CHUNKS")  # events whose blobs repeat other content
_WORDED = {Stands.WORD: "words", events.Tell.WORD: "text", Candidate.WORD: "told", events.Effect.WORD: "what"}
"""The events with words of others in their detail, and the field of these words."""
REPEATED = (events.Hear.WORD, events.Reply.WORD, events.Result.WORD)  # gists that repeat blobs
TITLES = (
    *REQUESTS,
    *(events.Boot.WORD, events.Join.WORD, events.Document.WORD, events.Daily.WORD, events.Spent.WORD),
    *(events.Recent.WORD, Chunks.WORD, Faint.WORD, Flush.WORD, Wishes.WORD),
)
"""Events whose gist is a title that dotagent gives to the blob, such as `EXAMPLE.md` or `LIFE's last lines`."""
TEXT = re.compile(r".*\.(?:md|txt|toml|jsonl?|log|yaml)|.*/LIFE\.torn-[^/]*", re.DOTALL)
ELSEWHERE = re.compile(
    r"agents/[^/]+/(?:run/.*|LIFE\.md|context[^/]*\.md|processes/.*|memory/working/[^/]+/current\.json)|"
    r"(?:blobs|calls|up|clock)/.*",
    re.DOTALL,
)

FILES = re.compile(r"\((file [^\n]* shows it)\)")  # a file of a message, as its line names it
WITH = "HEAR of "
DELETED = -1.0  # the score of an item to delete
FRAME = "the sentence contains only a few of the words that you gave"
SAME = "the sentence contains the same number as another match"
VALUELESS = "the sentence does not contain the value"
MARKED = "the words have other accents or vowel signs"
LIKE = "the sentence contains only similar words"
NEWER = "the sentence contains a newer value"
CHANGED = "the sentence is in an imported document, but the import did not bring it"
LETTERS = 3  # letters of a word that may be a part of another form of it
ENCODED, ESCAPED, TURNED = OTHER_FORMS = (" (base64, base32 or hex)", " (with escapes)", " (rot13)")  # ends of places
_INSIDE = "\0"  # prefix of the place of a text that cannot be rewritten

_JOINT = re.compile(  # semicolons of Latin, Arabic, Ethiopic and Chinese, and two frequent forms of a second clause
    r"(?<=\w)(?:[;\u061b\u1364] |\uff1b ?)(?=\w)|, (?=(?:and|but|und|aber) \w+ \w+ \w)"
)
_STAMPED = re.compile(r"^(?:[-*+] )?(?:\d\d:\d\d )?")
_CALL = re.compile(r"(?m)^([A-Z][A-Z_]+\b[^\n]*?)<<['\"]?(\w+)['\"]?$")  # a call with a body, in a reply
_SAID = re.compile(rf"\s*\({passages.NOTED}")
_WORDS = re.compile(r"“([^“”\n]{1,2000})”")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass
class Telling:
    """A matching sentence with its places. `doubt` says why it may not be meant; then it is removed only if a person
    selects it."""

    words: str
    score: float = 0.0
    places: list[str] = field(default_factory=list)
    doubt: str = ""

    @property
    def hidden(self) -> str:
        """Return the files made by agents in which a person would not see the sentence, or ""."""
        made = [one for one in self.places if one.endswith(OTHER_FORMS) and unwritable.MADE.match(one)]
        files = [one for one in made if one.rpartition(" (")[0] not in self.places]
        return f" (also in {', '.join(files)})" if files else ""


@dataclass(frozen=True)
class Choices:
    """The matching sentences, the doubtful ones, and content that cannot be rewritten: `things` to delete with the
    forms of their content, and paths that `stay`, with the reasons."""

    tellings: list[Telling]
    doubtful: list[Telling]
    things: dict[str, str]
    stay: list[str]

    def listed(self) -> list[Telling]:
        """Return the items for a person's choice: sentences, then things to delete with their paths, then doubtful
        sentences."""
        what = {True: "delete this folder", False: "delete this file"}
        things = [
            Telling(
                f"{what[path.endswith('/')]}, because dotagent cannot remove the text from it in another way ({form})",
                DELETED,
                [path],
            )
            for path, form in self.things.items()
        ]
        return [*self.tellings, *things, *self.doubtful]


def find(where: Home, asked: str) -> list[Telling]:
    """Return the matching sentences of a home, best first, and the files sent with them."""
    return find_choices(where, asked).tellings


def find_choices(where: Home, asked: str) -> Choices:
    """Return the same, with the files and folders that match and cannot be rewritten."""
    people, stay = persons.find_people(where.root, files(where.root)), list[str]()
    forms = list(unwritable.forms(where.root, where.store(), stay))
    inside = [(f"{_INSIDE}{number}", one.text) for number, one in enumerate(forms)]
    hits, told_of = set[str](), list(texts(where))
    among_all = match_sentences([*told_of, *inside], asked, people, hits, find_resting(where, source(asked)))
    found = _add_files(told_of, [one for one in among_all if not one.doubt])
    codes = {code for way in ways(asked) for code in parse_wording(way, people).named if len(code) >= CODE}
    exact = [" ".join(parse_wording(way, people).exact) for way in ways(asked)]
    told = unwritable.matcher([*(one.words for one in found), *exact])
    meant = [one for number, one in enumerate(forms) if f"{_INSIDE}{number}" in hits or told.search(one.text)]
    meant += [
        one for one in forms if one.form in (unwritable.NAME, unwritable.LINK) and codes & spellings.names(one.text)
    ]
    return Choices(found, [one for one in among_all if one.doubt], unwritable.things(meant), stay)


def _add_files(texts: Iterable[tuple[str, str]], found: list[Telling]) -> list[Telling]:
    """Return the sentences, and the files sent with a message that contains one."""
    said = list[Telling]()
    telling = passages.Passages(one.words for one in found)
    for place, text in texts if found else ():
        if place.startswith(WITH) and (came := FILES.findall(text)) and telling.tell(text):
            said += [Telling(one, 0.0, [place]) for one in came]
    known = {tuple(passages.words(one.words)) for one in found}
    return [*found, *_merged([one for one in said if tuple(passages.words(one.words)) not in known])]


def match_sentences(
    told: Iterable[tuple[str, str]],
    asked: str,
    people: Sequence[frozenset[str]] = (),
    apart: set[str] | None = None,
    resting: Resting = NOTHING,
) -> list[Telling]:
    """Return the matching sentences of these texts, each with its place, for all given names. `apart` collects the
    places that cannot be rewritten, which are not listed. `resting` is what rests on the request's source, by LIFE."""
    all_of, found = list(told), list[Telling]()
    if (name := source(asked)) and (rest := rest_on(all_of, name, resting)):
        return rest
    wordings = [one for way in ways(asked) for one in in_their_digits(way, (text for _, text in all_of))]
    for way in wordings:
        known = {one.words for one in found}
        found += (one for one in _find_in(all_of, parse_wording(way, people), apart) if one.words not in known)
    quoted = all(parse_wording(way).exact for way in wordings)
    if not found or not (asked.isascii() or quoted):
        known = {one.words for one in found}
        found += (one for one in _find_like(all_of, asked) if one.words not in known)
    return _merged(found) if len(wordings) > 1 else found


def _find_like(told: Iterable[tuple[str, str]], asked: str) -> list[Telling]:
    """Return the sentences with a similar word for each word of the request: another form of it, in a language whose
    endings and articles are not known here."""
    sought = [one for one in stems(parse_wording(asked).said) if len(one) >= LETTERS]
    if not sought:
        return []
    items = dict[Words, Telling]()
    for place, text in told:
        for sentence in sentences(text):
            own = stems(sentence)
            if all(any(_is_like(one, other) for other in own) for one in sought):
                item = items.setdefault(tuple(passages.words(sentence)), Telling(sentence, doubt=LIKE))
                if place not in item.places and not place.startswith(_INSIDE):
                    item.places.append(place)
    return _merged([one for one in items.values() if one.places])


def _is_like(one: str, other: str) -> bool:
    """Return True if a word contains the other, or if the words differ only in a short ending."""
    short, long = sorted((one, other), key=len)
    same = sum(1 for _ in itertools.takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))
    return len(short) >= LETTERS and (short in long or same >= max(LETTERS + 1, 2 * len(long) // 3))


def rest_on(told: Iterable[tuple[str, str]], name: str, resting: Resting = NOTHING) -> list[Telling]:
    """Return the sentences of the lines whose marks name this source, with their marks, their forms in other places,
    such as a summary, and the answers. A line that an imported document did not have at first is doubtful."""
    items, all_of = dict[str, Telling](), list(told)
    claims, first = ({_key(one): one for said in texts for one in sentences(said)} for texts in resting[:2])
    sent = Texts(of_pairs((name, text) for text in resting[2]))
    changed, claims = set[str](), claims.copy()
    given = {_key(row) for file in bootstrap.PROMPT for row in bootstrap.template(file).decode().split("\n")}
    for place, text in all_of:
        for mark, said in source_marks.list_marked(text):
            is_sent = source_marks.names_source(mark, speakers.PASSED[2:]) and mark_repeated(said, sent) != said
            if not (is_sent or source_marks.names_source(mark, name)):
                continue
            own = list(sentences(said))
            for at, one in enumerate(own):
                if source_marks.BELOW not in text or f"[from {mark}] {own[0]}" in text:  # the line has its own mark
                    claims[_key(one)] = one
                    if at == 0:
                        _add(items, f"[from {mark}] {one}", place)
                elif _key(one) not in given:
                    changed |= {_key(one)} if first and _key(one) not in first.keys() | claims.keys() else set()
                    claims[_key(one)] = one
    for place, text in all_of:
        for one in sentences(text):
            key = next(filter(claims.__contains__, (_key(one), _key(speakers.split_label(one)[1]))), None)
            if key:
                _add(items, claims[key], place)
                items[claims[key]].doubt = CHANGED if key in changed else ""
    return sorted(items.values(), key=lambda one: bool(one.doubt))


def _key(sentence: str) -> str:
    return " ".join(passages.words(sentence))


def _add(items: dict[str, Telling], words: str, place: str) -> None:
    item = items.setdefault(words, Telling(words, 1.0))
    if place not in item.places:
        item.places.append(place)


@dataclass
class _Heard:
    """All sentences by their words: each with its places, the words that it shares with the request, and when it was
    first said."""

    items: dict[Words, Telling] = field(default_factory=dict)
    bags: dict[Words, set[str]] = field(default_factory=dict)
    said: dict[Words, str] = field(default_factory=dict)

    def bag(self, item: Telling) -> set[str]:
        return self.bags[tuple(passages.words(item.words))]


def _hear(told: Iterable[tuple[str, str]], meant: Search) -> _Heard:
    heard = _Heard()
    whole = passages.is_long(passages.words(meant.said)) or len(list(sentences(meant.said))) > 1
    literal = passages.Passages([meant.said] if whole else [])
    run = meant.exact or tuple(passages.words(meant.said))
    few = passages.Passages([" ".join(run)] if len(run) > 1 and not passages.is_long(run) else [], inside=True)
    for place, at, text in ((place, at, part) for place, whole in told for at, part in _dated(whole)):
        parts = list(sentences(text))
        if _is_broken(literal, text, parts):
            parts.append(meant.said)
        elif few.tell(text):
            parts += _join_around(run, parts)
        for sentence in parts:
            if not (key := tuple(passages.words(sentence))):
                continue
            if key not in heard.bags:
                own = stems(sentence, filed=True, also=meant.stems)
                heard.bags[key] = {meant.same.get(one, one) for one in own}.intersection(meant.stems)
            heard.said[key] = min(filter(None, (heard.said.get(key), at)), default="")
            item = heard.items.setdefault(key, Telling(sentence))
            if place not in item.places:
                item.places.append(place)
    return heard


def _find_in(told: Iterable[tuple[str, str]], meant: Search, apart: set[str] | None) -> list[Telling]:
    heard = _hear(told, meant)
    seen = Counter(one for bag in heard.bags.values() for one in bag)
    weight = {one: math.log(1 + len(heard.bags) / max(1, seen[one])) for one in meant.stems}
    known = sum(made for one, made in weight.items() if seen[one])
    for key, item in heard.items.items():
        item.score = sum(weight[one] for one in heard.bags[key]) / known if known else 0.0
    if meant.exact:
        found = [item for key, item in heard.items.items() if named_values.contains(meant.exact, key)]
        if len(meant.exact) == 1:  # in Korean, the next word may follow a code without a blank
            found = found or [item for item in heard.items.values() if meant.named & spellings.names(item.words)]
    else:
        found = _find_meant(heard, meant, weight)
    if apart is not None:
        for item in found:
            apart.update(place for place in item.places if place.startswith(_INSIDE) and not item.doubt)
            item.places = [place for place in item.places if not place.startswith(_INSIDE)]
        found = [item for item in found if item.places]
    return sorted(
        _merged(found), key=lambda one: (bool(one.doubt), -one.score, -len(meant.proper.intersection(stems(one.words))))
    )


def _find_meant(heard: _Heard, meant: Search, weight: Mapping[str, float]) -> list[Telling]:
    """Return the sentences that a request without quotes means, and the doubtful ones."""
    told_of = bool(meant.named or meant.whole)
    found = _select_matches([item for key, item in heard.items.items() if heard.bags[key] or told_of], meant)
    whole = tuple(passages.words(meant.said)) in heard.items
    numbers = [] if meant.whole else [_digits(one) for one in named_values.codes(meant.said)]
    for item in found:
        there = heard.bag(item)
        marked = (item.words.isascii() and meant.said.isascii()) or bool(meant.whole)
        if not marked and there:
            item.doubt = _doubt_of_marks(item, meant, weight)
        if meant.framed and not meant.whole and not item.doubt:
            few = sum(weight[one] for one in there) < ENOUGH * sum(weight.values())
            item.doubt = FRAME if few and len(there) < ENOUGH * len(weight) else ""
        if whole and item.score < CLOSE:
            item.doubt = item.doubt or LIKE
        if numbers and not any(one in _digits(item.words) for one in numbers):
            item.doubt = item.doubt or VALUELESS
    _doubt_parts_of_runs(found, meant)
    named = _add_named(heard, found, meant)
    known = sum(weight[one] for one in set().union(*heard.bags.values())) or 1.0
    shares = {one: made / known for one, made in weight.items()}
    if not told_of and described_values.describes(meant.said):
        if _follow_value(heard, found, meant, shares):
            return found
        for item in (one for one in found if one.score < CLOSE and not named):
            item.doubt = item.doubt or FRAME  # a person chooses
    sure = [item for item in found if not item.doubt]
    if not named and set(meant.stems).difference(*map(heard.bag, sure)):
        _doubt_newer(sure, heard.said)
    return found + _find_same_code([*heard.items.values()], found, meant, "" if named else _one_code(sure))


def _doubt_parts_of_runs(found: Sequence[Telling], meant: Search) -> None:
    """In scripts without spaces, words are compared as pairs of characters. Doubt the sentences that have the pairs of
    the request only in other words, if another sentence has the request's characters in a row."""
    runs = compared.unspaced(meant.said)
    literal = {id(item) for item in found if all(run in compared.fold(item.words, marks=True) for run in runs)}
    for item in found if literal else ():
        item.doubt = item.doubt or ("" if id(item) in literal else LIKE)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _follow_value(heard: _Heard, found: list[Telling], meant: Search, weight: Mapping[str, float]) -> bool:
    """If the sentences that match a description best contain a value, mean all sentences with this value, and doubt the
    others. A request that is itself a sentence also means the sentences that contain it. Return whether there is such a
    value."""
    own, said = named_values.own_sentences(meant.said), tuple(passages.words(meant.said))
    same = {key for key in heard.items if said in heard.items and named_values.contains(said, key)}
    told = {key: item.words for key, item in heard.items.items() if not _is_turned(item) and key not in own}
    old, newer = described_values.described(told, heard.bags, weight, heard.said)
    if not set(meant.stems).difference(*(heard.bags[key] for key in old | newer)):
        old, newer = old | newer, set()  # no word of the request, such as “old”, says which value it means
    before = min(filter(None, (heard.said[key] for key in old)), default="")
    for item in (one for one in found if not one.doubt):
        key = tuple(passages.words(item.words))
        if key in newer:
            item.doubt = _newer(heard.said[key], before)
        elif old and key not in old | same:
            item.doubt = VALUELESS
    known = {id(item) for item in found}
    for item in (heard.items[key] for key in sorted(old)):
        item.doubt, item.score = "", max(item.score, ENOUGH)
        found += [item] if id(item) not in known else []
    return bool(old)


def _one_code(sure: list[Telling]) -> str:
    """Return the code of the best matches if it is the only one there."""
    best = max((item.score for item in sure), default=0.0)
    codes = {code for item in sure if item.score >= best and not item.doubt for code in named_values.codes(item.words)}
    return codes.pop() if len(codes) == 1 else ""


def _add_named(heard: _Heard, found: list[Telling], meant: Search) -> bool:
    """Add the request's own sentences, and those that contain a value that the request names. Return whether it names
    one."""
    told = {key: item.words for key, item in heard.items.items() if not _is_turned(item)}
    named, newer = named_values.named(meant.said, told, heard.said, heard.bags)
    own, known = named_values.own_sentences(meant.said), {id(one) for one in found}
    for key in dict.fromkeys((*(key for key in heard.items if key in own), *sorted(named))):
        item = heard.items[key]
        item.doubt = ""
        item.score = max(item.score, ENOUGH)
        found += [item] if id(item) not in known else []
    before, known = min(filter(None, (heard.said[one] for one in named)), default=""), {id(one) for one in found}
    for item in (heard.items[key] for key in sorted(newer) if id(heard.items[key]) not in known):
        item.doubt = _newer(heard.said[tuple(passages.words(item.words))], before)
        found.append(item)
    return bool(named)


def _newer(at: str, before: str) -> str:
    days = f": first said on {at[:10]}, the older value on {before[:10]}" if at and before else ""
    return f"{NEWER}{days}"


def _doubt_newer(sure: list[Telling], said: Mapping[Words, str]) -> None:
    """Doubt the sentences with a newer code: no word of the request, such as “old”, says which code it means."""
    groups = dict[str, list[Words]]()
    for item in sure:
        for code in named_values.codes(item.words):
            groups.setdefault(code, []).append(tuple(passages.words(item.words)))
    old, newer = named_values.older(groups, said)
    for item in sure:
        if (key := tuple(passages.words(item.words))) in newer:
            item.doubt = _newer(said[key], min(filter(None, (said[one] for one in old)), default=""))


def _dated(text: str) -> Iterator[tuple[str, str]]:
    """Yield the messages of a text with their times, or the text with no time if it has no messages."""
    tags = list(tag.TEXT.finditer(text))
    begins = [0, *(one.start() for one in tags)]
    ends = [*begins[1:], len(text)]
    for at, begin, end in zip(["", *(one["at"] for one in tags)], begins, ends, strict=True):
        if begin < end:
            yield at, text[begin:end]


def _doubt_of_marks(item: Telling, meant: Search, weight: Mapping[str, float]) -> str:
    """Return a doubt if too few words of the request are in the sentence with the same accents and vowel signs."""
    own = set(stems(item.words, filed=True, marks=True))
    same = {one for one, two in meant.marked.items() if one in weight and two in own}
    there = weight.keys() & set(stems(item.words, filed=True, also=weight))
    return MARKED if sum(weight[one] for one in same) < ENOUGH * sum(weight[one] for one in there) else ""


def _select_matches(items: list[Telling], meant: Search) -> list[Telling]:
    """Return the items that match well enough. If the request has a unique name, prefer items with it, in any spelling.
    If the request covers everything about a person, include every item that names the person."""
    found = [item for item in items if item.score >= ENOUGH]
    found = [item for item in found if meant.named & spellings.names(item.words)] or found
    if meant.whole:
        found = [item for item in found if not meant.others(item.words)]
        known = {id(item) for item in found}
        found += [item for item in items if id(item) not in known and meant.named_in(item.words)]
    there = meant.named.union(*(spellings.names(item.words) for item in found))
    forms, known = spellings.forms(there), {id(item) for item in found}
    for item in items:
        names = spellings.names(item.words)
        if id(item) not in known and not names & there and spellings.forms(names) & forms:
            found.append(item)
    return found


def _find_same_code(items: list[Telling], found: list[Telling], meant: Search, lead: str) -> list[Telling]:
    """Return the other sentences with a number or code of the matching ones, such as a quoting answer. Those with
    `lead` are meant too, if they are few."""
    codes = {
        name
        for one in found
        if not one.doubt
        for name in spellings.names(one.words) - meant.named
        if len(name) >= CODE and any(sign.isdigit() for sign in name) and not _DAY.match(name)
    }
    known = {id(item) for item in found}
    with_any = named_values.with_codes({id(item): item.words for item in items}, codes)
    names = {one: spellings.names(words) for one, words in with_any.items()}
    leads = sum(lead in own for own in names.values()) <= named_values.MANY
    there = (item for item in items if id(item) in names and id(item) not in known and not _is_turned(item))
    others = [item for item in there if codes & names[id(item)]]
    for item in others:
        item.doubt = "" if leads and lead in names[id(item)] else SAME
    return others


def _is_turned(item: Telling) -> bool:
    """Return True if the sentence is only a reading of a text as rot13, which changes no digit."""
    return all(place.endswith(TURNED) for place in item.places)


def _merged(items: list[Telling]) -> list[Telling]:
    """Remove items that consist of another item and little more, such as a gist with its speaker. A certain match does
    not go because of doubtful ones, such as its two lines."""
    kept, known, sure = list[Telling](), passages.Beginnings(), passages.Beginnings()
    for item in sorted(items, key=lambda one: len(passages.words(one.words))):
        whole = passages.words(item.words)
        near = (known if item.doubt else sure).near(item.words)
        left = passages.words(passages.Passages(near).gone(item.words))
        if len(left) > MORE or left == whole:  # a short item may not repeat another
            kept.append(item)
            known.add(item.words)
            if not item.doubt:
                sure.add(item.words)
    return kept


def _is_broken(literal: passages.Passages, text: str, parts: Iterable[str]) -> bool:
    """Return True if the text contains the request, but none of its sentences does, for example because of a line
    break."""
    spans = len(literal.spans(text))
    return spans > 0 and spans > sum(len(literal.spans(sentence)) for sentence in parts)


def _join_around(run: Words, parts: Sequence[str]) -> list[str]:
    """Return the neighbouring sentences, joined, that contain this run of words only together, such as two lines."""
    keys, found = [tuple(passages.words(one)) for one in parts], list[str]()
    for begin in range(len(parts)):
        for end in range(begin + 2, min(len(parts), begin + len(run)) + 1):
            inner = (tuple(itertools.chain(*keys[at:to])) for at, to in ((begin + 1, end), (begin, end - 1)))
            if named_values.contains(run, tuple(itertools.chain(*keys[begin:end]))):
                if not any(named_values.contains(run, one) for one in inner):
                    found.append(" ".join(parts[begin:end]))
                break
    return found


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without tags of messages, times of notes and the syntax of calls. Long parts
    around a joint, such as a semicolon, are separate, and so is a quotation inside."""
    for end in {found[2] for found in _CALL.finditer(text)}:
        text = re.sub(rf"(?m)^{end}$", "", text)
    bare = _SAID.sub("", tag.TEXT.sub("\n", _CALL.sub(r"\1\n\n", text)))
    for part in (part for sentence in standing_instructions.sentences(bare) for part in _parts(sentence)):
        inner = [one for one in _WORDS.finditer(part) if passages.is_long(passages.words(one[1]))]
        yield from (one for told in inner for one in standing_instructions.sentences(told[1]))
        for told in reversed(inner):
            part = f"{part[: told.start()]} {part[told.end() :]}"
        yield _STAMPED.sub("", part)


def _parts(sentence: str) -> list[str]:
    """Split a sentence at its joints, unless a part is so short that it could not be removed by itself."""
    made = _JOINT.split(sentence)
    return made if all(passages.is_long(passages.words(one)) for one in made) else [sentence]


def find_remaining(where: Home, asked: str, listed: Sequence[Telling]) -> list[str]:
    """Return which of the listed sentences and things still match, each with a place. Others, which match better since
    the best ones are gone, are not meant."""
    again = find_choices(where, asked)
    known = {one.words for one in listed if one.doubt in ("", SAME)}
    paths = {place for one in listed if one.score == DELETED for place in one.places}
    there = [f"{one.words} ({one.places[0]})" for one in (*again.tellings, *again.doubtful) if one.words in known]
    return there + [f"{path} ({form})" for path, form in again.things.items() if path in paths]


def texts(where: Home) -> Iterator[tuple[str, str]]:
    """Yield every text of a home by people, agents and tools, with its place, including text in another form."""
    for place, text in _raw_texts(where):
        yield place, text
        yield from ((f"{place}{ENCODED}", inner) for _, _, inner in encoded_text.texts(text))
        if escaped := encoded_text.unescaped(text):
            yield f"{place}{ESCAPED}", escaped[0]
        if unwritable.MADE.fullmatch(place):
            yield f"{place}{TURNED}", encoded_text.rot13(text)


def _raw_texts(where: Home) -> Iterator[tuple[str, str]]:
    """Yield the same texts without decoding."""
    store, structures, told = where.store(), set(home.lives(where)), dict[str, str]()
    for self_id in home.lives(where):
        for line in log.lines(where.agent(self_id) / "LIFE.md"):
            place = f"{IN_LIFE}{short(self_id)}, {line.event}"
            if line.event in STRUCTURES:
                structures.add(line.id)
            elif line.id:
                tool = line.detail.partition(" ")[0] if line.event == events.Result.WORD else ""
                what = f"FADED {line.event}" if line.event == Summed.WORD else f"{line.event} {tool}".strip()
                told.setdefault(line.id, f"{what} of {short(self_id)}")
            repeats = line.event in REPEATED and line.id and store.has(line.id)
            if line.gist and not repeats and line.event not in TITLES:
                yield place, line.gist
            if line.event in _WORDED:
                yield place, _free_words(line).replace(events.NEXT, "\n\n")  # each line is apart
    given = list_given(where)
    for id in ids(where):
        try:
            blob = store.get(id)
        except (BlobMissing, BlobCorrupt):
            continue
        tree = blob.agent and blob.parent == blob.agent
        if id not in structures and not tree and b"\0" not in blob.body[:4096] and blob.body.strip() not in given:
            yield told.get(id, f"blob {short(id)}"), blob.body.decode("utf-8", "replace")
    seen = set[tuple[int, int]]()
    for path in files(where.root):
        file = unwritable.inode(where.root / path)
        if ELSEWHERE.fullmatch(path) or file is None or file in seen:
            continue
        seen.add(file)
        known = TEXT.fullmatch(path) and not unwritable.MADE.fullmatch(path)
        data = disk.read(where.root / path, 1 << 30) if known else _read_other(where.root / path)
        if data.strip() not in given:
            told_there = data.decode("utf-8", "replace")
            prose = TEXT.fullmatch(path) and not path.startswith("history/")
            yield path, told_there if prose else told_there.replace("\n", "\n\n")  # each line is apart


def _free_words(line: log.Line) -> str:
    """Return the words of others in an event's detail. Without its other fields, the line would be unreadable."""
    event = events.parse(line)
    return str(getattr(event, _WORDED[line.event])) if event else line.detail


def list_given(where: Home) -> set[bytes]:
    """Return the stripped texts of the home's prompts and templates that come with the program and that no one edited.
    Copies of them are neither searched nor changed."""
    given = {bootstrap.template(name).strip() for name in (*bootstrap.PROMPT, *bootstrap.CLOCK)}
    own = {name: disk.read(where.prompt(name)) for name in home.PROMPTS if disk.is_file(where.prompt(name))}
    return given | {data.strip() for name, data in own.items() if not prompts.is_edited(name, data)}


def is_given(path: Path, given: Collection[bytes]) -> bool:
    """Return True if the file is such an unedited copy."""
    try:
        return path.suffix == ".md" and disk.read(path, 1 << 20).strip() in given
    except OSError:
        return False


def _read_other(path: Path) -> bytes:
    """Return the text of such a file, or b"" for a packed, binary or unreadable one, which unwritable.py lists."""
    try:
        with disk.open_regular(path) as fd:
            first = os.read(fd, file_text.FIRST)
        data = b"" if file_text.kind(first) else disk.read(path, unwritable.MOST)
    except OSError:
        return b""
    return b"" if file_text.kind(data) else data


def ids(where: Home) -> Iterator[str]:
    """Yield the ids of all blobs, those with their own files first."""
    packs, seen = where.store().packs(), set[str]()
    for id in _loose(where):
        if packs:
            seen.add(id)
        yield id
    for id in (id for pack in packs for id in pack.ids()):
        if id not in seen:
            seen.add(id)
            yield id


def _loose(where: Home) -> Iterator[str]:
    """Yield the ids of the blobs that have their own files."""
    for shard in (name for name in directories.names(where.blobs) if re.fullmatch("[0-9a-f]{2}", name)):
        yield from (name for name in directories.names(where.blobs / shard) if len(name) == 32)


def files(root: Path) -> Iterator[str]:
    """Yield the path of every regular file of a home, except secrets, code and blobs."""
    for place, names in _searched(root):
        inside = place.relative_to(root)
        mine = (name for name in names if name != ".env" and not _is_program(root, inside / name))
        yield from sorted(str(inside / name) for name in mine if disk.is_file(place / name))


def folders(root: Path) -> Iterator[Path]:
    """Yield the folders of these files, and the empty folders."""
    return (place for place, _ in _searched(root))


def _searched(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield every searched folder, with the names of its files."""
    for place, inner, names in directories.walk(root):
        inside = Path(place).relative_to(root)
        inner[:] = sorted(name for name in inner if _is_searched(root, inside / name))
        yield Path(place), names


def _is_searched(root: Path, folder: Path) -> bool:
    if (root / folder).is_symlink() or folder.name == ".git" or folder.name.endswith("backup.git"):
        return False
    if folder.parent == Path() and (root / folder / "pyvenv.cfg").is_file():
        return False  # Python packages, in whatever folder a person installed them
    return str(folder) not in ("blobs", ".venv") and not _is_program(root, folder)


def _is_program(root: Path, path: Path) -> bool:
    """Return True for a file or folder of dotagent itself, in a home that is a checkout."""
    return str(path) in directories.CHECKOUT and (root / "dotagent" / "installed.py").is_file()
