"""The oldest facts of MEMORY.md: they move to `memory/older.md` if a new fact needs room.

RECALL searches both; the prompt shows only MEMORY.md. The room gets a message about it once for each agent. Owns
`memory/older.md` and `run/moved`, which marks that the room must still be informed, in the agent's directory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dotagent.life.context import MEMORY
from dotagent.life.events import Tell
from dotagent.life.session import Session
from dotagent.store import disk, log_search, notes
from dotagent.text import lazy

NAME = "older"
FULL = 4000  # the most characters of MEMORY.md
ROOM = 0.75  # the part of MEMORY.md that stays full after a move
TOLD = f"({MEMORY} was full: the oldest facts are now in {notes.FOLDER}/{NAME}.md, where searching finds them)"
ADDED = lazy.compile(r" \(added (\d{4}-\d\d-\d\d)\)\s*$", re.ASCII)

_FACT = lazy.compile(r"[-*+] ")


def split(text: str, more: int, most: int) -> tuple[str, list[str]]:
    """Return the text of MEMORY.md with room for `more` characters, and the lines that must move for it.

    The facts with the oldest dates move first, and enough of them that this is rarely needed. Facts without a date,
    which a person may have written, move last; other text stays.
    """
    text += "\n" if text and not text.endswith("\n") else ""
    if len(text) + more <= most:
        return text, []
    lines = text.split("\n")
    facts = [at for at, line in enumerate(lines) if _FACT.match(line)]
    dated = {at: found[1] if (found := ADDED.search(lines[at])) else "undated" for at in facts}
    size, moved = len(text) + more, set[int]()
    for at in sorted(facts, key=lambda one: (dated[one], one)):
        if size <= ROOM * most:
            break
        moved.add(at)
        size -= len(lines[at]) + 1
    return "\n".join(line for at, line in enumerate(lines) if at not in moved), [lines[at] for at in sorted(moved)]


def keep(session: Session, lines: Sequence[str]) -> None:
    """Append the lines that the note lacks. At the first time, mark that the room must be informed."""
    if not disk.is_file(notes.path(session.path, NAME)):
        disk.make_dir(session.path / "run")
        disk.replace(session.path / "run" / "moved", b"")
    notes.keep(session.path, NAME, lines)


def tell(session: Session) -> bool:
    """Post where the oldest facts are in the room of the last turn, if that is still to do. Return False if it was not
    posted."""
    promised, room = session.path / "run" / "moved", session.state.turn.room
    if room not in session.state.heard.rooms or not disk.is_file(promised):
        return False
    new = not any(one.detail.endswith(TOLD) for one in log_search.picked(session.path / "LIFE.md", (Tell.WORD,)))
    if new:
        session.record(Tell(room, text=TOLD))
    disk.remove(promised)
    return new
