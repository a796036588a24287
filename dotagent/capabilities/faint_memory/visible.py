"""The texts that a context already shows: its turns by number, and the ids that it names. A reminder need not repeat
these.

Only entries that are new since the last look are read. A swap replaces the session's list of entries, so the next look
reads all of them again. Owns nothing on disk.
"""

from __future__ import annotations

import re

from dotagent import extensions
from dotagent.life import repeats
from dotagent.life.compaction_events import Faint
from dotagent.life.context import Entry
from dotagent.life.events import Faded, Reply
from dotagent.search.turn import number
from dotagent.text import lazy

_NAMED = lazy.compile(rf"(?:^|hash=|{extensions.tools().original} )([0-9a-f]{{8,32}})\b".encode(), re.MULTILINE)


class InContext:
    """The turns and ids of one context."""

    def __init__(self) -> None:
        self._entries, self._count = list[Entry](), 0  # the list at the last look, and how many of it were read
        self.turns = list[int]()  # the numbers of its events that are not summaries; see Index.remind
        self.ids = set[str]()  # named in faint memories, in replies, and in results of searching

    def look(self, entries: list[Entry]) -> None:
        """Read the entries that are new since the last look."""
        if entries is not self._entries:
            self._entries, self._count = entries, 0
            self.turns = []
            self.ids.clear()
        for entry in entries[self._count :]:
            if entry.event != Faded.WORD:
                self.turns.append(number(entry.line))
            if entry.content and (entry.event in (Faint.WORD, Reply.WORD) or repeats.is_reminder(entry)):
                self.ids.update(id.decode() for id in _NAMED.findall(entry.content))
        self._count = len(entries)
