"""Entries that only repeat what the context had before. Owns nothing on disk."""

from __future__ import annotations

from dotagent import extensions
from dotagent.life.context import Entry
from dotagent.life.events import Result


def is_reminder(entry: Entry) -> bool:
    """Return True if the entry is a result that only repeats earlier content."""
    tool, _, how = entry.detail.partition(" ")
    return entry.event == Result.WORD and how == "ok" and tool in extensions.tools().reminders
