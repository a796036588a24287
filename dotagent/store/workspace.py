"""Read a workspace of Moltbot or DotAgent: which files are imported, under which name, and which are not.

The workspace is not changed, no link is followed, and only text is imported, apart from pictures. Owns nothing on disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from dotagent import errors
from dotagent.store import directories, disk, display
from dotagent.text import encoding, sections
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass

MEMORY, MOST = "MEMORY.md", 4000  # characters of notes that are always in the prompt
LARGEST = 1 << 20  # bytes of a file
FILES = ("AGENTS.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md")
FOLDERS = ("memory", "bank")
AVATARS, PICTURE = "avatars", (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico")
PICTURED = 10 << 20  # bytes of a picture
FIRST = "BOOTSTRAP.md"
REST = "memory/MEMORY-rest.md"
WHY = {
    ".env": "it contains secrets; save each secret with `config set NAME`",
    "SOUL_EVIL.md": "copy it yourself if you want it",
    "skills": "review each skill, then run `skills install`",
    "toolpacks": "it belongs to the tools of the other program",
    "state": "it contains the state of the other program",
    ".git": "it contains the history of the other program",
}


@dataclass(frozen=True)
class Brought:
    """A file of the workspace: its path, and its path in the agent's directory or the reason why it is left out. A
    picture has `data` instead of `text`."""

    path: str
    target: str = ""
    text: str = ""
    why: str = ""
    data: bytes = b""


def read(root: Path) -> list[Brought]:
    """Return all files, bootstrap files first. SOUL.md has its own name as target."""
    found = list[Brought]()
    names = sorted(os.listdir(root))
    for name in names:
        path = root / name
        target = _target(name, names)
        if name in (*FOLDERS, AVATARS) and path.is_dir() and not path.is_symlink():
            found += _folder(root, path)
        elif target:
            found.append(_piece(root, path, target))
        else:
            what = "dotagent does not read this folder" if path.is_dir() else "dotagent does not read this file"
            found.append(Brought(name, why=WHY.get(name, what)))
    found = [*_met(found), *_face(root, found)]
    order = ("SOUL.md", *FILES, MEMORY)
    return sorted(found, key=lambda one: (order.index(one.target) if one.target in order else 99, one.path))


def _target(name: str, names: list[str]) -> str:
    """Return the new name of a top-level file. AGENT.md and memory.md are renamed, unless both names exist."""
    other = {"AGENT.md": "AGENTS.md", "memory.md": MEMORY}.get(name, "")
    if other:
        return "" if other in names else other
    return name if name in ("SOUL.md", MEMORY, *FILES) else ""


def _met(found: list[Brought]) -> Iterator[Brought]:
    """Yield the same files. If there are notes, leave out the first conversation, because the agent knows its owner."""
    notes = any(one.target == MEMORY or one.target.startswith("memory/") for one in found)
    for one in found:
        yield (
            Brought(FIRST, why="the agent already has notes about you, so it needs no first conversation")
            if notes and one.target == FIRST
            else one
        )


def _face(root: Path, found: list[Brought]) -> Iterator[Brought]:
    """Yield the picture that IDENTITY.md names, if it is in the workspace but outside avatars/."""
    identity = next((one.text for one in found if one.target == "IDENTITY.md"), "")
    name = os.path.normpath(display.fields(identity).get("avatar") or ".")
    if any(one.path == name and one.target for one in found) or not name.lower().endswith(PICTURE):
        return
    path = root / name
    if path.resolve().is_relative_to(root.resolve()) and disk.is_file(path):
        found[:] = [one for one in found if one.path != name]
        yield _picture(root, path)


def _picture(root: Path, path: Path) -> Brought:
    """Return the picture, or why it is left out."""
    told = str(path.relative_to(root))
    try:
        return Brought(told, told, data=disk.read(path, PICTURED))
    except OSError as error:
        return Brought(told, why=errors.line(error))


def _folder(root: Path, folder: Path) -> Iterator[Brought]:
    for place, folders, names in directories.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            told = str(path.relative_to(root))
            if folder.name == AVATARS and path.suffix.lower() in PICTURE:
                yield _picture(root, path)
            elif folder.name != AVATARS and path.suffix.lower() in (".md", ".markdown", ".txt"):
                yield _piece(root, path, told)
            else:
                yield Brought(told, why="no picture" if folder.name == AVATARS else "no text")


def _piece(root: Path, path: Path, target: str) -> Brought:
    """Return the file as text, or why it is left out."""
    told = str(path.relative_to(root))
    try:
        data = disk.read(path, LARGEST)
    except OSError as error:
        return Brought(told, why=errors.line(error))
    try:
        text, _ = encoding.decode(data)
    except NotText:
        return Brought(told, why="no text")
    return (
        Brought(told, target, re.sub("\r\n?", "\n", text)) if text.strip() else Brought(told, why="the file is empty")
    )


def split(text: str, rest_file: str = REST, most: int = MOST) -> tuple[str, str]:
    """Split notes that are too long into a text for the prompt, whose last line names the file of the rest, and the
    rest. A section that is too long for both is split below its heading, which the rest then repeats."""
    if len(text) <= most:
        return text, ""
    pointer = f"\nThe rest of these notes is in {rest_file}.\n"
    kept, rest = sections.split(text, most - len(pointer))
    return kept + pointer, rest
