"""What a person wishes gone from a project's memory: looked for in all of `.agent/`, removed from it and from what was
rendered. What git keeps of it is git's.

A file of events keeps its length and its inode, since others append to it. It is announced first, so that a death
leaves nothing half done. Owns `memory/working/.forgetting.json` while it is done.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.project import render
from dotagent.project.place import Project
from dotagent.store import disk, walked
from dotagent.text.passages import Passages

MOST = 1 << 28
PROMISE = "working/.forgetting.json"
CACHES = ("index.sqlite", ".run")


def texts(project: Project) -> Iterator[tuple[str, str]]:
    """Every text of the memory, and where it stands."""
    for path in _files(project):
        place, text = path.relative_to(project.root).as_posix(), disk.read(path, MOST).decode("utf-8", "replace")
        for row in text.split("\n") if path.suffix == ".jsonl" else [text]:
            yield from ((place, said) for said in (_said(row) if path.suffix.startswith(".json") else [row]))


def names(project: Project) -> Iterator[str]:
    """The paths of the memory's files, below the project's root."""
    return (path.relative_to(project.root).as_posix() for path in _files(project))


def _said(row: str) -> Iterator[str]:
    """The texts in a piece of JSON."""
    try:
        told = [json.loads(row)]
    except (ValueError, RecursionError):
        yield row
        return
    while told:
        one = told.pop()
        if isinstance(one, str):
            yield one
        told += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()


def due(project: Project) -> bool:
    """Whether something shall be gone that is not gone yet."""
    return (project.memory / PROMISE).exists()


def announce(project: Project, wished: list[str]) -> None:
    """Announce durably that these sentences shall be gone. Raises Trouble where something is announced already."""
    path = project.memory / PROMISE
    disk.make_dir(path.parent)
    if not disk.create(path, json.dumps(wished).encode(), path.parent):
        raise Trouble("something else is being forgotten just now: try again when that is done")


def finish(project: Project) -> list[str]:
    """Do what is announced, from its beginning or from where a process died over it; the files that are others, or
    gone. Raises OSError, Trouble."""
    path = project.memory / PROMISE
    try:
        told = Passages(map(str, json.loads(disk.read(path))))
    except (ValueError, TypeError):
        raise Trouble(f"{path}: it does not say what shall be forgotten: move it away, then ask again") from None
    changed = [one.relative_to(project.root).as_posix() for one in _files(project) if _gone(one, told)]
    drop_caches(project)
    disk.remove(path)
    disk.sync_dir(path.parent)
    return changed


def drop_caches(project: Project) -> None:
    """Remove the indexes: they are made anew of what is left. Raises OSError."""
    for cache in _caches(project):
        disk.remove(cache)


def _gone(path: Path, told: Passages) -> bool:
    """Remove it from a file; an entry that is about nothing else, or whose name tells it, goes whole."""
    if path.suffix == ".jsonl":
        return _filled(path, told)
    before = disk.read(path, MOST).decode("utf-8", "surrogateescape")
    entry = "semantic" in path.parts or "dreams" in path.parts
    title = next((row for row in before.split("\n") if row.strip()), "") if path.suffix == ".md" else before
    if entry and told.tell(title):
        disk.remove(path)
        disk.sync_dir(path.parent)
        return True
    after = told.gone(before)
    if after != before:
        disk.replace(path, after.encode("utf-8", "surrogateescape"), keep=True)
    return after != before


def _filled(path: Path, told: Passages) -> bool:
    """Overwrite it in a file of events, under its lock, as many bytes long."""
    with disk.opened(path, os.O_RDWR) as fd, disk.locked(fd):
        before = disk.read(path, MOST)
        after = told.filled(before.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        if after != before:
            os.pwrite(fd, after, 0)
            disk.sync(fd, path)
        return after != before


def _files(project: Project) -> Iterator[Path]:
    """The memory's files, and what is rendered of it."""
    rendered = [project.root / name for name in render.FILES]
    mine = (Path(place, name) for place, _, names in walked.walk(project.agent) for name in names)
    for path in (*sorted(mine), *rendered):
        inside = path.relative_to(project.root).parts
        if disk.is_file(path) and path.name != ".forgetting.json" and not any(one.startswith(CACHES) for one in inside):
            yield path


def _caches(project: Project) -> Iterator[Path]:
    yield from project.episodic.glob("index.sqlite*")
    yield from (one for one in (project.memory / "working" / ".run").glob("*") if disk.is_file(one))
