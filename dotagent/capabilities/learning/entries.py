"""Graduated entries: one file for each rule or pattern, with its reason, evidence, origin and reviewer.

A file's name begins with the hash of its content, so entries of two people never collide, even with the same title. A
retired entry moves unchanged to `retired/`. Owns `memory/semantic/rules`, `patterns` and `retired`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dotagent.capabilities.learning import proposal
from dotagent.capabilities.learning.proposal import Memories, Proposal
from dotagent.store import disk, room_copies, safe_paths
from dotagent.text import escape, secrets

FOLDERS = {"rule": "rules", "pattern": "patterns"}
RETIRED = "retired"
ITSELF = "graduate = true"  # the reviewer of an entry that graduated without a review
MOST = 1 << 18  # bytes of an entry
RATIONALE = 1000  # characters
SLUG = 48
_DREAM = re.compile(r"^- dream: ([0-9a-f]{8})\b", re.MULTILINE)
_BY = re.compile(r"^## Graduated by\n+- (?P<by>.+?), (?P<at>\d{4}-\d\d-\d\dT[\d:.]+Z)$", re.MULTILINE)


@dataclass(frozen=True)
class Learned:
    """An entry: its path below memory/, kind, category, title, dream and time, and its reviewer ("" if it was written
    by hand)."""

    path: str
    kind: str
    category: str
    title: str
    dream: str
    at: str
    by: str = ""

    @property
    def id(self) -> str:
        """Return its id: the first digits of its file's name."""
        return Path(self.path).name[: proposal.SHORT]


def text(one: Proposal, rationale: str, by: str, at: str) -> str:
    """Return the entry as the text of a file."""
    return (
        f"# {one.title}\n\n## Rationale\n\n{escape.one_line(secrets.masked(rationale), RATIONALE)}\n\n"
        f"## Evidence\n\n{''.join(f'- {ref}{chr(10)}' for ref in one.evidence)}\n"
        f"## Provenance\n\n- dream: {one.id}\n- sign: {one.sign}\n- seen: {one.seen} times, until {one.until}\n\n"
        f"## Graduated by\n\n- {by}, {at}\n"
    )


def write(where: Memories, one: Proposal, said: str) -> str:
    """Save the entry and return its path below memory/. The file name of an agent's entry contains no words, because
    words may have to be forgotten, but names stay. Raises OSError."""
    slug = re.sub(r"[^a-z0-9]+", "-", one.title.lower()).strip("-")[:SLUG].strip("-") or "entry"
    folder = where.semantic / FOLDERS[one.kind] / one.category
    disk.make_dir(folder)
    path = folder / (f"{proposal.digest(said)}-{slug}.md" if where.shared else f"{proposal.digest(said)}.md")
    disk.replace(path, said.encode("utf-8", "replace"), mode=where.mode)
    return path.relative_to(where.memory).as_posix()


def list_entries(where: Memories, *, retired: bool = False) -> list[Learned]:
    """Return all current entries, or the retired ones, sorted by file."""
    return list(_list_folder(where.memory, where.semantic / RETIRED if retired else where.semantic))


def _list_folder(memory: Path, top: Path) -> Iterator[Learned]:
    for kind, folder in FOLDERS.items():
        found = safe_paths.matching(memory.parent, f"{(top / folder).relative_to(memory.parent).as_posix()}/*/*.md")
        for path in room_copies.without(found):
            if not disk.is_file(path):
                continue
            told = disk.read(path, MOST).decode("utf-8", "replace")
            first = next((row for row in told.split("\n") if row.strip()), path.stem)
            dream, by = _DREAM.search(told), _BY.search(told)
            title = escape.one_line(first.lstrip("# "), proposal.LONGEST)
            yield Learned(path.relative_to(memory).as_posix(), kind, path.parent.name, title,
                          dream[1] if dream else "", by["at"] if by else "", by["by"] if by else "")  # fmt: skip


def retire(where: Memories, one: Learned) -> str:
    """Move the entry unchanged to `retired/`. Return its new path. Raises OSError."""
    old = where.memory / one.path
    new = where.semantic / RETIRED / old.relative_to(where.semantic)
    disk.make_dir(new.parent)
    os.replace(old, new)
    disk.sync_dir(new.parent)
    return new.relative_to(where.memory).as_posix()
