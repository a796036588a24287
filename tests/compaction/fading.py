"""Entries that are to fade, and their summary without a model."""

from __future__ import annotations

from made import entry

from dotagent.compaction import summary
from dotagent.compaction.summary import Summary
from dotagent.life.context import Entry

LIMIT = 4000
FORM = "relevance: 7\ngist: the seat\n\nAna wants 14A."


def faded(text: str, number: int = 1) -> Entry:
    return entry(number, "FADED", text, f"{number}-{number} relevance=3 summary={'0' * 32}")


def extracted(entries: list[Entry], limit: int = LIMIT) -> Summary:
    lines = summary.instructions(entries, limit)
    return summary.extract_from(entries, (5, ""), lines)
