"""Removal of sentences that a person wants to forget from a project's memory: from all of `.agent/` and from rendered
files. Git's history keeps it.

A file of events keeps its length and its inode, because other processes append to it. The removal is announced first,
so it continues after a crash. Owns `memory/working/.forgetting.json` until it is done.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.project import render
from dotagent.project.place import Project
from dotagent.store import directories, disk, safe_paths
from dotagent.text import encoding
from dotagent.text.encoding import NotText
from dotagent.text.passages import Passages

MOST = 1 << 28
PROMISE = "working/.forgetting.json"
CACHES = ("index.sqlite", ".run")


def texts(project: Project) -> Iterator[tuple[str, str]]:
    """Yield every text of the memory, with its file."""
    for path in _files(project):
        place = path.relative_to(project.root).as_posix()
        text = encoding.utf8(disk.read(path, MOST)).decode("utf-8", "replace")
        for row in text.split("\n") if path.suffix == ".jsonl" else [text]:
            yield from ((place, said) for said in (_strings_in(row) if path.suffix.startswith(".json") else [row]))


def names(project: Project) -> Iterator[str]:
    """Yield the paths of the memory's files below the project's root."""
    return (path.relative_to(project.root).as_posix() for path in _files(project))


def _strings_in(row: str) -> Iterator[str]:
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


def is_unfinished(project: Project) -> bool:
    """Return True if a removal was announced and is not finished."""
    return (project.memory / PROMISE).exists()


def announce(project: Project, wished: list[str]) -> None:
    """Announce durably that these sentences must be removed. Raise Trouble if another removal is announced."""
    path = project.memory / PROMISE
    disk.make_dir(path.parent)
    if not disk.create(path, json.dumps(wished).encode()):
        raise Trouble("another permanent deletion is running; try again in a minute")


def finish(project: Project) -> list[str]:
    """Do or continue the announced removal. Return the files that were changed or deleted. Raise OSError, Trouble."""
    path = project.memory / PROMISE
    try:
        told = Passages(map(str, json.loads(disk.read(path))))
    except (ValueError, TypeError):
        raise Trouble(f"{path} is damaged; move it away, then repeat `forget`") from None
    changed = [one.relative_to(project.root).as_posix() for one in _files(project) if _gone(one, told)]
    drop_caches(project)
    disk.remove(path)
    disk.sync_dir(path.parent)
    return changed


def drop_caches(project: Project) -> None:
    """Remove the indexes. They are rebuilt from the remaining files. Raise OSError."""
    for cache in _caches(project):
        disk.remove(cache)


def _gone(path: Path, told: Passages) -> bool:
    """Remove the sentences from a file. Delete an entry that has no other text or whose name contains one."""
    if path.suffix == ".jsonl":
        return _overwrite(path, told)
    data, form = disk.read(path, MOST), None
    try:
        before, form = encoding.decode(data)
    except NotText:
        before = data.decode("utf-8", "surrogateescape")
    entry = "semantic" in path.parts or "dreams" in path.parts
    title = next((row for row in before.split("\n") if row.strip()), "") if path.suffix == ".md" else before
    if entry and told.tell(title):
        disk.remove(path)
        disk.sync_dir(path.parent)
        return True
    after = told.gone(before)
    if after != before:
        left = encoding.encode(after, form) if form else after.encode("utf-8", "surrogateescape")
        disk.replace(path, left, keep=True)
    return after != before


def _overwrite(path: Path, told: Passages) -> bool:
    """Overwrite the sentences in a file of events under its lock; the length in bytes stays."""
    with disk.open_regular(path, os.O_RDWR) as fd, disk.locked(fd):
        before = disk.read(path, MOST)
        after = told.filled(before.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        if after != before:
            os.pwrite(fd, after, 0)
            disk.sync(fd, path)
        return after != before


def _files(project: Project) -> Iterator[Path]:
    rendered = [project.root / name for name in render.FILES]
    mine = (Path(place, name) for place, _, names in directories.walk(project.agent) for name in names)
    for path in (*sorted(mine), *rendered):
        inside = path.relative_to(project.root).parts
        if disk.is_file(path) and path.name != ".forgetting.json" and not any(one.startswith(CACHES) for one in inside):
            yield path


def _caches(project: Project) -> Iterator[Path]:
    index = f"{project.episodic.relative_to(project.agent).as_posix()}/index.sqlite*"
    yield from safe_paths.matching(project.agent, index)
    yield from (one for one in safe_paths.matching(project.agent, "memory/working/.run/*") if disk.is_file(one))
