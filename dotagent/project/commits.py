"""Commits as events, including commits that a hook missed because it could not run dotagent.

Such a hook appends the commit's hash to `dotagent-missed` in git's directory. The next command that observes something
records these commits, with their own times. Owns the renaming of that file to `dotagent-missed.taken`, and its removal.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from dotagent.project import episodes, place, working
from dotagent.project.place import Project
from dotagent.store import disk
from dotagent.text import times

MISSED, SAID = "dotagent-missed", "dotagent-said"
"""In git's directory: the commits that no hook could record, a hash a line; and the day on which a hook said so."""
_SHA = re.compile(rb"^(?:[0-9a-f]{40}|[0-9a-f]{64})$", re.MULTILINE)


def commit_fields(project: Project, commit: str = "HEAD") -> dict[str, object]:
    """Return the fields of a commit's event; none if git does not have the commit. The subject of a commit that another
    wrote, such as a picked one, names its author."""
    told = place.git(project.root, "log", "-1", "--format=%H%n%ae%n%an%n%s", commit, "--")
    sha, email, name, subject = (*told.split("\n", 3), "", "", "")[:4]
    if not sha:
        return {}
    by = place.other(project.root, email, name)
    subject += f" (by {by})" if by and subject else ""
    words = ("-c", "core.quotePath=false", "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", sha)
    files = place.git(project.root, *words).split("\n")[: episodes.FILES]
    return {"tool": "git", "summary": subject, "diff_sha": sha, "files": [name for name in files if name]}


def catch_up(project: Project) -> None:
    """Record the commits that hooks missed. Raises OSError, Trouble.

    A process that dies meanwhile leaves the renamed file, so the next call continues. Commits that are recorded already
    are known by their hashes.
    """
    folder = folder_of(project)
    if folder is None or not any(os.path.lexists(folder / name) for name in (MISSED, f"{MISSED}.taken")):
        return
    disk.make_dir(project.episodic)
    with disk.locked_dir(project.episodic):
        taken = folder / f"{MISSED}.taken"
        for _ in range(2):  # first the leftovers of an interrupted call
            if not os.path.lexists(taken) and os.path.lexists(folder / MISSED):
                os.rename(folder / MISSED, taken)
            if os.path.lexists(taken):
                _record(project, _SHA.findall(disk.read(taken)))
                disk.remove(taken)


def _record(project: Project, missed: list[bytes]) -> None:
    """Record those of these commits that no event names yet, oldest first."""
    known = {one.diff_sha for path in episodes.list_files(project) for _, one in episodes.read(path)}
    for sha in dict.fromkeys(one.decode() for one in missed):
        fields = commit_fields(project, sha) if sha not in known else {}
        if fields.get("summary"):
            seconds = place.git(project.root, "log", "-1", "--format=%ct", sha, "--")
            at = times.make_stamp(datetime.fromtimestamp(int(seconds), UTC))
            working.observe(project, {"kind": "commit", **fields}, at.replace("Z", ".000000Z"))  # sorted as text


def forget_missed(project: Project) -> None:
    """Remove the hooks' files in git's directory."""
    if folder := folder_of(project):
        for name in (MISSED, f"{MISSED}.taken", SAID):
            disk.remove(folder / name)


def folder_of(project: Project) -> Path | None:
    """Return git's directory, which all worktrees of a repository share, or None without git."""
    found = place.git(project.root, "rev-parse", "--git-common-dir")
    return project.root / found if found else None
