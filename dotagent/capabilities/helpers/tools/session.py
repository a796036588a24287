"""SESSION: list and read the agent's rooms and helpers, and send messages to helpers.

Other rooms and agents do not exist for it: a guessed name or id gets the same error as a mistake.
"""

from __future__ import annotations

from contextlib import suppress

from dotagent.capabilities.helpers import children
from dotagent.capabilities.helpers.tools import spawn
from dotagent.errors import Misuse
from dotagent.life import origins, questions, replay
from dotagent.life.background_events import works
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.life.tool_results import Worded
from dotagent.store import disk, helpers, room_completion, rooms
from dotagent.store.rooms import Message
from dotagent.text import escape
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import PREFIX, short
from dotagent.tools import ToolError

FOR = "See your rooms and helpers"
USAGE = ("SESSION list", "SESSION read name", "SESSION send helper words")
ORDER = 72
BRIEF = ("SESSION list",)  # the result explains the others
SOME = True
EFFECT = "spawn"
ORIGIN = "agent"

MOST, PAGE = 200, 20  # messages read at once: the most, and the default
READ = "SESSION read name shows the last messages there; SESSION send helper words sends a helper a message"
SHOWN = 120  # characters of a line in the list

given = spawn.given


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the message to a helper. If it answers the helper's question, a person must see that question, and
    `always` does not apply."""
    verb, name, _ = (*call.args.split(None, 2), "", "", "")[:3]
    if verb != "send":
        return None
    one = next((one for one in works(session.state.heard) if PREFIX.fullmatch(name) and one.startswith(name)), "")
    stand = questions.standing(replay.standing(session.home, one)) if one else []
    if not stand or not questions.answer(_words(call))[0]:
        return Act(EFFECT, one or name)
    return Act(EFFECT, "", f"my helper {short(one)} asks:\n{session.words(stand[-1].words)}")


def act(session: Session, call: ToolCall) -> bytes | Worded:
    """Run the subcommand in the first word."""
    verb, name, rest = (*call.args.split(None, 2), "", "", "")[:3]
    if verb == "list":
        return _list(session)
    if verb == "read" and name:
        return _read(session, name, int(rest) if rest.isdecimal() and len(rest) < 6 else PAGE)
    if verb == "send" and name:
        return Worded(_send(session, call, name, _words(call)), by=origins.OWN)
    raise ToolError("write SESSION in one of these forms: " + "; ".join(USAGE))


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Send the message to the helper, unless its room has it, and let it work."""
    self_id, number, at = what.split(" ")
    return _give(session, self_id, int(number), at, _words(call))


def _list(session: Session) -> bytes:
    rows = [f"room {name}: {_last(session, name)}" for name in sorted(session.state.heard.rooms)]
    for one, work in works(session.state.heard).items():
        terms = helpers.terms(session.store, one)
        how = "works" if work.goes_on else helpers.rested(session.home, one)[1] or "rests"
        rows.append(
            f"helper {short(one)}, {how}: {_last(session, terms.room) if terms else 'its room no longer exists'}"
        )
    rows = [*rows, READ] if rows else ["you have no rooms and no helpers"]
    return "\n".join(rows).encode("utf-8", "replace")


def _last(session: Session, room: str) -> str:
    found = _messages(session, room, 1)
    return _line(found[0], SHOWN) if found else "nothing was said"


def _read(session: Session, name: str, count: int) -> bytes:
    """Return the last messages there, each with its time and speaker."""
    found = _messages(session, _room(session, name), max(1, min(count, MOST)))
    return "\n".join([_line(one) for one in found] or ["no messages yet"]).encode("utf-8", "replace")


def _line(one: Message, most: int = 0) -> str:
    who = f"agent {one.name}" if one.kind == "AGENT" else one.name or "owner"
    text = escape.one_line(one.text, most) if most else escape.indent(one.text).lstrip()
    return f"{one.at} {who}: {text}".lstrip()


def _messages(session: Session, room: str, count: int) -> list[Message]:
    path = session.home.room(room)
    try:
        return rooms.last(path, count, path.stat().st_size)
    except OSError:
        return []


def _room(session: Session, name: str) -> str:
    """Return the named room: one that the agent reads and that still has its audience, or its helper's room."""
    with suppress(Misuse, OSError):  # otherwise it may be a helper's id
        path = session.home.room(name)
        heard = name in session.state.heard.rooms and disk.is_file(path)
        if heard and rooms.audience(path, session.owner) == session.state.audience:
            return name
    terms = helpers.terms(session.store, _find_own(session, name))
    assert terms  # guaranteed by _own
    return terms.room


def _find_own(session: Session, name: str) -> str:
    """Return the agent's helper with this id or prefix. Raises ToolError."""
    known = [one for one in works(session.state.heard) if PREFIX.fullmatch(name) and one.startswith(name)]
    mine = [one for one in known if (terms := helpers.terms(session.store, one)) and terms.parent == session.id]
    if len(mine) != 1:
        raise ToolError(f"you have no room or helper {escape.one_line(name, 64)}; SESSION list shows their names")
    return mine[0]


def _send(session: Session, call: ToolCall, name: str, words: str) -> bytes:
    if name in session.state.heard.rooms:
        raise ToolError(f"{name} is a room; use SAY {name} to speak there")
    self_id = _find_own(session, name)
    if not words:
        raise ToolError(f"the message is missing; write SESSION send {name} followed by your message")
    work = works(session.state.heard)[self_id]
    how = helpers.rested(session.home, self_id)[1]
    if not work.goes_on and how in ("turns", "tokens", "died"):
        raise ToolError(f"helper {short(self_id)} has finished ({how}); SPAWN another")
    number = work.words + 1
    effect = session.announce(call, f"{self_id} {number} {session.next()}")
    at = effect.what.rpartition(" ")[2]
    return _give(session, self_id, number, at, words)


def _give(session: Session, self_id: str, number: int, at: str, words: str) -> bytes:
    """Send the text to the helper's room, once, and count the messages."""
    terms = helpers.terms(session.store, self_id)
    if terms is None or terms.parent != session.id:
        raise ToolError("the record of that helper is lost; SPAWN another")
    message = rooms.line_of("AGENT", short(session.id), at, words)
    try:
        room_completion.complete(session.home.room(terms.room), message)
    except FileNotFoundError:
        raise ToolError(f"the room of helper {short(self_id)} no longer exists; the message was not posted") from None
    children.work(session, self_id, number)
    return f"sent to helper {short(self_id)}; I get its result when it finishes".encode()


def _words(call: ToolCall) -> str:
    """Return the text: the rest of the line, and the lines below."""
    return f"{(*call.args.split(None, 2), '', '', '')[2]}\n{call.body or ''}".strip()
