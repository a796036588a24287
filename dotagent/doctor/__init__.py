"""What `doctor` looks at: one module is one part of a home, one function is one check. They read and change nothing.

A finding is `ok`, a `warning` or `damage`. A warning means that nothing is lost: it is a cache, a mode, a leftover, or
it mends itself. Damage means that bytes of the record are gone or wrong, or that nothing can start until a person
mends it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dotagent import errors
from dotagent.text import escape

MOST = 10  # findings of one kind in one place that are told one by one


@dataclass(frozen=True)
class Finding:
    """One line of the report: `where` is a path in the home, `do` what a person can do about it."""

    level: str
    what: str
    where: str
    do: str = ""

    def __str__(self) -> str:
        return f"{self.level}: " + ", ".join(part for part in (self.what, self.where, self.do) if part)


def ok(what: str, where: str) -> Finding:
    """All is well there."""
    return Finding("ok", what, clear(where))


def warning(what: str, where: str, do: str) -> Finding:
    """Something to know of; nothing is lost."""
    return Finding("warning", clear(what), clear(where), do)


def damage(what: str, where: str, do: str) -> Finding:
    """Something is lost, wrong, or in the way."""
    return Finding("damage", clear(what), clear(where), do)


def clear(text: str) -> str:
    """A path, or an error's words, as one line that a terminal can show."""
    return escape.one_line(text, 400)


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """What lies in a folder, by name; nothing where there is none."""
    return sorted(os.scandir(folder), key=lambda entry: entry.name) if folder.is_dir() else []


def guarded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of one check; what the system refuses to show is one of them."""
    try:
        yield from findings
    except OSError as error:
        yield damage(errors.line(error), "", "mend that, then look again")


def told(findings: Iterable[Finding], where: str, well: Callable[[], str] | None = None) -> Iterator[Finding]:
    """The first findings of many, and how many more there are; if there are none, `well` says what is well."""
    level, count = "", 0
    for finding in findings:
        count += 1
        if count <= MOST:
            yield finding
        else:
            level = "damage" if "damage" in (level, finding.level) else finding.level
    if count > MOST:
        yield Finding(level, f"{count - MOST:,} more of the same", clear(where))
    elif well and not count:
        yield ok(well(), where)


def open_to_others(paths: Iterable[Path], where: str) -> Iterator[Finding]:
    """A warning when others than the owner may read some of these files or directories."""
    found = [path for path in paths if path.lstat().st_mode & 0o077 and not path.is_symlink()]
    if found:
        names = ", ".join(path.name for path in found[:3]) + (", …" if len(found) > 3 else "")
        yield warning(f"{len(found)} can be read by others: {names}", where, f"chmod -R go= {where}")
