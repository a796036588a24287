"""The events of the second look (second_look.py), and their part of the fold (`fold.py`). They are loaded when the fold
reads one of them (LATER in event.py). Owns nothing on disk.
"""

from __future__ import annotations

from dotagent.life.event import Event, event
from dotagent.life.slices import on
from dotagent.life.state import State, change_turn
from dotagent.store.log import Line


@event("LOOK", blob=True)
class SecondLook(Event):
    """The agent asked the model for a second answer to the person's message (a second look). For this answer, the model
    reads no text from others (text that neither the agent nor its person wrote). The stored file (blob) contains the
    agent's request."""

    provider: str


@event("LOOKED")
class LookAnswer(Event):
    """The model's second answer to a person's message (the event LOOK asked for this answer) has ended. The stored file
    (blob) contains this second answer; if the event has no stored file, the model did not answer. `finish` says how the
    answer ended, with the same values as in the event REPLY, such as `stop`."""

    finish: str = "stop"


@event("INSTEAD")
class Instead(Event):
    """A tool call in the model's first answer to a message needs permission. So dotagent instead runs a tool call from
    a second answer to the message, which the model gave without text from others (the event LOOK). `number` is the
    position of this tool call in the model's second answer, counted from 0. If `how` is `failed`, the tool call from
    the model's second answer failed before it had any effect. In this case, the agent asks a person to allow the tool
    call from the model's first answer."""

    number: int
    how: str = ""


@on(SecondLook)
def _fold_second_look(event: SecondLook, state: State, line: Line) -> State:
    return change_turn(state, look=line.id, looker=event.provider)


@on(LookAnswer)
def _looked(event: LookAnswer, state: State, line: Line) -> State:
    return change_turn(state, look="", looked=line.id if line.id and event.finish != "length" else "-")


@on(Instead)
def _instead(event: Instead, state: State, line: Line) -> State:
    begun = 0 if event.how == "failed" else event.number + 1
    return change_turn(state, instead=begun, used=(*state.turn.used, event.number))
