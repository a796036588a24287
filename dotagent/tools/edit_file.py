"""EDIT_FILE: replace passages of a file, each named by its present text, which must stand there exactly once."""

from __future__ import annotations

import re

from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.text.sizes import plural
from dotagent.tools import ToolError, files

FOR = "Change what a file holds; READ_FILE it first"
USAGE = (
    "EDIT_FILE path <<END",
    "<<<<<<< SEARCH",
    "old lines, as they stand in the file",
    "=======",
    "new text",
    ">>>>>>> REPLACE",
    "END",
)
ORDER = 13
EFFECT = "write"
ORIGIN = "own"
SOME = True
given = files.may_change

_BLOCK = re.compile(
    r"^<{5,9} SEARCH[ \r]*\n(.*?)^={5,9}[ \r]*\n(.*?)^>{5,9} REPLACE[ \r]*$\n?", re.DOTALL | re.MULTILINE
)


def effect(session: Session, call: ToolCall) -> Act:
    """Writing that file: what goes and what comes."""
    words = [text for block in _BLOCK.findall(call.body or "") for text in block]
    return Act(EFFECT, "", (call.args, *words))


def act(session: Session, call: ToolCall) -> bytes:
    """Make all of the call's replacements, or none."""
    blocks = _BLOCK.findall(call.body or "")
    if not blocks or _BLOCK.sub("", call.body or "").strip():
        raise ToolError("the form of an edit is:\n" + "\n".join(USAGE))
    more = files.change(session, call, lambda before: _edit(call.args, before, blocks))
    return _told(call, len(blocks)) + more


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Whether the edit that was under way has happened; if not, it happens now; never twice."""
    blocks = _BLOCK.findall(call.body or "")
    return files.recover(session, call, what, lambda: act(session, call), lambda _: _told(call, len(blocks)))


def _edit(name: str, before: bytes | None, blocks: list[tuple[str, str]]) -> bytes:
    data = before or b""
    for old, new in blocks:
        search, replacement = old.encode("utf-8", "replace"), new.encode("utf-8", "replace")
        if not search or not (search.strip() or data.strip()):  # nothing is searched for: it is added at the end
            data = (data + b"\n" * (not data.endswith(b"\n")) if data.strip() else b"") + replacement
            continue
        if (
            not data.count(search) and search != b"\n"
        ):  # not whole lines: a passage within one, or a last line without its end
            search, replacement = search.removesuffix(b"\n"), replacement.removesuffix(b"\n")
        count = data.count(search)
        if count != 1:
            where = "is not there" if count == 0 else f"is there {count} times"
            told = f"{name}: the text to replace {where}; nothing was changed:\n{old.rstrip()}"
            raise ToolError(f"{told}\nTo see the lines that are there:\nREAD_FILE {name}" if count == 0 else told)
        data = data.replace(search, replacement)
    if before is None and all(old.strip() for old, _ in blocks):
        raise ToolError(f"there is no file {name}: WRITE_FILE makes one")
    return data


def _told(call: ToolCall, count: int) -> bytes:
    return f"edited {call.args}: {plural(count, 'replacement')}".encode()
