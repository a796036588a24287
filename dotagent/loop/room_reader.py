"""Read a room that people edit: each message once, none lost in silence, and nothing while the file is being saved.

A room that the agent reads is in one of these states:

    follows    the known place is where it was; complete lines after it are read at once
    unsettled  the place is gone, or the room is missing, or the last line has no end: the file is looked at again
               until it no longer changes (its size, time and inode)
    edited     the file no longer changes: it is compared with the messages in LIFE, new messages are read wherever they
               are, lost ones are reported, and the room follows again
    held       another program has locked the file: tried again later, while other rooms are read

Owns nothing on disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from dotagent.life.session import Session
from dotagent.store import disk, rooms
from dotagent.store.rooms import Message, Position
from dotagent.store.watch import Still
from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class RoomNews:
    """The result of one look at a room: its messages, each with the position after it, and how far the room was read.
    `lost` are known messages that are no longer there. With `edited`, the place in LIFE must be corrected even if there
    are no messages. `above` is True if the room grew above the known messages."""

    messages: Sequence[tuple[Message, Position]] = ()
    end: Position = Position()
    lost: Sequence[bytes] = ()
    edited: bool = False
    above: bool = False


class RoomReader:
    """The rooms of one agent, as this process read them."""

    def __init__(self, session: Session) -> None:
        self._session, self._still = session, Still()
        self._ahead: dict[str, Position] = {}  # after the agent's own messages, which LIFE does not record as heard
        self._due: dict[str, float] = {}  # unsettled and held rooms: when to look again
        self._unsettled: set[str] = set()

    def is_due(self, name: str) -> bool:
        """Return True if the room must be looked at again now, although nothing woke the agent."""
        return name in self._due and time.monotonic() >= self._due[name]

    def waits(self) -> bool:
        """Return True if a room is being saved."""
        return bool(self._unsettled)

    def sleep(self) -> float | None:
        """Return the seconds until a room must be looked at again, or None."""
        return max(0.0, min(self._due.values()) - time.monotonic()) if self._due else None

    def leave(self, name: str) -> None:
        """Forget the room."""
        self._ahead.pop(name, None)
        self._settle(name)

    def look(self, name: str, path: Path, *, fits: bool) -> RoomNews | None:
        """Return what is new in the room, or None if it must be looked at again later. `fits` is False if the heading
        does not have the agent's audience. Raises OSError, also Held."""
        self._settle(name)
        known = self._session.state.heard.rooms[name]
        position = self._ahead.get(name, known)
        if position.offset < known.offset or (known.offset and not known.mark):
            position = known
        try:
            found = rooms.read(path, position, exact=True) if fits else None
        except disk.Held:
            self._later(name, self._session.patience.held)
            raise
        both = (b"\n<<<<<<<", f"\n# {name} ".encode())  # git left two versions, or a copy was added to the end
        if found is None or any(mark in b"\n" + one.raw for one in found[0] for mark in both):
            return self._edited(name, path, known, fits)
        messages, position = found
        if os.stat(path).st_size > position.offset and rooms.is_unfinished(path):  # an answer would end that line
            if self._wait(name, path, self._session.patience.unfinished):
                return None
            from dotagent.store import room_completion  # loaded only for a line without its end

            room_completion.finish(path)
            return self.look(name, path, fits=fits)
        self._ahead[name] = position
        self._still.forget(path)
        after = [*(Position(one.end, one.mark) for one in messages[:-1]), position]
        return RoomNews([*zip(messages, after, strict=False)], position)

    def missing(self, name: str, path: Path) -> bool:
        """Return True if the room is missing only for a moment so far. It is read again from the place in LIFE."""
        self._ahead.pop(name, None)
        return self._wait(name, path, self._session.patience.unfinished)

    def _edited(self, name: str, path: Path, known: Position, fits: bool) -> RoomNews | None:
        patience, size = self._session.patience, os.stat(path).st_size
        if self._wait(name, path, patience.unfinished if size < known.offset else patience.still):
            return None
        from dotagent.loop import room_changes  # all loaded only for a room that someone edited
        from dotagent.store import room_edits, room_repair

        self._later(name, patience.held)
        if room_edits.restore_encoding(path):
            self._later(name, 0)
            return None
        self._settle(name)
        if not fits:
            return RoomNews(edited=True)
        edits = room_changes.find(self._session, name, path, known)
        if self._wait(name, path, patience.still):
            return None  # it changed while it was compared
        above = not room_repair.take_mark(self._session.path, name) and edits.above
        self._ahead[name] = edits.position
        self._still.forget(path)
        after = [*[known] * (len(edits.new) - 1), edits.position]
        return RoomNews([*zip(edits.new, after, strict=False)], edits.position, edits.lost, edited=True, above=above)

    def _wait(self, name: str, path: Path, seconds: float) -> bool:
        left = self._still.left(path, seconds)
        if left:
            self._unsettled.add(name)
            self._later(name, left)
        else:
            self._settle(name)
        return bool(left)

    def _later(self, name: str, seconds: float) -> None:
        self._due[name] = time.monotonic() + seconds

    def _settle(self, name: str) -> None:
        self._due.pop(name, None)
        self._unsettled.discard(name)
