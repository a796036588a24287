"""What this life ever heard, said or saw, to be searched: feeds the index from LIFE and asks it.

RECALL asks when the agent wants to; a faint memory is an entry that names forgotten turns when something is heard to
which they are clearly relevant. Owns `recall.db` in the agent's directory, a cache that is made anew when missing.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

from dotagent import life
from dotagent.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.forgetting.recall import Hit, Index, Turn, open_index
from dotagent.life import Line
from dotagent.mind import Mind
from dotagent.text import escape, said, times
from dotagent.text.reference import REFERENCE, reference, short

BATCH = 500  # turns that are indexed at once
BEHIND = 64 * 1024  # bytes of LIFE that a turn catches up with; more is left to RECALL, or to the turns to come
MOST, WORDS = 5, 110  # turns that a faint memory names, and characters of each one's words: about 30 tokens

_TAG = re.compile(r"\[(?:USER|AGENT):([^\s\]]+) ([^\]\s]+)\] ?")
_FIRST = "You have forgotten words of this that you can bring back (UNCOMPACT):"


class Memory:
    """The index of one life, fed from its LIFE."""

    def __init__(self, path: Path, store: Blobs, owner: str) -> None:
        self._life, self._store, self._owner = path / "LIFE.md", store, owner
        self._index: Index | None = None
        self._file = path / "recall.db"

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
        """Index what happened since the last time, at most `most` bytes of LIFE; whether it is up to date then."""
        start = int(self.index.get_mark() or 0)
        size = self._life.stat().st_size
        if start > size:
            start = 0
        batch, began = list[Turn](), start
        for line in life.lines(self._life, start):
            start = line.end
            batch += self._turn(line)
            if len(batch) >= BATCH:
                self.index.add(batch, str(start))
                batch = []
            if most is not None and start - began > most:
                break
        if start != began:
            self.index.add(batch, str(start))
        return start >= size

    def search(self, query: str, k: int) -> list[Hit]:
        """The `k` best turns for a query, up to date."""
        self.catch_up()
        return self.index.search(query, k)

    def _turn(self, line: Line) -> Iterator[Turn]:
        kind = line.detail.split(" ")
        if line.event not in ("HEAR", "REPLY") and not (
            line.event == "TOOL" and kind[0] not in ("RECALL", "UNCOMPACT")
        ):
            return
        try:
            text = self._store.get(line.id).body[:200_000].decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt):
            return  # doctor tells of it
        room, speaker, at = kind[0], "me", line.at
        if line.event == "HEAR":
            tag = _TAG.match(text)
            speaker, at = (tag[1], tag[2]) if tag else (self._owner, line.at)
            text = text[tag.end() :] if tag else text
        elif line.event == "TOOL":
            room, speaker = "", "tool"
        else:
            text = "\n".join(words for _, words in said.words("REPLY", "", text))
        if not text.strip():
            return
        yield Turn(number(line), line.id, room, speaker, at, text)


def number(line: Line) -> int:
    """A turn's number: the microseconds of its event, which strictly increase."""
    return int(times.parse(line.at).timestamp() * 1_000_000)


def remind(mind: Mind, memory: Memory) -> bool:
    """Record a faint memory of what was just heard, if there is any to which it clearly refers."""
    heard = []
    for entry in reversed(mind.entries):
        if entry.event == "FAINT":
            return False
        if entry.event != "HEAR":
            break
        heard.append((entry.content or b"").decode("utf-8", "replace"))
    text = "\n".join(_TAG.sub("", one, count=1) for one in reversed(heard))
    began = time.monotonic()
    if not text.strip() or not any(entry.event == "FADED" for entry in mind.entries) or not memory.catch_up(BEHIND):
        return False
    seen = {number(entry.line) for entry in mind.entries if entry.line and entry.event != "FADED"}
    named = {found[1] for entry in mind.entries if entry.event == "FAINT" and entry.content
             for found in REFERENCE.finditer(entry.content.decode("utf-8", "replace"))}  # fmt: skip
    left = max(0.001, 0.005 - (time.monotonic() - began))
    hits = memory.index.remind(text, exclude=seen, most=MOST, seconds=left)
    lines = [_named(hit.turn) for hit in hits if short(hit.turn.id) not in named]
    if lines:
        mind.record("FAINT", body="\n".join([_FIRST, *lines]).encode(), gist=f"{len(lines)} forgotten turns")
    return bool(lines)


def _named(turn: Turn) -> str:
    words = escape.one_line(escape.outside(turn.text.encode("utf-8", "replace")), WORDS)
    return f"- {turn.at[:10]} {reference(short(turn.id), f'{escape.one_line(turn.speaker, 40)}: {words}')}"
