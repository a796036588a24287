"""A model that fails until it is well, and a world that looks for its answers without waiting."""

from __future__ import annotations

from functools import partial

from world import Failure
from world import world as a_world

from dotagent.life.session import Patience
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


class Moody:
    """A model that fails until it is well; `asked` are the last messages of what it was asked."""

    def __init__(self, *moods: Failure | str | None) -> None:
        self.moods = list(moods)
        self.asked: list[str] = []
        self.calls: list[Call] = []

    def __call__(self, messages: list[ChatMessage], call: Call) -> str | None:
        mood = self.moods.pop(0) if len(self.moods) > 1 else self.moods[0]
        if mood is None:
            return None
        self.asked.append(messages[-1]["content"])
        self.calls.append(call)
        if isinstance(mood, Failure):
            raise mood
        return mood


world = partial(a_world, patience=Patience(look=0.0))
