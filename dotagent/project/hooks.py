"""How git and Claude Code tell of what is done: hooks that run `observe`, put beside what is there, and taken away.

A git hook of a person's own stays: ours is a line between marks in it. Owns these lines of `.git/hooks/post-commit` and
`post-checkout`, and one entry of `.claude/settings.json`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dotagent import installed
from dotagent.errors import Misuse
from dotagent.project import place
from dotagent.project.place import Project
from dotagent.store import disk

BEGIN, END = "# dotagent: begin", "# dotagent: end"
GIT = {
    "post-commit": "observe commit --from-git",
    "post-checkout": '[ "$3" = 1 ] && ' + "observe checkout --from-git",
}
CLAUDE = "observe edit --from-claude"
MATCHER = "Edit|MultiEdit|Write|NotebookEdit"
_OURS = re.compile(rf"{BEGIN}\n.*?{END}\n", re.DOTALL)


def install(project: Project, *, claude: bool) -> Iterator[str]:
    """Put the hooks there, and name each place that was changed. Raises Misuse, OSError."""
    for name, words in GIT.items():
        path = _folder(project) / name
        before = _text(path)
        line = words.replace("observe", f"{_command()} observe", 1)
        ours = f"{BEGIN}\n{line} >/dev/null 2>&1 || :\n{END}\n"
        plain = _OURS.sub("", before) or "#!/bin/sh\n"
        after = plain + ("" if plain.endswith("\n") else "\n") + ours
        if after != before:
            disk.make_dir(path.parent)
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0
            disk.replace(path, after.encode(), mode=mode | 0o755)
            yield str(path)
    if claude and _claude(project, put=True):
        yield str(_settings(project))


def uninstall(project: Project) -> Iterator[str]:
    """Take the hooks away, and name each place that was changed. Raises Misuse, OSError."""
    for name in GIT:
        path = _folder(project) / name
        before = _text(path)
        after = _OURS.sub("", before)
        if after == before:
            continue
        if after.strip() in ("", "#!/bin/sh"):
            disk.remove(path)
        else:
            disk.replace(path, after.encode(), keep=True)
        yield str(path)
    if _claude(project, put=False):
        yield str(_settings(project))


def _command() -> str:
    """What a hook runs: this program, by this Python."""
    if installed.INSTALLED:
        return "dotagent"
    return f"PYTHONPATH={shlex.quote(str(installed.CODE))} {shlex.quote(sys.executable)} -m dotagent"


def _folder(project: Project) -> Path:
    """Where git looks for hooks. Raises Misuse where there is no git."""
    told = place.git(project.root, "rev-parse", "--git-path", "hooks")
    if not told:
        raise Misuse(f"{project.root} is no git repository: `git init` makes it one")
    return Path(os.path.join(project.root, told))


def _settings(project: Project) -> Path:
    return project.root / ".claude" / "settings.json"


def _claude(project: Project, *, put: bool) -> bool:
    """Have the entry in Claude Code's settings, or not; whether that changed them. Raises Misuse."""
    path = _settings(project)
    try:
        told: Any = json.loads(_text(path) or "{}")
    except ValueError as error:
        raise Misuse(f"{path}: {error}: mend it or move it away") from None
    hooks: Any = told.get("hooks", {}) if isinstance(told, dict) else None
    after = hooks.get("PostToolUse", []) if isinstance(hooks, dict) else None
    if not isinstance(hooks, dict) or not isinstance(after, list):
        raise Misuse(f"{path}: hooks.PostToolUse is no list: mend it or move it away")
    mine = {"matcher": MATCHER, "hooks": [{"type": "command", "command": f"{_command()} {CLAUDE}"}]}
    others = [one for one in after if CLAUDE not in json.dumps(one)]
    new = [*others, mine] if put else others
    if new == after:
        return False
    told["hooks"] = {**hooks, "PostToolUse": new} if new else {k: v for k, v in hooks.items() if k != "PostToolUse"}
    if not told["hooks"]:
        del told["hooks"]
    if told:
        disk.make_dir(path.parent)
        text = json.dumps(told, ensure_ascii=False, indent=2) + "\n"
        disk.replace(path, text.encode(), mode=0o644, keep=True)
    else:
        disk.remove(path)
    return True


def _text(path: Path) -> str:
    """What the file says; nothing where there is none."""
    return disk.read(path, missing=b"").decode("utf-8", "replace")
