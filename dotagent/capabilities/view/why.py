"""Why an agent knows something: the lines of a prompt that support a sentence of its answer, by their words.

The prompt that held a line is exact; that the model used this line is a guess from shared words. If no line shares
enough of them, the answer is an empty list. Owns nothing on disk.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from dotagent.capabilities.view import origin
from dotagent.capabilities.view.frames import Scenes, block, who
from dotagent.compaction import tree
from dotagent.errors import Misuse
from dotagent.life import context, events, heads
from dotagent.life.context import Entry
from dotagent.life.events import Ask, Faded, Reply
from dotagent.store import log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.text import escape, extract, reasoning, standing_instructions
from dotagent.text.lazy import dataclass

MOST = 6  # lines that are named
ENOUGH, NAMED = 0.6, 0.3  # share of a sentence's weight that a line must have; with a common name or number
LONGEST = 400  # characters of a line


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


def supporting(sentence: str, texts: Sequence[str]) -> list[Support]:
    """Return the lines of these texts that support the sentence, best first. Rare words weigh more, and names and
    numbers most."""
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
    return sorted(found, key=lambda one: -one.share)[:MOST]


def find_support(scenes: Scenes, self_id: str, when: str, sentence: str) -> dict[str, Any]:
    """Return the lines of the prompt before the answer with this time that support a sentence, each with its entry and
    the original message. Raises Misuse if there is no such answer."""
    reply = origin.line_at(scenes, self_id, when)
    path, store = scenes.where.agent(self_id) / "LIFE.md", scenes.where.store()
    asked = log.last_offset(path, Ask.WORD, log.begin(path, reply)) if reply.event == Reply.WORD else None
    if asked is None:
        raise Misuse("this line is not an answer of the model; choose an answer")
    call = next(log.lines(path, asked))
    entries = context.in_prompt_order(scenes.at(self_id, call.end).frame(call.end).entries)
    told = [(entry, text) for entry, text in heads.render_entries(entries) if text.strip()]
    texts = [*(text for _, text in told), _head(store, call.id)]
    lines = list[dict[str, Any]]()
    for one in supporting(sentence, texts):
        source = told[one.source][0] if one.source < len(told) else None
        from_entry = (
            {"block": block(source).__dict__, "originals": _originals(store, source, sentence)} if source else {}
        )
        lines.append({"line": one.line, "words": one.words, "share": one.share, **from_entry})
    return {"sentence": sentence, "call": call.id, "at": call.at, "lines": lines}


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
    best = dict[int, str]()
    for one in supporting(sentence, texts):
        best.setdefault(one.source, one.line)
    chosen = best or ({0: texts[0]} if len(members) == 1 else {})
    return [{"number": members[at].number, "at": members[at].line.at, "who": who(members[at]),
             "event": members[at].event, "line": escape.one_line(line, LONGEST)}
            for at, line in chosen.items()]  # fmt: skip


def _members(store: Blobs, entry: Entry) -> Iterable[Entry]:
    if not isinstance(events.parse(entry.line), Faded):
        return [entry]
    try:
        members = tree.originals(store, entry.line.id)
    except (BlobMissing, BlobCorrupt):
        return []
    made = (context.entry(one.line, one.number, lambda id: store.get(id).body, origin.WHOLE) for one in members)
    return [one for one in made if one]
