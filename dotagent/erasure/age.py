"""Removal by age: events before one time, and the history of memory before another.

The first are messages, answers, results, their media, daily notes, and summaries and gists of these. The second are old
versions of MEMORY.md and similar files, decisions of dreams, and retired entries. The fact and the time of an event
stay. This module decides what remains of each form; sweep.py calls it and writes. Owns nothing on disk.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from dotagent.erasure import agent_facts, old_files, summaries
from dotagent.erasure.agent_facts import LEAST, MANY, Looked
from dotagent.erasure.ledger import Ages
from dotagent.erasure.removal import ROWS
from dotagent.life import events, origins, questions
from dotagent.life.candidates import Candidate
from dotagent.life.compaction_events import Fade, Stands, Summed
from dotagent.life.event import Event
from dotagent.life.events import Effect, Faded, Hear, Tell
from dotagent.store import blobs, home, log, pack_writer
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.store.pack_files import MAGIC
from dotagent.text import passages, standing_instructions, tag, times

AUDIT = (Stands.WORD, Candidate.WORD)  # events whose text shows the development of memory
SUMS = (Summed.WORD, Fade.WORD, Faded.WORD)
NOBODY = Looked(0, frozenset(), frozenset(), {}, {}, {}, frozenset(), ())
_STAMPED = re.compile(r"(?:\d{1,18} (?:(?:live|bare) )?)?(?=\d{4}-\d\d-\d\dT[\d:.]+Z [A-Z]+\b)")
_HEAD = re.compile(r'(?:^|\\n|\n|")[^\w\s]{0,8}#(\d{1,18})\b')  # the head of an entry in a request


class Aged:
    """Everything older than these times. `looked` says whether to examine the agents' LIFEs, which is unnecessary for
    rooms."""

    def __init__(self, where: Home, ages: Ages, *, looked: bool = False) -> None:
        self._where, self._store, self._ages, self._cut = where, where.store(), ages, ages.episodes
        self._lives = dict[str, Looked]()
        self._of = dict[str, str]()  # the agent whose event names the blob
        self._told, self._said = set[int](), set[str]()
        if looked:
            self._look()

    def _look(self) -> None:
        for self_id in home.lives(self._where):
            life = self._lives[self_id] = agent_facts.examine(self._where, self_id, self._cut)
            self._of.update(dict.fromkeys(life.kinds, self_id))
        self._kept = frozenset(id for life in self._lives.values() for id in life.kept)
        again = [id for life in self._lives.values() for id, kind in life.kinds.items() if kind == "AGAIN"]
        for text in self._texts(id for life in self._lives.values() for id in life.told):
            self._said.add(tag.words(text).strip())
            if again:
                sentences = map(_compared, standing_instructions.sentences(tag.TEXT.sub("\n", text)))
                self._told.update(map(hash, agent_facts.beginnings(sentences)))

    def _texts(self, ids: Iterable[str]) -> Iterator[str]:
        for id in ids:
            try:
                yield self._store.get(id).body.decode("utf-8", "replace")
            except (BlobMissing, BlobCorrupt):
                continue

    def order(self, ids: list[str]) -> Iterator[str]:
        """Yield the ids in the order of changes: first blobs that only repeat others, and last summaries, which are
        rebuilt from the rest."""
        kinds = {id: life.kinds[id] for life in self._lives.values() for id in life.kinds}
        yield from (id for id in ids if kinds.get(id) == "AGAIN")
        yield from (id for id in ids if kinds.get(id) not in ("AGAIN", Summed.WORD))
        yield from (id for id in ids if kinds.get(id) == Summed.WORD)

    def blob(self, blob: Blob, text: str) -> tuple[str, str]:
        """Return the remaining text and gist of a blob."""
        life = self._lives.get(self._of.get(blob.id, blob.agent), NOBODY)
        kind, same = life.kinds.get(blob.id, ""), (text, blob.gist)
        if blob.id in self._kept or (kind == "PAPER" and blob.at >= self._ages.audit):
            return same
        if kind == Summed.WORD:
            return self._summary(blob, text, life)
        if kind == "ROWS" or (blob.agent and blob.parent == blob.agent and kind == "" and ROWS.match(text)):
            rows = "\n".join(self._row(life, row) for row in text.split("\n"))
            return rows, passages.fill(blob.gist) if rows != text and blob.gist else blob.gist
        if kind == "PAPER" or blob.at < self._cut or self._answered(blob):
            return "", ""
        if kind == "REQUEST" or self._answers(blob):
            return ("", "") if self._asks(blob, text, life) else same
        if kind == "AGAIN":
            return ("", "") if self._repeats(text) else same
        if blob.agent in self._lives and text.startswith("[["):
            return _plan(text, self._lives[blob.agent].bound), blob.gist
        return self.room(text), blob.gist

    def _answers(self, blob: Blob) -> bool:
        """Return True if the blob is a model's answer to a background request."""
        life = self._lives.get(self._of.get(blob.parent, ""), NOBODY)
        return life.kinds.get(blob.parent) == "REQUEST" and blob.id not in life.named

    def _answered(self, blob: Blob) -> bool:
        """Return True if the blob is an answer whose request was removed later, such as the request of a dream."""
        named = self._lives.get(blob.agent, NOBODY).named
        return bool(blob.parent) and blob.id not in named and not self._store.has(blob.parent)

    def _asks(self, blob: Blob, text: str, life: Looked) -> bool:
        """Return True if a request, or the request of an answer, shows something too old."""
        if blob.id in self._of:
            first = life.spans.get(blob.id, (0, 0))[0]
            return 0 < first <= life.bound or any(int(found[1]) <= life.bound for found in _HEAD.finditer(text))
        try:
            asked = self._store.get(blob.parent)
        except (BlobMissing, BlobCorrupt):
            return True
        return self._asks(asked, asked.body.decode("utf-8", "replace"), self._lives[self._of[blob.parent]])

    def _summary(self, blob: Blob, text: str, life: Looked) -> tuple[str, str]:
        """Return a summary: empty if all of its entries are too old, otherwise rebuilt from the others."""
        first, last = life.spans[blob.id]
        if first > life.bound or not self._cut:
            return text, blob.gist
        covers = life.covers.get(blob.id, "")
        made = summaries.extract(self._store, covers, "", since=life.bound) if covers and last > life.bound else ""
        return made, passages.MARK if made else ""

    def _repeats(self, text: str) -> bool:
        """Return True if the text repeats something too old."""
        said = _compared(text)
        runs = (tuple(said[at : at + many]) for at in range(len(said)) for many in range(LEAST, MANY + 1))
        return any(hash(run) in self._told for run in runs)

    def aside(self, text: str) -> bool:
        """Return True if the unfinished blob of a crashed process is old; its head contains the time."""
        return bool(self._cut) and text[8 : 8 + len(self._cut)] < self._cut

    def room(self, text: str) -> str:
        """Return a room's text without old messages, with the same length in bytes. Speakers and times stay. A line
        without a tag counts as old as the next one with a tag."""
        if not self._cut or not (found := list(tag.TEXT.finditer(text))):
            return text
        made, at = list[str](), 0
        heading = text.index("\n") + 1 if text.startswith("# ") and "\n" in text else 0
        for number, one in enumerate(found):
            end = found[number + 1].start() if number + 1 < len(found) else len(text)
            old = one["at"] < self._cut
            if at < one.start():  # before the first
                before = text[max(at, heading) : one.start()]
                made += [text[at : max(at, heading)], _blank(before) if old else before]
            made.append(text[one.start() : one.end()])
            tagged, free = _split_own(text[one.end() : end])
            later = number + 1 < len(found) and found[number + 1]["at"] < self._cut
            made += [_blank(tagged) if old else tagged, _blank(free) if old and later else free]
            at = end
        return "".join(made)

    def row(self, life: str, text: str) -> str:
        """Return a line of an agent's LIFE, with the same length."""
        return self._row(self._lives.get(life, NOBODY), text)

    def _row(self, life: Looked, text: str) -> str:
        begin = _STAMPED.match(text)
        line = log.parse(text[begin.end() :].encode("utf-8", "surrogateescape")) if begin else None
        if line is None or line.id in self._kept or not self._cut:
            return text
        if line.event in SUMS:
            return _blank_gist(text, line.gist) if agent_facts.span(line.detail)[0] <= life.bound else text
        if line.at >= (self._ages.audit if line.event in AUDIT else self._cut):
            return text
        event = events.parse(line)
        if isinstance(event, Stands) and event.number in life.stands:
            return text
        words = _words(event)
        text = text.replace(words, passages.fill(words), 1) if words else text
        return text if _answers(event, line) else _blank_gist(text, line.gist)

    def file(self, path: str, text: str, changed: float) -> str | None:
        """Return the remaining text of any other file, or None if it must be deleted."""
        return old_files.remaining_text(
            path, text, times.make_stamp(datetime.fromtimestamp(changed, UTC)), self._ages, self._said
        )

    def version(self, data: bytes) -> bytes:
        """Return a version of a file in a history. For a blob, return its present file; for a pack, leave blobs out
        that have a tombstone now."""
        if data.startswith(MAGIC):
            return pack_writer.remove_blobs(self._store.root, data, self._store.forgotten)
        id = blobs.content_id(data) if data.startswith(b"---\nat: ") else ""
        if id:
            return self._store.raw(id) if self._store.has(id) else data
        text = data.decode("utf-8", "surrogateescape")
        if old_files.is_old_note(text, self._ages):
            return b""
        life = next((one for one in self._lives.values()), NOBODY)
        made = "\n".join(self._row(life, row) for row in self.room(text).split("\n"))
        return made.encode("utf-8", "surrogateescape")


