"""What a person wished gone: passages, and the pictures and files that one of them names, in every form a home has.

It says what becomes of each form; sweep.py, which asks it, writes. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from dotagent.forgetting import summaries
from dotagent.store import blobs
from dotagent.store.blobs import Ambiguous, Blob, BlobMissing, Blobs
from dotagent.text import media
from dotagent.text.passages import Passages

ROWS = re.compile(r"(?:\{.*\n)?\d{1,18} (?:(?:live|bare) )?\d{4}-\d\d-\d\dT\S+Z [A-Z]+ ")
OPEN = re.compile(
    r"agents/[^/]+/processes/.*|(?:calls|up)/[^/]+\.log(?:\.1)?|bridges/[^/]+/agents\.log|history/[^/]+\.txt"
)
CACHES = re.compile(
    r"agents/[^/]+/(?:(?:run/(?:shared/)?)?(?:recall|notes)\.db(?:-wal|-shm)?|context\.md|"
    r"memory/working/[^/]+/current\.json)|calls/stream/.*"
)
JOURNAL = re.compile(r"bridges/[^/]+/[^/]+\.jsonl")
_EMPTY = re.compile(
    r"(?m)^[-*] (?:\d\d:\d\d )?[^\w\n]*\[forgotten\][^\w\n]*(?:(?:said by|added) [^()\n]{1,100}\)[^\w\n]*){0,2}\n"
)
"""A line of notes of which nothing is left."""
_NAMED = re.compile(r"(?<![0-9a-f])[0-9a-f]{12,32}(?![0-9a-f])")
_SHOWS = re.compile(r"\bfile\b[^\n]*\bshows it\b")


class Wished:
    """Passages that are to be gone."""

    def __init__(self, store: Blobs, wished: Iterable[str], summed: Mapping[str, str]) -> None:
        texts = list(wished)
        self._store, self._told, self._summed = store, Passages(texts), summed
        self._files = frozenset(_files(store, texts))

    def order(self, ids: Iterable[str]) -> Iterator[str]:
        """The ids in the order in which their blobs change: summaries last, when what they sum up is done."""
        yield from (id for id in ids if id not in self._summed)
        yield from self._summed

    def blob(self, blob: Blob, text: str) -> tuple[str, str]:
        """What is left of a blob's text and gist."""
        if blob.id in self._files or (self._told.tell(blob.gist) and media.look(blob.body)):
            return "", ""
        if ROWS.match(text):  # a tree or a swap: its lines stay those that LIFE has
            return "\n".join(map(self._told.filled, text.split("\n"))), self._told.gone(blob.gist)
        covers = self._summed.get(blob.id)
        left = self._told.gone(text) if covers is None else summaries.without(self._store, blob, covers, self._told)
        return left, self._told.gone(blob.gist)

    def aside(self, text: str) -> bool:
        """Whether what a death left of a blob tells of it."""
        return self._told.tell(text)

    def room(self, text: str) -> str:
        """A room's text, as many bytes long."""
        return self._told.filled(text)

    def row(self, life: str, text: str) -> str:
        """A line of a life's LIFE, as long."""
        return self._told.filled(text)

    def file(self, path: str, text: str, changed: float) -> str | None:
        """Any other file's text; None where it shall go."""
        same = OPEN.fullmatch(path) or JOURNAL.fullmatch(path)
        if same:
            return self._told.filled(text)
        left = self._told.gone(text)
        return _EMPTY.sub("", left) if left != text and path.endswith(".md") else left

    def version(self, data: bytes) -> bytes:
        """A version of a file that a history keeps: of a blob what stands in its place now."""
        id = blobs.content_id(data) if data.startswith(b"---\nat: ") else ""
        if id and self._store.path(id).exists():
            return self._store.raw(id)
        return self.room(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _files(store: Blobs, texts: Iterable[str]) -> Iterator[str]:
    """The ids of what came with a message, where that line of it is wished gone."""
    for prefix in (one for text in texts if _SHOWS.search(text) for one in _NAMED.findall(text)):
        try:
            yield store.find(prefix)
        except (BlobMissing, Ambiguous):
            continue
