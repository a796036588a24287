"""WRITE_FILE: a file's new content, whole."""

from __future__ import annotations

from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, files

FOR = "Make a new file"
USAGE = ("WRITE_FILE path <<END", "…its lines…", "END")
ORDER = 11
EFFECT = "write"
ORIGIN = "own"
SOME = True
given = files.may_change


def act(session: Session, call: ToolCall) -> bytes:
    """Write the file at once; a reader never sees a part of it."""
    if call.body is None:
        raise ToolError("what shall the file hold? WRITE_FILE path <<END, its lines, then END on a line of its own")
    data = call.body.encode("utf-8", "replace")
    more = files.change(session, call, lambda _: data)
    return _told(call, data) + more


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Whether the write that was under way has happened; if not, it happens now."""
    return files.recover(session, call, what, lambda: act(session, call), lambda data: _told(call, data))


def _told(call: ToolCall, data: bytes) -> bytes:
    return f"wrote {call.args}, {len(data):,} bytes".encode()
