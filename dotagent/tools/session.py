"""SESSION: the rooms that this life hears and the helpers that it made: listed, read, and the helpers spoken to.

What is neither is not there, whatever its name or hash: a guess is told the same as a mistake.
"""

from __future__ import annotations

from contextlib import suppress

from dotagent.errors import Misuse
from dotagent.life import origins, questions, replay
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.life.showing import Worded
from dotagent.life.woken import works
from dotagent.store import disk, rooms, spawned
from dotagent.store.rooms import Message
from dotagent.text import escape
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import PREFIX, short
from dotagent.tools import ToolError, Whose, spawn

FOR = "See your rooms and helpers"
USAGE = ("SESSION list", "SESSION read name", "SESSION send helper words")
ORDER = 72
BRIEF = ("SESSION list",)  # of the others its result tells
SOME = True
EFFECT = "spawn"
ORIGIN = "agent"

MOST, PAGE = 200, 20  # messages that are read at once, at most and usually
READ = "SESSION read name shows what was said there; SESSION send helper words tells a helper more"
SHOWN = 120  # characters of a line in the list


def given(life: Whose) -> bool:
    """Whether this life has it: as SPAWN."""
    return spawn.given(life)


def effect(session: Session, call: ToolCall) -> Act | None:
    """Telling a helper more: it is this life's hands. Where that is the answer to what the helper asks, its person must
    know what: no earlier word of theirs says so, and `always` holds for such questions only."""
    verb, name, _ = (*call.args.split(None, 2), "", "", "")[:3]
    if verb != "send":
        return None
    one = next((one for one in works(session.state.heard) if PREFIX.fullmatch(name) and one.startswith(name)), "")
    asked = questions.read(replay.standing(session.home, one).heard.question) if one else None
    if not asked or not questions.answers(_words(call)):
        return Act(EFFECT, "", (name, _words(call)))
    last = next((said.text for said in reversed(_messages(session, asked.room, 5)) if said.kind == "AGENT"), asked.key)
    about = f"my helper {short(one)} asks: {escape.one_line(last.partition(chr(10))[2], 400)}"
    return Act(EFFECT, f"yes to {asked.key}", (name, _words(call), about), about)


def act(session: Session, call: ToolCall) -> bytes | Worded:
    """Do what the first word says."""
    verb, name, rest = (*call.args.split(None, 2), "", "", "")[:3]
    if verb == "list":
        return _list(session)
    if verb == "read" and name:
        return _read(session, name, int(rest) if rest.isdecimal() and len(rest) < 6 else PAGE)
    if verb == "send" and name:
        return Worded(_send(session, call, name, _words(call)), by=origins.OWN)
    raise ToolError("SESSION what? " + "; ".join(USAGE))


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Say it to the helper, unless its room has it, and let it work."""
    self_id, number, at = what.split(" ")
    return _give(session, self_id, int(number), at, _words(call))


def _list(session: Session) -> bytes:
    rows = [f"room {name}: {_last(session, name)}" for name in sorted(session.state.heard.rooms)]
    for one, work in works(session.state.heard).items():
        terms = spawned.terms(session.store, one)
        how = "works" if work.goes_on else spawned.rested(session.home, one)[1] or "rests"
        rows.append(f"helper {short(one)}, {how}: {_last(session, terms.room) if terms else 'its room is lost'}")
    rows = [*rows, READ] if rows else ["there are neither rooms nor helpers"]
    return "\n".join(rows).encode("utf-8", "replace")


def _last(session: Session, room: str) -> str:
    found = _messages(session, room, 1)
    return _line(found[0], SHOWN) if found else "nothing was said"


def _read(session: Session, name: str, count: int) -> bytes:
    """The last messages there, each with when it was said and by whom."""
    found = _messages(session, _room(session, name), max(1, min(count, MOST)))
    return "\n".join([_line(one) for one in found] or ["nothing was said there"]).encode("utf-8", "replace")


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
    """The room that is meant: one that this life hears, and is for its audience still, or a helper's of its own."""
    with suppress(Misuse, OSError):  # else it is no room: perhaps a helper's id
        path = session.home.room(name)
        heard = name in session.state.heard.rooms and disk.is_file(path)
        if heard and rooms.audience(path, session.owner) == session.state.audience:
            return name
    terms = spawned.terms(session.store, _own(session, name))
    assert terms  # else it would be no helper of this life
    return terms.room


def _own(session: Session, name: str) -> str:
    """The helper of this life that is meant, by its id or the beginning of it. Raises ToolError."""
    known = [one for one in works(session.state.heard) if PREFIX.fullmatch(name) and one.startswith(name)]
    mine = [one for one in known if (terms := spawned.terms(session.store, one)) and terms.parent == session.id]
    if len(mine) != 1:
        raise ToolError(f"you have no room or helper {escape.one_line(name, 64)}: SESSION list shows them")
    return mine[0]


def _send(session: Session, call: ToolCall, name: str, words: str) -> bytes:
    if name in session.state.heard.rooms:
        raise ToolError(f"{name} is a room: SAY {name} speaks there")
    self_id = _own(session, name)
    if not words:
        raise ToolError(f"tell it what? SESSION send {name} and some words")
    work = works(session.state.heard)[self_id]
    how = spawned.rested(session.home, self_id)[1]
    if not work.goes_on and how in ("turns", "tokens", "died"):
        raise ToolError(f"helper {short(self_id)} has come to its end ({how}): SPAWN another")
    number = work.words + 1
    effect = session.announce(call, f"{self_id} {number} {session.next()}")
    at = effect.what.rpartition(" ")[2]
    return _give(session, self_id, number, at, words)


def _give(session: Session, self_id: str, number: int, at: str, words: str) -> bytes:
    """Say the words in the helper's room, once, and count them."""
    terms = spawned.terms(session.store, self_id)
    if terms is None or terms.parent != session.id:
        raise ToolError("that helper is lost")
    message = rooms.line_of("AGENT", short(session.id), at, words)
    try:
        rooms.complete(session.home.room(terms.room), message)
    except FileNotFoundError:
        raise ToolError(f"the room of helper {short(self_id)} is gone: nothing was said") from None
    spawn.work(session, self_id, number)
    return f"told helper {short(self_id)}; I hear of what comes of it".encode()


def _words(call: ToolCall) -> str:
    """What is said: the rest of the line, and the lines below."""
    return f"{(*call.args.split(None, 2), '', '', '')[2]}\n{call.body or ''}".strip()
