"""Record an event in a project's memory.

`observe install` creates the directory `.agent/` and the git hooks. With --claude, --codex, --gemini or --qwen, the
command also installs the hook of Claude Code, Codex, Gemini CLI or Qwen Code. `observe uninstall` removes the hooks.
`observe task-start WORDS` records the task that you begin, and `observe task-end` records the end of the task. Any
other kind, such as `observe decision WORDS`, records one event. If the git hook could not run dotagent for some
commits, the next `observe` first records these commits.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import Any

from dotagent import commands
from dotagent.errors import Misuse, Trouble
from dotagent.project import commits, hooks, place, working
from dotagent.text import escape, times

GROUP = "project"

KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")
FIELDS = {
    "actor": "the person or program that caused the event (default: you, by your name in this project)",
    "tool": "the program that the actor used, e.g. claude_code",
    "agent": "the agent of dotagent that caused the event",
    "session": "the id of that program's session",
    "room": "the room (chat) in which the event happened",
    "ref": "where to read more about the event, e.g. the address of an issue",
}
"""The fields of an event, and the help of their options."""
MOST = 1 << 26  # bytes of a hook's input that are read; an event has whole files in it
FILES = 100  # files of an event that are recorded


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the kind of the event and its fields."""
    parser.add_argument(
        "kind",
        metavar="KIND",
        help="the kind of event, such as edit, commit or decision; or `install` or `uninstall` for the git hooks",
    )
    parser.add_argument("summary", nargs="*", metavar="WORDS", help="a description, on one line")
    parser.add_argument(
        "--file", action="append", default=[], metavar="FILE", help="a file that the event is about; can be repeated"
    )
    for name, told in FIELDS.items():
        parser.add_argument(f"--{name}", metavar=name.upper(), help=told)
    parser.add_argument("--from-git", action="store_true", help="for the git hook: record the commit at HEAD")
    for name, program in hooks.PROGRAMS.items():
        told = f"for `install`: also install the hook of {program.title}"
        parser.add_argument(f"--{name}", dest="wanted", action="append_const", const=name, default=[], help=told)
        told = f"for the hook of {program.title}: read the event from stdin"
        parser.add_argument(f"--from-{name}", dest="hook", action="store_const", const=name, help=told)
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Record the event, or install or uninstall the hooks. Raise Misuse."""
    if asked.kind in ("install", "uninstall"):
        project = place.make(asked.project) if asked.kind == "install" else place.find(asked.project)
        see = hooks.install(project, asked.wanted) if asked.kind == "install" else hooks.uninstall(project)
        changed = list(see)
        (commits.catch_up if asked.kind == "install" else commits.forget_missed)(project)
        for path in changed:
            commands.tell({"changed": path}, f"changed {path}", asked)
        if not changed:
            commands.tell({"changed": None}, f"{project.root}: nothing to change", asked)
        return 0
    if not KIND.fullmatch(asked.kind):
        raise Misuse(
            f"{escape.one_line(asked.kind, 40)!r} cannot be a kind of event; use one word in lower case, e.g. edit "
            f"or decision"
        )
    try:
        project = place.find(asked.project)
    except Misuse as wrong:
        raise (Trouble(str(wrong)) if asked.hook else wrong) from None
    commits.catch_up(project)
    told: dict[str, object] = {name: getattr(asked, name) for name in FIELDS}
    told |= {"kind": asked.kind, "summary": " ".join(asked.summary), "files": asked.file}
    if asked.from_git:
        told |= _git(project, asked.kind)
    if asked.hook:
        told |= (found := _edit(project, asked.hook))
        if not found["files"]:
            return 0
    if not told["summary"] and asked.kind != working.DONE:
        raise Misuse(f"the description is missing: observe {asked.kind} WORDS")
    one = working.observe(project, told)
    commands.tell(one.__dict__, f"{times.format_stamp(one.ts)} {one.actor} {one.kind}: {one.summary}", asked)
    return 0


def _git(project: place.Project, kind: str) -> dict[str, object]:
    """Return the fields of HEAD's commit; for another kind of event, the position of HEAD."""
    if kind == "commit":
        return commits.commit_fields(project)
    sha = place.git(project.root, "rev-parse", "HEAD")
    branch = place.git(project.root, "symbolic-ref", "--short", "-q", "HEAD")
    return {"tool": "git", "summary": f"on {branch or sha[:12]}"}


def _edit(project: place.Project, name: str) -> dict[str, object]:
    """Return the fields of a tool's use that a program's hook sends, with the files that it changed. Raise Trouble for
    other input; status 2 would stop the program's model."""
    program = hooks.PROGRAMS[name]
    try:
        told: Any = json.loads(sys.stdin.buffer.read(MOST))
        session, tool = str(told.get("session_id", "")), str(told["tool_name"])
        files = hooks.changed_files(name, told)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        event = f"{program.title}'s {program.event} hook"
        raise Trouble(
            f"--from-{name}: standard input does not contain an event of {event}; leave out this option, which only "
            "the hook uses"
        ) from None
    files = list(dict.fromkeys(working.shared_name(project.root, one) for one in files))[:FILES]
    return {"tool": program.actor, "session": session, "files": files, "summary": f"{tool} {' '.join(files)}"}
