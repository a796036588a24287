"""READ_FILE: return the lines of a file or the names in a directory, or show the model a picture, a PDF or a sound."""

from __future__ import annotations

import re

from dotagent.life import media_results, origins
from dotagent.life.session import Session
from dotagent.life.tool_results import Shown, Worded
from dotagent.text import encoding, entry_names
from dotagent.text.encoding import NotText
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, files

FOR = "Read a file or some of its lines; see a picture"
USAGE = ("READ_FILE path", "READ_FILE path 2-9")
ORDER = 10
EFFECT = ""
ORIGIN = "file"
SOME = "reads"

_ARGS = re.compile(r"(.+?)(?:\s+(\d{1,12})(?:-(\d{1,12}))?)?")
_LIKE = re.compile(  # as models write `path 3-5`: `3 5`, `3 to 5`, `lines 3-5`; if no file has that name
    r"(.+?)(?:,?\s{1,9}(?:lines?\s{1,9})?(\d{1,12})(?:(?:\s{0,9}[-–:]\s{0,9}|\s{1,9}(?:to\s{1,9})?)(\d{1,12}))?)?"
)


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded:
    """Return the requested lines after a line that says which they are, or the picture, PDF or sound."""
    found = _ARGS.fullmatch(call.args)
    if not found:
        raise ToolError(
            "the file's path is missing: READ_FILE notes/plan.md, or READ_FILE notes/plan.md 1-80 for "
            "its first 80 lines"
        )
    name = files.strip_quotes(found[1])
    place = files.readable(session, name)
    if not files.stands(place) and (like := _LIKE.fullmatch(call.args)):
        found, name = like, files.strip_quotes(like[1])
        place = files.readable(session, name)
    meant = entry_names.find_name(call.args)
    if meant and meant.only and 0 < meant.number <= session.state.number and not files.stands(place):
        from dotagent.tools import uncompact

        return uncompact.bring(session, meant)  # a number that is not a file means an entry
    name = files.command_name(session, name)
    if (names := files.list_directory(place, name)) is not None:
        listed = f"{name} is a directory of {len(names)}:\n{chr(10).join(names)}".encode("utf-8", "replace")
        return listed if names else Worded(listed, by=origins.OWN)  # only names may be others' words
    data = files.read(place, name)
    if not found[2] and (shown := media_results.file(session, name, data)):
        return shown
    lines = _lines(data)
    first = int(found[2]) if found[2] else 1
    last = int(found[3]) if found[3] else first if found[2] else len(lines)
    if found[2] and not (1 <= first <= last and first <= len(lines)):
        raise ToolError(f"{name} has {len(lines)} lines; ask for a range within them, e.g. 1-{len(lines)}")
    last = min(last, len(lines))
    what = f"lines {first}-{last} of {len(lines)}" if found[2] else f"{len(lines)} line{'s' * (len(lines) != 1)}"
    told = f"{name}, {what}:\n".encode() + b"\n".join(lines[first - 1 : last])
    return Worded(told, by=origins.OWN) if files.is_own(session, data) else told


def _lines(data: bytes) -> list[bytes]:
    """Return the lines of a file as UTF-8, or as bytes if it is not text."""
    try:
        return [line.encode("utf-8", "replace") for line in encoding.lines(encoding.decode(data)[0])]
    except NotText:
        return data.removesuffix(b"\n").split(b"\n") if data else []
