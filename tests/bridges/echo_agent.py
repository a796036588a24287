"""An agent of a few lines: it answers each message of the rooms of a home, once and in order, as a life would.

Everything it knows is in the rooms: a message is answered when an answer that names it stands behind it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from support import PATIENCE, pause

from dotagent.store import rooms, watch
from dotagent.store.home import Home
from dotagent.store.rooms import Message, Position
from dotagent.text import times

NAME = "0123456789ab"


def plain(text: str) -> str:
    """The answer to a text."""
    return f"heard: {text}"


class Echo:
    """The agent, in a thread of its own while its `with` block runs."""

    def __init__(self, where: Home, answer: Callable[[str], str] = plain) -> None:
        self.where, self._answer = where, answer
        self.heard: dict[str, list[str]] = {}
        self._positions: dict[str, Position] = {}
        self._watch, self._ended = watch.Watcher(), False
        self._last = ""
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Echo:
        self._watch.names(self.where.chats)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended = True
        self._thread.join(PATIENCE)
        self._watch.close()

    def _run(self) -> None:
        while not self._ended:
            for path in sorted(self.where.chats.glob("*.md")):
                with suppress(FileNotFoundError):
                    self._watch.content(path)
                    self._look(path)
            pause(self._watch)

    def _look(self, path: Path) -> None:
        found = rooms.read(path, self._positions.get(path.stem, Position()))
        assert found, f"{path} was written anew"
        messages, self._positions[path.stem] = found
        for message in messages:
            if message.kind == "USER":
                said = words(message)
                self.heard.setdefault(path.stem, []).append(said)
                if answer := self._answer(said):
                    say(path, answer, self._time())

    def _time(self) -> str:
        while (now := times.now()) <= self._last:
            continue
        self._last = now
        return now


def say(path: Path, text: str, at: str = "", name: str = NAME) -> None:
    """An agent says something in a room."""
    rooms.append(path, rooms.line_of("AGENT", name, at or times.now(), text))


def words(message: Message) -> str:
    """What a message says."""
    text = message.raw.decode().removesuffix("\n").partition("] ")[2]
    return text.replace("\n  ", "\n")


def spoken(where: Home, room: str, kind: str = "USER") -> list[str]:
    """What stands in a room, oldest first: the words of people, or of agents."""
    path = where.room(room)
    found = rooms.read(path, Position()) if path.exists() else None
    return [words(one) for one in found[0] if one.kind == kind] if found else []
