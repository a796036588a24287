"""The messages of a room that an agent's log and blobs contain, in the order in which the agent learned them.

With these messages, dotagent notices that someone removed a message from the room, for example by saving an old version
in an editor, and can write the message again. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dotagent import extensions
from dotagent.life import events, origins, questions
from dotagent.life.event import Event
from dotagent.life.events import NEXT, Effect, Fail, Hear, Join, Reply, Result, Tell
from dotagent.store import rooms
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import grammar, tag
from dotagent.text.reference import short


def messages(store: Blobs, self_id: str, room: str, lines: Iterable[Line]) -> Iterator[bytes]:
    """Yield the messages of this room in these events of the agent, in the form of the room's file. Leave out messages
    whose blob is lost or was permanently deleted."""
    history = _Said(store, self_id, room)
    for line in lines:
        event = events.parse(line)
        if isinstance(event, Hear | Join) and event.room == room:
            if body := _body(store, line.id):
                yield body if body.endswith(b"\n") else body + b"\n"
        elif event and (message := history.message(event, line)):
            yield message


class _Said:
    """The agent's own messages: LIFE announces each by its room and time, after the reply or notice with its words."""

    def __init__(self, store: Blobs, self_id: str, room: str) -> None:
        self._store, self._name, self._room = store, short(self_id), room
        self._due: list[tuple[str, str]] = []  # rooms and words of the messages that come next
        self._notice = ""

    def message(self, event: Event, line: Line) -> bytes:
        """Follow one event. Return the message that it announces in the room, or nothing."""
        if isinstance(event, Reply):
            self._due, self._notice = self._calls(event, line), ""
        elif isinstance(event, Tell | Fail):
            text = event.text if isinstance(event, Tell) else line.gist or line.detail
            self._notice = text.replace(NEXT, "\n") if text.startswith("(") else f"(no answer: {text})"
        elif isinstance(event, Result) and event.how == "error" and event.tool == extensions.tools().speech:
            self._due = self._due[1:]
        elif isinstance(event, Effect):
            return self._announced(event)
        return b""

    def _calls(self, event: Reply, line: Line) -> list[tuple[str, str]]:
        tools = extensions.tools()
        text = _body(self._store, line.id).decode("utf-8", "replace")
        reading = grammar.read(text, tools, event.told.get("finish") == "length")
        if reading.calls:
            return [(one.args, one.body or "") for one in reading.due if one.name == tools.speech]
        return [(event.room, reading.text)]

    def _announced(self, event: Effect) -> bytes:
        if (asked := questions.read(event.what)) and event.tool == origins.QUESTION:
            text = _body(self._store, asked.words).decode("utf-8", "replace")
            return self._line(asked.at, text) if asked.room == self._room else b""
        room, _, rest = event.what.partition(" ")
        at = rest.partition(" ")[2]
        if event.tool != extensions.tools().speech:
            return b""
        if self._notice:
            text, self._notice = self._notice, ""
        else:
            text = next((words for there, words in self._due if there in (room, "")), "")
            self._due = self._due[1:]
        return self._line(at, text) if room == self._room else b""

    def _line(self, at: str, text: str) -> bytes:
        text = tag.remove_imitated(text.strip("\n"))
        return rooms.line_of("AGENT", self._name, at, text) if text and at else b""


def _body(store: Blobs, id: str) -> bytes:
    try:
        return store.get(id).body if id else b""
    except (BlobMissing, BlobCorrupt):
        return b""


def last_join(lines: Iterable[Line], room: str) -> int:
    """Return where in these events the agent last joined the room, or 0. It knows no earlier messages."""
    numbers = [
        number for number, line in enumerate(lines) if line.event == Join.WORD and line.detail.startswith(f"{room} ")
    ]
    return numbers[-1] if numbers else 0


def last_loss(lines: Iterable[Line], room: str) -> int:
    """Return the number of these events up to the agent's last notice that messages are gone from the room, or 0."""
    found = 0
    for number, line in enumerate(lines, 1):
        event = events.parse(line)
        if isinstance(event, Tell) and event.room == room and event.text.startswith(rooms.GONE):
            found = number
    return found
