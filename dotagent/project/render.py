"""A project's CLAUDE.md and AGENTS.md: its memory for one actor, between two marks. All other text in these files
stays.

The same memory gives the same bytes, because no time of day is included. Owns the text between the marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dotagent.project.build import DOCS, Built
from dotagent.project.episodes import Episode
from dotagent.store import disk
from dotagent.text import escape

FILES = ("CLAUDE.md", "AGENTS.md")
BEGIN = "<!-- dotagent: begin; `dotagent render` writes what stands here -->"
END = "<!-- dotagent: end -->"
NONE = "Nothing yet."
FEW = 5  # recent files and events shown for current work
_OURS = re.compile(rf"{re.escape(BEGIN)}\n.*?{re.escape(END)}\n?", re.DOTALL)
_MARK = re.compile(r"<!--|-->")


def text(built: Built) -> str:
    """Return the sections in order."""
    found = [
        ("Working memory — what's happening now", _working(built)),
        ("Recent activity (episodic memory)", [_event(one) for one in built.recent]),
        ("Patterns (graduated knowledge)", built.patterns),
        (f"Personal preferences for `{built.actor}`", [f"{name}: {words}" for name, words in built.personal]),
        ("Bug registry — known bugs to avoid", [*_source(built.bugs, DOCS["bugs"])]),
        ("Anti-patterns — do not introduce these", [*_source(built.anti_patterns, DOCS["anti"])]),
        ("Rules", built.rules),
    ]
    if built.sources:
        found.append(("Sources — where more is written", [f"{one.path}: {one.summary}" for one in built.sources]))
    return "\n\n".join(f"## {head}\n\n{_format_list(rows)}" for head, rows in found)


def write(root: Path, built: Built) -> Iterator[str]:
    """Update both files, and yield the name of each that changed. Raise OSError."""
    made = f"{BEGIN}\n{text(built)}\n{END}\n"
    for name in FILES:
        path = root / name
        before = disk.read(path, missing=b"").decode("utf-8", "surrogateescape")
        if _OURS.search(before):
            after = _OURS.sub(lambda _: made, before, count=1)
        else:
            after = before + ("" if not before else "\n" if before.endswith("\n") else "\n\n") + made
        if after != before:
            disk.replace(path, after.encode("utf-8", "surrogateescape"), mode=0o644, keep=True)
            yield name


def is_in(path: Path) -> bool:
    """Return True if this file contains rendered text."""
    return disk.is_file(path) and bool(_OURS.search(disk.read(path).decode("utf-8", "surrogateescape")))


def _format_list(rows: Sequence[str]) -> str:
    """Return a list of others' text; none of it can pass for a mark, a line of ours, or a reference."""
    plain = [escape.outside(_MARK.sub("—", row).encode("utf-8", "replace")).replace("\n", " ") for row in rows]
    return "\n".join(f"- {row}" for row in plain) if plain else NONE


def _working(built: Built) -> list[str]:
    now = built.working
    told = [(name, now.get(name)) for name in ("task", "tool", "branch", "session", "started_at", "updated_at")]
    rows = [f"{name}: {words}" for name, words in told if words and isinstance(words, str)]
    files = [name for name in now.get("recent_files", []) if isinstance(name, str)][:FEW]
    events = [one for one in now.get("recent_events", []) if isinstance(one, dict)][:FEW]
    rows += [f"recent files: {', '.join(files)}"] if files else []
    return rows + [f"{one.get('ts', '')[:16]} {one.get('kind', '')}: {one.get('summary', '')}" for one in events]


def _event(one: Episode) -> str:
    files = f" ({', '.join(one.files[:FEW])})" if one.files else ""
    return f"{one.ts[:16]} {one.actor} {one.kind}{f' by {one.tool}' if one.tool else ''}: {one.summary}{files}"


def _source(rows: Sequence[str], path: str) -> Sequence[str]:
    """Return the rows of a page, and a row with its path."""
    return [*rows, f"(all of it: {path})"] if rows else rows
