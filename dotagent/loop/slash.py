"""`/persona …` said in a private room: the harness answers there itself, and no model is asked.

So it works wherever a room is: by a bridge, by `chat -m`, by an editor. What it tells is a `TELL` in LIFE; its lines
are kept apart by ⏎, since a detail is one line. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dotagent.errors import Trouble
from dotagent.life import candidates, revisions
from dotagent.life.events import Note, Tell
from dotagent.life.session import Session
from dotagent.loop.bounds import NEXT
from dotagent.store import bootstrap, disk, face, lives
from dotagent.text import claims, escape

MOST = 1500  # characters of an answer
RECENT = 10  # revisions, or candidates, that are told
_SAID = re.compile(r"/persona(?:\s+([a-z]+))?(?:\s+(\S{1,20}))?\s*", re.ASCII)
USAGE = "/persona show, revisions, diff N, rollback [N], candidates [STATUS], apply N, reject N"


def answer(session: Session, said: str) -> str:
    """What the room is told for these words of a person; "" where they are for the agent."""
    asked = _SAID.fullmatch(said)
    if not asked or bootstrap.kind(session.state.audience) != "private":
        return ""
    try:
        lines = list(_told(session, asked[1] or "show", asked[2] or ""))
    except (Trouble, OSError) as wrong:
        lines = [str(wrong)]
    clean = NEXT.join(escape.one_line(line, 400) for line in lines)
    return f"({escape.one_line(clean, MOST)})"


def tell(session: Session, room: str, told: str, alone: bool) -> None:
    """Let the room be told so; what was said there before, unless this stands `alone`, is still to be answered."""
    if alone:
        session.record(Note(room, "told"), lives.ANSWERED.encode())
    session.record(Tell(room, text=told))


def _told(session: Session, what: str, which: str) -> Iterator[str]:
    where, mine = session.home, session.id
    if what == "show":
        yield from _show(session)
    elif what == "revisions":
        for one, size in revisions.listed(where, mine)[-RECENT:]:
            yield f"{one.number}: {one.name}, {one.at[:16]}, {size:,} characters"
    elif what == "diff" and which.isdecimal():
        yield from revisions.diff(where, mine, revisions.of(where, mine, int(which)))
    elif what == "rollback" and (which.isdecimal() or not which):
        back = revisions.roll_back(where, mine, int(which) if which else None)
        yield f"{back.name} is as revision {back.number} had it: I hear that at my next turn"
    elif what == "candidates":
        found = candidates.listed(where, mine, which)
        yield from map(str, found[:RECENT])
        if not found:
            yield "there is no such candidate"
    elif what in ("apply", "reject"):
        yield candidates.leave(where, mine, what, which)
    else:
        yield USAGE


def _show(session: Session) -> Iterator[str]:
    """The name, what is said in IDENTITY and USER, and how much waits."""
    yield face.shown(session.home, session.settings, session.id)
    for name in bootstrap.PERSONA:
        path = session.path / name
        text = disk.read(path).decode("utf-8", "replace") if disk.is_file(path) else ""
        said = [made.told for line in text.split("\n") if (made := claims.read(line))]
        yield f"{name}: {'; '.join(said) or 'nothing yet'}"
    if waits := len(candidates.listed(session.home, session.id, "pending")):
        yield f"{waits} of what I would add wait for you: /persona candidates pending"
    yield USAGE
