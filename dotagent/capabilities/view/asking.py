"""The questions of all agents that wait for a person's answer. Owns nothing on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent.life import questions, replay
from dotagent.life.questions import Question
from dotagent.store import home
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import times

Read = tuple[tuple[int, int], tuple[Question, ...]]  # a log's inode and size, and the questions that were open then
_read: dict[Path, Read] = {}


def find_questions(where: Home) -> Iterator[tuple[str, Question]]:
    """Yield each open question whose time is not over, with the id of its agent."""
    for self_id in home.lives(where):
        with suppress(FileNotFoundError, BlobMissing, BlobCorrupt):  # the agent was just removed, or doctor reports it
            for one in _find_standing(where, self_id):
                if not times.is_stamp(one.until) or times.ahead(one.until) > 0:
                    yield self_id, one


def _find_standing(where: Home, self_id: str) -> tuple[Question, ...]:
    """Return the open questions of one agent. Its log is read again only after it has changed."""
    path = where.agent(self_id) / "LIFE.md"
    there = os.stat(path)
    changed = there.st_ino, there.st_size
    if path not in _read or _read[path][0] != changed:
        _read[path] = changed, tuple(questions.standing(replay.standing(where, self_id)))
    return _read[path][1]
