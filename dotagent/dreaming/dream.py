"""One dream: what there is of a project's events, or a life's notes, looked through for what repeats and what no longer
holds. Where nothing was added since the last one, nothing is looked at. Owns `memory/working/<actor>/dreams/.seen`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from dotagent.dreaming import days, entries, proposal, review, signs, stale
from dotagent.dreaming.proposal import Memories, Proposal
from dotagent.dreaming.signs import Noted
from dotagent.project import episodes
from dotagent.project.place import Project
from dotagent.store import disk, home, lives, notes
from dotagent.store.home import Home
from dotagent.text import times

MARK = ".seen"
WINDOW = timedelta(days=180)  # before the newest day: what is older is no habit


@dataclass(frozen=True)
class Dreamt:
    """How many events or lines were looked through (0 where nothing was added), what is proposed that is new, and what
    was learned without being asked about."""

    seen: int
    new: tuple[Proposal, ...]
    learned: tuple[Proposal, ...] = ()


def memories(project: Project, actor: str) -> Memories:
    """The project's memory as this actor reviews it."""
    return Memories(project.memory, actor, shared=True)


def memories_of(where: Home, self_id: str, by: str) -> Memories:
    """A life's own memory as this person reviews it."""
    return Memories(where.agent(self_id) / notes.FOLDER, by)


def of_project(project: Project, actor: str, *, write: bool = True) -> Dreamt:
    """Dream over the project's events; without `write` only what would be proposed, whatever was seen. Raises OSError,
    Trouble."""
    where, files = memories(project, actor), recent(project)
    learned = entries.listed(where)
    told = [f"{path} {path.stat().st_size}" for path in files] + [one.path for one in learned]
    if write and _same(where, told):
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
    """When the last dream was, in seconds; 0 where none was."""
    try:
        return (where.dreams / MARK).stat().st_mtime
    except FileNotFoundError:
        return 0.0


def of_life(where: Home, self_id: str, by: str, now: datetime | None = None) -> Dreamt:
    """Dream over what a life's person said and what it noted. Where settings say so its person's own instructions are
    learned at once; a helper's are another agent's. Raises OSError, Misuse."""
    itself = home.settings(where).graduate and not lives.is_made(where, self_id)
    mine, path = memories_of(where, self_id, by), where.agent(self_id)
    learned = entries.listed(mine)
    files = [path / "LIFE.md", *sorted(mine.memory.glob("*.md"))]
    told = [f"{one.name} {one.stat().st_size}" for one in files] + [one.path for one in learned] + [f"{itself}"]
    if _same(mine, told):
        _mark(mine, told, now)
        return Dreamt(0, ())
    noted = days.history(where, self_id)
    sure = review.by_itself(mine, days.sure(noted)) if itself else []
    new = review.keep(mine, [*days.proposals(noted, path), *stale.proposals(noted, learned)])
    _mark(mine, told, now)
    return Dreamt(len(noted), tuple(new), tuple(sure))


def recent(project: Project) -> list[Path]:
    """The files of events of the last while, oldest first."""
    files = episodes.listed(project)
    if not files:
        return []
    begin = (times.parse(f"{_day(files[-1])}T00:00:00Z") - WINDOW).strftime("%Y-%m-%d")
    return [path for path in files if _day(path) >= begin]


def history(project: Project, files: list[Path]) -> Iterator[Noted]:
    """The events of these files, each with its file and line below memory/."""
    for path in files:
        name = path.relative_to(project.memory).as_posix()
        yield from (Noted(f"{name}:{line}", one) for line, one in episodes.numbered(path))


def resolve(memory: Path, ref: str) -> str:
    """What the event, message or line that a reference names says; nothing where it is not there any more."""
    name, _, line = ref.partition(" ")[0].rpartition(":")
    path = memory / name
    if name == days.BLOB:
        return days.heard(Home(memory.parents[2]), line)
    if not line.isdecimal() or ".." in path.parts or not disk.is_file(path):
        return ""
    if path.suffix == ".md":
        rows = disk.read(path).decode("utf-8", "replace").split("\n")
        return rows[int(line) - 1] if 0 < int(line) <= len(rows) else ""
    return next((f"{one.kind}: {one.summary}" for number, one in episodes.numbered(path) if number == int(line)), "")


def _day(path: Path) -> str:
    return "-".join(path.parts[-4:-1])


def _same(where: Memories, told: list[str]) -> bool:
    """Whether this is what the last dream saw."""
    return disk.read(where.dreams / MARK, 100, missing=b"").decode("ascii", "replace").strip() == _digest(told)


def _mark(where: Memories, told: list[str], now: datetime | None = None) -> None:
    path = where.dreams / MARK
    disk.replace(path, f"{_digest(told)}\n".encode(), durable=False)
    if now:  # the clock's own
        os.utime(path, (now.timestamp(), now.timestamp()))


def _digest(told: list[str]) -> str:
    return proposal.digest("\n".join(told))
