"""What this life ever heard, said or saw, to be searched: feeds the index from LIFE and asks it.

Owns `run/recall.db` in the agent's directory, where no sandboxed command comes: a cache that is made anew when it is
missing or of another LIFE.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent import extensions
from dotagent.life import events
from dotagent.life.events import Hear, Join, Reply, Result, Returned
from dotagent.search.index import Hit, Index, Like
from dotagent.search.turn import Passage
from dotagent.store import disk, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import said, secrets, tag, times

BATCH = 500  # turns that are indexed at once
SECONDS = 0.005  # that a faint memory may take of a turn


class Feed:
    """The index of one life, fed from its LIFE."""

    def __init__(self, path: Path, store: Blobs, owner: str) -> None:
        self._life, self._store, self._owner = path / "LIFE.md", store, owner
        with suppress(OSError):  # without it a search answers all the same
            disk.make_dir(path / "run")
            for name in ("recall.db", "recall.db-wal", "recall.db-shm"):  # where an earlier version had it
                disk.remove(path / name)
        self.index = Index(path / "run" / "recall.db")
        self.like: Like | None = None  # what knows turns by their meaning, where settings have it
        self.seconds = SECONDS
        self._filed = self._tried = 0  # bytes of LIFE that the index was found to have, and that there were then
        self.close = self.index.close

    def catch_up(self, most: int | None = None) -> bool:
        """Index what happened since the last time, at most `most` bytes of LIFE; whether it is up to date then.

        The index notes how far it came and the time of the event there: when LIFE has another, it is made anew. What
        could not be indexed is tried again the next time.
        """
        came = self._came()
        if came is None:
            self.index.make_anew()
        start = began = came or 0
        size, batch, mark = self._life.stat().st_size, list[Passage](), ""
        self._tried = size
        for line in log.lines(self._life, start):
            start, mark = line.end, f"{line.end} {line.at}"
            batch += self._turn(line)
            if len(batch) >= BATCH:
                if not self.index.add(batch, mark):
                    return False
                batch = []
            if most is not None and start - began > most:
                break
        if start != began and not self.index.add(batch, mark):
            return False
        self._filed = start
        return start >= size

    def grew(self) -> bool:
        """Whether LIFE has grown since this last tried to catch up."""
        return self._life.stat().st_size != self._tried

    def behind(self) -> int:
        """How many bytes of LIFE the index had not yet when it last caught up here, or all."""
        return self._life.stat().st_size - self._filed

    def search(self, query: str, k: int) -> list[Hit]:
        """The `k` best turns for a query, up to date."""
        self.catch_up()
        return self.index.search(query, k, self.like)

    def near(self, id: str, reach: int) -> list[Passage]:
        """The turn whose id begins so, with what was said around it in its room, up to date."""
        self.catch_up()
        return self.index.near(id, reach)

    def _came(self) -> int | None:
        """How far LIFE is indexed, in bytes; None when the index is not of this LIFE as it is now."""
        offset, _, at = self.index.mark().partition(" ")
        if not offset:
            return 0
        if not offset.isdecimal() or len(offset) > 18:
            return None
        length = min(log.LONGEST, int(offset))
        with disk.reading(self._life) as file:
            file.seek(int(offset) - length)
            before = file.read(length)
        line = log.parse(before.removesuffix(b"\n").rpartition(b"\n")[2])
        whole = len(before) == length and before.endswith(b"\n")
        return int(offset) if whole and line and line.at == at else None

    def _turn(self, line: Line) -> Iterator[Passage]:
        event = events.parse(line)
        if not isinstance(event, Hear | Join | Reply | Result | Returned) or not line.id:
            return
        try:
            seen = isinstance(event, Result) and event.media
            text = line.gist if seen else self._store.get(line.id).body[:200_000].decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt):
            return  # doctor tells of it
        room, speaker, at = "" if isinstance(event, Result) else event.room, "me", line.at
        pairs = said.words(line.event, line.detail, text, extensions.tools(), self._owner)
        if isinstance(event, Hear):
            found = tag.TEXT.match(text)
            speaker, at = (found["name"], found["at"]) if found else (self._owner, line.at)
        elif isinstance(event, Join):
            speaker, pairs = room, [("", f"{who}: {words}") for who, words in pairs]
        elif isinstance(event, Result):
            speaker = "tool"
        elif isinstance(event, Returned):
            speaker = "helper"
        words = secrets.masked("\n".join(words for _, words in pairs))
        if words:
            yield Passage(number(line), line.id, room, speaker, at, words)


def number(line: Line) -> int:
    """A turn's number: the microseconds of its event, which strictly increase."""
    return int(times.parse(line.at).timestamp() * 1_000_000)
