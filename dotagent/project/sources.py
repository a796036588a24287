"""Pointer cards: each names a page below `docs/`, with a summary and the day of the last indexing, but no copy.

A card changes only when its page does, so indexing again gives the same bytes. If two people indexed two versions, git
keeps the lines of both (`merge=union`), and the next indexing rewrites the card. Owns `memory/semantic/sources/<id>.md`
and `.agent/.gitattributes`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

from dotagent.project.place import Project
from dotagent.store import disk
from dotagent.text import encoding, escape, secrets, times
from dotagent.text.lazy import dataclass

DOCS = "docs"
ATTRIBUTES = "memory/semantic/sources/*.md merge=union\n"
MOST = 1 << 20  # bytes that are read of a page
PAGES = 1000
SUMMARY = 240  # characters
_FIELD = re.compile(r"^- (path|summary|sha|last-indexed): (.*)$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_TEXT = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Pointer:
    """A card: the page's path in the project, and its summary."""

    path: str
    summary: str


def index(project: Project) -> Iterator[str]:
    """Update the cards, and yield the page of each card that changed or was removed. Raise OSError."""
    folder, there = _folder(project), set[str]()
    pages = _pages(project)
    if pages:
        disk.make_dir(folder)
        attributes = project.agent / ".gitattributes"
        if not os.path.lexists(attributes):
            disk.replace(attributes, ATTRIBUTES.encode(), mode=0o644)
    for name in pages:
        path = folder / f"{_id(name)}.md"
        there.add(path.name)
        before = _text(path)
        after = _card(name, disk.read(project.root / name, MOST), before)
        if after != before:
            disk.replace(path, after.encode("utf-8", "replace"), mode=0o644)
            yield name
    for path in (folder / name for name in disk.names(folder, ".md")):
        if path.name not in there and (old := dict(_FIELD.findall(_text(path))).get("path")):
            disk.remove(path)
            yield old


def list_cards(project: Project) -> list[Pointer]:
    """Return the cards, sorted by page."""
    found = set[Pointer]()
    for path in (_folder(project) / name for name in disk.names(_folder(project), ".md")):
        told = dict(reversed(_FIELD.findall(_text(path))))
        if told.get("path"):
            found.add(Pointer(escape.one_line(told["path"], SUMMARY), told.get("summary", "")))
    return sorted(found, key=lambda one: one.path)


def _folder(project: Project) -> Path:
    return project.memory / "semantic" / "sources"


def _pages(project: Project) -> list[str]:
    """Return the pages' paths in the project. Links are not followed."""
    found = list[str]()
    for where, folders, files in os.walk(project.root / DOCS):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        inner = [Path(where, one) for one in files if one.lower().endswith(".md")]
        found += [one.relative_to(project.root).as_posix() for one in inner if disk.is_file(one)]
    return [name for name in sorted(found) if name == escape.one_line(name, SUMMARY)][:PAGES]


def _id(name: str) -> str:
    """Return the card's name: the page's path as a slug, and a hash that makes it unique."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower().removesuffix(".md")).strip("-")[-60:].strip("-")
    return f"{slug}-{_digest(name.encode())}"


def _card(name: str, page: bytes, before: str) -> str:
    """Return the card of a page. If the page is unchanged since its last indexing, the card keeps that day."""
    known = _FIELD.findall(before)
    sha = _digest(page)
    days = [day for key, day in known if key == "last-indexed"] if ("sha", sha) in known else []
    title, summary = _title_and_beginning(encoding.utf8(page).decode("utf-8", "replace"))
    return (
        f"# {title or name}\n\n- path: {name}\n- summary: {summary or title or name}\n- sha: {sha}\n"
        f"- last-indexed: {max(days, default=times.now()[:10])}\n"
    )


def _title_and_beginning(text: str) -> tuple[str, str]:
    """Return a page's title, and the beginning of its first paragraph."""
    parts = re.split(r"\n\s*\n|(?<=\n)(?=#)", _FENCE.sub("", text))
    heads = [part for part in parts if part.lstrip().startswith("#")]
    title = heads[0].lstrip().split("\n")[0].strip("# ") if heads else ""
    bodies = (part.strip() for part in (re.sub(r"^\s*#.*", "", part) for part in parts))
    body = next((part for part in bodies if part[:1] not in "|<!" and _TEXT.search(part)), "")
    return _clean(title, 100), _clean(re.sub(r"[*`]+|^[-*+>]\s+", "", body, flags=re.MULTILINE), SUMMARY)


def _clean(text: str, most: int) -> str:
    return escape.one_line(secrets.masked(_LINK.sub(r"\1", text)), most)


def _digest(data: bytes) -> str:
    return sha1(data, usedforsecurity=False).hexdigest()[:8]


def _text(path: Path) -> str:
    return encoding.utf8(disk.read(path, MOST, missing=b"")).decode("utf-8", "replace")
