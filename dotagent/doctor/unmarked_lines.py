"""Lines of an agent's notes that an earlier version wrote without a mark, though the words are those of others.

LIFE names all messages and results, and the blobs have their words, so the marks are found as when such a line is
written (life/marks.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent.doctor import Finding, limit_findings, warning
from dotagent.life import context, marks, origins
from dotagent.life.context import MEMORY, Entry
from dotagent.life.events import Ended, Hear, Join, Reply, Result, Returned
from dotagent.life.state import State
from dotagent.store import disk, home, log, notes, reserved_names
from dotagent.store.home import Home

MOST = 1 << 18  # bytes that are read of a message or a result


def check(where: Home, folder: Path, place: str, state: State) -> Iterator[Finding]:
    """Warn about each such line, with its number."""
    do = "`doctor --fix` adds a mark that says whose words these are"
    for name, found in find(where, folder, state):
        told = (
            warning(f"the line repeats words of others, but has no mark: {line}", f"{place}/{name}:{number + 1}", do)
            for number, line in found
        )
        yield from limit_findings(told, f"{place}/{name}")


def mend(where: Home, folder: Path, state: State) -> Iterator[str]:
    """Write the marks, and yield the name of each changed file."""
    for name, found in find(where, folder, state):
        rows = reserved_names.read(folder, name).decode("utf-8", "surrogateescape").split("\n")
        for number, line in found:
            rows[number] = line
        disk.replace(folder / name, "\n".join(rows).encode("utf-8", "surrogateescape"))
        yield name


def find(where: Home, folder: Path, state: State) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield the name of each of an agent's notes that has such lines, with their numbers and their marked forms."""
    if not origins.foreign(state.heard.origins):
        return
    entries, owner = list(_entries(where, folder)), home.owner(home.settings(where))
    days = disk.names(folder / notes.FOLDER, ".md") if (folder / notes.FOLDER).is_dir() else []
    for name in (MEMORY, *(f"{notes.FOLDER}/{one}" for one in days)):
        if not disk.is_file(folder / name):
            continue
        text = reserved_names.read(folder, name).decode("utf-8", "surrogateescape")
        if found := list(marks.find_unmarked(text, entries, state, owner, folder.name)):
            yield name, found


def _entries(where: Home, folder: Path) -> Iterator[Entry]:
    """Yield the messages and results of the whole life. What repeats them, such as notes and summaries, is left out."""
    store, kinds = where.store(), tuple(one.WORD for one in (Hear, Join, Reply, Result, Returned, Ended))
    for number, line in enumerate(log.picked(folder / "LIFE.md", kinds), 1):
        if entry := context.entry(line, number, lambda id: store.get(id).body, MOST):
            yield entry
