"""READ_FILE: a file's lines, a directory's names, or a picture, PDF or sound, shown to a model that can see it."""

from __future__ import annotations

import os
import re

from dotagent.life import origins, showing
from dotagent.life.session import Session
from dotagent.life.showing import Shown, Worded
from dotagent.text import named
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose, files, uncompact

FOR = "Read a file, or some lines of it; see a picture"
USAGE = ("READ_FILE path", "READ_FILE path 2-9")
ORDER = 10
EFFECT = ""
ORIGIN = "file"
SOME = True

_ARGS = re.compile(r"(.+?)(?:\s+(\d{1,12})(?:-(\d{1,12}))?)?")
_LIKE = re.compile(  # what models write for `path 3-5`: `3 5`, `3 to 5`, `lines 3-5`; where nothing is so called
    r"(.+?)(?:,?\s{1,9}(?:lines?\s{1,9})?(\d{1,12})(?:(?:\s{0,9}[-–:]\s{0,9}|\s{1,9}(?:to\s{1,9})?)(\d{1,12}))?)?"
)


def given(life: Whose) -> bool:
    """Whether this life has it: a helper may have no files."""
    return life.terms is None or life.terms.workspace != "none"


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded:
    """The lines asked for, under a line that says which they are; or the picture, PDF or sound."""
    found = _ARGS.fullmatch(call.args)
    if not found:
        raise ToolError("which file? READ_FILE notes/plan.md, or READ_FILE notes/plan.md 1-80 for its first 80 lines")
    name = files.plain(found[1])
    path = files.readable(session, name)
    if not path.exists() and (like := _LIKE.fullmatch(call.args)):
        found, name = like, files.plain(like[1])
        path = files.readable(session, name)
    meant = named.named(call.args)
    if meant and meant.only and 0 < meant.number <= session.state.number and not path.exists():
        return uncompact.bring(session, meant)  # a number that no file has is an entry's
    if path.is_dir():
        try:
            names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in os.scandir(path))
        except OSError as error:
            raise ToolError(f"{name}: {error.strerror}") from None
        return f"{name} is a directory of {len(names)}:\n{chr(10).join(names)}".encode("utf-8", "replace")
    data = files.read(path, name)
    if not found[2] and (shown := showing.file(session, name, data)):
        return shown
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    first = int(found[2]) if found[2] else 1
    last = int(found[3]) if found[3] else first if found[2] else len(lines)
    if found[2] and not (1 <= first <= last and first <= len(lines)):
        raise ToolError(f"{name} has {len(lines)} lines: ask for a range within them, e.g. 1-{len(lines)}")
    last = min(last, len(lines))
    what = f"lines {first}-{last} of {len(lines)}" if found[2] else f"{len(lines)} lines"
    told = f"{name}, {what}:\n".encode() + b"\n".join(lines[first - 1 : last])
    return Worded(told, by=origins.OWN) if files.is_own(session, data) else told
