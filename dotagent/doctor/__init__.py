"""The checks of `doctor`: a module checks one part of the data directory. They only read.

A finding is `ok`, a `warning` or `damage`. With a warning nothing is lost: the finding concerns a cache, a mode or a
leftover, or is repaired automatically. Damage means that bytes of the record are missing or wrong, or that nothing can
start until a person repairs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dotagent import errors
from dotagent.text import escape
from dotagent.text.lazy import dataclass

MOST = 10  # findings of one kind in one place that are listed


@dataclass(frozen=True)
class Finding:
    """One line of the report: `where` is a path in the home, `do` is the advice to a person."""

    level: str
    what: str
    where: str
    do: str = ""

    def __str__(self) -> str:
        return f"{self.level}: " + ", ".join(part for part in (self.what, self.where, self.do) if part)


def ok(what: str, where: str) -> Finding:
    """Return a finding without a problem."""
    return Finding("ok", what, clear(where))


def warning(what: str, where: str, do: str) -> Finding:
    """Return a finding that a person should know; nothing is lost."""
    return Finding("warning", clear(what), clear(where), do)


def damage(what: str, where: str, do: str) -> Finding:
    """Return a finding that something is lost, wrong, or prevents a start."""
    return Finding("damage", clear(what), clear(where), do)


def clear(text: str) -> str:
    """Return a path or an error message as one line that a terminal can show."""
    return escape.one_line(text, 400)


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder by name; none if there is no folder."""
    return sorted(os.scandir(folder), key=lambda entry: entry.name) if folder.is_dir() else []


def guarded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings of one check. An OSError becomes a finding too."""
    try:
        yield from findings
    except OSError as error:
        yield damage(errors.line(error), "", "fix this problem, then run doctor again")


def limit_findings(findings: Iterable[Finding], where: str, well: Callable[[], str] | None = None) -> Iterator[Finding]:
    """Yield the first findings, and the number of further ones. If there are none, yield `well()` as ok."""
    level, count = "", 0
    for finding in findings:
        count += 1
        if count <= MOST:
            yield finding
        else:
            level = "damage" if "damage" in (level, finding.level) else finding.level
    if count > MOST:
        yield Finding(level, f"{count - MOST:,} more findings of the same kind", clear(where))
    elif well and not count:
        yield ok(well(), where)


def open_to_others(paths: Iterable[Path], where: str) -> Iterator[Finding]:
    """Yield a warning if users other than the owner can read some of these files or directories."""
    found = [path for path in paths if path.lstat().st_mode & 0o077 and not path.is_symlink()]
    if found:
        names = ", ".join(path.name for path in found[:3]) + (", …" if len(found) > 3 else "")
        yield warning(
            f"other users of this machine can read {len(found)} of these files: {names}", where, f"chmod -R go= {where}"
        )
