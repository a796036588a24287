"""Note what happens in a project, for the team's memory: `observe KIND WORDS`, from hooks, tools and by hand.

`observe install` makes `.agent/` and git's hooks, with --claude also Claude Code's; `observe uninstall` takes the hooks
away. `observe task-start WORDS` says what you work at, `task-end` that it is done. Any other kind is one event.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import Any

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.project import episodes, hooks, place, working
from dotagent.text import escape

KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")
FIELDS = ("actor", "tool", "agent", "session", "room", "ref")
MOST = 1 << 20  # characters that are read of what a hook tells


def arguments(parser: argparse.ArgumentParser) -> None:
    """What happened, and what else is known of it."""
    parser.add_argument("kind", metavar="KIND", help="edit, commit, decision, task-start …; or install, uninstall")
    parser.add_argument("summary", nargs="*", metavar="WORDS", help="what happened, in a line")
    parser.add_argument("--file", action="append", default=[], metavar="FILE", help="a file of it; may be repeated")
    for name in FIELDS:
        parser.add_argument(f"--{name}", metavar=name.upper(), help=f"its {name}")
    parser.add_argument("--claude", action="store_true", help="install: Claude Code's hook too")
    parser.add_argument("--from-git", action="store_true", help="a git hook calls: it is HEAD's commit")
    parser.add_argument("--from-claude", action="store_true", help="Claude Code's hook calls: it tells on stdin")
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Note it, or see to the hooks. Raises Misuse."""
    if asked.kind in ("install", "uninstall"):
        project = place.make(asked.project) if asked.kind == "install" else place.find(asked.project)
        see = hooks.install(project, claude=asked.claude) if asked.kind == "install" else hooks.uninstall(project)
        changed = list(see)
        for path in changed:
            commands.tell({"changed": path}, f"changed {path}", asked)
        if not changed:
            commands.tell({"changed": None}, f"{project.root}: nothing to change", asked)
        return 0
    if not KIND.fullmatch(asked.kind):
        raise Misuse(f"{escape.one_line(asked.kind, 40)!r} is no kind: a word in small letters, e.g. edit, decision")
    project = place.find(asked.project)
    told: dict[str, object] = {name: getattr(asked, name) for name in FIELDS}
    told |= {"kind": asked.kind, "summary": " ".join(asked.summary), "files": asked.file}
    if asked.from_git:
        told |= _git(project, asked.kind)
    if asked.from_claude:
        told |= _claude()
    if not told["summary"] and asked.kind != working.DONE:
        raise Misuse(f"what happened? `observe {asked.kind} WORDS` says it in a line")
    one = working.observe(project, told)
    commands.tell(one.__dict__, f"{one.ts[:16]} {one.actor} {one.kind}: {one.summary}", asked)
    return 0


def _git(project: place.Project, kind: str) -> dict[str, object]:
    """What git says of its last commit; of anything else, where it stands now."""
    sha, _, subject = place.git(project.root, "log", "-1", "--format=%H%n%s").partition("\n")
    if kind != "commit":
        branch = place.git(project.root, "symbolic-ref", "--short", "-q", "HEAD")
        return {"tool": "git", "summary": f"on {branch or sha[:12]}"}
    words = ("-c", "core.quotePath=false", "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "HEAD")
    files = place.git(project.root, *words).split("\n")[: episodes.FILES]
    return {"tool": "git", "summary": subject, "diff_sha": sha, "files": [name for name in files if name]}


def _claude() -> dict[str, object]:
    """What Claude Code's hook tells of a tool's use. Raises Misuse for what is none."""
    try:
        told: Any = json.loads(sys.stdin.read(MOST))
        given, session = told["tool_input"], str(told.get("session_id", ""))
        files = [str(given[name]) for name in ("file_path", "notebook_path") if given.get(name)]
        tool = str(told["tool_name"])
    except (ValueError, TypeError, KeyError, AttributeError):
        raise Misuse(
            "--from-claude is for Claude Code's PostToolUse hook, which tells on stdin what was done"
        ) from None
    return {"tool": "claude_code", "session": session, "files": files, "summary": f"{tool} {' '.join(files)}".strip()}
