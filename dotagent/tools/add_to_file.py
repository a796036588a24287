"""ADD_TO_FILE: append lines to a file.

Models of every size expect such a tool. To append with EDIT_FILE, a model must replace an empty passage, and small
models make mistakes with that.
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
SOME = "changes"
effect = files.effect


def act(session: Session, call: ToolCall) -> bytes:
    """Append the lines to the file, or create it with them."""
    if not call.body:
        raise ToolError("the lines to add are missing: ADD_TO_FILE path <<END, the lines, then END on a separate line")
    if call.body.startswith("<<<<<<< SEARCH\n") and call.body.endswith(">>>>>>> REPLACE\n"):
        raise ToolError(
            f"nothing was added, because these lines edit a file: send them with EDIT_FILE {call.args} <<END"
        )
    added = call.body
    more = files.change(session, call, lambda before: _added(call.args, before or b"", added))
    return _report(session, call) + more


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Complete an interrupted change, unless it has happened."""
    return files.recover(session, call, what, lambda: act(session, call), lambda _: _report(session, call))


def _added(name: str, before: bytes, added: str) -> bytes:
    """Return the file with the lines at its end, in its own form."""
    text, form = files.text(name, before)
    ended = text if not text or text.endswith(("\n", "\r")) else text + form.end
    return files.encoded(name, ended + form.ended(added), form)


def _report(session: Session, call: ToolCall) -> bytes:
    lines = plural((call.body or "").count("\n"), "line")
    return f"added {lines} to {files.command_name(session, call.args)}".encode()
