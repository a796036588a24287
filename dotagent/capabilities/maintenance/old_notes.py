"""The notes of an agent from before there were marks (life/marks.py): the agent says once that they have none.

Owns nothing on disk.
"""

from __future__ import annotations

from dotagent import installed
from dotagent.life import origins
from dotagent.life.context import MEMORY
from dotagent.life.events import Error
from dotagent.life.session import Session
from dotagent.store import bootstrap, disk, log, log_search

MARKS = "2026-11-28T11:10:40Z"  # since then, lines with words of others get marks
TOLD = (
    "lines of this agent's notes from before 2026-11-28 have no marks, so they may be words of others: `{0} --deep` "
    "lists those that repeat words of others, and `{0} --fix` marks them"
)


def begin(session: Session) -> None:
    """Say it once if a private agent is older than marks, has read words of others, and has notes."""
    state, life, notes = session.state, session.path / "LIFE.md", session.path / MEMORY
    if not origins.foreign(state.heard.origins) or bootstrap.kind(state.audience) != "private":
        return
    first, told = next(log.lines(life), None), TOLD.format(installed.program("doctor"))
    if not first or first.at >= MARKS or not disk.is_file(notes) or not disk.read(notes).strip():
        return
    if not any(line.detail == told for line in log_search.picked(life, (Error.WORD,))):
        session.record(Error(told))
