"""The hooks of git and of coding programs that run `observe`: their installation next to other hooks, and their
removal.

A person's own git hook stays: our lines are between two marks in it. A hook that cannot run dotagent says so on stderr,
once a day in each repository, and never fails. Owns these lines of `.git/hooks/post-commit` and `post-checkout`, one
entry in each settings file of PROGRAMS, and two files in git's directory (commits.py).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dotagent import installed
from dotagent.errors import Misuse
from dotagent.project import commits, place
from dotagent.project.place import Project
from dotagent.store import disk

BEGIN, END = "# dotagent: begin", "# dotagent: end"
GIT = {"post-commit": "commit", "post-checkout": "checkout"}
"""Git's hooks, and the kind of event that each records."""


@dataclass(frozen=True)
class Program:
    """A coding program with hooks: its name in the memory, its settings file, the event after a tool, and a pattern for
    the names of the tools that change files.

    The other fields say where the event contains the files: `paths` and `patches` are fields of the tool's input, and
    `answer` the field of its result that lists the files that a shell command changed.
    """

    title: str
    actor: str
    settings: str
    event: str
    tools: str
    paths: tuple[str, ...] = ("file_path",)
    patches: tuple[str, ...] = ()
    answer: str = ""


PROGRAMS = {
    "claude": Program(
        "Claude Code",
        "claude_code",
        ".claude/settings.json",
        "PostToolUse",
        "Edit|MultiEdit|Write|NotebookEdit|Bash",  # in some modes, it edits by shell commands
        ("file_path", "notebook_path"),
        answer="bashEditDiff",
    ),
    "codex": Program(
        "Codex", "codex", ".codex/hooks.json", "PostToolUse", "apply_patch|Bash", (), ("command", "input", "patch")
    ),
    "gemini": Program("Gemini CLI", "gemini_cli", ".gemini/settings.json", "AfterTool", "write_file|replace"),
    "qwen": Program(
        "Qwen Code", "qwen_code", ".qwen/settings.json", "PostToolUse", "write_file|edit|replace|WriteFile|Edit"
    ),
}
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$", re.MULTILINE)
_UNDONE = re.compile(r"Pre|Before|Permission|.*Failure")  # names of events at which the tool has changed nothing
_OURS = re.compile(rf"{BEGIN}\n.*?{END}\n", re.DOTALL)


def changed_files(name: str, told: dict[str, Any]) -> list[str]:
    """Return the files that the event of this program's hook names; none if the tool failed, or has yet to run. Raise
    KeyError, TypeError or AttributeError for another form."""
    program, given, answer = PROGRAMS[name], told["tool_input"], told.get("tool_response")
    answer = answer if isinstance(answer, dict) else {}
    if _has_failed(str(told.get("tool_name")), answer) or _UNDONE.match(str(told.get("hook_event_name") or "")):
        return []
    if isinstance(given, str):  # a tool of Codex whose input is a text
        given = dict.fromkeys(program.patches, given)
    files = [str(given[one]) for one in program.paths if given.get(one)]
    patch = next((given[one] for one in program.patches if given.get(one)), "")
    files += _PATCHED.findall("\n".join(map(str, patch)) if isinstance(patch, list) else str(patch))
    changed = answer.get(program.answer)
    changed = changed if isinstance(changed, dict) else {"files": changed}
    for one in ("changedFiles", "files"):
        named = changed.get(one)
        each = (
            [one.get("filePath") if isinstance(one, dict) else one for one in named] if isinstance(named, list) else []
        )
        files += [one for one in each if one and isinstance(one, str)]
    paths = (os.path.join(str(told.get("cwd") or ""), one) for one in files)
    return [one.encode("utf-8", "replace").decode().replace("\0", "?") for one in paths]


def _has_failed(tool: str, answer: dict[str, Any]) -> bool:
    """Return True if a tool's result says that it failed. A shell command may fail after it has changed files."""
    details = answer.get("metadata")
    codes = [one.get("exit_code") for one in (answer, details) if isinstance(one, dict)]
    return bool(answer.get("error") or answer.get("is_error") or (tool == "apply_patch" and any(codes)))


