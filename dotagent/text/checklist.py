"""A checklist, HEARTBEAT.md: which of its items have times of their own, and whether it says anything at all. Pure.

An item that begins with `every 2h:` or `at 18:00:` is due by that; the others are looked after when something changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from dotagent.text import schedule

MOST = 20_000  # bytes of the file
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOTHING = re.compile(r"\s*(?:#.*|(?:[-*+]|\d+\.)?\s*(?:\[[ xX]?\])?)\s*")
_MARK = re.compile(r"\s*(?:[-*+]|\d+\.)?\s*(?:\[[ xX]?\])?\s*")
_TIMED = re.compile(r"(?i)(?:every\s+([\dwdhms ]{2,20})|at\s+(\d{1,2}):(\d\d)):\s*\S")


@dataclass(frozen=True)
class Item:
    """An item with a time of its own: its key, and every how many seconds, or at which minute of the day it is due."""

    key: str
    every: float = 0.0
    minute: int = -1

    def due(self, last: datetime | None, now: datetime) -> bool:
        """Whether it is due at `now`, in the person's zone, when it was looked after `last`."""
        if self.every:
            return last is None or (now - last).total_seconds() >= self.every
        today = now.replace(hour=self.minute // 60, minute=self.minute % 60, second=0, microsecond=0)
        then = today if today <= now else today - timedelta(days=1)
        return last < then if last else today <= now


def lines(text: str) -> Iterator[str]:
    """The lines that say something: no headings, comments, empty items."""
    return (line for line in _COMMENT.sub("", text).split("\n") if not _NOTHING.fullmatch(line))


def says_something(text: str) -> bool:
    """Whether there is anything to do."""
    return next(lines(text), None) is not None


def items(text: str) -> list[Item]:
    """The items that have times of their own."""
    found = []
    for line in lines(text):
        words = line[match.end() :] if (match := _MARK.match(line)) else line
        if timed := _TIMED.match(words):
            key = hashlib.sha256(words.strip().encode("utf-8", "replace")).hexdigest()[:12]
            try:
                every = schedule.span(timed[1]) if timed[1] else 0.0
            except ValueError:
                continue
            minute = -1 if timed[1] else int(timed[2]) * 60 + int(timed[3])
            if every > 0 or (0 <= minute < 1440 and int(timed[3]) < 60):
                found.append(Item(key, every, minute))
    return found


def is_timed_only(text: str) -> bool:
    """Whether each of its items has a time of its own."""
    return len(items(text)) == sum(1 for _ in lines(text))
