"""Why an agent knows something: the lines of a prompt that support a sentence of its answer, by their words.

The prompt that held a line is exact; that the model used this line is a guess from shared words. If no line shares
enough of them, the answer is an empty list. Owns nothing on disk.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from dotagent.capabilities.view import origin
from dotagent.capabilities.view.frames import REFERENCE, REMARK, Frame, Scenes, block, kind, plain, who
from dotagent.compaction import tree
from dotagent.errors import Misuse, Trouble
from dotagent.life import context, events, heads
from dotagent.life.context import Entry
from dotagent.life.events import Ask, Faded, Hear, Reply
from dotagent.store import blob_search, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.text import escape, extract, reasoning, standing_instructions, tag
from dotagent.text.lazy import dataclass

MOST = 6  # lines that are named
ENOUGH, NAMED = 0.6, 0.3  # share of a sentence's weight that a line must have; with a common name or number
WORTH = {"said": 0.8, "reminder": 0.6, REMARK: 0.6}  # for text that only repeats something, by its kind
QUESTION = 0.35  # worth of the question itself
FIRST, SHOWN = ("heard", "tool"), 3  # kinds that come from outside, before kinds that repeat them; originals of a line
LONGEST = 400  # characters of a line
KEPT = re.compile(r"\d+\. \S+ \S+, #(\d{1,9}): (.+)")  # a line of the standing instructions
LISTED = 12  # words without a line


@dataclass(frozen=True)
class Support:
    """A line that shares words with the sentence: its text, the words, the share of the sentence's weight, and its
    source (an index)."""

    line: str
    words: tuple[str, ...]
    share: float
    source: int


def sentences(text: str) -> list[str]:
    """Return the sentences of an answer, without its reasoning."""
    return [one for one in standing_instructions.sentences(reasoning.strip(text)) if extract.terms(one)]


def supporting(sentence: str, texts: Sequence[str], worth: Sequence[float] = ()) -> list[Support]:
    """Return the lines of these texts that support the sentence, best first. Rare words weigh more, and names and
    numbers most. The `worth` of a text decides between lines that share as much."""
    told, named = set(extract.terms(sentence)), extract.facts(sentence)
    lines = [(line, source) for source, text in enumerate(texts) for line in text.split("\n") if line.strip()]
    bags = [(set(extract.terms(line)) & told, extract.facts(line) & named) for line, _ in lines]
    seen = Counter(word for terms, facts in bags for word in (*terms, *facts))
    weight = {word: math.log(1 + len(lines) / max(1, seen[word])) * (2 if word in named else 1)
              for word in (*told, *named)}  # fmt: skip
    whole, found = sum(weight[word] for word in {*told, *named} if seen[word]), list[Support]()
    for (line, source), (terms, facts) in zip(lines, bags, strict=True):
        share = sum(weight[word] for word in terms | facts) / whole if whole else 0.0
        few = len(terms | facts) < 2 and len(told) > 1
        if share >= (NAMED if facts else ENOUGH) and not few:
            found.append(Support(line.strip()[:LONGEST], tuple(sorted(terms | facts)), round(share, 3), source))
    return sorted(found, key=lambda one: -one.share * (worth[one.source] if worth else 1.0))[:MOST]


def find_support(scenes: Scenes, self_id: str, when: str, sentence: str) -> dict[str, Any]:
    """Return the lines of the prompt before the answer with this time that support a sentence, each with its entry and
    the original message. Raises Misuse if there is no such answer."""
    reply = origin.line_at(scenes, self_id, when)
    path, store = scenes.where.agent(self_id) / "LIFE.md", scenes.where.store()
    asked = log.last_offset(path, Ask.WORD, log.begin(path, reply)) if reply.event == Reply.WORD else None
    if asked is None:
        raise Misuse("this line is not an answer of the model; choose an answer")
    call = next(log.lines(path, asked))
    frame = scenes.at(self_id, call.end).frame(call.end)
    entries = context.in_prompt_order(frame.entries)
    told = [(entry, text) for entry, text in heads.render_entries(entries) if text.strip()]
    texts = [*(text for _, text in told), _head(store, call.id)]
    asked_last = next((entry for entry, _ in reversed(told) if entry.event == Hear.WORD), None)
    worth = [QUESTION if entry is asked_last else WORTH.get(kind(entry), 1.0) for entry, _ in told]
    lines = list[dict[str, Any]]()
    for one in supporting(sentence, texts, [*worth, 1.0]):
        source = told[one.source][0] if one.source < len(told) else None
        text = escape.printable(plain(one.line))
        if any(text == line["line"] for line in lines):  # a swap repeats instructions and reminders
            continue
        named = _named(store, one.line, sentence) or _kept(store, frame, one.line)
        told_before = {each["line"] for line in lines for each in line.get("originals", [])}
        originals = named or (_originals(store, source, sentence) if source else [])
        if originals and all(each["line"] in told_before for each in originals):  # a reminder of the same message
            continue
        from_entry = {"block": vars(block(source)), "originals": originals} if source else {}
        lines.append({"line": text, "words": one.words, "share": one.share, **from_entry})
    return {"sentence": sentence, "call": call.id, "at": call.at, "offset": call.end, "lines": lines,
            "missing": missing(sentence, [word for one in lines for word in one["words"]])}  # fmt: skip


def missing(sentence: str, found: Sequence[str]) -> list[str]:
    """Return the words of the sentence, such as names and numbers, that none of the found lines contains."""
    there, words = set(found), re.findall(r"\w+(?:[.,:'’/-]\w+)*", sentence)
    told = [one for one in dict.fromkeys(words) if {*extract.terms(one), *extract.facts(one)}]
    return [one for one in told if not {*extract.terms(one), *extract.facts(one)} & there][:LISTED]


def _head(store: Blobs, call: str) -> str:
    """Return the head of a prompt: the soul, the documents and the instructions of dotagent."""
    try:
        return "\n".join(part.text for part in Rebuilder(store).request(call).parts if part.role == "system")
    except (BlobMissing, BlobCorrupt):
        return ""


def _originals(store: Blobs, entry: Entry, sentence: str) -> list[dict[str, Any]]:
    """Return the original messages of an entry that support the sentence: itself, or those that a summary replaced."""
    members = list(_members(store, entry))
    texts = [(one.content or b"").decode("utf-8", "replace") for one in members]
    texts = [tag.words(text) if one.event == Hear.WORD else text for one, text in zip(members, texts, strict=True)]
    best = dict[int, str]()
    for one in supporting(sentence, texts):
        best.setdefault(one.source, one.line)
    chosen = best or ({0: texts[0]} if len(members) == 1 else {})
    found = [(members[at], line) for at, line in chosen.items()]
    heard = [pair for pair in found if kind(pair[0]) in FIRST]
    own = [pair for pair in found if kind(pair[0]) != "reminder"]
    return [_original(one, line) for one, line in (heard or own or found)[:SHOWN]]


def _original(entry: Entry, line: str) -> dict[str, Any]:
    """Return an original message with a line of it, and its place in its room."""
    event = events.parse(entry.line)
    place = {"room": event.room, "end": event.offset} if isinstance(event, Hear) else {}
    return {"number": entry.number, "at": entry.line.at, "who": who(entry), "event": entry.event,
            "line": escape.one_line(line, LONGEST), **place}  # fmt: skip


def _kept(store: Blobs, frame: Frame, line: str) -> list[dict[str, Any]]:
    """Return the message of a standing instruction, which its line names by the number."""
    found = KEPT.match(line)
    with suppress(Trouble):
        return [_original(origin.find_entry(store, frame, int(found[1]), original=True)[0], found[2])] if found else []
    return []


def _named(store: Blobs, line: str, sentence: str) -> list[dict[str, Any]]:
    """Return the original messages that a line of a reminder names by references."""
    found = list[dict[str, Any]]()
    for id, gist in REFERENCE.findall(line):
        with suppress(Trouble):  # it was deleted, or is lost
            blob = store.get(blob_search.find(store, id))
            text, name = tag.words(blob.body.decode("utf-8", "replace")), gist.partition(": ")
            best = next((one.line for one in supporting(sentence, [text])), text)
            found.append({"number": 0, "at": blob.at, "who": name[0] if name[1] else "", "event": "original",
                          "line": escape.one_line(best, LONGEST)})  # fmt: skip
    return found


def _members(store: Blobs, entry: Entry) -> Iterable[Entry]:
    if not isinstance(events.parse(entry.line), Faded):
        return [entry]
    try:
        members = tree.originals(store, entry.line.id)
    except (BlobMissing, BlobCorrupt):
        return []
    made = (context.entry(one.line, one.number, lambda id: store.get(id).body, origin.WHOLE) for one in members)
    return [one for one in made if one]
