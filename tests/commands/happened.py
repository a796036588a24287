"""A project in which two people did a few things, and what a command says of it."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from dotagent import commands
from dotagent.project import episodes
from dotagent.project.episodes import Episode
from dotagent.project.place import Project

DONE = [
    ("2026-11-20T10:00:00Z", "alice", "commit", "first", ("a.py",)),
    ("2026-11-21T10:00:00Z", "bob", "edit", "second", ("a.py", "b.py")),
    ("2026-11-21T11:00:00Z", "alice", "edit", "third", ("c.py",)),
]


def project(path: Path) -> Project:
    """The project, its events in it."""
    here = Project(path)
    here.episodic.mkdir(parents=True)
    for ts, actor, kind, summary, files in DONE:
        episodes.append(here, Episode(ts, actor, "0123", kind, tool="vim", files=files, summary=summary))
    return here


def asked(here: Project, name: str, *words: str) -> list[dict[str, Any]]:
    """What the command lists, as it does with --json."""
    with redirect_stdout(StringIO()) as out:
        assert commands.run(name, ["--project", str(here.root), "--json", *words]) == 0
    return [json.loads(line) for line in out.getvalue().split("\n")[:-1]]


def printed(here: Project, name: str, *words: str) -> str:
    """What the command prints for a person."""
    with redirect_stdout(StringIO()) as out:
        assert commands.run(name, ["--project", str(here.root), *words]) == 0
    return out.getvalue()
