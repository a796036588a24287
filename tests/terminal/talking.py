"""A model that says what a test says, to an agent that runs, for what a person at a terminal sees of both."""

from __future__ import annotations

from support import until

from dotagent.store import queue
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome

SCRIPTED = ("--provider", "scripted")


def asked(where: Home) -> Call:
    """The next call of the agent's, taken by the test."""
    return until(lambda: queue.take(where, "scripted"), where.calls / "new" / "scripted")


def answers(where: Home, text: str) -> None:
    """Let the model answer the next call."""
    queue.answer(where, where.store(), asked(where), text, Outcome(finish="stop", model="scripted-1"))
