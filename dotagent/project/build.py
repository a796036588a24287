"""Everything that a project remembers for one actor, read from its files for `render` and adapters. Another actor's
profile and working memory are never read. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotagent.project import index, pages, place, profile, sources, working
from dotagent.project.episodes import Episode
from dotagent.project.index import Wanted
from dotagent.project.place import Project
from dotagent.project.sources import Pointer
from dotagent.store import disk, room_copies, safe_paths
from dotagent.text import encoding, escape, secrets
from dotagent.text.lazy import dataclass

MOST = 1 << 18  # bytes that are read of a file
EVENTS, LOOK = 10, 200  # events shown, and events searched for recent files
COMMITS = 1000  # the newest commits that are searched for the last author of a file
TITLES = 50  # titles of a list that are shown
RULES, PATTERNS = "rules.md", "patterns.md"
DOCS = {"bugs": "docs/bug-registry.md", "anti": "docs/anti-patterns.md"}


@dataclass(frozen=True)
class Built:
    """A project's four memories for one actor, and the pages that its people wrote by hand, as lines of Markdown."""

    actor: str
    working: dict[str, Any]
    recent: tuple[Episode, ...]
    patterns: tuple[str, ...]
    personal: tuple[tuple[str, str], ...]
    bugs: tuple[str, ...]
    anti_patterns: tuple[str, ...]
    rules: tuple[str, ...]
    pages: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The other pages in `.agent/`, by their paths."""
    sources: tuple[Pointer, ...] = ()


def build(project: Project, actor: str) -> Built:
    """Read the memories. Raise Trouble for a profile that cannot be read, and OSError."""
    now = working.read(project, actor)
    files = {name for name in now.get("recent_files", []) if isinstance(name, str)}
    with index.open_index(project) as db:
        last = index.events(db, Wanted(), LOOK)
    near = [one for one in last if files & {*one.files}] if files else last
    memory, agent = project.memory / "semantic", project.agent
    by, profile_file = _committers(project, actor), project.profile(actor)
    return Built(
        actor,
        now,
        tuple(near[:EVENTS]),
        (*_page(agent / PATTERNS), *_titles(memory / "patterns", project, by)),
        tuple(_profile(profile_file, by.get(profile_file.relative_to(project.root).as_posix(), ""))),
        tuple(_page(project.root / DOCS["bugs"])),
        tuple(_page(project.root / DOCS["anti"])),
        (*_page(agent / RULES), *_titles(memory / "rules", project, by)),
        tuple((f".agent/{one.name}", tuple(lines)) for one in _others(agent) if (lines := _page(one))),
        tuple(sources.list_cards(project)[:TITLES]),
    )


def _text(path: Path) -> str:
    """Return the file's text without secrets, or "" if there is no file."""
    return secrets.masked(encoding.utf8(disk.read(path, MOST, missing=b"")).decode("utf-8", "replace"))


def _page(path: Path) -> list[str]:
    """Return the lines of a hand-written page. A blank line ends it, so that the following text is not a part of it."""
    found = pages.told(_text(path))
    return [*found, ""] if found else []


def _others(agent: Path) -> list[Path]:
    """Return the hand-written pages in `.agent/` that no section of their own shows."""
    there = room_copies.without(safe_paths.matching(agent, "*.md"))
    return [path for path in there if path.name not in (RULES, PATTERNS)]


def _committers(project: Project, actor: str) -> dict[str, str]:
    """Return ` (by eve@example.org)` for each file of the memory that another committed last."""
    form = ("--format=%x00%ae%x00%an", "--name-only", f"-n{COMMITS}")
    told = place.git(project.root, "-c", "core.quotePath=false", "log", *form, "--relative", "--", ".agent")
    parts, found, known = told.split("\0")[1:], dict[str, str](), dict[tuple[str, str], str]()
    for email, rest in zip(parts[::2], parts[1::2], strict=True):
        name, *files = filter(None, rest.split("\n"))
        if (email, name) not in known:
            known[email, name] = place.other(project.root, email, name, actor)
        for file in files:
            found.setdefault(file, f" (by {known[email, name]})" if known[email, name] else "")
    return found


def _titles(folder: Path, project: Project, by: Mapping[str, str]) -> list[str]:
    """Return each graduated entry's title with its file and the person who committed it. A title that two people
    graduated appears once."""
    found = dict[str, str]()
    there = safe_paths.matching(project.agent, f"{folder.relative_to(project.agent).as_posix()}/*/*.md")
    for path in room_copies.without(there):
        first = next((row for row in _text(path).split("\n") if row.strip()), path.stem)
        title = escape.one_line(first.lstrip("# "), 200)
        name = path.relative_to(project.root).as_posix()
        found.setdefault(title, f"- {title} ({name}){by.get(name, '')}")
    return list(found.values())[:TITLES]


def _profile(path: Path, by: str) -> list[tuple[str, str]]:
    """Return the keys of a profile with their values, each with the person who committed the file. A list's values are
    joined by commas. Raise Trouble."""
    text = _text(path)
    if not text.strip():
        return []
    told = profile.read(path, text)
    texts = {name: ", ".join(map(str, one)) if isinstance(one, list) else str(one) for name, one in told.items()}
    return [(escape.one_line(str(name), 100), f"{escape.one_line(text, 400)}{by}") for name, text in texts.items()]
