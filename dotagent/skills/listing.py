"""The skills shown to an agent: the list in its prompt, and the skill that it reads.

The list has names, and descriptions of trusted skills, in 2 % of the context; search finds the rest. It is built from
the record and the names of directories, so an unchanged list costs a few checks of the disk. Owns nothing on disk.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from dotagent.errors import Misuse, Trouble
from dotagent.skills import folder, record
from dotagent.skills.folder import FILES, NAME, Folder
from dotagent.skills.record import Record, Trusted
from dotagent.store import bootstrap
from dotagent.store.home import Home
from dotagent.text import escape, tokens
from dotagent.text.lazy import dataclass

SHARE = 0.02  # the list's share of the context limit
SHORT = 160  # characters of a description if not all fit
NAMED = 40  # the most names of untrusted skills
HEAD = "Skills explain how to do certain tasks. Before you do such a task, read its skill:"


@dataclass(frozen=True)
class Shelf:
    """A directory of skills, and its owner (an agent's full id, or "" for the home)."""

    path: Path
    agent: str


@dataclass(frozen=True)
class Listing:
    """The text for the prompt, or "", and the trusted skills that did not fit."""

    text: str = ""
    rest: tuple[Trusted, ...] = ()


@dataclass(frozen=True)
class Skill:
    """A skill that an agent reads: its present folder, its place, and its trust."""

    folder: Folder
    path: Path
    agent: str
    state: str


TRUSTED, CHANGED, STRANGE = "trusted", "changed", "not trusted"


def places(where: Home, self_id: str) -> tuple[Shelf, ...]:
    """Return an agent's directories of skills, its own first."""
    return Shelf(where.agent(self_id) / "skills", self_id), home(where)


def home(where: Home) -> Shelf:
    """Return the home's directory of skills, which may be a link."""
    return Shelf(Path(os.path.realpath(where.skills)), "")


def names(place: Shelf) -> list[str]:
    """Return the sorted names of folders with a SKILL.md."""
    return [name for name in _folders(place) if NAME.fullmatch(name)]


def misnamed(place: Shelf) -> list[str]:
    """Return the same of folders whose names cannot be names of skills."""
    return [name for name in _folders(place) if not NAME.fullmatch(name) and not name.startswith(".")]


def _folders(place: Shelf) -> list[str]:
    try:
        if not stat.S_ISDIR(os.lstat(place.path).st_mode):
            return []
        found = [entry.name for entry in os.scandir(place.path) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(name for name in found if _has_main(place.path / name))


def _has_main(path: Path) -> bool:
    return any(os.path.lexists(path / name) for name in FILES)


def watched(where: Home, self_id: str) -> list[Path]:
    """Return the paths to check for changes of the list, including directories without a SKILL.md."""
    found = [record.path(where)]
    for place in places(where, self_id):
        found.append(place.path)
        with suppress(OSError):  # no such directory
            half = (Path(one) for one in os.scandir(place.path) if NAME.fullmatch(one.name) and one.is_dir())
            found += [path for path in half if not _has_main(path)][:NAMED]
    return found


def listing(where: Home, self_id: str, audience: str, limit: int) -> Listing:
    """Return the list for an agent of this audience, whose context has at most `limit` tokens."""
    known, kind = _load_record(where), bootstrap.kind(audience)
    seen, strange = dict[str, Trusted](), dict[str, None]()
    for place in places(where, self_id):
        for name in names(place):
            one = known.trust(place.agent, name)
            if one and kind in one.kinds:
                seen.setdefault(name, one)
            elif not one and kind == "private":
                strange[name] = None
    rows = sorted(seen.values(), key=lambda one: one.at, reverse=True)
    return _fitted(rows, len(strange.keys() - seen.keys()), int(SHARE * limit))


def _fitted(rows: list[Trusted], strange: int, room: int) -> Listing:
    """Return as much as fits: all skills in full, or the newest in short. Untrusted ones are only counted, because a
    stranger chose the name."""
    if not rows and not strange:
        return Listing()
    foot = [f"{strange:,} more that your owner has not trusted yet (`skills` lists them)"] if strange else []
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
    """Return the skill of this name for such an agent, preferring a trusted version, or None. Raises Misuse for an
    invalid folder, and OSError."""
    known, kind, others = _load_record(where), bootstrap.kind(audience), list[Skill]()
    for place in places(where, self_id):
        if name not in names(place):
            continue
        there, one = folder.read_folder(place.path, name), known.trust(place.agent, name)
        state = state_of(one, there)
        found = Skill(there, place.path / name, place.agent, state)
        if one and state == TRUSTED and kind in one.kinds:
            return found
        if kind == "private":
            others.append(found)
    return others[0] if others else None


def state_of(one: Trusted | None, there: Folder) -> str:
    """Return how far the folder's present content is trusted."""
    return STRANGE if one is None else TRUSTED if one.id == there.id else CHANGED


def readable(where: Home, self_id: str, audience: str) -> list[Path]:
    """Return the directories of skills that the commands of such an agent may read."""
    kind, found = bootstrap.kind(audience), list[Path]()
    if kind == "private":
        return [place.path for place in places(where, self_id) if names(place)]
    place, known = home(where), _load_record(where)
    for name in names(place):
        one = known.trust("", name)
        if one and kind in one.kinds and _is(one, place):
            found.append(place.path / name)
    return found


def _is(one: Trusted, place: Shelf) -> bool:
    """Return True if the folder there is that version."""
    try:
        return folder.read_folder(place.path, one.name).id == one.id
    except (Misuse, OSError):
        return False


def _load_record(where: Home) -> Record:
    try:
        return record.read(where)
    except Trouble:
        return Record()  # without trust; doctor and the commands report why
