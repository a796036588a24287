"""Entries that only repeat earlier text of the context, or only report a tool's work. Owns nothing on disk."""

from __future__ import annotations

from dotagent import extensions
from dotagent.life.context import Entry
from dotagent.life.events import Result


def is_reminder(entry: Entry) -> bool:
    """Return True if the entry is a result that only repeats earlier content."""
    tool, _, how = entry.detail.partition(" ")
    return entry.event == Result.WORD and how == "ok" and tool in extensions.tools().reminders


def is_receipt(result: Result) -> bool:
    """Return True if a result has the tool's own words, which say that the work was done, or why not."""
    return result.tool in extensions.tools().receipts or (result.how != "ok" and not result.by)
