"""A search in the notes of an agent and its person: MEMORY.md, USER.md, and all text files below memory/ and bank/.

A piece is a list item or a paragraph, named by its file and line. Appended text is filed alone. If a file is changed in
another way or is removed, all files are filed again. Owns `run/notes.db` in the agent's directory, a cache that no
sandboxed command can reach.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from dotagent.life import lessons
from dotagent.search.index import Hit, Index, Like
from dotagent.search.turn import Passage
from dotagent.store import bootstrap, disk, notes, reserved_names, safe_paths
from dotagent.store.blobs import content_id
from dotagent.store.home import Home
from dotagent.text import secrets

TOP = ("MEMORY.md", "USER.md")
FOLDERS = (notes.FOLDER, "bank")
ENDINGS = (".md", ".markdown", ".txt")
MOST = 1 << 20  # bytes that are read of a file
FILES = 10_000  # the most files that are filed
RETIRED = ("semantic", "retired")  # a folder whose entries are no longer valid
SPEAKER = "note"
FORMAT = "1"  # raise it when files are divided differently

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_TIME = re.compile(r"[-*]\s+(\d\d:\d\d)\s")
_ADDED = re.compile(r"\(added (\d{4}-\d\d-\d\d)\)", re.ASCII)

Known = dict[str, list[int | str]]
"""The filed part of each file, by name: bytes, their hash, lines, and the time of its last change."""


class Written:
    """The index of one agent's files that this audience may see, or of all without an audience. The index is in `run/`,
    or in another folder: a project's `.agent/` has one, too."""

    def __init__(self, path: Path, audience: str = "", run: Path | None = None, inner: Path | None = None) -> None:
        self._place, self._audience, self._inner = path, audience, inner
        with suppress(OSError):  # searches work even without the directory
            disk.make_dir(run or path / "run")
        self.index = Index((run or path / "run") / "notes.db")
        self.like: Like | None = None  # compares pieces by meaning, if settings ask for it
        self.close = self.index.close

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the `k` best pieces for a query, after catching up. The id of each is its file and line."""
        self.catch_up()
        found = self.index.search(query, 2 * k, self.like if self.pieces() else None)
        return [one for one in found if self._is_seen(one.turn.room.rpartition(":")[0])][:k]

    def files(self) -> list[str]:
        """Return the visible files' paths in the agent's directory, sorted."""
        return [name for name in names(self._place, self._inner) if self._is_seen(name)]

    def catch_up(self) -> None:
        """File new text, or all files again if one was changed in another way."""
        if not self._file(*self._known()):
            self.anew()

    def anew(self) -> int:
        """Rebuild the index. Return its number of pieces."""
        self.index.make_anew()
        self._file(1, {})
        return self.pieces()

    def pieces(self) -> int:
        """Return the number of pieces in the index."""
        return self._known()[0] - 1

    def _file(self, first: int, known: Known) -> bool:
        """File the text that is not known, in pieces from this number on. Return False if known text has changed."""
        new, now = list[Passage](), Known()
        for name in names(self._place, self._inner):
            told = self._look(name, known.get(name))
            if told is None:
                return False
            now[name], rows = told
            new += (Passage(first + at, *row) for at, row in enumerate(rows, len(new)))
        if known.keys() - now.keys():
            return False
        if now != known:
            self.index.add(new, json.dumps([FORMAT, first + len(new), now]))
        return True

    def _look(self, name: str, known: list[int | str] | None) -> tuple[list[int | str], list[tuple[str, ...]]] | None:
        """Return the filed part of the file, and its new pieces. Return None if the filed part has changed."""
        try:
            top, inner = reserved_names.standing(self._place, name)
            there = safe_paths.stat_path(top, inner)
            if there is None:
                raise FileNotFoundError(name)
            changed = str(there.st_mtime_ns)
            if known and known[3] == changed and there.st_size == known[0]:
                return known, []
            data = disk.read_below(top, inner, MOST)
        except OSError:
            return ([0, "", 0, ""], []) if known is None else None
        size, mark, lines = (int(known[0]), str(known[1]), int(known[2])) if known else (0, "", 0)
        if known and (content_id(data[:size]) != mark or not data[:size].endswith(b"\n")):
            return None
        text = data[size:].decode("utf-8", "replace")
        rows = list(_pieces(name, text, lines + 1))
        return [len(data), content_id(data), lines + text.count("\n"), changed], rows

    def _known(self) -> tuple[int, Known]:
        """Return the number of the next piece, and the filed parts."""
        try:
            form, first, known = json.loads(self.index.mark() or "null") or (FORMAT, 1, {})
        except (ValueError, TypeError):
            form, first, known = "", 1, {}
        if form == FORMAT and isinstance(first, int) and isinstance(known, dict):
            return first, known
        self.index.make_anew()
        return 1, {}

    def _is_seen(self, name: str) -> bool:
        return not self._audience or not bootstrap.is_hidden(self._audience, name)


def open_shared(where: Home, self_id: str, audience: str) -> Written:
    """Return the index of the notes that all agents of this audience share. It contains no other audience's files."""
    run = where.agent(self_id) / "run" / lessons.SHARED
    return Written(where.root, run=run, inner=lessons.shared_folder(where, audience))


def names(place: Path, inner: Path | None = None) -> list[str]:
    """Return the files of the agent's memory, by their paths in its directory, or those of one folder. Links are not
    followed."""
    found = [] if inner else [name for name in TOP if _is_written(place, name)]
    for top in FOLDERS if inner is None else (str(inner.relative_to(place)),):
        texts = [one.name for one in safe_paths.walk(place, top) if one.is_file and one.name.lower().endswith(ENDINGS)]
        found += (one for one in texts if RETIRED not in pairwise(one.split("/")))
    return found[:FILES]


def _is_written(place: Path, name: str) -> bool:
    """Return True if a document exists and someone has edited it."""
    try:
        data = reserved_names.read(place, name, MOST)
        return name not in bootstrap.ALL or not bootstrap.is_untouched(name, data)
    except OSError:
        return False


def _pieces(name: str, text: str, first: int) -> Iterator[tuple[str, ...]]:
    """Yield the items and paragraphs of a text, each as id, room, speaker, time and text. Id and room are both
    `file:line`, because a piece has no neighbours in talk. A heading belongs to the following piece, except in a daily
    note."""
    day, held, begin, heading = Path(name).stem, list[str](), first, False
    day = day if notes.DAY.fullmatch(day) else ""
    for at, line in enumerate([*text.split("\n"), ""], first):
        bare = "" if day and line.startswith("#") else line.strip()
        if held and not heading and (not bare or bare.startswith("#") or _ITEM.match(line)):
            yield _piece(name, begin, day, held)
            held = []
        if bare:
            begin = at if not held or heading else begin
            heading = bare.startswith("#")
            held.append(bare)
    if held:
        yield _piece(name, begin, day, held)


def _piece(name: str, line: int, day: str, held: list[str]) -> tuple[str, ...]:
    words = secrets.masked("\n".join(held))
    clock, added = _TIME.match(held[-1]), _ADDED.findall(held[-1])
    when = f"{day}T{clock[1]}" if day and clock else day or (added[-1] if added else "")
    return f"{name}:{line}", f"{name}:{line}", SPEAKER, when, words
