"""A workspace of Moltbot or DotAgent, read for an agent here: which files are taken, as what, and which are left.

Nothing there is changed, no link is followed, and what is no text of a person's is left. Owns nothing on disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dotagent import errors
from dotagent.store import disk, walked

MEMORY, MOST = "MEMORY.md", 4000  # characters that notes which are always in front of an agent may have
LARGEST = 1 << 20  # bytes of a file
FILES = ("AGENTS.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md")
FOLDERS = ("memory", "bank")
REST = "memory/MEMORY-rest.md"
WHY = {
    ".env": "secrets: `config set NAME` takes them one by one",
    "SOUL_EVIL.md": "copy it yourself if you want it",
    "skills": "look at each, then `skills install` it",
    "toolpacks": "they are for another program's tools",
    "state": "another program's own state",
    ".git": "its history stays there",
}


@dataclass(frozen=True)
class Brought:
    """A file of the workspace by its path there: what it becomes in the agent's directory, or why it is left."""

    path: str
    target: str = ""
    text: str = ""
    why: str = ""


def read(root: Path) -> list[Brought]:
    """Everything there, the bootstrap files first. SOUL.md has its own name as target."""
    found = list[Brought]()
    names = sorted(os.listdir(root))
    for name in names:
        path = root / name
        target = _target(name, names)
        if name in FOLDERS and path.is_dir() and not path.is_symlink():
            found += _folder(root, path)
        elif target:
            found.append(_piece(root, path, target))
        else:
            what = "a folder that nothing here reads" if path.is_dir() else "nothing here reads it"
            found.append(Brought(name, why=WHY.get(name, what)))
    order = ("SOUL.md", *FILES, MEMORY)
    return sorted(found, key=lambda one: (order.index(one.target) if one.target in order else 99, one.path))


def _target(name: str, names: list[str]) -> str:
    """What a file of the workspace's top is here: AGENT.md and memory.md have other names, unless both are there."""
    other = {"AGENT.md": "AGENTS.md", "memory.md": MEMORY}.get(name, "")
    if other:
        return "" if other in names else other
    return name if name in ("SOUL.md", MEMORY, *FILES) else ""


def _folder(root: Path, folder: Path) -> Iterator[Brought]:
    for place, folders, names in walked.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            told = str(path.relative_to(root))
            if path.suffix.lower() in (".md", ".markdown", ".txt"):
                yield _piece(root, path, told)
            else:
                yield Brought(told, why="no text")


def _piece(root: Path, path: Path, target: str) -> Brought:
    """The file as text, or why it is left."""
    told = str(path.relative_to(root))
    try:
        data = disk.read(path, LARGEST)
    except OSError as error:
        return Brought(told, why=errors.line(error))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Brought(told, why="no text")
    return Brought(told, target, text.replace("\r\n", "\n")) if text.strip() else Brought(told, why="it is empty")


def split(text: str, most: int = MOST) -> tuple[str, str]:
    """Notes that are too long in two: what stays in front of the agent, whole sections as they come, with a last line
    that names the file of the rest; and the rest."""
    if len(text) <= most:
        return text, ""
    pointer = f"\nMore of these notes is in {REST}.\n"
    kept, rest, room = list[str](), list[str](), most - len(pointer)
    for section in filter(None, re.split(r"(?m)^(?=#)", text)):
        if len(section) <= room:
            kept.append(section)
            room -= len(section)
        elif not kept and not rest:  # the first alone is too long: its beginning stays, by lines
            head = section[:room]
            head = head[: head.rfind("\n") + 1] or head
            kept.append(head)
            rest.append(section[len(head) :])
            room = 0
        else:
            rest.append(section)
    return "".join(kept) + pointer, "".join(rest)
