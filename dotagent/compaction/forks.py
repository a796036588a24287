"""What a compaction asks of a model beside the conversation: the prompt as it is, and what to do with it. Each request
is in LIFE before it is placed. Owns nothing on disk.
"""

from __future__ import annotations

from functools import partial

from dotagent.compaction import swap, wording
from dotagent.compaction.plan import Chunk
from dotagent.life.context import EXAMPLE, SHOWN, Entry
from dotagent.life.documents import Documents
from dotagent.life.events import Segment, Summarise
from dotagent.life.model_calls import ModelCalls
from dotagent.life.session import Session


class Forks:
    """The requests of one life's compactions. Each method returns True: something was done; `instead` is the call that
    the new one takes the place of."""

    def __init__(self, session: Session, calls: ModelCalls, documents: Documents) -> None:
        self._session, self._calls, self._documents = session, calls, documents

    def segment(self, event: Segment, instead: str = "") -> bool:
        """Ask for the chunks of the event's entries, and for their summaries where a model can do both."""
        entries = [entry for entry in self._session.entries if event.first <= entry.number <= event.last]
        stands = partial(swap.instructions, self._session)
        what, most = wording.parts(event.first, event.last, entries, stands)
        told = [self._documents.text(name) for name in ("SEGMENT.md", "SUMMARISE.md")]
        self._calls.fork(event, "\n\n".join([*told, what]), most)
        self._calls.cancel([instead])
        return True

    def summarise(self, one: Chunk, members: list[Entry], tries: int, instead: str = "") -> bool:
        """Ask for the summary of a chunk with these members."""
        what, most = wording.one(one, members, swap.instructions(self._session, members))
        self._calls.fork(Summarise(one.span, tries), f"{self._documents.text('SUMMARISE.md')}\n\n{what}", most)
        self._calls.cancel([instead])
        return True

    def others(self) -> str:
        """What stands in a request beside entries: its examples are no part of what is forgotten."""
        return "\n".join([*self._calls.head(), *map(self._documents.text, [name for name in SHOWN if name != EXAMPLE])])