def install(project: Project, names: Collection[str]) -> Iterator[str]:
    """Install the hooks of git and of the programs with these names, and yield each place that was changed. Raise
    Misuse, OSError."""
    for name, kind in GIT.items():
        path = _folder(project) / name
        before = _text(path)
        ours = f"{BEGIN}\n{_line(kind)}{END}\n"
        plain = _OURS.sub("", before) or "#!/bin/sh\n"
        after = plain + ("" if plain.endswith("\n") else "\n") + ours
        if after != before:
            disk.make_dir(path.parent)
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0
            disk.replace(path, after.encode(), mode=mode | 0o755)
            yield str(path)
    for one in names:
        if _entry(project, one, put=True):
            yield str(project.root / PROGRAMS[one].settings)


def uninstall(project: Project) -> Iterator[str]:
    """Remove the hooks, and yield each place that was changed. Raise Misuse, OSError."""
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
    for one in PROGRAMS:
        if _entry(project, one, put=False):
            yield str(project.root / PROGRAMS[one].settings)


def _line(kind: str) -> str:
    """Return the command of a git hook. A checkout of single files, whose third argument is 0, is not an event."""
    wanted = '[ "$3" != 1 ] || ' if kind == "checkout" else ""
    missed = f'git rev-parse HEAD >>"$dotagent/{commits.MISSED}"; ' if kind == "commit" else ""
    later = "; the next successful run records the commit" if kind == "commit" else ""
    said = f"echo {shlex.quote(f'dotagent did not run, so this {kind} is not in the memory of the project{later}.')}"
    try_it = shlex.quote(f"To see why, run: {_command()} observe {kind} --from-git")
    return f"{wanted}{_command()} observe {kind} --from-git >/dev/null 2>&1 || " + _otherwise(
        missed, f"{said}; echo {try_it}"
    )


def _otherwise(missed: str, said: str) -> str:
    """Return the end of a hook's line: save the missed commit, and report it once a day, even if anything else
    fails."""
    day = f'[ "$(cat "$dotagent/{commits.SAID}")" = "$(date +%F)" ]'
    told = f'date +%F >"$dotagent/{commits.SAID}"; {{ {said}; }} >&3'
    done = f"{missed}{day} || {{ {told}; }}"
    return f"{{ dotagent=$(git rev-parse --git-common-dir) && {{ {done}; }}; }} 3>&2 2>/dev/null || :\n"


def _command() -> str:
    """Return the shell words that run this program with this Python."""
    if installed.INSTALLED:
        return "dotagent"
    return f"PYTHONPATH={shlex.quote(str(installed.CODE))} {shlex.quote(sys.executable)} -m dotagent"


def _folder(project: Project) -> Path:
    """Return git's folder of hooks. Raise Misuse if there is no git repository."""
    told = place.git(project.root, "rev-parse", "--git-path", "hooks")
    if not told:
        raise Misuse(f"{project.root} is not a git repository; create one with `git init`")
    return Path(os.path.join(project.root, told))


def _entry(project: Project, name: str, *, put: bool) -> bool:
    """Add or remove the entry in a program's settings. Return whether they changed. Raise Misuse."""
    program = PROGRAMS[name]
    path, event, ours = project.root / program.settings, program.event, f"observe edit --from-{name}"
    try:
        told: Any = json.loads(_text(path) or "{}")
    except ValueError as error:
        raise Misuse(f"{path}: {error}; correct the file or move it away") from None
    hooks: Any = told.get("hooks", {}) if isinstance(told, dict) else None
    after = hooks.get(event, []) if isinstance(hooks, dict) else None
    if not isinstance(hooks, dict) or not isinstance(after, list):
        raise Misuse(f"{path}: hooks.{event} is not a list; correct it or move the file away")
    words = f"dotagent did not run, so edits are not in the memory of the project: run `observe install --{name}` again"
    shown = shlex.quote(json.dumps({"systemMessage": words}))  # the program's user sees this, but not stderr
    line = f"{_command()} {ours} >/dev/null 2>&1 || " + _otherwise("", f"echo {shlex.quote(words)}; echo {shown} >&4")
    line = f"{{ {line.strip()}; }} 4>&1"
    mine = {"matcher": program.tools, "hooks": [{"type": "command", "command": line}]}
    others = [one for one in after if ours not in json.dumps(one)]
    new = [*others, mine] if put else others
    if new == after:
        return False
    told["hooks"] = {**hooks, event: new} if new else {k: v for k, v in hooks.items() if k != event}
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
    """Return the file's text, or "" if there is no file."""
    return disk.read(path, missing=b"").decode("utf-8", "replace")
