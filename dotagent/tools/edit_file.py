"""EDIT_FILE: replace passages of a file, each named by its present text, which must stand there exactly once."""

from __future__ import annotations

import re

from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, files

USAGE = (
    "EDIT_FILE MEMORY.md <<END",
    "<<<<<<< SEARCH",
    "old text, exactly once in the file (nothing at all for a new or empty file)",
    "=======",
    "new text",
    ">>>>>>> REPLACE",
    "END",
)

_BLOCK = re.compile(
    r"^<{5,9} SEARCH[ \r]*\n(.*?)^={5,9}[ \r]*\n(.*?)^>{5,9} REPLACE[ \r]*$\n?", re.DOTALL | re.MULTILINE
)


def act(session: Session, call: ToolCall) -> bytes:
    """Make all of the call's replacements, or none."""
    blocks = _BLOCK.findall(call.body or "")
    if not blocks or _BLOCK.sub("", call.body or "").strip():
        raise ToolError("the form of an edit is:\n" + "\n".join(USAGE))
    files.change(session, call, lambda before: _edit(call.args, before, blocks))
    return _told(call, len(blocks))


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Whether the edit that was under way has happened; if not, it happens now; never twice."""
    blocks = _BLOCK.findall(call.body or "")
    return files.recover(session, call, what, lambda: act(session, call), lambda _: _told(call, len(blocks)))


def _edit(name: str, before: bytes | None, blocks: list[tuple[str, str]]) -> bytes:
    data = before or b""
    for old, new in blocks:
        search, replacement = old.encode("utf-8", "replace"), new.encode("utf-8", "replace")
        if not search.strip() and not data.strip():
            data = replacement
            continue
        if not search:
            raise ToolError(f"{name} is not empty: search for a passage of it; nothing was changed")
        if (
            not data.count(search) and search != b"\n"
        ):  # not whole lines: a passage within one, or a last line without its end
            search, replacement = search.removesuffix(b"\n"), replacement.removesuffix(b"\n")
        count = data.count(search)
        if count != 1:
            where = "is not there" if count == 0 else f"is there {count} times"
            raise ToolError(f"{name}: the text to replace {where}; nothing was changed:\n{old}")
        data = data.replace(search, replacement)
    if before is None and all(old.strip() for old, _ in blocks):
        raise ToolError(f"there is no file {name}: WRITE_FILE makes one")
    return data


def _told(call: ToolCall, count: int) -> bytes:
    return f"edited {call.args}: {count} replacement{'s' if count > 1 else ''}".encode()
