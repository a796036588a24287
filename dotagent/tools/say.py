"""SAY: send one message to a room."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dotagent import errors
from dotagent.life import questions
from dotagent.life.events import Error, Placed
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import disk, rooms
from dotagent.text import tag
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short
from dotagent.tools import ToolError

FOR = "Say something in another room than the one that spoke to you"
USAGE = ("SAY room words",)
ORDER = 50
EFFECT = "say"
ORIGIN = "own"
FORM = "speech"
ROLE = "speech"
SOME = "unmade"
PATIENT = 60.0  # seconds that another program may keep the room's lock
LOOK = 0.02  # seconds between two looks for a room that is missing


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the message if it goes to another room; in the turn's own room it is the answer."""
    return Act(EFFECT, call.args) if call.args != session.state.turn.room else None


def act(session: Session, call: ToolCall) -> None:
    """Announce the message (the room, its size before, the tag), then append it."""
    if call.args not in session.state.heard.rooms:
        there = ", ".join(sorted(session.state.heard.rooms)) or "none"
        raise ToolError(f"you are not in a room {call.args[:64]!r}: your rooms are {there}; JOIN adds another")
    path = session.home.room(call.args)
    if not _words(call).strip():
        raise ToolError(f"the message is missing. Example: SAY {call.args} Good morning.")
    if questions.imitated(_words(call)):
        raise ToolError(
            "not said: a message must not look like a question for permission; dotagent asks such questions"
        )
    end = time.monotonic() + session.patience.unfinished
    while not (found := disk.is_file(path)) and time.monotonic() < end:
        time.sleep(LOOK)  # a program is perhaps saving it
    if not found and call.args != session.state.turn.room:
        raise ToolError(f"the room {call.args} no longer exists")
    if found and rooms.audience(path, session.owner) != session.state.audience:
        raise ToolError(
            f"other people can now read the room {call.args} (its audience has changed), so the message was not posted"
        )
    effect = session.announce(call, f"{call.args} {path.stat().st_size if found else 0} {session.next()}")
    _say(session, call, effect.what, rooms.append)


def recover(session: Session, call: ToolCall, what: str) -> None:
    """Send the message, or its rest, unless the room has it. The tag identifies the message permanently."""
    path = session.home.room(what.split(" ")[0])
    if disk.is_file(path) and rooms.audience(path, session.owner) != session.state.audience:
        raise ToolError(
            f"other people can now read the room {call.args} (its audience has changed); perhaps the message "
            "was posted before this change, but not after it"
        )
    from dotagent.store import room_completion  # loaded only after a crash

    _say(session, call, what, room_completion.complete)


def _say(session: Session, call: ToolCall, what: str, append: Callable[[Path, bytes], object]) -> None:
    room, _, at = what.split(" ")
    message = rooms.line_of("AGENT", short(session.id), at, _words(call))
    end = time.monotonic() + PATIENT
    while True:
        try:
            append(session.home.room(room), message)
            return
        except FileNotFoundError:
            if room != session.state.turn.room:
                raise ToolError(f"the room {room} no longer exists; the message was not posted") from None
            # LIFE contains the answer: once the file exists again, the agent compares both and reports missing parts
            session.record(Placed(room, session.state.heard.rooms[room].offset, "-"))
            session.record(Error(f"could not post the answer: the file of room {room} is missing from chats/"))
            return
        except disk.Held as held:
            session.check_leaving()  # the next process posts it: the announcement is in LIFE
            if time.monotonic() >= end:
                raise ToolError(f"the message was not posted: {errors.line(held)}") from None


def _words(call: ToolCall) -> str:
    return tag.remove_imitated((call.body or "").strip("\n"))
