"""What goes by its age: what happened before one time, and before another what tells how the memory came to be.

The first are messages, answers, results, what was shown with them, notes of the day, summaries and gists of these; the
second are versions of MEMORY.md and the like before the present ones, decisions of dreams, retired entries. That
something was there, and when, stays. It says what becomes of each form; sweep.py, which asks it, writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from dotagent.forgetting import looked, oldfiles, summaries
from dotagent.forgetting.ledger import Ages
from dotagent.forgetting.looked import LEAST, MANY, Looked
from dotagent.forgetting.wished import ROWS
from dotagent.life import events, origins, questions
from dotagent.life.event import Event
from dotagent.life.events import Candidate, Effect, Fade, Faded, Hear, Stands, Summed, Tell
from dotagent.store import blobs, home, log
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import passages, standing, tag, times

AUDIT = (Stands.WORD, Candidate.WORD)  # events whose words tell what became of the memory
SUMS = (Summed.WORD, Fade.WORD, Faded.WORD)
NOBODY = Looked(0, frozenset(), frozenset(), {}, {}, {}, frozenset(), ())
_STAMPED = re.compile(r"(?:\d{1,18} (?:(?:live|bare) )?)?(?=\d{4}-\d\d-\d\dT[\d:.]+Z [A-Z]+\b)")
_HEAD = re.compile(r'(?:^|\\n|\n|")[^\w\s]{0,8}#(\d{1,18})\b')  # of an entry, in a request


class Aged:
    """What is older than these times; `looked` is whether lives are looked through, as they need not be for rooms."""

    def __init__(self, where: Home, ages: Ages, *, looked: bool = False) -> None:
        self._where, self._store, self._ages, self._cut = where, where.store(), ages, ages.episodes
        self._lives = dict[str, Looked]()
        self._of = dict[str, str]()  # the life whose event names a blob of a kind
        self._told, self._said = set[int](), set[str]()
        if looked:
            self._look()

    def _look(self) -> None:
        for self_id in home.lives(self._where):
            life = self._lives[self_id] = looked.look(self._where, self_id, self._cut)
            self._of.update(dict.fromkeys(life.kinds, self_id))
        self._kept = frozenset(id for life in self._lives.values() for id in life.kept)
        again = [id for life in self._lives.values() for id, kind in life.kinds.items() if kind == "AGAIN"]
        for text in self._texts(id for life in self._lives.values() for id in life.told):
            self._said.add(tag.words(text).strip())
            if again:
                sentences = map(passages.words, standing.sentences(tag.TEXT.sub("\n", text)))
                self._told.update(map(hash, looked.beginnings(sentences)))

    def _texts(self, ids: Iterable[str]) -> Iterator[str]:
        for id in ids:
            try:
                yield self._store.get(id).body.decode("utf-8", "replace")
            except (BlobMissing, BlobCorrupt):
                continue

    def order(self, ids: list[str]) -> Iterator[str]:
        """The ids in the order in which their blobs change: first what only repeats others, by which it is known; last
        summaries, which are made anew of what is left."""
        kinds = {id: life.kinds[id] for life in self._lives.values() for id in life.kinds}
        yield from (id for id in ids if kinds.get(id) == "AGAIN")
        yield from (id for id in ids if kinds.get(id) not in ("AGAIN", Summed.WORD))
        yield from (id for id in ids if kinds.get(id) == Summed.WORD)

    def blob(self, blob: Blob, text: str) -> tuple[str, str]:
        """What is left of a blob's text and gist."""
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
        """Whether a blob is what a model answered to a request beside the conversation."""
        life = self._lives.get(self._of.get(blob.parent, ""), NOBODY)
        return life.kinds.get(blob.parent) == "REQUEST" and blob.id not in life.named

    def _answered(self, blob: Blob) -> bool:
        """Whether it is an answer to a request that was removed once it was answered: a dream's."""
        named = self._lives.get(blob.agent, NOBODY).named
        return bool(blob.parent) and blob.id not in named and not self._store.path(blob.parent).exists()

    def _asks(self, blob: Blob, text: str, life: Looked) -> bool:
        """Whether a request, or that of an answer, shows what is too old."""
        if blob.id in self._of:
            first = life.spans.get(blob.id, (0, 0))[0]
            return 0 < first <= life.bound or any(int(found[1]) <= life.bound for found in _HEAD.finditer(text))
        try:
            asked = self._store.get(blob.parent)
        except (BlobMissing, BlobCorrupt):
            return True
        return self._asks(asked, asked.body.decode("utf-8", "replace"), self._lives[self._of[blob.parent]])

    def _summary(self, blob: Blob, text: str, life: Looked) -> tuple[str, str]:
        """A summary: gone with all that it sums up, else made anew of what is not too old."""
        first, last = life.spans[blob.id]
        if first > life.bound or not self._cut:
            return text, blob.gist
        covers = life.covers.get(blob.id, "")
        made = summaries.extract(self._store, covers, "", since=life.bound) if covers and last > life.bound else ""
        return made, passages.MARK if made else ""

    def _repeats(self, text: str) -> bool:
        """Whether the text shows again what is too old."""
        said = passages.words(text)
        runs = (tuple(said[at : at + many]) for at in range(len(said)) for many in range(LEAST, MANY + 1))
        return any(hash(run) in self._told for run in runs)

    def aside(self, text: str) -> bool:
        """Whether what a death left of a blob is old: its head says when it was made."""
        return bool(self._cut) and text[8 : 8 + len(self._cut)] < self._cut

    def room(self, text: str) -> str:
        """A room's text, as many bytes long: who spoke and when stays. A line without a tag is as old as the next."""
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
            tagged, free = _own(text[one.end() : end])
            later = number + 1 < len(found) and found[number + 1]["at"] < self._cut
            made += [_blank(tagged) if old else tagged, _blank(free) if old and later else free]
            at = end
        return "".join(made)

    def row(self, life: str, text: str) -> str:
        """A line of a life's LIFE, as long."""
        return self._row(self._lives.get(life, NOBODY), text)

    def _row(self, life: Looked, text: str) -> str:
        begin = _STAMPED.match(text)
        line = log.parse(text[begin.end() :].encode("utf-8", "surrogateescape")) if begin else None
        if line is None or line.id in self._kept or not self._cut:
            return text
        if line.event in SUMS:
            return _without(text, line.gist) if looked.span(line.detail)[0] <= life.bound else text
        if line.at >= (self._ages.audit if line.event in AUDIT else self._cut):
            return text
        event = events.parse(line)
        if isinstance(event, Stands) and event.number in life.stands:
            return text
        words = _words(event)
        text = text.replace(words, passages.fill(words), 1) if words else text
        return text if _answers(event, line) else _without(text, line.gist)

    def file(self, path: str, text: str, changed: float) -> str | None:
        """Any other file's text; None where it shall go."""
        return oldfiles.left(path, text, times.of(datetime.fromtimestamp(changed, UTC)), self._ages, self._said)

    def version(self, data: bytes) -> bytes:
        """A version of a file that a history keeps: of a blob what stands in its place now."""
        id = blobs.content_id(data) if data.startswith(b"---\nat: ") else ""
        if id:
            return self._store.raw(id) if self._store.path(id).exists() else data
        text = data.decode("utf-8", "surrogateescape")
        if oldfiles.is_old_note(text, self._ages):
            return b""
        life = next((one for one in self._lives.values()), NOBODY)
        made = "\n".join(self._row(life, row) for row in self.room(text).split("\n"))
        return made.encode("utf-8", "surrogateescape")


