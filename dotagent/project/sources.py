"""Pointer cards: of each page below `docs/` where it stands, what it is about and when it was last indexed, no copy.

A card changes only when its page does, so indexing again gives the same bytes. Where two people indexed two versions,
git keeps the lines of both (`merge=union`), and the next indexing makes the card anew. Owns
`memory/semantic/sources/<id>.md` and `.agent/.gitattributes`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

from dotagent.project.place import Project
from dotagent.store import disk
from dotagent.text import escape, secrets, times

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
    """A card: the page's path in the project, and what it is about."""

    path: str
    summary: str


def index(project: Project) -> Iterator[str]:
    """Bring the cards up to date, and name each that changed or went, by its page. Raises OSError."""
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
    for path in sorted(folder.glob("*.md")):
        if path.name not in there and (old := dict(_FIELD.findall(_text(path))).get("path")):
            disk.remove(path)
            yield old


def listed(project: Project) -> list[Pointer]:
    """What the cards say, by their pages."""
    found = set[Pointer]()
    for path in _folder(project).glob("*.md"):
        told = dict(reversed(_FIELD.findall(_text(path))))
        if told.get("path"):
            found.add(Pointer(escape.one_line(told["path"], SUMMARY), told.get("summary", "")))
    return sorted(found, key=lambda one: one.path)


def _folder(project: Project) -> Path:
    return project.memory / "semantic" / "sources"


def _pages(project: Project) -> list[str]:
    """The pages, by their paths in the project; no link is followed."""
    found = list[str]()
    for where, folders, files in os.walk(project.root / DOCS):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        inner = [Path(where, one) for one in files if one.lower().endswith(".md")]
        found += [one.relative_to(project.root).as_posix() for one in inner if disk.is_file(one)]
    return [name for name in sorted(found) if name == escape.one_line(name, SUMMARY)][:PAGES]


def _id(name: str) -> str:
    """The card's name: what the page is called, and by the hash of its path no other."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower().removesuffix(".md")).strip("-")[-60:].strip("-")
    return f"{slug}-{_digest(name.encode())}"


def _card(name: str, page: bytes, before: str) -> str:
    """The card of a page as it is now; of one that was indexed so, since when it is."""
    known = _FIELD.findall(before)
    sha = _digest(page)
    days = [day for key, day in known if key == "last-indexed"] if ("sha", sha) in known else []
    title, summary = _about(page.decode("utf-8", "replace"))
    return (
        f"# {title or name}\n\n- path: {name}\n- summary: {summary or title or name}\n- sha: {sha}\n"
        f"- last-indexed: {max(days, default=times.now()[:10])}\n"
    )


def _about(text: str) -> tuple[str, str]:
    """A page's title, and its first paragraph as far as it has room; of one without, its first lines."""
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
    return disk.read(path, MOST, missing=b"").decode("utf-8", "replace")
