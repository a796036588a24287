"""The index of everything that an agent read, said or saw: fill it from LIFE, and search it. If the agent continues the
life of another (store/lineage.py), the index begins with that life, and its offsets count the bytes of all parts.

Owns `run/recall.db` in the agent's directory, which no sandboxed command can reach. It is a cache that is rebuilt if it
is missing or belongs to another LIFE.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent import extensions
from dotagent.life import events, repeats
from dotagent.life.background_events import Returned
from dotagent.life.events import Hear, Join, Reply, Result
from dotagent.life.others import TextsOfOthers
from dotagent.search.index import Hit, Index, Like
from dotagent.search.turn import Passage, number
from dotagent.store import disk, lineage, log, log_search
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import secrets, speakers
from dotagent.text.lazy import replace

KINDS = (Hear, Join, Reply, Result, Returned)
WORDS = tuple(one.WORD for one in KINDS)
SPEAKERS = {Result.WORD: "tool", Returned.WORD: "helper"}  # the speakers of these events
TURN = 100  # earlier events that are searched for the beginning of a turn
BATCH, LETTERS = 5000, 1_000_000  # turns that are indexed at once, and their characters


class Feed:
    """The index of one agent, filled from its LIFE."""

    def __init__(self, path: Path, store: Blobs, owner: str) -> None:
        self._parts, self._store, self._owner = lineage.parts(store, path), store, owner
        self._before = sum(part.end or 0 for part in self._parts)
        self._life = path / "LIFE.md"
        with suppress(OSError):  # searches work even without the directory
            disk.make_dir(path / "run")
            for name in ("recall.db", "recall.db-wal", "recall.db-shm"):  # the place in earlier versions
                disk.remove(path / name)
        self.index = Index(path / "run" / "recall.db")
        self.like: Like | None = None  # compares turns by meaning, if settings ask for it
        self._filed = self._tried = 0  # bytes in the index, and the size of the whole life then
        self._others = TextsOfOthers()
        self.close = self.index.close

    def catch_up(self, most: int | None = None) -> bool:
        """Index the events since the last time, at most about `most` bytes of LIFE. Return True if the index is then up
        to date. The index records the end of its part of LIFE and the time of the event there, and is rebuilt if LIFE
        has another event there. Events that could not be indexed are tried again the next time."""
        came = self._came()
        if came is None:
            self.index.make_anew()
        start = began = came or 0
        self._others.texts.clear()
        if start and (before := log_search.lately(self._life, TURN)) < start - self._before:
            for line in log_search.picked(self._life, WORDS, before, start - self._before):
                self._turn(line)
        size, batch, letters, mark = self._size(), list[Passage](), 0, ""
        self._tried = size
        for line, end in self._lines(start):
            start, mark = end, f"{end} {line.at}"
            if turn := self._turn(line):
                batch.append(turn)
                letters += len(turn.text)
            if len(batch) >= BATCH or letters >= LETTERS:
                if not self._add(batch, mark):
                    return False
                batch, letters = [], 0
            if most is not None and start - began > most:
                break
        if start != began and not self._add(batch, mark):
            return False
        self._filed = start
        return start >= size

    def _add(self, turns: list[Passage], mark: str) -> bool:
        texts = secrets.mask_all([one.text for one in turns])
        return self.index.add((replace(one, text=text) for one, text in zip(turns, texts, strict=True)), mark)

    def grew(self) -> bool:
        """Return True if LIFE has grown since the last attempt to catch up."""
        return self._size() != self._tried

    def behind(self) -> int:
        """Return how many bytes of LIFE the index lacked at the last successful catch-up."""
        return self._size() - self._filed

    def _size(self) -> int:
        """Return the size of the whole life in bytes."""
        return self._before + self._life.stat().st_size

    def _lines(self, start: int) -> Iterator[tuple[Line, int]]:
        """Yield the events of the whole life from this offset on that may be turns, and the last event, each with the
        offset after it."""
        last = next(log.backwards(self._life), None)  # read first: an event that is appended meanwhile comes after it
        before = 0
        for part in self._parts:
            for line in part.picked(WORDS, max(0, start - before)):
                start = before + line.end
                yield line, start
            before += part.end or 0
        if last and start < before + last.end:
            yield last, before + last.end

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the `k` best turns for a query, after catching up."""
        self.catch_up()
        return self.index.search(query, k, self.like)

    def near(self, id: str, reach: int) -> list[Passage]:
        """Return the turn whose id begins with `id` and `reach` turns of its room on either side, after catching up."""
        self.catch_up()
        return self.index.near(id, reach)

    def _came(self) -> int | None:
        """Return how many bytes of LIFE are indexed, or None if the index belongs to another LIFE."""
        offset, _, at = self.index.mark().partition(" ")
        if not offset:
            return 0
        if not offset.isdecimal() or len(offset) > 18:
            return None
        end = int(offset)
        for part in self._parts:
            if part.end is None or end <= part.end:
                return int(offset) if log_search.has_event_at(part.path, end, at) else None
            end -= part.end
        return None

    def _turn(self, line: Line) -> Passage | None:
        """Return the turn of an event, its secrets not yet masked, or None if it has no words to find."""
        event = events.parse(line)
        if not isinstance(event, KINDS) or not line.id or (isinstance(event, Result) and repeats.is_receipt(event)):
            return None
        try:
            seen = isinstance(event, Result) and event.media
            text = line.gist if seen else self._store.body(line.id)[:200_000].decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt):
            return None  # doctor reports it
        room, at = "" if isinstance(event, Result) else event.room, line.at
        speaker = SPEAKERS.get(event.WORD, "me")
        if isinstance(event, Hear):
            heard = speakers.messages(line.event, text, self._owner)
            pairs = [(one.name, one.text) for one in heard]
            speaker, at = (heard[-1].name, heard[-1].at or line.at) if heard else ("", "")
        else:
            pairs = speakers.words(line.event, line.detail, text, extensions.tools(), self._owner)
        if isinstance(event, Join):
            speaker, pairs = room, [("", f"{who}: {words}") for who, words in pairs]
        words = self._others.mark(event, text, "\n".join(words for _, words in pairs))
        return Passage(number(line), line.id, room, speaker, at, words) if words else None
