"""What this life, or its person, wrote down, to be searched: MEMORY.md, USER.md and all text below memory/ and bank/.

A file is filed by its structure, a list item or a paragraph a piece, each named by its file and line. What was
appended is filed alone; a file that was changed otherwise, or is gone, lets all be filed anew. Owns `run/notes.db` in
the agent's directory, a cache where no sandboxed command comes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent.life import learned
from dotagent.search.index import Hit, Index
from dotagent.search.turn import Passage
from dotagent.store import bootstrap, disk, notes
from dotagent.store.blobs import content_id
from dotagent.store.home import Home
from dotagent.text import secrets

TOP = ("MEMORY.md", "USER.md")
FOLDERS = (notes.FOLDER, "bank")
ENDINGS = (".md", ".markdown", ".txt")
MOST = 1 << 20  # bytes that are read of a file
FILES = 10_000  # files that are filed
RETIRED = ("semantic", "retired")  # a folder whose entries hold no longer
SPEAKER = "note"
FORMAT = "1"  # to be raised when files are cut otherwise

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_TIME = re.compile(r"[-*]\s+(\d\d:\d\d)\s")
_ADDED = re.compile(r"\(added (\d{4}-\d\d-\d\d)\)", re.ASCII)

Known = dict[str, list[int | str]]
"""How far each file was filed, by its name: bytes, their hash, lines, and the time of its last change."""


class Written:
    """The index of one life's files, as far as this audience may see them; without one, of all. It is in `run/`, or in
    another folder: a project's `.agent/` is indexed so, too."""

    def __init__(self, path: Path, audience: str = "", run: Path | None = None, inner: Path | None = None) -> None:
        self._place, self._audience, self._inner = path, audience, inner
        with suppress(OSError):  # without it a search answers all the same
            disk.make_dir(run or path / "run")
        self.index = Index((run or path / "run") / "notes.db")
        self.close = self.index.close

    def search(self, query: str, k: int) -> list[Hit]:
        """The `k` best pieces for a query, up to date; the id of each is its file and line."""
        self.catch_up()
        return [one for one in self.index.search(query, 2 * k) if self._is_seen(one.turn.room.rpartition(":")[0])][:k]

    def files(self) -> list[str]:
        """Their paths in the agent's directory, sorted."""
        return [name for name in self._names() if self._is_seen(name)]

    def _names(self) -> list[str]:
        return names(self._place, self._inner)

    def catch_up(self) -> None:
        """File what is new; all anew when something was changed otherwise."""
        first, known = self._known()
        new, now = list[Passage](), Known()
        for name in self._names():
            told = self._look(name, known.get(name))
            if told is None:
                return self._anew()
            now[name], rows = told
            new += (Passage(first + at, *row) for at, row in enumerate(rows, len(new)))
        if known.keys() - now.keys():
            return self._anew()
        if now != known:
            self.index.add(new, json.dumps([FORMAT, first + len(new), now]))
        return None

    def anew(self) -> int:
        """Make the index anew; how many pieces it has."""
        self._anew()
        return self._known()[0] - 1

    def pieces(self) -> int:
        """How many pieces are filed."""
        return self._known()[0] - 1

    def _anew(self) -> None:
        self.index.make_anew()
        new, now = list[Passage](), Known()
        for name in self._names():
            told = self._look(name, None)
            if told:
                now[name] = told[0]
                new += (Passage(1 + at, *row) for at, row in enumerate(told[1], len(new)))
        self.index.add(new, json.dumps([FORMAT, 1 + len(new), now]))

    def _look(self, name: str, known: list[int | str] | None) -> tuple[list[int | str], list[tuple[str, ...]]] | None:
        """How far the file is filed now, and its new pieces; None when what was filed of it is another now."""
        try:
            path = self._place / name
            changed = str(os.lstat(path).st_mtime_ns)
            if known and known[3] == changed and os.lstat(path).st_size == known[0]:
                return known, []
            data = disk.read(path, MOST)
        except OSError:
            return ([0, "", 0, ""], []) if known is None else None
        size, mark, lines = (int(known[0]), str(known[1]), int(known[2])) if known else (0, "", 0)
        if known and (content_id(data[:size]) != mark or not data[:size].endswith(b"\n")):
            return None
        text = data[size:].decode("utf-8", "replace")
        rows = list(_pieces(name, text, lines + 1))
        return [len(data), content_id(data), lines + text.count("\n"), changed], rows

    def _known(self) -> tuple[int, Known]:
        """The number of the next piece, and what is filed."""
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


def shared(where: Home, self_id: str, audience: str) -> Written:
    """What all lives of this audience share; no other audience's files are even filed here."""
    run = where.agent(self_id) / "run" / learned.SHARED
    return Written(where.root, run=run, inner=learned.shared(where, audience))


def names(place: Path, inner: Path | None = None) -> list[str]:
    """The files that are memory, by their paths in the agent's directory, or of one folder; no link is followed."""
    found = [name for name in TOP if disk.is_file(place / name) and not _is_template(place / name)] if not inner else []
    tops = [place / one for one in FOLDERS] if not inner else [inner]
    for top in tops:
        for where, folders, files in os.walk(top):
            folders[:] = sorted(one for one in folders if (Path(where).name, one) != RETIRED)
            texts = [Path(where, one) for one in sorted(files) if one.lower().endswith(ENDINGS)]
            found += (str(one.relative_to(place)) for one in texts if disk.is_file(one))
    return found[:FILES]


def _is_template(path: Path) -> bool:
    """Whether nobody has written into it yet."""
    try:
        return path.name in bootstrap.ALL and bootstrap.is_untouched(path.name, disk.read(path, MOST))
    except OSError:
        return False


def _pieces(name: str, text: str, first: int) -> Iterator[tuple[str, ...]]:
    """A text's items and paragraphs: `file:line`, a room of its own, since beside it stands no talk, who, when, the
    words. A heading belongs to what follows, but for those of a day."""
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
