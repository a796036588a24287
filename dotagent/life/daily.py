"""The daily notes of an agent: it appends to them as things happen, and reads new lines that its context lacks.

The prompt of a private agent has the notes of today and yesterday. New lines become an entry at the end of the context,
so that the prompt before it stays unchanged. Lines that the agent wrote itself need no entry. After a swap both notes
are shown again, within a share of the context.
"""

from __future__ import annotations

from datetime import timedelta

from dotagent import errors
from dotagent.life.events import Daily
from dotagent.life.origins import OTHERS, OWN
from dotagent.life.session import Session
from dotagent.store import bootstrap, half_saved, notes
from dotagent.store.blobs import content_id
from dotagent.store.notes import Appended
from dotagent.text import encoding, escape, secrets, source_marks, times, tokens

SHARE = 0.03  # share of the context's limit for one entry of a note
LONGEST = 1000  # characters of a line
HEAD = 36  # tokens of the entry's head


def line(session: Session, at: str, words: str) -> tuple[str, str]:
    """Return the day of a time in the person's time zone, and the note's line for it, with secrets masked."""
    here = times.local(at)
    return f"{here:%Y-%m-%d}", f"- {here:%H:%M} {escape.one_line(secrets.masked(words), LONGEST)}"


def write(session: Session, section: str, day: str, line: str) -> Appended:
    """Append the line to the day's note, unless the note has it already. Raises OSError."""
    done = notes.append(session.path, day, section, line)
    known, _, mark = session.state.heard.notes.get(day, "0").partition(" ")
    data = notes.read(session.path, day)[: done.after] if done.new and known == str(done.before) else b""
    if data and (not done.before or content_id(data[: done.before]) == mark):  # else someone edited the note
        session.record(Daily(day, len(data), content_id(data), OWN))
    return done


def read(session: Session) -> str:
    """Record new lines in the notes of yesterday and today, if the agent is private. Return why a note cannot be read,
    or ""."""
    if bootstrap.kind(session.state.audience) != "private":
        return ""
    wrong = list[str]()
    now = times.local_now()
    for day in (f"{now - timedelta(days=1):%Y-%m-%d}", f"{now:%Y-%m-%d}"):
        told, _, mark = session.state.heard.notes.get(day, "").partition(" ")
        size = int(told) if told.isdecimal() and len(told) < 18 else 0
        try:
            data = _whole(session, day, size)
        except OSError as error:
            wrong.append(f"could not read {notes.FOLDER}/{day}.md: {errors.line(error)}")
            continue
        known = size if size and content_id(data[:size]) == mark else 0
        if known == len(data):
            continue
        new = _fitted(session, day, data[known:])
        by = OTHERS if any(source_marks.list_marked(new.decode("utf-8", "replace"))) else ""
        session.record(Daily(day, len(data), content_id(data), by), new, gist=f"{notes.FOLDER}/{day}.md")
    return "; ".join(wrong)


def _whole(session: Session, day: str, size: int) -> bytes:
    """Return the note, once no editor is saving it. `size` is its length when it was last read. Raises OSError."""
    data = notes.read(session.path, day)
    if len(data) >= size and data[-1:] in (b"", b"\n"):
        return data
    return half_saved.settled(
        notes.path(session.path, day),
        lambda: notes.read(session.path, day),
        lambda data: len(data) >= size and data.endswith(b"\n"),
    )


def _fitted(session: Session, day: str, data: bytes) -> bytes:
    """Return the text, or as many of its last lines as fit, after a line that says where the rest is."""
    data = secrets.masked(encoding.utf8(data).decode("utf-8", "replace")).encode("utf-8", "replace").strip(b"\n")
    lines = data.split(b"\n")
    kept, said = list[bytes](), f"({len(lines):,} lines before these are in {notes.FOLDER}/{day}.md)".encode()
    model = session.state.model
    room = SHARE * session.limit / model.ratio - tokens.estimate(said) - HEAD
    for row in reversed(lines):
        room -= tokens.estimate(b"\n  " + row, model.other)  # like an entry
        if room < 0:
            break
        kept.append(row)
    left = len(lines) - len(kept)
    more = [f"({left:,} lines before these are in {notes.FOLDER}/{day}.md)".encode()] if left else []
    return b"\n".join([*more, *reversed(kept)])
