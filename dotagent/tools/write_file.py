"""WRITE_FILE: write a whole file. To replace a file, the agent must have read or written the file's present
text earlier, and this text must still be in its context."""

from __future__ import annotations

from contextlib import suppress

from dotagent.life.session import Session
from dotagent.text import encoding
from dotagent.text.encoding import NotText
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, files
from dotagent.tools.files import seen

FOR = "Make a new file"
USAGE = ("WRITE_FILE path <<END", "…its lines…", "END")
ORDER = 11
EFFECT = "write"
ORIGIN = "own"
WHOLE = True
SOME = "changes"
effect = files.effect

UNREAD = (
    "nothing was written, because {name} exists and your context does not show what is in it: use ADD_TO_FILE {name} "
    "to add lines, EDIT_FILE {name} to change some, and before you replace all of it: READ_FILE {name}"
)


def act(session: Session, call: ToolCall) -> bytes:
    """Write the file atomically; a reader never sees a part of it."""
    if call.body is None:
        raise ToolError("the file's content is missing: WRITE_FILE path <<END, its lines, then END on a separate line")
    body, wrote = call.body, list[bytes]()

    def new(before: bytes | None) -> bytes:
        if before and not seen.is_known(session, call, before):
            raise ToolError(UNREAD.format(name=files.command_name(session, call.args)))
        wrote.append(_formed(before or b"", body))
        return wrote[-1]

    more = files.change(session, call, new)
    return _report(session, call, wrote[-1]) + more


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Complete an interrupted write, unless it has happened."""
    return files.recover(session, call, what, lambda: act(session, call), lambda data: _report(session, call, data))


def _formed(before: bytes, body: str) -> bytes:
    """Return the content in the form of the file that it replaces, or in UTF-8 if that form cannot represent it."""
    with suppress(NotText):
        form = encoding.decode(before)[1]
        return encoding.encode(form.ended(body), form)
    return body.encode("utf-8", "replace")


def _report(session: Session, call: ToolCall, data: bytes) -> bytes:
    return f"wrote {files.command_name(session, call.args)}, {len(data):,} bytes".encode()
