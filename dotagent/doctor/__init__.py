"""What `doctor` looks at: one module here is one part of a home. They read, and never change anything.

A finding is `ok`, a `warning` (nothing is lost: it is a cache, a mode, a leftover, or mends itself) or `damage`: bytes
of the record are gone or wrong, or nothing can start until a person mends it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
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
    return escape.one_line(os.fsencode(text).decode("utf-8", "replace"), 400)


def guarded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of one part; what the system refuses to show is one of them."""
    try:
        yield from findings
    except OSError as error:
        yield damage(errors.line(error), "", "mend that, then look again")


def few(findings: Iterable[Finding], where: str) -> Iterator[Finding]:
    """The first findings of many, and how many more there are."""
    level, more = "", 0
    for number, finding in enumerate(findings):
        if number < MOST:
            yield finding
        else:
            level, more = "damage" if "damage" in (level, finding.level) else finding.level, more + 1
    if more:
        yield Finding(level, f"{more:,} more of the same", clear(where))


def open_to_others(paths: Iterable[Path], where: str) -> Iterator[Finding]:
    """A warning when others than the owner may read some of these files or directories."""
    found = [path for path in paths if path.lstat().st_mode & 0o077 and not path.is_symlink()]
    if found:
        names = ", ".join(path.name for path in found[:3]) + (", …" if len(found) > 3 else "")
        yield warning(f"{len(found)} can be read by others: {names}", where, f"chmod -R go= {where}")
