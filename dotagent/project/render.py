"""A project's CLAUDE.md and AGENTS.md: its memory for one actor, between two marks. All other text in these files
stays.

The same memory gives the same bytes, because no time of day is included. Owns the text between the marks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.project.build import DOCS, Built
from dotagent.project.episodes import Episode
from dotagent.store import disk
from dotagent.text import encoding, escape, fences
from dotagent.text.encoding import NotText

FILES = ("CLAUDE.md", "AGENTS.md")
BEGIN = "<!-- dotagent: begin; `dotagent render` writes what stands here -->"
END = "<!-- dotagent: end -->"
NONE = "Nothing yet."
FEW = 5  # recent files and events shown for current work
_OURS = re.compile(rf"{re.escape(BEGIN)}\r?\n.*?{re.escape(END)}(?:\r?\n)?", re.DOTALL)
_INCLUDED = re.compile(r"(?<![\w./@])@(?:\./)?AGENTS\.md(?![\w/])")
_MARK = re.compile(r"<!--|-->")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")


def text(built: Built) -> str:
    """Return the sections in order."""
    personal = [f"{name}: {words}" for name, words in built.personal]
    found = [
        ("Working memory — what's happening now", _format_list(_working(built))),
        ("Recent activity (episodic memory)", _format_list([_event(one) for one in built.recent])),
        ("Patterns (graduated knowledge)", _format_page(built.patterns)),
        (f"Personal preferences for `{built.actor}`", _format_list(personal)),
        ("Bug registry — known bugs to avoid", _format_page(_source(built.bugs, DOCS["bugs"]))),
        ("Anti-patterns — do not introduce these", _format_page(_source(built.anti_patterns, DOCS["anti"]))),
        ("Rules", _format_page(built.rules)),
        *((f"`{name}`", _format_page(lines)) for name, lines in built.pages),
    ]
    if built.sources:
        cards = [f"{one.path}: {one.summary}" for one in built.sources]
        found.append(("Sources — where more is written", _format_list(cards)))
    return "\n\n".join(f"## {head}\n\n{words}" for head, words in found)


def write(root: Path, built: Built) -> Iterator[str]:
    """Update both files, and yield the name of each that changed. At the end raise Trouble that names each file whose
    encoding is not known or has no sign for the memory's text, or the OSError of a file that cannot be written.

    If one file is a link to the other, or CLAUDE.md includes AGENTS.md, one block is enough: a reader of both would
    read it twice.
    """
    made = f"{BEGIN}\n{text(built)}\n{END}\n"
    names, left, failed = dict.fromkeys(_target(root, name) for name in FILES), list[str](), list[OSError]()
    for name in names:
        path = root / name
        try:
            before, form = encoding.decode(disk.read(path, missing=b""))
        except NotText as why:
            left.append(f"{path} {why}")
            continue
        except OSError as error:
            failed.append(error)
            continue
        block = made.replace("\n", "\r\n") if "\r\n" in before else made
        if name == FILES[0] and FILES[1] in names and _includes(_OURS.sub("", before)):
            after = _OURS.sub("", before, count=1)
        elif _OURS.search(before):
            after = _OURS.sub(lambda _, block=block: block, before, count=1)  # type: ignore[misc]
        else:
            end = "\r\n" if "\r\n" in before else "\n"
            after = before + (end * (1 if before.endswith("\n") else 2) if before else "") + block
        if after == before:
            continue
        try:
            disk.replace(path, encoding.encode(after, form), mode=0o644, keep=True)
            yield name
        except NotText as why:
            left.append(f"{path} {why}")
        except OSError as error:
            failed.append(error)
    if failed:
        raise failed[0]
    if left:
        raise Trouble(f"{'; '.join(left)}, so dotagent wrote nothing there; save the file as UTF-8")


def _target(root: Path, name: str) -> str:
    """Return the file to write: the name, or the file in the project that it is a link to, which may be missing."""
    real, top = os.path.realpath(root / name), os.path.realpath(root)
    inside = os.path.islink(root / name) and real.startswith(f"{top}{os.sep}")
    inside = inside and (os.path.isfile(real) or not os.path.lexists(real))
    return os.path.relpath(real, top) if inside else name


def _includes(told: str) -> bool:
    """Return True if a CLAUDE.md includes AGENTS.md; an address in code or in a comment does not."""
    plain = "\n".join(line for line, fence in fences.marked(told.split("\n")) if not fence)
    return bool(_INCLUDED.search(_CODE.sub("", _COMMENT.sub("", plain))))


def is_in(path: Path) -> bool:
    """Return True if this file contains rendered text."""
    return disk.is_file(path) and bool(_OURS.search(encoding.utf8(disk.read(path)).decode("utf-8", "replace")))


def _format_list(rows: Sequence[str]) -> str:
    """Return a list of others' text; none of it can pass for a mark, a line of ours, or a reference."""
    plain = [escape.outside(_MARK.sub("—", row).encode("utf-8", "replace")).replace("\n", " ") for row in rows]
    return "\n".join(f"- {row}" for row in plain) if plain else NONE


def _format_page(lines: Sequence[str]) -> str:
    """Return the lines of hand-written pages unchanged, except that no line can look like a mark or a reference."""
    told = escape.outside("\n".join(lines).replace("<!--", "—").encode("utf-8", "replace")).strip("\n")
    return told or NONE


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
    return [*rows, f"- (all of it: {path})"] if rows else rows
