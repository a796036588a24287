"""What an actor does now, `working/<actor>/current.json`: session, tool, branch, task, the last files and events.

It is this machine's own, and git ignores it. A session ends when nothing was observed for some hours, or when a tool
names another. Owns that file, which is replaced whole under its directory's lock.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dotagent.project import episodes, place
from dotagent.project.episodes import Episode
from dotagent.project.place import Project
from dotagent.store import disk
from dotagent.text import names, times

RECENT = 20  # events, and files, that are told
IDLE = 4 * 3600  # seconds after which the next event begins a session
TASK, DONE = "task-start", "task-end"
OWN = f"{place.FOLDER}/memory/"  # files that this writes: each commit has some, and they tell nothing
MOST = 1 << 20


def read(project: Project, actor: str) -> dict[str, Any]:
    """What it says; nothing where there is none, or what is none."""
    try:
        told = json.loads(disk.read(project.working(actor), MOST))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def observe(project: Project, told: Mapping[str, object]) -> Episode:
    """Let this have happened: an event of the actor's session, and what the actor does now. Raises OSError, Trouble."""
    root = project.root
    actor = place.actor(root, str(told.get("actor") or ""))
    folder = project.working(actor).parent
    disk.make_dir(folder)
    with disk.locked_dir(folder):
        before, now = read(project, actor), times.now()
        named = names.slug(str(told.get("session") or ""), 12)
        session = named or _going_on(before, now) or os.urandom(6).hex()
        known = {"ts": now, "actor": actor, "session": session, "host": episodes.host(), "repo": root.name}
        known["branch"] = place.git(root, "symbolic-ref", "--short", "-q", "HEAD")
        known["tool"] = str(told.get("tool") or before.get("tool") or "")
        one = episodes.made({**known, **{name: value for name, value in told.items() if value}, **_fixed(known)})
        there = (_relative(root, name) for name in one.files)
        one = replace(one, files=tuple(name for name in there if not name.startswith(OWN)))
        episodes.append(project, one)
        same = before if before.get("session") == session else {}
        disk.replace(project.working(actor), _encoded(_after(same, one)), durable=False)
    return one


def _fixed(known: Mapping[str, str]) -> dict[str, str]:
    return {name: known[name] for name in ("ts", "actor", "session")}


def _going_on(before: Mapping[str, Any], now: str) -> str:
    """The session that goes on; empty when it is over."""
    at, session = before.get("updated_at"), names.slug(str(before.get("session") or ""), 12)
    if not isinstance(at, str) or not times.is_stamp(at):
        return ""
    return session if (times.parse(now) - times.parse(at)).total_seconds() < IDLE else ""


def _after(before: Mapping[str, Any], one: Episode) -> dict[str, Any]:
    task = one.summary if one.kind == TASK else "" if one.kind == DONE else before.get("task", "")
    files = [*one.files, *(name for name in _list(before, "recent_files") if name not in one.files)]
    event = {"ts": one.ts, "kind": one.kind, "tool": one.tool, "summary": one.summary}
    return {
        "actor": one.actor,
        "session": one.session,
        "tool": one.tool,
        "branch": one.branch,
        "started_at": before.get("started_at") or one.ts,
        "updated_at": one.ts,
        "task": task,
        "recent_files": files[:RECENT],
        "recent_events": [event, *_list(before, "recent_events")][:RECENT],
    }


def _list(before: Mapping[str, Any], name: str) -> list[Any]:
    found = before.get(name)
    return found if isinstance(found, list) else []


def _encoded(told: Mapping[str, Any]) -> bytes:
    return (json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _relative(root: Path, name: str) -> str:
    """The file's path within the project, where it lies there."""
    path = Path(os.path.normpath(root / name))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else name
