"""Where a project's memory is, and who works there: `.agent/` found upward from a directory, the actor, git's branch.

Of what is there only `memory/working/` and the index are this machine's own; its `.gitignore` says so. Owns
`.agent/.gitignore`.
"""

from __future__ import annotations

import getpass
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dotagent import installed
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk, process
from dotagent.text.names import slug

FOLDER = ".agent"
IGNORED = "memory/working/\nmemory/episodic/index.sqlite*\n"
MOST = 40  # characters of an actor's name
SECONDS = 10.0  # that git may take


@dataclass(frozen=True)
class Project:
    """A project's root, and the parts of its memory."""

    root: Path

    @property
    def agent(self) -> Path:
        """What is the team's: rules, patterns, memory."""
        return self.root / FOLDER

    @property
    def memory(self) -> Path:
        """The four memories."""
        return self.agent / "memory"

    @property
    def episodic(self) -> Path:
        """What happened, a file a day, actor and session."""
        return self.memory / "episodic"

    def working(self, actor: str) -> Path:
        """What an actor does now, on this machine."""
        return self.memory / "working" / actor / "current.json"

    def profile(self, actor: str) -> Path:
        """What an actor likes."""
        return self.memory / "personal" / actor / "profile.yaml"


def find(given: str | None) -> Project:
    """The project that is meant: this directory, or the nearest above the current one that has `.agent/`.

    Raises Misuse where none has.
    """
    start = Path(os.path.realpath(given or os.getcwd()))
    for root in (start, *(() if given else start.parents)):
        if (root / FOLDER).is_dir():
            return Project(root)
    raise Misuse(f"{start} has no {FOLDER}/{'' if given else ', nor has any directory above it'}: "
                 f"`{installed.typed('observe')} install` makes one")  # fmt: skip


def make(given: str | None) -> Project:
    """The project of this directory, or of git's root above the current one; what it lacks is made."""
    start = Path(os.path.realpath(given or os.getcwd()))
    top = start if given else Path(git(start, "rev-parse", "--show-toplevel") or start)
    project = Project(top)
    disk.make_dir(project.episodic)
    if not (project.agent / ".gitignore").exists():
        disk.replace(project.agent / ".gitignore", IGNORED.encode(), mode=0o644)
    return project


def git(where: Path, *words: str) -> str:
    """What git says, stripped; empty where it says nothing, fails or is not there."""
    try:
        done = subprocess.run(["git", "-C", str(where), *words], capture_output=True, timeout=SECONDS, check=False,
                              env=process.no_hook())  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def actor(where: Path, named: str = "") -> str:
    """Who is named, or else works here, as a name for files: DOTAGENT_ACTOR, git's `dotagent.actor`, who git says
    commits, the user. Raises Trouble for nobody."""
    if name := slug(named, MOST):
        return name
    said = os.environ.get("DOTAGENT_ACTOR") or git(where, "config", "dotagent.actor")
    said = said or git(where, "config", "user.email").partition("@")[0] or _user()
    if name := slug(said, MOST):
        return name
    raise Trouble("who works here? `git config dotagent.actor NAME` says it, or DOTAGENT_ACTOR")


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
