"""The files of a project's memory that are too old by `[retention]` in `.agent/settings.toml`, for example `episodes =
90, audit = 365` (days).

Nothing is too old without that setting. A person removes only their own files, because two people never change the same
file. Each file is removed whole, so after a crash the same request continues. Owns nothing on disk; people write the
settings.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.project import episodes, erasure
from dotagent.project.place import Project
from dotagent.store import disk, safe_paths, setting_rules
from dotagent.text import encoding, passages
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass
from dotagent.text.sizes import plural

SETTINGS = "settings.toml"  # in .agent/
MOST = 1 << 20


@dataclass(frozen=True)
class Old:
    """A file that is too old: its path below the project's root, and a description."""

    path: str
    what: str


def retention_days(project: Project) -> Mapping[str, int]:
    """Return for how many days each kind is kept. A kind that is 0 or left out is kept forever. Raise Misuse."""
    path = project.agent / SETTINGS
    try:
        told = tomllib.loads(encoding.decode(disk.read(path, MOST, missing=b""))[0])
    except (tomllib.TOMLDecodeError, NotText, RecursionError) as error:
        raise Misuse(f"{path}: {error}; correct the file or move it away") from None
    if strange := sorted(told.keys() - {"retention"}):
        raise Misuse(
            f"{path}: unknown setting {strange[0][:40]!r}; a project has only the setting [retention], e.g. "
            "episodes = 90, audit = 365 (days)"
        )
    holds, wanted = setting_rules.rules()["retention"]
    days = told.get("retention", {})
    if not holds(days):
        raise Misuse(f"{path}: retention {wanted}")
    return {name: many for name, many in days.items() if many}


def old(project: Project, days: Mapping[str, int], now: datetime, actor: str) -> list[Old]:
    """Return the files of this actor that are older; with "" of all actors. Raise OSError."""
    before = {name: (now - timedelta(days=many)).strftime("%Y-%m-%d") for name, many in days.items()}
    found = list[Old]()
    if cut := before.get("episodes"):
        found += _happened(project, cut, actor)
    if cut := before.get("audit"):
        found += _decided(project, cut, actor)
    return found


def let_go(project: Project, files: Iterable[str]) -> list[str]:
    """Remove these files, the folders that become empty, and the indexes, which are rebuilt. A decision loses only its
    text, so it stays in force. Return the files that existed. Raise OSError."""
    gone = list[str]()
    for name in files:
        path = project.root / name
        if not disk.is_file(path):
            continue
        gone.append(name)
        if path.parent == project.memory / "dreams":
            left = passages.parse_bare(disk.read(path, MOST).decode("utf-8", "replace"), ("decision", "id"))
            disk.replace(path, left.encode(), mode=0o644)
            continue
        disk.remove(path)
        with suppress(OSError):  # not empty
            for folder in (path.parent, *path.parent.parents):
                if folder in (project.episodic, project.memory):
                    break
                folder.rmdir()
    erasure.drop_caches(project)
    return gone


def _happened(project: Project, cut: str, actor: str) -> Iterator[Old]:
    """Yield old files of events, and old files of this machine: an actor's last activity and proposals."""
    for path in episodes.list_files(project):
        day, who = "-".join(path.parts[-4:-1]), path.name.partition("__")[0]
        if day < cut and actor in ("", who):
            many = sum(1 for _ in episodes.numbered(path))
            yield _make_old(project, path, f"{plural(many, 'event')} of {who}, {day}")
    for path in safe_paths.matching(project.agent, f"memory/working/{actor or '*'}/current.json"):
        if _field(path, "updated_at") < cut:
            what = f"the last activity of {path.parent.name}, {_field(path, 'updated_at')[:10]}"
            yield _make_old(project, path, what)
    for path in safe_paths.matching(project.agent, f"memory/working/{actor or '*'}/dreams/*.json"):
        if _field(path, "until") < cut:
            what = f"a proposal to {path.parts[-3]}; its latest evidence is from {_field(path, 'until')[:10]}"
            yield _make_old(project, path, what)


def _decided(project: Project, cut: str, actor: str) -> Iterator[Old]:
    """Yield old decisions, and the entries that they retired."""
    for path in safe_paths.matching(project.agent, "memory/dreams/*.json"):
        at, by = _field(path, "at"), _field(path, "by")
        if at >= cut or actor not in ("", by):
            continue
        entry = _field(path, "entry")
        retired = project.memory / "semantic" / "retired" / entry.removeprefix("semantic/")
        if path.name.startswith("retired-") and ".." not in Path(entry).parts and disk.is_file(retired):
            yield _make_old(project, retired, f"retired by {by}, {at[:10]}")
        yield _make_old(project, path, f"{path.name.partition('-')[0]} by {by}, {at[:10]}")


def _make_old(project: Project, path: Path, what: str) -> Old:
    return Old(path.relative_to(project.root).as_posix(), what)


def _field(path: Path, name: str) -> str:
    """Return a field of a JSON file, or `~`, which sorts after all times, if it is missing."""
    try:
        return str(json.loads(disk.read(path, MOST))[name])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return "~"
