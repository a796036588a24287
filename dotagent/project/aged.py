"""What of a project's memory is too old by its `.agent/settings.toml`: `[retention] episodes = 90, audit = 365`, days.

Off until that says so. A person lets go of files of their own, since two people never change one, and each goes whole:
a death leaves nothing half done, and who asks again goes on. Owns nothing on disk; the settings are its people's.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.project import episodes, forgotten
from dotagent.project.place import Project
from dotagent.store import disk, setting
from dotagent.text import passages
from dotagent.text.sizes import plural

SETTINGS = "settings.toml"  # in .agent/
MOST = 1 << 20


@dataclass(frozen=True)
class Old:
    """A file that is too old, below the project's root, and what it is."""

    path: str
    what: str


def kept(project: Project) -> Mapping[str, int]:
    """For how many days what is kept, 0 or left out: for ever. Raises Misuse."""
    path = project.agent / SETTINGS
    try:
        told = tomllib.loads(disk.read(path, MOST, missing=b"").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Misuse(f"{path}: {error}: mend it or move it away") from None
    if strange := sorted(told.keys() - {"retention"}):
        raise Misuse(
            f"{path}: unknown setting {strange[0][:40]!r}. A project's is [retention] episodes = 90, audit = 365"
        )
    holds, wanted = setting.RULES["retention"]
    days = told.get("retention", {})
    if not holds(days):
        raise Misuse(f"{path}: retention {wanted}")
    return {name: many for name, many in days.items() if many}


def old(project: Project, days: Mapping[str, int], now: datetime, actor: str) -> list[Old]:
    """What is older than that, of this actor, or with "" of all. Raises OSError."""
    before = {name: (now - timedelta(days=many)).strftime("%Y-%m-%d") for name, many in days.items()}
    found = list[Old]()
    if cut := before.get("episodes"):
        found += _happened(project, cut, actor)
    if cut := before.get("audit"):
        found += _decided(project, cut, actor)
    return found


def let_go(project: Project, files: Iterable[str]) -> list[str]:
    """Remove these files, folders that are empty then, and the indexes, which are made anew; of a decision only its
    words, so that it holds. Returns what was there. Raises OSError."""
    gone = list[str]()
    for name in files:
        path = project.root / name
        if not disk.is_file(path):
            continue
        gone.append(name)
        if path.parent == project.memory / "dreams":
            left = passages.bare(disk.read(path, MOST).decode("utf-8", "replace"), ("decision", "id"))
            disk.replace(path, left.encode(), mode=0o644)
            continue
        disk.remove(path)
        with suppress(OSError):  # others stand there
            for folder in (path.parent, *path.parent.parents):
                if folder in (project.episodic, project.memory):
                    break
                folder.rmdir()
    forgotten.drop_caches(project)
    return gone


def _happened(project: Project, cut: str, actor: str) -> Iterator[Old]:
    """Events by their day, and what only this machine has of them: what an actor did then, and what was proposed."""
    for path in episodes.listed(project):
        day, who = "-".join(path.parts[-4:-1]), path.name.partition("__")[0]
        if day < cut and actor in ("", who):
            many = sum(1 for _ in episodes.numbered(path))
            yield _of(project, path, f"{plural(many, 'event')} of {who}, {day}")
    for path in sorted((project.memory / "working").glob(f"{actor or '*'}/current.json")):
        if _field(path, "updated_at") < cut:
            yield _of(project, path, f"what {path.parent.name} did last, {_field(path, 'updated_at')[:10]}")
    for path in sorted((project.memory / "working").glob(f"{actor or '*'}/dreams/*.json")):
        if _field(path, "until") < cut:
            yield _of(project, path, f"proposed to {path.parts[-3]}, seen until {_field(path, 'until')[:10]}")


def _decided(project: Project, cut: str, actor: str) -> Iterator[Old]:
    """Decisions, and what they retired."""
    for path in sorted((project.memory / "dreams").glob("*.json")):
        at, by = _field(path, "at"), _field(path, "by")
        if at >= cut or actor not in ("", by):
            continue
        entry = _field(path, "entry")
        retired = project.memory / "semantic" / "retired" / entry.removeprefix("semantic/")
        if path.name.startswith("retired-") and ".." not in Path(entry).parts and disk.is_file(retired):
            yield _of(project, retired, f"retired by {by}, {at[:10]}")
        yield _of(project, path, f"{path.name.partition('-')[0]} by {by}, {at[:10]}")


def _of(project: Project, path: Path, what: str) -> Old:
    return Old(path.relative_to(project.root).as_posix(), what)


def _field(path: Path, name: str) -> str:
    """What a file says under a name; the end of all times where it says nothing."""
    try:
        return str(json.loads(disk.read(path, MOST))[name])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return "~"
