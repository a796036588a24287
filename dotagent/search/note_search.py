"""A search in the notes of an agent and its person: MEMORY.md, USER.md, and all text files below memory/ and bank/.

A piece is a list item or a paragraph, named by its file and line. New pieces at the end of a file are filed alone. If a
file is changed in another way or is removed, all files are filed again. Owns `run/notes.db` in the agent's directory, a
cache that no sandboxed command can reach.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
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
FORMAT = "2"  # raise it when files are divided differently

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_TIME = re.compile(r"[-*]\s+(\d\d:\d\d)\s")
_ADDED = re.compile(r"\(added (\d{4}-\d\d-\d\d)\)", re.ASCII)

Known = dict[str, tuple[str, int, str]]
"""What is filed of each file, by name: the file's state, and the number of its pieces and their hash."""
Piece = tuple[str, ...]
"""The id, room, speaker, time and text of a piece. Id and room are both `file:line`, because a piece has no neighbours
in talk."""


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
        """File new pieces, with numbers from this one on. Return False if a known piece has changed."""
        new, now = list[Passage](), Known()
        for name in names(self._place, self._inner):
            before, count, mark = filed = known.get(name, ("", 0, _hash([])))
            state, pieces = self._read(name, before)
            if state != before:
                if _hash(pieces[:count]) != mark:
                    return False
                new += (Passage(first + at, *piece) for at, piece in enumerate(pieces[count:], len(new)))
                filed = state, len(pieces), _hash(pieces)
            now[name] = filed
        if known.keys() - now.keys():
            return False
        if now != known:
            self.index.add(new, json.dumps([FORMAT, first + len(new), now]))
        return True

    def _read(self, name: str, before: str) -> tuple[str, list[Piece]]:
        """Return the state of a file, and its pieces if this is a new state. An unreadable file has no pieces."""
        try:
            top, inner = reserved_names.standing(self._place, name)
            there = safe_paths.stat_path(top, inner)
            state = f"{there.st_size} {there.st_mtime_ns}" if there else ""
            data = disk.read_below(top, inner, MOST) if state != before else b""
        except OSError:
            return "", []
        return state, list(_pieces(name, data.decode("utf-8", "replace")))

    def _known(self) -> tuple[int, Known]:
        """Return the number of the next piece, and the filed parts."""
        try:
            form, first, known = json.loads(self.index.mark() or "null") or (FORMAT, 1, {})
        except (ValueError, TypeError):
            form, first, known = "", 1, {}
        if form == FORMAT and isinstance(first, int) and isinstance(known, dict):
            return first, {name: tuple(filed) for name, filed in known.items()}
        self.index.make_anew()
        return 1, {}

    def _is_seen(self, name: str) -> bool:
        return not self._audience or not bootstrap.is_hidden(self._audience, name)


def open_shared(where: Home, self_id: str, audience: str) -> Written:
    """Return the index of the notes that all agents of this audience share. It contains no other audience's files."""
    run = where.agent(self_id) / "run" / lessons.SHARED
    return Written(where.root, run=run, inner=lessons.shared_folder(where, audience))


def names(place: Path, inner: Path | None = None) -> list[str]:
    """Return the paths of the agent's memory files in its directory, or those in one folder, without links."""
    found = [] if inner else [name for name in TOP if _is_written(place, name)]
    for top in FOLDERS if inner is None else (str(inner.relative_to(place)),):
        texts = [one.name for one in safe_paths.walk(place, top) if one.is_file and one.name.lower().endswith(ENDINGS)]
        found += (one for one in texts if RETIRED not in pairwise(one.split("/")))
    return found[:FILES]


def _hash(pieces: Sequence[Piece]) -> str:
    return content_id(json.dumps(pieces).encode())


def _is_written(place: Path, name: str) -> bool:
    """Return True if a document exists and someone has edited it."""
    try:
        data = reserved_names.read(place, name, MOST)
        return name not in bootstrap.ALL or not bootstrap.is_untouched(name, data)
    except OSError:
        return False


def _pieces(name: str, text: str) -> Iterator[Piece]:
    """Yield the items and paragraphs of a text. A heading belongs to the following piece, except in a daily note."""
    day, held, begin, heading = Path(name).stem, list[str](), 1, False
    day = day if notes.DAY.fullmatch(day) else ""
    for at, line in enumerate([*text.split("\n"), ""], 1):
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


def _piece(name: str, line: int, day: str, held: list[str]) -> Piece:
    words = secrets.masked("\n".join(held))
    clock, added = _TIME.match(held[-1]), _ADDED.findall(held[-1])
    when = f"{day}T{clock[1]}" if day and clock else day or (added[-1] if added else "")
    return f"{name}:{line}", f"{name}:{line}", SPEAKER, when, words
