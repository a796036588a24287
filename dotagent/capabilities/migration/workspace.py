"""Read a workspace of Moltbot (OpenClaw), DotAgent, nanobot or Hermes: which files are imported, under which name, and
which are not.

The workspace is not changed, no link is followed, and only text is imported, apart from pictures. Owns nothing on disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from dotagent import errors
from dotagent.capabilities.migration import sections, settings_import
from dotagent.life import facts
from dotagent.life.context import MEMORY
from dotagent.store import directories, disk, display
from dotagent.text import encoding
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass, replace
from dotagent.text.sizes import plural

LARGEST = 1 << 20  # bytes of a file
FILES = ("AGENTS.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md")
FOLDERS = ("memory", "bank")
AVATARS, PICTURE = "avatars", (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico")
PICTURED = 10 << 20  # bytes of a picture
FIRST = "BOOTSTRAP.md"
REST = "memory/MEMORY-rest.md"
TALK = "it contains conversations of the other program, which dotagent does not read"
JOBS = "it contains jobs of the other program; add each one with `cron add`"
SECRET = "it contains secrets; save each secret with `config set NAME`"
WHY = {
    ".env": SECRET,
    "SOUL_EVIL.md": "copy it yourself if you want it",
    "auth.json": SECRET,
    "skills": "review each skill, then run `skills install`",
    "users": "it contains notes about single people; copy what you want to keep into USER.md",
    "personas": "it contains other characters; to create an agent with one, run `agent --soul FILE`",
    ".learnings": "it contains notes of the other program's skills; copy what you want to keep into memory/",
    "prompts": "it contains prompts of the other program",
    "DREAMS.md": "it is the other program's diary; copy what you want to keep into memory/",
    "toolpacks": "it contains tools of the other program",
    "state": "it contains the state of the other program",
    ".git": "it contains the git history of the directory that you import",
    "memory/history.jsonl": TALK,
    "sessions": TALK,
    "state.db": TALK,
    "cron": JOBS,
    "mcp.json": "it names MCP servers; install each one as a tool pack (docs/toolpacks.md)",
    "config.yaml": "it contains settings of the other program; set each one with `config set`",
    "config.json": "it contains settings of the other program; to import them, run `import` with the path of this file",
}
NOTES = "memory/MEMORY.md"  # nanobot's notes that are always read
HERMES = "memories"  # the folder of Hermes' MEMORY.md and USER.md
BESIDE = {
    "agents/*/sessions/*.jsonl": TALK,
    "sessions": TALK,
    "cron/*": JOBS,
    "agents/*/agent/auth-profiles.json": SECRET,
    "workspace-*": "it belongs to another agent; import it too, if you want that agent",
    "credentials": SECRET,
}
"""The files that other programs keep next to a folder `workspace`, except OpenClaw's SQLite files
(talk_import.py)."""
READ = ("agents", "state")  # next to it; talk_import.py reads these folders of OpenClaw
UNREAD = "of this folder, dotagent reads only .md and .txt files"
TRANSCRIPT = "it is a transcript of a talk, which the agent reads as notes"
_SPEAKERS = [re.compile(rf"^\**{who}\**:", re.IGNORECASE | re.MULTILINE) for who in ("user", "assistant")]
_SUPERSEDED = re.compile(r"\s*<!--[^>]*\bstatus:\s*superseded\b[^>]*-->\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Brought:
    """A file of the workspace: its path, and its path in the agent's directory, or "" if it is left out. `why` says why
    it or a part of it is left out. A picture has `data` instead of `text`."""

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
        if name in (*FOLDERS, AVATARS, HERMES) and path.is_dir() and not path.is_symlink():
            found += _folder(root, path)
        elif target:
            found.append(_piece(root, path, target))
        else:
            found.append(Brought(name, why=WHY.get(name, _unread(path))))
    found = [*_met(list(_apart(found))), *_face(root, found), *_beside(root)]
    order = ("SOUL.md", *FILES, MEMORY)
    return sorted(found, key=lambda one: (order.index(one.target) if one.target in order else 99, one.path))


def _unread(path: Path) -> str:
    """Return why a file or folder of no known name is left out."""
    if path.is_symlink():
        return f"it is a link to {os.readlink(path)}; put a copy in its place, and import again"
    return "dotagent does not read this folder" if path.is_dir() else "dotagent does not read this file"


def _apart(found: list[Brought]) -> Iterator[Brought]:
    """Yield the same files; files that other programs keep elsewhere get the names that they have here."""
    taken = {one.target for one in found}
    for one in found:
        name = one.path.removeprefix(f"{HERMES}/") if one.path.startswith(f"{HERMES}/") else ""
        if one.target == NOTES and MEMORY not in taken:
            yield replace(one, target=MEMORY)
        elif name and name in (MEMORY, "USER.md") and one.target:
            entries = [each.strip() for each in re.split(r"(?m)^§[ \t]*$", one.text)]
            text = "".join(f"{each}\n\n" for each in entries if each).rstrip("\n") + "\n"
            another = Brought(one.path, why=f"the workspace has another {name}")
            yield another if name in taken else replace(one, target=name, text=text)
        elif name and one.target:
            yield replace(one, target=f"memory/{name}")
        elif one.target == "USER.md":
            text, left = current(one.text)
            yield replace(
                one, text=text, why=f"{plural(left, 'superseded entry', 'superseded entries')} left out" if left else ""
            )
        else:
            yield one


def current(text: str) -> tuple[str, int]:
    """Return a USER.md of OpenClaw without the entries that later ones superseded, and their number."""
    kept, left, old = list[str](), 0, False
    for line in text.split("\n"):
        if _SUPERSEDED.fullmatch(line):
            old, left = True, left + 1
        elif old and line.strip() and not line.startswith(("#", "<!--")):
            continue
        else:
            old = False
            kept.append(line)
    return "\n".join(kept), left


def _beside(root: Path) -> Iterator[Brought]:
    """Yield what the other program keeps next to the workspace, and is left there."""
    settings, told = settings_import.find_beside(root), {root.name, *READ}
    for pattern, why in BESIDE.items() if root.name == settings_import.WORKSPACE else ():
        for path in sorted(root.parent.glob(pattern)):
            name = str(path.relative_to(root.parent))
            told.add(name.partition("/")[0])
            yield Brought(f"../{name}", why=why)
    for name in sorted(os.listdir(root.parent)) if settings else ():  # only this program's files exist
        if name not in told and settings and name != settings.name:
            yield Brought(f"../{name}", why=WHY.get(name, _unread(root.parent / name)))


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
                yield Brought(told, why="no picture" if folder.name == AVATARS else WHY.get(told, UNREAD))


def _piece(root: Path, path: Path, target: str) -> Brought:
    """Return the file as text, or why it is left out."""
    told = str(path.relative_to(root))
    try:
        data = disk.read(path, LARGEST)
    except OSError as error:
        return Brought(told, why=errors.line(error))
    try:
        text, _ = encoding.decode(data)
    except NotText as why:
        return Brought(told, why=f"it {why}")
    if not text.strip():
        return Brought(told, why="the file is empty")
    text = re.sub("\r\n?", "\n", text)
    spoken = target.startswith("memory/") and all(one.search(text) for one in _SPEAKERS)
    return Brought(told, target, text, TRANSCRIPT if spoken else "")


def split(text: str, rest_file: str = REST, most: int = facts.FULL) -> tuple[str, str]:
    """Split notes that are too long into a text for the prompt, whose last line names the file of the rest, and the
    rest. A section that is too long for both is split below its heading, which the rest then repeats."""
    if len(text) <= most:
        return text, ""
    pointer = f"\nThe rest of these notes is in {rest_file}.\n"
    kept, rest = sections.split(text, most - len(pointer))
    return kept + pointer, rest
