"""REMEMBER: what must last, as a dated line of MEMORY.md, and in today's note."""

from __future__ import annotations

import os
import re
from pathlib import Path

from dotagent.life import daily
from dotagent.life.context import MEMORY
from dotagent.life.session import Session
from dotagent.store import disk
from dotagent.text import escape, secrets
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose, files, note

FOR = "Remember for good, in MEMORY.md"
USAGE = ("REMEMBER words",)
ORDER = 30
EFFECT = "note"
ORIGIN = "own"
ROLE = "lasting"
SOME = True

_ADDED = re.compile(r" \(added (\d{4}-\d\d-\d\d)\)\s*$", re.ASCII)


def given(life: Whose) -> bool:
    """Whether this life has it: a helper has no notes."""
    return note.given(life)


def act(session: Session, call: ToolCall) -> bytes | None:
    """Write both, with the time that is announced."""
    note.said(session, call)
    effect = session.announce(call, session.next())
    return _remember(session, call, effect.what)


def recover(session: Session, call: ToolCall, what: str) -> bytes | None:
    """Write what of the two is not there yet."""
    return _remember(session, call, what)


def _remember(session: Session, call: ToolCall, at: str) -> bytes | None:
    """The note first, which has room for ever. Raises ToolError where MEMORY.md has none, saying what could go."""
    words = note.said(session, call)
    where = note.write(session, at, words)
    day = daily.line(session, at, words)[0]
    path = session.path / MEMORY
    before = _now(path)
    line = f"- {escape.one_line(secrets.masked(words.removeprefix('- ')), daily.LONGEST)}"
    known = {_ADDED.sub("", one) for one in before.split("\n")}
    if line in known:
        return note.noted(session, words, f"{where}; {MEMORY} has it already")
    after = before + ("\n" if before and not before.endswith("\n") else "") + f"{line} (added {day})\n"
    if len(after) > files.MEMORY:
        raise ToolError(f"{files.full(after)}. It is in {where}, so it is found; drop some, then REMEMBER it again")
    disk.replace(path, after.encode("utf-8", "replace"), keep=True)
    return note.noted(session, words, f"{MEMORY} and {where}")


def _now(path: Path) -> str:
    """What MEMORY.md says; nothing where there is none. Raises ToolError for what is no file."""
    return files.read(path, MEMORY).decode("utf-8", "replace") if os.path.lexists(path) else ""
