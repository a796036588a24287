"""The daily notes in a life: written to as things happen, and heard again where its context does not hold them.

Today's and yesterday's are in the prompt of a private life. What is appended to one is heard as that, at the end of the
context, so that the prompt before it stays the same bytes; what the life wrote itself is heard by having written it.
After a swap both are told again, within a share of the context.
"""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

from dotagent import errors
from dotagent.life.events import Daily, Error
from dotagent.life.session import Session
from dotagent.store import bootstrap, notes
from dotagent.store.blobs import content_id
from dotagent.store.notes import Appended
from dotagent.text import escape, secrets, times, tokens

SHARE = 0.03  # of the context's limit: what one telling of a note may take
LONGEST = 1000  # characters of a line
HEAD = 24  # tokens of the entry's own head


def line(session: Session, at: str, words: str) -> tuple[str, str]:
    """The day of a time where the person is, and the line of that time; what looks like a secret is masked in it."""
    here = times.parse(at).astimezone(ZoneInfo(session.settings.place))
    return f"{here:%Y-%m-%d}", f"- {here:%H:%M} {escape.one_line(secrets.masked(words), LONGEST)}"


def write(session: Session, section: str, day: str, line: str) -> Appended:
    """Append the line to the day's note, unless it is there. Raises OSError."""
    done = notes.append(session.path, day, section, line)
    known, _, _ = session.state.heard.notes.get(day, "0").partition(" ")
    if done.new and known == str(done.before):
        data = notes.read(session.path, day)[: done.after]
        session.record(Daily(day, len(data), content_id(data)))
    return done


def read(session: Session) -> None:
    """Hear what is new in the notes of yesterday and today, in a life that hears its person alone."""
    if bootstrap.kind(session.state.audience) != "private":
        return
    now = times.parse(times.now()).astimezone(ZoneInfo(session.settings.place))
    for day in (f"{now - timedelta(days=1):%Y-%m-%d}", f"{now:%Y-%m-%d}"):
        try:
            data = notes.read(session.path, day)
        except OSError as error:
            session.record(Error(f"{notes.FOLDER}/{day}.md is not read: {errors.line(error)}"))
            continue
        told, _, mark = session.state.heard.notes.get(day, "").partition(" ")
        size = int(told) if told.isdecimal() and len(told) < 18 else 0
        known = size if size and content_id(data[:size]) == mark else 0
        if known == len(data):
            continue
        new = _fitted(session, day, data[known:])
        session.record(Daily(day, len(data), content_id(data)), new, gist=f"{notes.FOLDER}/{day}.md")


def _fitted(session: Session, day: str, data: bytes) -> bytes:
    """The text, or its last lines that have room, below a line that tells where the rest is."""
    data = secrets.masked(data.decode("utf-8", "replace")).encode("utf-8", "replace").strip(b"\n")
    lines = data.split(b"\n")
    kept, said = list[bytes](), f"({len(lines):,} lines before these are in {notes.FOLDER}/{day}.md)".encode()
    room = SHARE * session.limit / session.state.model.ratio - tokens.estimate(said) - HEAD
    for row in reversed(lines):
        room -= tokens.estimate(row) + 1
        if room < 0:
            break
        kept.append(row)
    left = len(lines) - len(kept)
    more = [f"({left:,} lines before these are in {notes.FOLDER}/{day}.md)".encode()] if left else []
    return b"\n".join([*more, *reversed(kept)])
