"""Events of a project as tests need them: at a time, by an actor, in a session."""

from __future__ import annotations

from pathlib import Path

from dotagent.project import episodes
from dotagent.project.episodes import Episode
from dotagent.project.place import Project

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def project(path: Path) -> Project:
    """An empty one."""
    one = Project(path)
    one.episodic.mkdir(parents=True)
    return one


def happened(here: Project, day: int, kind: str, summary: str, *files: str, actor: str = "alice", **more: str) -> None:
    """An event of a day since 2026-06-01, in the session of that day."""
    month, date = divmod(day, 28)
    known = {"ts": f"2026-{6 + month:02}-{1 + date:02}T10:00:00Z", "actor": actor, "session": f"s{day}"}
    episodes.append(here, Episode(**{**known, "kind": kind, "summary": summary, **more}, files=files))
