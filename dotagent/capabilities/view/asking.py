"""The questions of all agents that wait for a person's answer. Owns nothing on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from dotagent.life import questions, replay
from dotagent.life.questions import Question
from dotagent.store import home
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import times


def find_questions(where: Home) -> Iterator[tuple[str, Question]]:
    """Yield each open question whose time is not over, with the id of its agent."""
    for self_id in home.lives(where):
        told = os.stat(where.agent(self_id) / "LIFE.md")
        with suppress(BlobMissing, BlobCorrupt):  # doctor reports it
            for one in _find_standing(where.root, self_id, told.st_ino, told.st_size):
                if not times.is_stamp(one.until) or times.ahead(one.until) > 0:
                    yield self_id, one


@lru_cache(maxsize=1000)
def _find_standing(root: Path, self_id: str, *changed: int) -> tuple[Question, ...]:
    """Return the open questions of one agent, whose log is read again only after it has changed."""
    return tuple(questions.standing(replay.standing(Home(root), self_id)))
