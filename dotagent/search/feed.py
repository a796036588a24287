"""What this life ever heard, said or saw, to be searched: feeds the index from LIFE and asks it.

RECALL asks when the agent wants to; a faint memory is an entry that names forgotten turns when something is heard to
which they are clearly relevant. Owns `recall.db` in the agent's directory, a cache that is made anew when missing.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from dotagent import extensions
from dotagent.life import context
from dotagent.life.events import Faint, Hear
from dotagent.life.session import Session
from dotagent.search.recall import Hit, Index, Turn, open_index
from dotagent.store import disk, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import escape, said, tag, times, tokens
from dotagent.text.reference import reference, short

BATCH = 500  # turns that are indexed at once
BEHIND = 64 * 1024  # bytes of LIFE that a turn catches up with; more is left to RECALL, or to the turns to come
MOST, TOKENS = 5, 200  # turns that a faint memory names, and tokens that it takes
WORDS = (30, 24, 18, 13, 9, 6, 3)  # tokens of each turn's words, as many as there is room for
MARKS = 8  # tokens that a reference's own marks take beyond the estimate
SECONDS = 0.005  # that a faint memory may take of a turn

_FIRST = f"Forgotten, {extensions.tools().original} brings it back:"
_NAMED = re.compile(rb"(?:^|hash=|[A-Z]{4,} )([0-9a-f]{8,32})\b", re.MULTILINE)


class Memory:
    """The index of one life, fed from its LIFE."""

    def __init__(self, path: Path, store: Blobs, owner: str) -> None:
        self._life, self._store, self._owner = path / "LIFE.md", store, owner
        self._index: Index | None = None
        self._file = path / "recall.db"
        self.seconds = SECONDS

    @property
    def index(self) -> Index:
        """The index, opened when first needed."""
        self._index = self._index or open_index(self._file)
        return self._index

    def close(self) -> None:
        """Let go of the index, if it was opened."""
        if self._index:
            self._index.close()
            self._index = None

    def catch_up(self, most: int | None = None) -> bool:
        """Index what happened since the last time, at most `most` bytes of LIFE; whether it is up to date then.

        The index notes how far it came and the time of the event there: when LIFE has another, it is made anew.
        """
        came = self._came()
        if came is None:
            self._begin_anew()
        start = began = came or 0
        size, batch, mark = self._life.stat().st_size, list[Turn](), ""
        for line in log.lines(self._life, start):
            start, mark = line.end, f"{line.end} {line.at}"
            batch += self._turn(line)
            if len(batch) >= BATCH:
                if not self._add(batch, mark):
                    return False
                batch = []
            if most is not None and start - began > most:
                break
        return (start == began or self._add(batch, mark)) and start >= size

    def search(self, query: str, k: int) -> list[Hit]:
        """The `k` best turns for a query, up to date."""
        self.catch_up()
        return self.index.search(query, k)

    def _add(self, turns: list[Turn], mark: str) -> bool:
        """Index the turns; False when that failed: then those that follow wait, lest these are passed over for ever."""
        self.index.add(turns, mark)
        return self.index.get_mark() == mark

    def _came(self) -> int | None:
        """How far LIFE is indexed, in bytes; None when the index is not of this LIFE as it is now."""
        offset, _, at = self.index.get_mark().partition(" ")
        if not offset:
            return 0 if self.index.last() == 0 else None
        if not offset.isdecimal() or len(offset) > 18:
            return None
        with open(self._life, "rb") as file:
            file.seek(max(0, int(offset) - log.LONGEST))
            before = file.read(min(log.LONGEST, int(offset)))
        if len(before) < min(log.LONGEST, int(offset)):
            return None
        line = log.parse(before.removesuffix(b"\n").rpartition(b"\n")[2])
        return int(offset) if before.endswith(b"\n") and line and line.at == at else None

    def _begin_anew(self) -> None:
        self.close()
        for end in ("", "-wal", "-shm", "-journal"):
            disk.remove(self._file.with_name(self._file.name + end))

    def _turn(self, line: Line) -> Iterator[Turn]:
        detail = line.detail.split(" ")[0]
        if line.event not in ("HEAR", "JOIN", "REPLY", "TOOL") or not line.id:
            return
        try:
            text = self._store.get(line.id).body[:200_000].decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt):
            return  # doctor tells of it
        room, speaker, at = detail, "me", line.at
        pairs = said.words(line.event, line.detail, text, extensions.tools(), self._owner)
        if line.event == "HEAR":
            found = tag.TEXT.match(text)
            speaker, at = (found["name"], found["at"]) if found else (self._owner, line.at)
        elif line.event == "JOIN":
            speaker, pairs = room, [("", f"{who}: {words}") for who, words in pairs]
        elif line.event == "TOOL":
            room, speaker = "", "tool"
        words = "\n".join(words for _, words in pairs)
        if words:
            yield Turn(number(line), line.id, room, speaker, at, words)


def number(line: Line) -> int:
    """A turn's number: the microseconds of its event, which strictly increase."""
    return int(times.parse(line.at).timestamp() * 1_000_000)


