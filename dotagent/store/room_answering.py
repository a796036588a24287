"""Which of several running agents of a room answers a message: the agent that the message calls by its id or name, or
the oldest. Owns nothing on disk."""

from __future__ import annotations

import re

from dotagent.store import call_names, display, rooms
from dotagent.store.home import Home, Settings
from dotagent.store.rooms import Message
from dotagent.text.reference import short


def answering(where: Home, settings: Settings, there: list[str], text: str) -> str:
    """Return the running agent that answers a message with this text: the agent that it calls, or the oldest."""
    return _called(where, settings, there, text) or there[0]


def concerns(where: Home, settings: Settings, there: list[str], self_id: str, room: str, message: Message) -> bool:
    """Return False if another agent's message answers a person who called that agent, and does not call this one."""
    before = rooms.back(where.room(room), message.end) if len(there) > 1 else iter(())
    asked = next((one.text for one in before if one.kind != "AGENT"), "")
    answers = message.name == short(_called(where, settings, there, asked))
    return not answers or _called(where, settings, there, message.text) == self_id


def _called(where: Home, settings: Settings, there: list[str], text: str) -> str:
    """Return the running agent that a message calls by id, or by a name that no other agent here has, or ""."""
    called = tuple(re.findall(r"(?<!\w)[0-9a-f]{8,32}(?!\w)", text.lower()))
    if found := next((one for one in there if any(map(one.startswith, called))), ""):
        return found
    faces = [(one, display.find_face(where, settings, one).given.casefold()) for one in dict.fromkeys(there)]
    given = [name for _, name in faces]
    alone = ((one, name) for one, name in faces if given.count(name) == 1)
    return next((one for one, name in alone if call_names.is_called(name, text, given)), "")
