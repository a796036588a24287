"""One dream: search a project's events, or an agent's notes, for repetitions and outdated entries. If nothing was added
since the last dream, it does nothing. Owns `memory/working/<actor>/dreams/.seen`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from dotagent.capabilities.learning import days, entries, proposal, review, signs, stale
from dotagent.capabilities.learning.proposal import Memories, Proposal
from dotagent.capabilities.learning.signs import Noted
from dotagent.project import episodes
from dotagent.project.place import Project
from dotagent.store import disk, home, lives, notes
from dotagent.store.home import Home
from dotagent.text import times

MARK = ".seen"
WINDOW = timedelta(days=180)  # before the newest day; older events are ignored


@dataclass(frozen=True)
class Dreamt:
    """The number of searched events or lines (0 if nothing was added), the new proposals, and the entries learned
    without asking."""

    seen: int
    new: tuple[Proposal, ...]
    learned: tuple[Proposal, ...] = ()


def memories(project: Project, actor: str) -> Memories:
    """Return the project's memory as this actor reviews it."""
    return Memories(project.memory, actor, shared=True)


def memories_of(where: Home, self_id: str, by: str) -> Memories:
    """Return an agent's own memory as this person reviews it."""
    return Memories(where.agent(self_id) / notes.FOLDER, by)


def dream_of_project(project: Project, actor: str, *, write: bool = True) -> Dreamt:
    """Dream about the project's events. Without `write`, only return the possible proposals, even for events seen
    before. Raises OSError, Trouble."""
    where, files = memories(project, actor), recent(project)
    learned = entries.list_entries(where)
    told = [f"{path} {path.stat().st_size}" for path in files] + [one.path for one in learned]
    if write and _is_unchanged(where, told):
        return Dreamt(0, ())
    noted = list(history(project, files))
    found = [*signs.proposals(noted, actor), *stale.proposals(noted, learned)]
    if not write:
        done = review.decided(where)
        return Dreamt(len(noted), tuple(one for one in found if not one.is_in(done)))
    new = review.keep(where, found)
    _mark(where, told)
    return Dreamt(len(noted), tuple(new))


def when(where: Memories) -> float:
    """Return the time of the last dream in seconds, or 0."""
    try:
        return (where.dreams / MARK).stat().st_mtime
    except FileNotFoundError:
        return 0.0


def dream_of_agent(where: Home, self_id: str, by: str, now: datetime | None = None) -> Dreamt:
    """Dream about the owner's messages and the agent's notes. If settings allow it, the owner's own instructions are
    learned at once, but not by a helper, whose instructions come from another agent. Raises OSError, Misuse."""
    itself = home.settings(where).graduate and not lives.is_made(where, self_id)
    mine, path = memories_of(where, self_id, by), where.agent(self_id)
    learned = entries.list_entries(mine)
    files = [path / "LIFE.md", *(mine.memory / name for name in disk.names(mine.memory, ".md"))]
    told = [f"{one.name} {one.lstat().st_size}" for one in files] + [one.path for one in learned] + [f"{itself}"]
    if _is_unchanged(mine, told):
        _mark(mine, told, now)
        return Dreamt(0, ())
    noted = days.history(where, self_id)
    sure = review.graduate_sure(mine, days.propose_sure(noted)) if itself else []
    new = review.keep(mine, [*days.proposals(noted, path), *stale.proposals(noted, learned)])
    _mark(mine, told, now)
    return Dreamt(len(noted), tuple(new), tuple(sure))


def recent(project: Project) -> list[Path]:
    """Return the files of recent events, oldest first."""
    files = episodes.list_files(project)
    if not files:
        return []
    begin = (times.parse(f"{_day(files[-1])}T00:00:00Z") - WINDOW).strftime("%Y-%m-%d")
    return [path for path in files if _day(path) >= begin]


def history(project: Project, files: list[Path]) -> Iterator[Noted]:
    """Yield the events of these files, each with its file and line below memory/."""
    for path in files:
        name = path.relative_to(project.memory).as_posix()
        yield from (Noted(f"{name}:{line}", one) for line, one in episodes.numbered(path))


def resolve(memory: Path, ref: str) -> str:
    """Return the text of a referenced event, message or line, or "" if it no longer exists."""
    name, _, line = ref.partition(" ")[0].rpartition(":")
    path = memory / name
    if name == days.BLOB:
        return days.message_text(Home(memory.parents[2]), line)
    if not line.isdecimal() or ".." in path.parts or not disk.is_file(path):
        return ""
    if path.suffix == ".md":
        rows = disk.read(path).decode("utf-8", "replace").split("\n")
        return rows[int(line) - 1] if 0 < int(line) <= len(rows) else ""
    return next((f"{one.kind}: {one.summary}" for number, one in episodes.numbered(path) if number == int(line)), "")


def _day(path: Path) -> str:
    return "-".join(path.parts[-4:-1])


def _is_unchanged(where: Memories, told: list[str]) -> bool:
    """Return True if this equals what the last dream saw."""
    return disk.read(where.dreams / MARK, 100, missing=b"").decode("ascii", "replace").strip() == _digest(told)


def _mark(where: Memories, told: list[str], now: datetime | None = None) -> None:
    path = where.dreams / MARK
    disk.replace(path, f"{_digest(told)}\n".encode(), durable=False)
    if now:  # the clock's time
        os.utime(path, (now.timestamp(), now.timestamp()))


def _digest(told: list[str]) -> str:
    return proposal.digest("\n".join(told))
