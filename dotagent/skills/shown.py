"""What a life is told of skills: the list in its prompt, and the one that it asks for.

The list tells names, and of what its person trusts descriptions, in two hundredths of the context; the rest a
search finds. It is made of the record and of directories' names: an unchanged list costs a few looks at the disk.
Owns nothing on disk.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dotagent.errors import Misuse, Trouble
from dotagent.skills import folder, record
from dotagent.skills.folder import FILES, NAME, Folder
from dotagent.skills.record import Record, Trusted
from dotagent.store import bootstrap
from dotagent.store.home import Home
from dotagent.text import escape, tokens

SHARE = 0.02  # of the context's limit: what the list may take
SHORT = 160  # characters of a description where not all fit whole
NAMED = 40  # names of skills that nobody trusts yet that are told
HEAD = "Skills tell how some tasks are done. Before such a task read its skill:"


@dataclass(frozen=True)
class Shelf:
    """Where skills are: a directory, and whose it is (a life's full id, or "" for the home's)."""

    path: Path
    agent: str


@dataclass(frozen=True)
class Listing:
    """What the prompt says, "" for nothing, and the trusted ones that had no room there."""

    text: str = ""
    rest: tuple[Trusted, ...] = ()


@dataclass(frozen=True)
class Skill:
    """A skill that a life asked for: its folder as it is now, where that is, and how far it is trusted."""

    folder: Folder
    path: Path
    agent: str
    state: str


TRUSTED, CHANGED, STRANGE = "trusted", "changed", "not trusted"


def places(where: Home, self_id: str) -> tuple[Shelf, ...]:
    """Where a life's skills are, its own directory first."""
    return Shelf(where.agent(self_id) / "skills", self_id), home(where)


def home(where: Home) -> Shelf:
    """Where those of all lives are; the directory may be a link, as those of a home may be."""
    return Shelf(Path(os.path.realpath(where.skills)), "")


def names(place: Shelf) -> list[str]:
    """The folders there that are skills by their names and a SKILL.md, sorted."""
    try:
        if not stat.S_ISDIR(os.lstat(place.path).st_mode):
            return []
        found = [entry.name for entry in os.scandir(place.path) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(name for name in found if NAME.fullmatch(name) and _has_main(place.path / name))


def _has_main(path: Path) -> bool:
    return any(os.path.lexists(path / name) for name in FILES)


def watched(where: Home, self_id: str) -> list[Path]:
    """What has to be looked at to know whether the list is what it was: a directory that lacks its SKILL.md is, too."""
    found = [record.path(where)]
    for place in places(where, self_id):
        found.append(place.path)
        with suppress(OSError):  # there is none
            half = (Path(one) for one in os.scandir(place.path) if NAME.fullmatch(one.name) and one.is_dir())
            found += [path for path in half if not _has_main(path)][:NAMED]
    return found


def listing(where: Home, self_id: str, audience: str, limit: int) -> Listing:
    """The list of a life of this audience whose context may have so many tokens."""
    known, kind = _known(where), bootstrap.kind(audience)
    seen, strange = dict[str, Trusted](), dict[str, None]()
    for place in places(where, self_id):
        for name in names(place):
            one = known.trust(place.agent, name)
            if one and kind in one.kinds:
                seen.setdefault(name, one)
            elif not one and kind == "private":
                strange[name] = None
    rows = sorted(seen.values(), key=lambda one: one.at, reverse=True)
    return _fitted(rows, [name for name in strange if name not in seen], int(SHARE * limit))


def _fitted(rows: list[Trusted], strange: list[str], room: int) -> Listing:
    """As much as has room: all whole, or the newest, in short."""
    if not rows and not strange:
        return Listing()
    more = ", ".join(strange[:NAMED]) + (f" and {len(strange) - NAMED} more" if len(strange) > NAMED else "")
    foot = [f"Your person trusts no version of these yet, so they are only named: {more}"] if strange else []
    whole = "\n".join([HEAD, *(_row(one) for one in rows), *foot])
    if tokens.estimate(whole) <= room:
        return Listing(whole)
    foot = foot if tokens.estimate("\n".join(foot)) <= room // 4 else []
    last = f"{len(rows):,} more: a search for words of the task finds them"
    lines, left = list[str](), room - tokens.estimate("\n".join([HEAD, last, *foot]))
    for one in rows:
        row = _row(one, SHORT)
        left -= tokens.estimate(row) + 1
        if left < 0:
            break
        lines.append(row)
    rest = rows[len(lines) :]
    last = f"{len(rest):,} more: a search for words of the task finds them"
    return Listing("\n".join([HEAD, *lines, *foot, *([last] if rest else [])]), tuple(rest))


def _row(one: Trusted, most: int = 2000) -> str:
    return f"- {one.name}: {escape.one_line(one.description, most)}"


def find(where: Home, self_id: str, audience: str, name: str) -> Skill | None:
    """The skill of this name that such a life may read: a version that its person trusts before another. Raises Misuse
    for a folder that is refused, OSError."""
    known, kind, others = _known(where), bootstrap.kind(audience), list[Skill]()
    for place in places(where, self_id):
        if name not in names(place):
            continue
        there, one = folder.look(place.path, name), known.trust(place.agent, name)
        state = state_of(one, there)
        found = Skill(there, place.path / name, place.agent, state)
        if one and state == TRUSTED and kind in one.kinds:
            return found
        if kind == "private":
            others.append(found)
    return others[0] if others else None


def state_of(one: Trusted | None, there: Folder) -> str:
    """How far its person trusts what the folder holds now."""
    return STRANGE if one is None else TRUSTED if one.id == there.id else CHANGED


def readable(where: Home, audience: str) -> list[Path]:
    """The directories of the home's skills that commands of such a life may read."""
    place, kind = home(where), bootstrap.kind(audience)
    if kind == "private":
        return [place.path] if names(place) else []
    known, found = _known(where), list[Path]()
    for name in names(place):
        one = known.trust("", name)
        if one and kind in one.kinds and _is(one, place):
            found.append(place.path / name)
    return found


def _is(one: Trusted, place: Shelf) -> bool:
    """Whether what stands there is that version."""
    try:
        return folder.look(place.path, one.name).id == one.id
    except (Misuse, OSError):
        return False


def _known(where: Home) -> Record:
    try:
        return record.read(where)
    except Trouble:
        return Record()  # which trusts nothing; doctor and the commands tell why