def remind(session: Session, memory: Memory) -> bool:
    """Record a faint memory of what was just heard, if there is any to which it clearly refers."""
    began = time.thread_time()
    text = _heard(session)
    if not text.strip() or not any(entry.event == "FADED" for entry in session.entries) or not memory.catch_up(BEHIND):
        return False
    seen = {number(entry.line) for entry in session.entries if entry.line and entry.event != "FADED"}
    left = max(memory.seconds / 5, memory.seconds - (time.thread_time() - began))
    hits = memory.index.remind(text, exclude=seen, most=MOST, seconds=left)
    named = _named(session) if hits else set()
    body = _listed([hit.turn for hit in hits if not any(hit.turn.id.startswith(id) for id in named)])
    if body:
        session.record(Faint(), body.encode(), gist="forgotten turns")
    return bool(body)


def _heard(session: Session) -> str:
    """What was heard since the last reply, unless it was reminded of already."""
    heard = []
    for entry in reversed(session.entries):
        if entry.event == "FAINT":
            return ""
        if entry.event not in ("HEAR", "PAPER", "LIFE", "WARN"):
            break
        if entry.event == "HEAR":
            heard.append((entry.content or b"").decode("utf-8", "replace"))
    return "\n".join(
        words for one in reversed(heard) for _, words in said.words(Hear.WORD, "", one, extensions.tools())
    )


def _named(session: Session) -> set[str]:
    """The ids that the context names already: by faint memories, in what RECALL found and UNCOMPACT brought back."""
    found = set()
    for entry in session.entries:
        brought = context.is_reminder(entry)
        if entry.content and (brought or entry.event in ("FAINT", "REPLY")):
            found |= {id.decode() for id in _NAMED.findall(entry.content)}
    return found


def _listed(turns: Sequence[Turn]) -> str:
    """The entry's content, a line a turn: of many, fewer words of each, so that all have room; "" for none."""
    for most in (*WORDS, 0):
        body = "\n".join([_FIRST, *(_line(turn, most) for turn in turns)])
        if tokens.estimate(body) + MARKS * len(turns) <= TOKENS:
            break
    return body if turns else ""


def _line(turn: Turn, most: int) -> str:
    words = _cut(escape.one_line(escape.outside(turn.text.encode("utf-8", "replace")), 500), most)
    who = escape.one_line(turn.speaker, 30)
    return f"- {escape.one_line(turn.at, 40)[:10]} {reference(short(turn.id), f'{who}: {words}')}"


def _cut(text: str, most: int) -> str:
    """The text, or as much of its beginning as has `most` tokens."""
    if tokens.estimate(text) <= most:
        return text
    data = text.encode("utf-8", "replace")[: int(most * tokens.BYTES_A_TOKEN)]
    while data and tokens.estimate(data) >= most:
        data = data[:-4]
    return data.decode("utf-8", "ignore").rstrip() + "…"
