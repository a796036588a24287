"""Copies of documents, notes, jobs and settings: a program that syncs a home leaves one if both sides have changed a
file. `doctor` and `status` name them. Owns nothing on disk."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dotagent.doctor import Finding, limit_findings, warning
from dotagent.store import disk, home, notes, safe_paths
from dotagent.store.home import Home, Settings
from dotagent.text import escape
from dotagent.text.reference import short

_COPY = re.compile(r"(.+?)(?:[ .(].*conflict|_conflict-\d).*(\.\w+)", re.IGNORECASE)  # files of any sync program


def find(where: Home) -> Iterator[tuple[str, str]]:
    """Yield each copy, as its path in the home with short ids, and the name of its file, which is in the same
    folder."""
    folders = [("", where.root), ("jobs/", where.jobs)]
    for self_id in home.lives(where):
        path, place = where.agent(self_id), f"agents/{short(self_id)}/"
        inside = [one.name for one in safe_paths.walk(path, notes.FOLDER) if one.is_dir]
        folders += [(place, path), *((f"{place}{name}/", path / name) for name in (notes.FOLDER, *inside))]
    for place, folder in folders:
        for name in (names := disk.names(folder)):
            copy = _COPY.fullmatch(name)
            if copy and f"{copy[1]}{copy[2]}" in names and disk.is_file(folder / name):
                yield f"{place}{name}", f"{copy[1]}{copy[2]}"


def copies(where: Home) -> Iterator[Finding]:
    """Warn about each copy."""
    found = (warning(_describe(file), copy, _advise(file)) for copy, file in find(where))
    yield from limit_findings(found, "", lambda: "no program that syncs files left a copy of a document")


def warn(where: Home, settings: Settings) -> Iterator[str]:
    """Yield the warning of `status` about each copy."""
    for copy, file in find(where):
        yield escape.one_line(f"{copy}: {_describe(file)}; {_advise(file)}", 400)


def _describe(file: str) -> str:
    return f"a program that syncs files left this copy of {file}, because {file} was changed on both sides"


def _advise(file: str) -> str:
    return f"add what you need of it to {file}, then delete the copy"
