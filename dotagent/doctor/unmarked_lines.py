"""Lines of an agent's documents that an earlier version wrote without a mark, though the words are those of others.

LIFE names all messages and results, and the blobs have their words, so the marks are found as when such a line is
written (life/marks.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from dotagent.doctor import Finding, limit_findings, warning
from dotagent.life import context, marks, origins
from dotagent.life.context import MEMORY, Entry
from dotagent.life.events import Ended, Hear, Join, Reply, Result, Returned
from dotagent.life.state import State
from dotagent.store import bootstrap, disk, home, log, notes, reserved_names, safe_paths
from dotagent.store.home import Home

MOST = 1 << 16  # tokens that are read of a message or a result


def check(where: Home, folder: Path, place: str, state: State) -> Iterator[Finding]:
    """Warn about each such line, with its number."""
    do = "`doctor --fix` adds a mark that says whose words these are"
    for name, found in groupby(find(where, folder, state), key=itemgetter(0)):
        told = (
            warning(f"this repeats words of others, but does not say whose: {line}", f"{place}/{name}:{number + 1}", do)
            for _, number, line in found
        )
        yield from limit_findings(told, f"{place}/{name}")


def mend(where: Home, folder: Path, state: State) -> Iterator[str]:
    """Write the marks, and yield the name of each changed file."""
    for name, found in groupby(list(find(where, folder, state)), key=itemgetter(0)):
        rows = reserved_names.read(folder, name).decode("utf-8", "surrogateescape").split("\n")
        for _, number, line in found:
            rows[number] = line
        safe_paths.replace(folder, name, "\n".join(rows).encode("utf-8", "surrogateescape"))
        yield name


def find(where: Home, folder: Path, state: State) -> Iterator[tuple[str, int, str]]:
    """Yield each such line of an agent's documents: its file, its number from 0, and its marked form."""
    if origins.foreign(state.heard.origins):
        owner = home.owner(home.settings(where))
        texts = ((one, reserved_names.read(folder, one).decode("utf-8", "surrogateescape")) for one in _names(folder))
        yield from marks.find_unmarked(texts, list(_entries(where, folder)), state, owner, folder.name)


def _names(folder: Path) -> Iterator[str]:
    """Yield the documents that an agent may have written, without the unchanged documents."""
    yield from (one for one in (MEMORY, *bootstrap.ALL[1:]) if disk.is_file(folder / one))
    for top in (notes.FOLDER, "bank", "skills"):
        for one in safe_paths.walk(folder, top):
            if one.is_file and one.name.endswith((".md", ".txt", *marks.YAML)):
                yield one.name


def _entries(where: Home, folder: Path) -> Iterator[Entry]:
    """Yield the messages and results of the whole life. Texts that repeat them, such as notes and summaries, are left
    out."""
    store, kinds = where.store(), tuple(one.WORD for one in (Hear, Join, Reply, Result, Returned, Ended))
    for number, line in enumerate(log.picked(folder / "LIFE.md", kinds), 1):
        if entry := context.entry(line, number, lambda id: store.get(id).body, MOST):
            yield entry
