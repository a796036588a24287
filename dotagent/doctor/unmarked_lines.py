"""Lines of an agent's documents that an earlier version wrote without a mark, though the words are those of others.

LIFE names all messages and results, and the blobs have their words, so the marks are found as when such a line is
written (life/marks.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent.doctor import Finding, limit_findings, warning
from dotagent.life import context, marks, origins
from dotagent.life.background_events import Ended, Returned
from dotagent.life.context import MEMORY
from dotagent.life.events import Hear, Join, Reply, Result
from dotagent.life.sources import Context
from dotagent.life.state import State
from dotagent.store import bootstrap, disk, home, log_search, notes, reserved_names, safe_paths
from dotagent.store.home import Home
from dotagent.text import source_marks

MOST = 1 << 16  # tokens that are read of a message or a result
DO = "`doctor --fix` adds a mark that says whose words these are"


def check(where: Home, folder: Path, place: str, state: State) -> Iterator[Finding]:
    """Warn about each such line, with its number."""
    for name, _, found in _find(where, folder, state):
        told = (
            warning(f"this repeats words of others, but does not say whose: {line}", f"{place}/{name}:{number + 1}", DO)
            for number, line in found.items()
        )
        yield from limit_findings(told, f"{place}/{name}")


def mend(where: Home, folder: Path, state: State) -> Iterator[str]:
    """Write the marks, and yield the name of each changed file."""
    for name, rows, found in list(_find(where, folder, state)):
        marked = "\n".join(found.get(number, row) for number, row in enumerate(rows))
        safe_paths.replace(folder, name, marked.encode("utf-8", "surrogateescape"))
        yield name


def _find(where: Home, folder: Path, state: State) -> Iterator[tuple[str, list[str], dict[int, str]]]:
    """Yield each document of an agent with such lines: its name, its lines, and the marked form of such a line by its
    number, from 0. A mark rests on all messages and results of the life, and not on texts that repeat them, such as
    notes and summaries."""
    if not origins.foreign(state.heard.origins):
        return
    store, kinds = where.store(), tuple(one.WORD for one in (Hear, Join, Reply, Result, Returned, Ended))
    lines = enumerate(log_search.picked(folder / "LIFE.md", kinds), 1)
    entries = (context.entry(line, number, lambda id: store.get(id).body, MOST) for number, line in lines)
    known = Context(filter(None, entries), state, home.owner(home.settings(where)), folder.name)
    for name in _names(folder):
        text = reserved_names.read(folder, name).decode("utf-8", "surrogateescape")
        if found := dict(marks.find_unmarked(known, text, yaml=name.endswith(source_marks.YAML))):
            yield name, text.split("\n"), found


def _names(folder: Path) -> Iterator[str]:
    """Yield the documents that an agent may have written, without the unchanged documents."""
    yield from (one for one in (MEMORY, *bootstrap.ALL[1:]) if disk.is_file(folder / one))
    for top in (notes.FOLDER, "bank", "skills"):
        for one in safe_paths.walk(folder, top):
            if one.is_file and one.name.endswith((".md", ".txt", *source_marks.YAML)):
                yield one.name