def _split_own(text: str) -> tuple[str, str]:
    """Split the text after a tag into the message's own part and the untagged lines after it."""
    rows = text.split("\n")
    many = 1
    while many < len(rows) and rows[many].startswith("  "):
        many += 1
    own = "\n".join(rows[:many]) + ("\n" if many < len(rows) else "")
    return own, text[len(own) :]


def _blank(text: str) -> str:
    """Return the text with its words overwritten, with the same length in bytes."""
    return "\n".join(passages.fill(row) if row.strip() else row for row in text.split("\n"))


def _blank_gist(text: str, gist: str) -> str:
    """Return the line with its gist overwritten, with the same length."""
    at = text.rfind(f"gist={gist}") + len("gist=") if gist else 0
    return text[:at] + passages.fill(gist) + text[at + len(gist) :] if at else text


def _words(event: Event | None) -> str:
    """Return the text of others in an event's detail."""
    if isinstance(event, Effect):
        return event.what if origins.tool_origin(event.tool) == "command" else ""
    if isinstance(event, Tell):
        return event.text
    if isinstance(event, Candidate):
        return event.told
    return event.words if isinstance(event, Stands) else ""


def _compared(text: str) -> list[str]:
    """Return the words of a text; a run in a script without spaces counts as one, because single characters are in many
    sentences."""
    return [word for _, _, word in passages.runs(passages.tokens(text))]


def _answers(event: Event | None, line: Line) -> bool:
    """Return True if the gist is an answer to a question, which records a permission."""
    return isinstance(event, Hear) and bool(questions.answer(line.gist.partition(": ")[2])[0])


def _plan(text: str, bound: int) -> str:
    """Return the chunks of a compaction without the gists of too old ones."""
    try:
        rows = [[one[0], one[1], one[2], "" if one[0] <= bound else one[3]] for one in json.loads(text)]
    except (ValueError, TypeError, IndexError, RecursionError):
        return text
    return json.dumps(rows, ensure_ascii=False)