def _own(text: str) -> tuple[str, str]:
    """What of the text behind a tag is the message's own, and the untagged lines behind it."""
    rows = text.split("\n")
    many = 1
    while many < len(rows) and rows[many].startswith("  "):
        many += 1
    own = "\n".join(rows[:many]) + ("\n" if many < len(rows) else "")
    return own, text[len(own) :]


def _blank(text: str) -> str:
    """The text without its words, as many bytes long."""
    return "\n".join(passages.fill(row) if row.strip() else row for row in text.split("\n"))


def _without(text: str, gist: str) -> str:
    """The line without its gist, as long."""
    at = text.rfind(f"gist={gist}") + len("gist=") if gist else 0
    return text[:at] + passages.fill(gist) + text[at + len(gist) :] if at else text


def _words(event: Event | None) -> str:
    """What an event's detail says in words of others."""
    if isinstance(event, Effect):
        return event.what if origins.of_tool(event.tool) == "command" else ""
    if isinstance(event, Tell):
        return event.text
    if isinstance(event, Candidate):
        return event.told
    return event.words if isinstance(event, Stands) else ""


def _answers(event: Event | None, line: Line) -> bool:
    """Whether the gist is an answer to a question, by which it is known what is allowed."""
    return isinstance(event, Hear) and bool(questions.answers(line.gist.partition(": ")[2]))


def _plan(text: str, bound: int) -> str:
    """The chunks of a compaction, without what is said of those that are too old."""
    try:
        rows = [[one[0], one[1], one[2], "" if one[0] <= bound else one[3]] for one in json.loads(text)]
    except (ValueError, TypeError, IndexError, RecursionError):
        return text
    return json.dumps(rows, ensure_ascii=False)
