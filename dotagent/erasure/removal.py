"""Removal at a person's request: passages, and pictures and files named by one, in every form of a home.

This module decides what remains of each form; sweep.py calls it and writes. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from dotagent.erasure import file_text, summaries, unwritable
from dotagent.store import blob_search, blobs, pack_writer
from dotagent.store.blob_search import Ambiguous
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.pack_files import MAGIC
from dotagent.text import media, passages
from dotagent.text.passages import Passages

ROWS = re.compile(r"(?:\{.*\n)?\d{1,18} (?:(?:live|bare) )?\d{4}-\d\d-\d\dT\S+Z [A-Z]+ ")
OPEN = re.compile(
    r"agents/[^/]+/processes/.*|(?:calls|up)/[^/]+\.log(?:\.1)?|bridges/[^/]+/agents\.log|history/[^/]+\.txt"
)
CACHES = re.compile(
    r"agents/[^/]+/(?:(?:run/(?:shared/)?)?(?:recall|notes)\.db(?:-wal|-shm)?|context\.md|"
    r"memory/working/[^/]+/current\.json|run/now/out|run/forget|run/scenes/.*)|calls/stream/.*"
)
JOURNAL = re.compile(r"bridges/[^/]+/[^/]+\.jsonl")
_EMPTY = re.compile(
    r"(?m)^[-*] (?:\d\d:\d\d )?[^\w\n]*\[forgotten\][^\w\n]*(?:(?:said by|added) [^()\n]{1,100}\)[^\w\n]*){0,2}\n"
)
"""A line of notes whose content was removed completely."""
_SILENT = re.compile(r'(?m)^text = "\W*forgotten\W*"$')  # for a reminder whose words were removed completely
_NAMED = re.compile(r"(?<![0-9a-f])[0-9a-f]{12,32}(?![0-9a-f])")
_ROW = re.compile(r"(?s)(.*◱hash=([0-9a-f]{32}) gist=)(.*)")
_SHOWS = re.compile(r"\bfile\b[^\n]*\bshows it\b")


class Wished:
    """Passages to remove."""

    def __init__(
        self, store: Blobs, wished: Iterable[str], summed: Mapping[str, str], things: Collection[str] = ()
    ) -> None:
        texts = list(wished)
        self._things, self._form = frozenset(things), unwritable.matcher(texts)
        self._store, self._told, self._summed = store, Passages(texts), summed
        self._files = frozenset(_files(store, texts))
        short = [one for one in texts if not passages.is_long(passages.words(one))]
        self._inside = Passages(short, inside=True) if short else None

    def order(self, ids: Iterable[str]) -> Iterator[str]:
        """Yield the ids in the order of changes: summaries last, after their originals."""
        yield from (id for id in ids if id not in self._summed)
        yield from self._summed

    def blob(self, blob: Blob, text: str) -> tuple[str, str]:
        """Return the remaining text and gist of a blob."""
        if f"blobs/{blob.id[:2]}/{blob.id}" in self._things or blob.id in self._files:
            return "", ""
        if self._told.tell(blob.gist) and media.recognise(blob.body):
            return "", ""
        if ROWS.match(text):  # a tree or a swap, whose lines must stay equal to LIFE's
            return "\n".join(map(self._row, text.split("\n"))), self._told.gone(blob.gist)
        covers = self._summed.get(blob.id)
        left = (
            self._told.gone(text)
            if covers is None
            else summaries.remove_passages(self._store, blob, covers, self._told)
        )
        gist = self._told.gone(blob.gist)
        return left, self._inside.gone(gist) if self._inside and left != text else gist

    def aside(self, text: str) -> bool:
        """Return True if the unfinished blob of a crashed process matches."""
        return self._told.tell(text)

    def room(self, text: str) -> str:
        """Return a room's text after removal, with the same length in bytes."""
        return self._told.filled(text)

    def row(self, life: str, text: str) -> str:
        """Return a line of an agent's LIFE after removal, with the same length."""
        return self._row(text)

    def _row(self, text: str) -> str:
        """Return the same for a line of LIFE or of a copy. Its gist joins the lines of a text: a short passage, such as
        a line of a list, goes from it if it stood alone in the text."""
        left = self._told.filled(text)
        found = _ROW.fullmatch(left) if self._inside else None
        if not (found and self._inside and self._inside.tell(found[3]) and self._stood_in(found[2])):
            return left
        return found[1] + self._inside.filled(found[3])

    def _stood_in(self, id: str) -> bool:
        """Return True if this blob contains a passage, or contained one before a deletion."""
        try:
            return self._store.forgotten(id) or self._told.tell(self._store.get(id).body.decode("utf-8", "replace"))
        except (BlobMissing, BlobCorrupt):
            return False

    def file(self, path: str, text: str, changed: float) -> str | None:
        """Return the remaining text of any other file, or None if it must be deleted."""
        same = OPEN.fullmatch(path) or JOURNAL.fullmatch(path)
        if same:
            return self._told.filled(text)
        left = self._told.gone(text)
        if left != text and path.startswith("jobs/") and _SILENT.search(left):
            return None
        return _EMPTY.sub("", left) if left != text and path.endswith(".md") else left

    def version(self, data: bytes) -> bytes:
        """Return a version of a file in a history. For a blob, return its present file; for a pack, leave blobs out
        that have a tombstone now."""
        if data.startswith(MAGIC):
            return pack_writer.remove_blobs(self._store.root, data, self._store.forgotten)
        id = blobs.content_id(data) if data.startswith(b"---\nat: ") else ""
        if id and self._store.has(id):
            return self._store.raw(id)
        if file_text.kind(data):
            return b"" if self._things and unwritable.contains_passage(data, self._form) else data
        return self.room(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _files(store: Blobs, texts: Iterable[str]) -> Iterator[str]:
    """Yield the ids of files sent with a message if the line about them will be removed."""
    for prefix in (one for text in texts if _SHOWS.search(text) for one in _NAMED.findall(text)):
        try:
            yield blob_search.find(store, prefix)
        except (BlobMissing, Ambiguous):
            continue
