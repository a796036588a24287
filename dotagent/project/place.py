"""The place of a project's memory, and the actor there: the nearest `.agent/` upward from a directory, the actor's
name, and git.

Only `memory/working/` and the index belong to this machine, so `.agent/.gitignore` lists them. Owns that file.
"""

from __future__ import annotations

import getpass
import os
import re
import subprocess
from pathlib import Path

from dotagent import installed
from dotagent.errors import Misuse, Trouble
from dotagent.store import child_processes, disk
from dotagent.text import escape
from dotagent.text.lazy import dataclass
from dotagent.text.names import slug

FOLDER = ".agent"
IGNORED = "memory/working/\nmemory/episodic/index.sqlite*\n"
MOST, LONGEST = 40, 80  # characters of an actor's name, and of an author's email
SECONDS = 10.0  # that git may take


@dataclass(frozen=True)
class Project:
    """A project's root, and the paths of its memory."""

    root: Path

    @property
    def agent(self) -> Path:
        """The team's folder: rules, patterns and memory."""
        return self.root / FOLDER

    @property
    def memory(self) -> Path:
        """The folder of the four memories."""
        return self.agent / "memory"

    @property
    def episodic(self) -> Path:
        """The folder of events, with one file per day, actor and session."""
        return self.memory / "episodic"

    def working(self, actor: str) -> Path:
        """The file of an actor's current work on this machine."""
        return self.memory / "working" / actor / "current.json"

    def profile(self, actor: str) -> Path:
        """The file of an actor's preferences."""
        return self.memory / "personal" / actor / "profile.yaml"


def find(given: str | None) -> Project:
    """Return the project: in the given directory, or in the nearest directory with `.agent/` upward from the current
    one.

    Raise Misuse if no directory has it.
    """
    start = Path(os.path.realpath(given or os.getcwd()))
    if given and not start.is_dir():
        raise Misuse(f"--project {given}: there is no such directory")
    for root in (start, *(() if given else start.parents)):
        if (root / FOLDER).is_dir():
            return Project(root)
    raise Misuse(f"{start} has no {FOLDER}/{'' if given else ', nor has any directory above it'}: "
                 f"create one with `{installed.program('observe')} install`")  # fmt: skip


def make(given: str | None) -> Project:
    """Return the project of the given directory, or of git's root above the current one. Create missing parts."""
    start = Path(os.path.realpath(given or os.getcwd()))
    top = start if given else Path(git(start, "rev-parse", "--show-toplevel") or start)
    project = Project(top)
    disk.make_dir(project.episodic)
    if not (project.agent / ".gitignore").exists():
        disk.replace(project.agent / ".gitignore", IGNORED.encode(), mode=0o644)
    return project


def git(where: Path, *words: str) -> str:
    """Return git's output, stripped, or "" if git fails or is not installed."""
    try:
        done = subprocess.run(["git", "-C", str(where), *words], capture_output=True, timeout=SECONDS, check=False,
                              env=child_processes.no_hook())  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def actor(where: Path, named: str = "") -> str:
    """Return the actor's name, usable in file names: the given name, DOTAGENT_ACTOR, git's `dotagent.actor`, git's
    email, or the user. Raise Trouble if all are empty."""
    if name := slug(named, MOST):
        return name
    said = os.environ.get("DOTAGENT_ACTOR") or git(where, "config", "dotagent.actor")
    said = said or git(where, "config", "user.email").partition("@")[0] or _user()
    if name := slug(said, MOST):
        return name
    raise Trouble("your name is unknown; set it with `git config dotagent.actor NAME` or DOTAGENT_ACTOR")


def other(where: Path, email: str, name: str, named: str = "") -> str:
    """Return the email of a commit's author, unless this is the actor: by name, by email, or by git's own settings."""
    mine = actor(where, named)
    own = mine in (slug(email.partition("@")[0], MOST), slug(name, MOST)) or email == git(where, "config", "user.email")
    return "" if own or not email else escape.one_line(re.sub(r"[^\w.@+-]", "", email), LONGEST) or "another"


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
