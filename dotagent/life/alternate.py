"""The alternate character: another text that prompts show instead of SOUL if settings ask for it ([hooks.soul-evil]).
No file changes.

The decision is made at each start of the agent, or at each turn. LIFE records it with the blob of the text
(`ALTERNATE`), so that every prompt can be shown again. It owns nothing on disk.
"""

from __future__ import annotations

import random
from pathlib import Path

from dotagent import errors
from dotagent.life import events
from dotagent.life.session import Session
from dotagent.store import bootstrap, disk, hooks
from dotagent.store.blobs import content_id
from dotagent.store.home import Home
from dotagent.store.hooks import Evil
from dotagent.text import encoding, times

MOST = 1 << 20  # bytes


def begin(session: Session) -> str:
    """Decide at a start of the agent, or end the alternate character of an earlier process. Return the problem, or
    ""."""
    wanted = hooks.alternate(session.settings.hooks)
    if wanted and wanted.apply == "new":
        return _decide(session, wanted)
    return _end(session, "another process")


def turn(session: Session) -> str:
    """Decide before the first request of a turn, if settings ask for that. Return the problem, or ""."""
    wanted = hooks.alternate(session.settings.hooks)
    if wanted and wanted.apply == "turn" and session.state.turn.wake and not session.state.turn.steps:
        return _decide(session, wanted)
    return ""


def _decide(session: Session, wanted: Evil) -> str:
    """Start or end the alternate character, as settings and the time require. A helper always has its own character."""
    now = times.local_now()
    why = wanted.why(now, random.random()) if bootstrap.kind(session.state.audience) != "helper" else ""
    if not why:
        return _end(session, "the time window of the alternate character is over")
    words, wrong = read(session.home, session.path, wanted.file)
    if wrong:
        _end(session, "the file of the alternate character cannot be read")
        return f"[hooks.{hooks.SOUL_EVIL}]: {wrong}; SOUL.md stays in effect"
    if not _is_in_force(session, words):
        session.record(events.Alternate("on", why), words, gist=f"{wanted.file} replaces SOUL.md")
    return ""


def read(where: Home, folder: Path, name: str) -> tuple[bytes, str]:
    """Return the text of the file in the agent's directory, or otherwise in its home; and the problem, or ""."""
    wrong = ""
    for path in (folder / name, where.prompt(name)):
        try:
            words = encoding.utf8(disk.read(path, MOST))
        except OSError as error:
            wrong = wrong or (f"there is no {name}" if isinstance(error, FileNotFoundError) else errors.line(error))
            continue
        if words.strip():
            return words, ""
        wrong = f"{name} is empty"
    return b"", wrong


def _end(session: Session, why: str) -> str:
    if session.state.heard.documents.get(bootstrap.EVIL):
        session.record(events.Alternate("off", why))
    return ""


def _is_in_force(session: Session, words: bytes) -> bool:
    id = session.state.heard.documents.get(bootstrap.EVIL)
    return bool(id) and content_id(words) == content_id(session.store.get(str(id)).body)
