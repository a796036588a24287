"""Whether compaction has anything to do. Only then is its code loaded, so that an agent starts fast.

Owns nothing on disk itself; see compactor.py.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dotagent import extensions
from dotagent.life.documents import Documents
from dotagent.life.model_calls import ModelCalls
from dotagent.life.session import Session
from dotagent.store import disk
from dotagent.text.grammar import ToolCall

if TYPE_CHECKING:
    from dotagent.compaction.compactor import Compactor

FREE = 0.5  # share of the limit: a smaller context needs neither a swap nor a turn before one (flush.py)
WISHES = ("fade", "unfade", "standing", "persona")  # files in run/ that a person's command leaves for the compactor


class LazyCompactor:
    """The compaction of one agent's context, loaded when it is first needed."""

    def __init__(self, session: Session, calls: ModelCalls, documents: Documents) -> None:
        self._session, self._calls, self._documents = session, calls, documents
        self._wishes = [session.path / "run" / name for name in WISHES]

    @cached_property
    def whole(self) -> Compactor:
        """The compactor itself."""
        from dotagent.compaction.compactor import Compactor

        return Compactor(self._session, self._calls, self._documents)

    def begin(self) -> None:
        """See Compactor.begin."""
        if self._is_due():
            self.whole.begin()

    def step(self) -> bool:
        """See Compactor.step."""
        return self._is_due() and self.whole.step()

    def swap(self) -> bool:
        """See Compactor.swap."""
        return self._is_due() and self.whole.swap()

    def silent(self, call: ToolCall) -> ToolCall:
        """Return the call to run instead of this one. No person reads the silent turn before entries fade, so a message
        in it is not sent."""
        tools = extensions.tools()
        if self._session.state.turn.flush and call.name == tools.speech and not call.problem:
            return ToolCall(tools.silence, "", None)
        return call

    def sleep(self, seconds: float | None) -> float | None:
        """See Compactor.sleep."""
        return self.whole.sleep(seconds) if self._is_loaded else seconds

    def force(self, target: int | None = None) -> None:
        """See Compactor.force."""
        self.whole.force(target)

    @property
    def _is_loaded(self) -> bool:
        return "whole" in self.__dict__

    def _is_due(self) -> bool:
        if self._is_loaded:
            return True
        forgetting = self._session.state.forgetting
        if forgetting.compaction or forgetting.restate or forgetting.unsaid:
            return True
        return self._session.tokens > FREE * self._session.limit or any(map(disk.is_file, self._wishes))
