"""The background requests of a compaction: the present prompt with an instruction. Each request is in LIFE before it is
placed. Owns nothing on disk."""

from __future__ import annotations

from functools import partial

from dotagent.compaction import swap, wording
from dotagent.compaction.background_calls import BackgroundCalls
from dotagent.compaction.plan import Chunk
from dotagent.life.compaction_events import Segment, Summarise, Wishes
from dotagent.life.context import EXAMPLE, SHOWN, Entry
from dotagent.life.documents import Documents
from dotagent.life.session import Session


class Forks:
    """The requests of one agent's compactions. Each method returns True, because it did something. `instead` is a call
    that the new one replaces."""

    def __init__(self, session: Session, calls: BackgroundCalls, documents: Documents) -> None:
        self._session, self._calls, self._documents = session, calls, documents

    def segment(self, event: Segment, instead: str = "") -> bool:
        """Ask for the chunks of the event's entries, and for their summaries if a model can do both."""
        entries = [entry for entry in self._session.entries if event.first <= entry.number <= event.last]
        stands = partial(swap.instructions, self._session)
        listed = any(entry.event == Wishes.WORD for entry in self._session.entries)
        what, most = wording.parts(event.first, event.last, entries, stands, event.why, listed)
        told = [self._documents.text(name) for name in ("SEGMENT.md", "SUMMARISE.md")]
        self._calls.fork(event, "\n\n".join([*told, what]), most)
        self._calls.cancel([instead])
        return True

    def summarise(self, one: Chunk, members: list[Entry], tries: int, instead: str = "") -> bool:
        """Ask for the summary of a chunk with these members."""
        what, most = wording.ask_for_chunk(one, members, swap.instructions(self._session, members))
        self._calls.fork(Summarise(one.span, tries), f"{self._documents.text('SUMMARISE.md')}\n\n{what}", most)
        self._calls.cancel([instead])
        return True

    def others(self) -> str:
        """Return the other text of a request, whose examples are not part of the entries."""
        return "\n".join([*self._calls.head(), *map(self._documents.text, [name for name in SHOWN if name != EXAMPLE])])
