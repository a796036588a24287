"""An actor's current work, `working/<actor>/current.json`: session, tool, branch, task, and the last files and events.

The file belongs to this machine, and git ignores it. A session ends after some hours without an event, or when a tool
names another session. Owns that file, which is replaced whole under its directory's lock.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotagent.project import episodes, place
from dotagent.project.episodes import Episode
from dotagent.project.place import Project
from dotagent.store import disk
from dotagent.text import names, times
from dotagent.text.lazy import replace

RECENT = 20  # events and files kept
IDLE = 4 * 3600  # seconds after which the next event starts a new session
TASK, DONE = "task-start", "task-end"
FIXED = ("ts", "actor", "session")  # fields that an event cannot choose
OWN = f"{place.FOLDER}/memory/"  # our own files, which every commit contains
MOST = 1 << 20


def read(project: Project, actor: str) -> dict[str, Any]:
    """Return the content of the file, or {} if it is missing or invalid."""
    try:
        told = json.loads(disk.read(project.working(actor), MOST))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def observe(project: Project, told: Mapping[str, object], at: str = "") -> Episode:
    """Record an event of the actor's session, and update the actor's current work. Raise OSError, Trouble.

    `at` is the time of an event that is recorded later. Its branch is unknown by then.
    """
    root = project.root
    actor = place.actor(root, str(told.get("actor") or ""))
    folder = project.working(actor).parent
    disk.make_dir(folder)
    with disk.locked_dir(folder):
        before, now = read(project, actor), times.now()
        named = names.slug(str(told.get("session") or ""), 12)
        session = named or _going_on(before, now) or os.urandom(6).hex()
        known = {"ts": at or now, "actor": actor, "session": session, "host": platform.node(), "repo": root.name}
        known["branch"] = "" if at else place.git(root, "symbolic-ref", "--short", "-q", "HEAD")
        known["tool"] = str(told.get("tool") or before.get("tool") or "")
        given = {name: value for name, value in told.items() if value and name not in FIXED}
        one = episodes.make_episode({**known, **given})
        there = (shared_name(root, name) for name in one.files)
        one = replace(one, files=tuple(name for name in there if not name.startswith(OWN)))
        episodes.append(project, one)
        same = before if before.get("session") == session else {}
        text = json.dumps(_apply_episode(same, one, now), ensure_ascii=False, indent=2) + "\n"
        disk.replace(project.working(actor), text.encode("utf-8", "replace"), durable=False)
    return one


def _going_on(before: Mapping[str, Any], now: str) -> str:
    """Return the session that continues, or "" if it has ended."""
    at, session = before.get("updated_at"), names.slug(str(before.get("session") or ""), 12)
    if not isinstance(at, str) or not times.is_stamp(at):
        return ""
    return session if (times.parse(now) - times.parse(at)).total_seconds() < IDLE else ""


def _apply_episode(before: Mapping[str, Any], one: Episode, now: str) -> dict[str, Any]:
    task = one.summary if one.kind == TASK else "" if one.kind == DONE else before.get("task", "")
    files = [*one.files, *(name for name in _list(before, "recent_files") if name not in one.files)]
    event = {"ts": one.ts, "kind": one.kind, "tool": one.tool, "summary": one.summary}
    return {
        "actor": one.actor,
        "session": one.session,
        "tool": one.tool,
        "branch": one.branch or before.get("branch", ""),
        "started_at": before.get("started_at") or now,
        "updated_at": now,
        "task": task,
        "recent_files": files[:RECENT],
        "recent_events": [event, *_list(before, "recent_events")][:RECENT],
    }


def _list(before: Mapping[str, Any], name: str) -> list[Any]:
    found = before.get(name)
    return found if isinstance(found, list) else []


def shared_name(root: Path, name: str) -> str:
    """Return the path relative to the project's root, or only the name of a file outside, because git shares the
    record, and a directory of one machine means nothing on another."""
    for path in (Path(os.path.normpath(root / name)), Path(os.path.realpath(root / name))):
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return f"…/{path.name}"
