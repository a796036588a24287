"""WRITE_FILE: a file's new content, whole."""

from __future__ import annotations

from dotagent.life import Line
from dotagent.mind import Mind
from dotagent.text.grammar import Call
from dotagent.tools import ToolError, files

USAGE = ("WRITE_FILE notes/plan.md <<END", "…the whole file…", "END")


def act(mind: Mind, call: Call) -> bytes:
    """Write the file at once; a reader never sees a part of it."""
    if call.body is None:
        raise ToolError("what shall the file hold? WRITE_FILE path <<END, its lines, then END on a line of its own")
    data = call.body.encode("utf-8", "replace")
    files.change(mind, call.args, lambda _: data)
    return _told(call, data)


def settle(mind: Mind, call: Call, line: Line) -> bytes:
    """Whether the write that was under way has happened; if not, it happens now."""
    return files.settle(mind, call.args, line, lambda: act(mind, call), lambda data: _told(call, data))


def _told(call: Call, data: bytes) -> bytes:
    return f"wrote {call.args}, {len(data):,} bytes".encode()
