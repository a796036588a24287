"""What tells of something: the sentences of a home, in whatever form they stand, that have its telling words.

A sentence is found once, however many places have it. Requests, swaps and trees only repeat what others hold: what is
found elsewhere is found in them when it is removed. Owns nothing on disk.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dotagent.forgetting import people as persons
from dotagent.forgetting.asked import Search, stems, wanted, ways
from dotagent.life import events
from dotagent.life.unsynced import REQUESTS
from dotagent.store import bootstrap, disk, home, log, walked
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import passages, spelled, standing, tag
from dotagent.text.reference import short

IN_LIFE = "LIFE of "
MORE = 3  # words that a sentence may have beside another: who said it, and that it was forgotten
ENOUGH = 0.6  # of the weight of what is asked for: a sentence that has so much of it tells of it
STRUCTURES = (*REQUESTS, "SWAP", "FADE", "CHUNKS")  # events whose blobs repeat what others hold
REPEATED = (events.Hear.WORD, events.Reply.WORD, events.Result.WORD)  # and whose gists repeat their blobs' beginnings
TEXT = re.compile(r".*\.(?:md|txt|toml|jsonl?|log|yaml)|.*/LIFE\.torn-[^/]*", re.DOTALL)
ELSEWHERE = re.compile(
    r"agents/[^/]+/(?:run/.*|LIFE\.md|context[^/]*\.md|processes/.*|memory/working/[^/]+/current\.json)|"
    r"(?:blobs|calls|up|clock)/.*",
    re.DOTALL,
)

FILES = re.compile(r"\((file [^\n]* shows it)\)")  # what came with a message, as its line names it
WITH = "HEAR of "

_AND = re.compile(
    r" and (?=(?:am|are|is|was|were|has|have|had|lives?|works?|owns?|pays?|follows?|speaks?|reports?|drives?|plays?|"
    r"likes?|loves?|hates?|prefers?|uses?|wants?|needs?|takes?|runs?|goes|go|stud(?:y|ies)|teach(?:es)?|collects?|"
    r"wears?|eats?|drinks?|keeps?|leads?|enjoys?|holds?|supports?|volunteers?|resides?|practi[cs]es?|writes?|grows?|"
    r"invests?|serves?|rents?|coach(?:es)?|trains?|attends?|belongs?|suffers?|manages?|earns?|sings?|paints?|sells?) "
    r"(?![^.]*\b(?:there|this|that|it|them|so|ones?|either|neither)\b)\w)"
    r"| und (?=(?:bin|ist|war|habe|hat|hatte|wohne|wohnt|lebe|lebt|arbeite|arbeitet|spiele|spielt|mag|fahre|fährt|"
    r"spreche|spricht|besitze|besitzt|zahle|zahlt|nehme|nimmt|trage|trägt|esse|isst) "
    r"(?![^.]*\b(?:dort|das|es|sie)\b)\w)"
)
"""Between two statements of one subject, of which the second does not point back at the first."""
_SUBJECT = re.compile(r"(?:[a-z]+: )?\w+(?: [^\W\d_a-zß-ÿ]\w*)*")
_STAMPED = re.compile(r"^(?:[-*+] )?(?:\d\d:\d\d )?")
_CALL = re.compile(r"(?m)^([A-Z][A-Z_]+\b[^\n]*?)<<['\"]?(\w+)['\"]?$")  # of a call with a body, in a reply
_SAID = re.compile(r"\s*\((?:said by [^()\n]{1,100}|added \d{4}-\d\d-\d\d)\)")
_WORDS = re.compile(r"“([^“”\n]{1,2000})”")


@dataclass
class Telling:
    """A sentence that tells of it, and the places that have it."""

    words: str
    score: float = 0.0
    places: list[str] = field(default_factory=list)


def find(where: Home, asked: str) -> list[Telling]:
    """The sentences of a home that tell of it, those that have most of it first, and what came with them."""
    people = persons.known(where.root, files(where.root))
    found, said = among(texts(where), asked, people), list[Telling]()
    telling = passages.Passages(one.words for one in found)
    for place, text in texts(where) if found else ():
        if place.startswith(WITH) and (came := FILES.findall(text)) and telling.tell(text):
            said += [Telling(one, 0.0, [place]) for one in came]
    known = {tuple(passages.words(one.words)) for one in found}
    return [*found, *_merged([one for one in said if tuple(passages.words(one.words)) not in known])]


def among(told: Iterable[tuple[str, str]], asked: str, people: Sequence[frozenset[str]] = ()) -> list[Telling]:
    """The sentences of these texts, each with its place, that tell of it, by each of the names that are given it."""
    all_of, found = list(told), list[Telling]()
    for way in ways(asked):
        found += (one for one in _told(all_of, wanted(way, people)) if one.words not in {two.words for two in found})
    return _merged(found) if len(ways(asked)) > 1 else found


def _told(told: Iterable[tuple[str, str]], meant: Search) -> list[Telling]:
    items, seen = dict[tuple[str, ...], Telling](), Counter[str]()
    bags = dict[tuple[str, ...], set[str]]()
    count = 0
    for place, text in told:
        for sentence, subject in _statements(text):
            key = tuple(passages.words(sentence))
            if not key:
                continue
            if key not in bags:
                own = stems(f"{subject} {sentence}")
                bags[key] = {meant.same.get(one, one) for one in own}.intersection(meant.stems)
                count += 1
                seen.update(bags[key])
            if bags[key] or _within(meant.exact, key) or meant.named or meant.whole:
                item = items.setdefault(key, Telling(sentence))
                if place not in item.places:
                    item.places.append(place)
    weight = {one: math.log(1 + count / seen[one]) for one in meant.stems if seen[one]}
    whole = sum(weight.values())
    for key, item in items.items():
        item.score = sum(weight[one] for one in bags[key]) / whole if whole else 0.0
    if meant.exact:
        found = [item for key, item in items.items() if _within(meant.exact, key)]
    else:
        found = _meant(list(items.values()), meant)
    return sorted(_merged(found), key=lambda one: (-one.score, -len(meant.proper.intersection(stems(one.words)))))


def _meant(items: list[Telling], meant: Search) -> list[Telling]:
    """Those that have enough of what is asked for; of several things with names the one that is named, in whichever
    way it is written; and all that somebody's name stands in of whom everything is meant."""
    found = [item for item in items if item.score >= ENOUGH]
    found = [item for item in found if meant.named & spelled.names(item.words)] or found
    if meant.whole:
        found = [item for item in found if not meant.others(item.words)]
        found += [item for item in items if item not in found and meant.named_in(item.words)]
    there = meant.named.union(*(spelled.names(item.words) for item in found))
    forms = spelled.forms(there)
    for item in items:
        names = spelled.names(item.words)
        if item not in found and not names & there and spelled.forms(names) & forms:
            found.append(item)
    return found


