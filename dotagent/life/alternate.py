"""The alternate soul in place of SOUL, where settings ask for one ([hooks.soul-evil]): in prompts, and in no file.

Whether it is in force is decided when a life begins, or at each turn, and stands in LIFE with its words' blob
(`ALTERNATE`), so that every prompt can be shown again. It ends with its process at the latest. Owns nothing on disk.
"""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from dotagent import errors
from dotagent.life import events
from dotagent.life.session import Session
from dotagent.store import bootstrap, disk, hooks
from dotagent.store.blobs import content_id
from dotagent.store.home import Home
from dotagent.store.hooks import Evil

MOST = 1 << 20  # bytes


def begin(session: Session, born: bool) -> str:
    """At a start: decide for a life that begins now, and end what another process left. What is wrong, or ""."""
    wanted = hooks.alternate(session.settings.hooks)
    if born and wanted and wanted.apply == "new":
        return _decide(session, wanted)
    return _end(session, "another process")


def turn(session: Session) -> str:
    """Before the first request of a turn: decide, where settings want that at each. What is wrong, or ""."""
    wanted = hooks.alternate(session.settings.hooks)
    if wanted and wanted.apply == "turn" and session.state.turn.wake and not session.state.turn.steps:
        return _decide(session, wanted)
    return ""


def _decide(session: Session, wanted: Evil) -> str:
    """Let the one be in force that it is time for; a helper has its own alone."""
    now = datetime.now(ZoneInfo(session.settings.place))
    why = wanted.why(now, random.random()) if bootstrap.kind(session.state.audience) != "helper" else ""
    if not why:
        return _end(session, "it is over")
    words, wrong = read(session.home, session.path, wanted.file)
    if wrong:
        _end(session, "it cannot be read")
        return f"[hooks.{hooks.SOUL_EVIL}]: {wrong}: SOUL.md holds"
    if not _in_force(session, words):
        session.record(events.Alternate("on", why), words, gist=f"{wanted.file} in place of SOUL.md")
    return ""


def read(where: Home, folder: Path, name: str) -> tuple[bytes, str]:
    """The words of the file in the agent's directory, or where that has none, in its home; and else what is wrong."""
    wrong = ""
    for path in (folder / name, where.prompt(name)):
        try:
            words = disk.read(path, MOST)
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


def _in_force(session: Session, words: bytes) -> bool:
    id = session.state.heard.documents.get(bootstrap.EVIL)
    return bool(id) and content_id(words) == content_id(session.store.get(str(id)).body)
