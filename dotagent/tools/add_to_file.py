"""ADD_TO_FILE: lines below what a file holds. Models of every size ask for such a tool where there is none, and a
passage to replace by nothing, which does the same in EDIT_FILE, is what small ones get wrong.
"""

from __future__ import annotations

from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.text.sizes import plural
from dotagent.tools import ToolError, files

FOR = "Add lines at the end of a file"
USAGE = ("ADD_TO_FILE path <<END", "…the new lines…", "END")
ORDER = 12
EFFECT = "write"
ORIGIN = "own"
SOME = True
given = files.may_change


def act(session: Session, call: ToolCall) -> bytes:
    """Write the file anew with the lines at its end; one that is not there holds them alone."""
    if not call.body:
        raise ToolError("what shall be added? ADD_TO_FILE path <<END, the lines, then END on a line of its own")
    if call.body.startswith("<<<<<<< SEARCH\n") and call.body.endswith(">>>>>>> REPLACE\n"):
        raise ToolError(f"these lines change a file, nothing was added: EDIT_FILE {call.args} <<END and they")
    added = call.body.encode("utf-8", "replace")
    more = files.change(session, call, lambda before: _ended(before or b"") + added)
    return _told(call) + more


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Whether the change that was under way has happened; if not, it happens now; never twice."""
    return files.recover(session, call, what, lambda: act(session, call), lambda _: _told(call))


def _ended(before: bytes) -> bytes:
    """What the file holds, its last line with an end."""
    return before if not before or before.endswith(b"\n") else before + b"\n"


def _told(call: ToolCall) -> bytes:
    return f"added {plural((call.body or '').count(chr(10)), 'line')} to {call.args}".encode()