def _merged(items: list[Telling]) -> list[Telling]:
    """Without those that are another one and little more, as a gist is a sentence behind who said it."""
    kept = list[Telling]()
    for item in sorted(items, key=lambda one: len(passages.words(one.words))):
        whole = passages.words(item.words)
        left = passages.words(passages.Passages(one.words for one in kept).gone(item.words))
        if len(left) > MORE or left == whole:  # a short one may be no other's
            kept.append(item)
    return kept


def _within(exact: tuple[str, ...], key: tuple[str, ...]) -> bool:
    many = len(exact)
    return many > 0 and any(key[at : at + many] == exact for at in range(len(key) - many + 1))


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without the tags of messages, the times of notes and the forms of calls; one of two
    statements is two, and what is quoted in one is one of its own."""
    return (sentence for sentence, _ in _statements(text))


def _statements(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of a text, and of a second statement whom it is about, as the first one begins."""
    for end in {found[2] for found in _CALL.finditer(text)}:
        text = re.sub(rf"(?m)^{end}$", "", text)
    bare = _SAID.sub("", tag.TEXT.sub("\n", _CALL.sub(r"\1\n\n", text)))
    for sentence in standing.sentences(bare):
        halves = re.split(r"(?<=\w); (?=\w)|, (?=(?:and|but|und|aber) \w+ \w+ \w)", sentence)
        for first, *more in (_AND.split(half) for half in halves):
            about = _SUBJECT.match(first) if more else None
            for part in (first, *more):
                inner = [one for one in _WORDS.findall(part) if len(passages.words(one)) >= passages.SHORT]
                yield from ((one, "") for one in inner)
                whom = about[0] if about and part is not first else ""
                yield _STAMPED.sub("", _WORDS.sub(" ", part) if inner else part), whom


def texts(where: Home) -> Iterator[tuple[str, str]]:
    """Every text of a home that people, agents and tools said or wrote, and where it stands; not what it came with."""
    store, structures, told = where.store(), set(home.lives(where)), dict[str, str]()
    for self_id in home.lives(where):
        for line in log.lines(where.agent(self_id) / "LIFE.md"):
            place = f"{IN_LIFE}{short(self_id)}, {line.event}"
            if line.event in STRUCTURES:
                structures.add(line.id)
            elif line.id:
                told.setdefault(line.id, f"{line.event} of {short(self_id)}")
            repeats = line.event in REPEATED and line.id and store.path(line.id).exists()
            if line.gist and not repeats and line.event not in REQUESTS:
                yield place, line.gist
            if line.event in (events.Stands.WORD, events.Tell.WORD, events.Candidate.WORD, events.Effect.WORD):
                yield place, line.detail
    given = {bootstrap.template(name).strip() for name in (*bootstrap.PROMPT, *bootstrap.CLOCK)}
    given |= {disk.read(own).strip() for name in home.PROMPTS if disk.is_file(own := where.prompt(name))}
    for id in ids(where):
        try:
            blob = store.get(id)
        except (BlobMissing, BlobCorrupt):
            continue
        tree = blob.agent and blob.parent == blob.agent
        if id not in structures and not tree and b"\0" not in blob.body[:4096] and blob.body.strip() not in given:
            yield told.get(id, f"blob {short(id)}"), blob.body.decode("utf-8", "replace")
    for path in files(where.root):
        if TEXT.fullmatch(path) and not ELSEWHERE.fullmatch(path):
            data = disk.read(where.root / path, 1 << 30)
            if data.strip() not in given:
                told_there = data.decode("utf-8", "replace")
                yield path, told_there.replace("\n", "\n\n") if path.startswith("history/") else told_there


def ids(where: Home) -> Iterator[str]:
    """The ids of all blobs."""
    for shard in (name for name in walked.names(where.blobs) if re.fullmatch("[0-9a-f]{2}", name)):
        yield from (name for name in walked.names(where.blobs / shard) if len(name) == 32)


def files(root: Path) -> Iterator[str]:
    """Every plain file of a home but its secrets, its code and its blobs: the path from its root."""
    for place, folders, names in walked.walk(root):
        inside = Path(place).relative_to(root)
        folders[:] = sorted(name for name in folders if _kept(root, inside / name))
        yield from sorted(str(inside / name) for name in names if name != ".env" and disk.is_file(Path(place, name)))


def _kept(root: Path, folder: Path) -> bool:
    """Whether a folder is looked through: of a home that is a checkout, what is not the home's is not."""
    if (root / folder).is_symlink() or folder.name == ".git" or folder.name.endswith("backup.git"):
        return False
    return str(folder) not in ("blobs", "dotagent", "tests", "docs", "bench", "deploy", ".venv")
