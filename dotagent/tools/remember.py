"""REMEMBER: add a line with the date to the lasting notes, MEMORY.md, and a line with the time to the notes of
today."""

from __future__ import annotations

import re
import unicodedata

from dotagent.life import daily, facts, marks
from dotagent.life.context import MEMORY
from dotagent.life.session import Session
from dotagent.store.blobs import content_id
from dotagent.text import encoding, escape, names, secrets
from dotagent.text.grammar import ToolCall
from dotagent.tools import files, note

FOR = "Remember permanently, in MEMORY.md"
USAGE = ("REMEMBER words",)
ORDER = 30
EFFECT = "note"
ORIGIN = "own"
ROLE = "lasting"
SOME = "notes"

_ENDS = re.compile(r"^(?:[-*•]\s|[\s*_`'\"«„(\[])+|(?:[\s*_`'\"»)\]]|[.,:;!?…。！？،؟।۔])+$")  # C++ stays


def act(session: Session, call: ToolCall) -> bytes | None:
    """Write both lines, with the announced time."""
    note.checked(session, call)
    effect = session.announce(call, session.next())
    return _remember(session, call, effect.what)


def recover(session: Session, call: ToolCall, what: str) -> bytes | None:
    """Write the missing lines."""
    return _remember(session, call, what)


def _remember(session: Session, call: ToolCall, at: str) -> bytes | None:
    """Write to the day's note first, then to MEMORY.md, whose oldest lines make room."""
    words = marks.mark(session, note.one_line(session, call).removeprefix("- "))
    where = note.write(session, at, words)
    day = daily.line(session, at, words)[0]
    place = files.writable(session, MEMORY)
    there = files.read(place, MEMORY) if files.stands(place) else b""
    said, form = files.text(MEMORY, there)
    before = "".join(f"{one}\n" for one in encoding.lines(said))
    line = f"- {escape.one_line(secrets.masked(words), daily.LONGEST)}"
    if _comparable(line) in map(_comparable, before.split("\n")):
        return note.make_result(session, words, f"{where}; {MEMORY} has it already")
    line = f"{line} (added {day})\n"
    kept, moved = facts.split(before, len(line), facts.FULL)
    if len(kept) + len(line) > facts.FULL:
        return note.make_result(
            session,
            words,
            f"{where}; {MEMORY} is full, and too few of its lines are facts that can move to memory/older.md",
        )
    if moved:
        facts.keep(session, moved)
    made = files.encoded(MEMORY, form.ended(kept + line), form)
    files.put(place, MEMORY, made)
    session.rewrote.append((content_id(there), content_id(made)))  # so that the new version is the agent's own
    return note.make_result(session, words, f"{MEMORY} and {where}")


def _comparable(line: str) -> str:
    """Return a line in the form for comparison: without date, case, bold, kinds of signs and of blanks, and without
    punctuation at its ends. A sign such as that of a currency may be what differs."""
    bare = unicodedata.normalize("NFKC", facts.ADDED.sub("", line)).casefold()
    return " ".join(_ENDS.sub("", names.normalise(bare).replace("**", "")).split())
