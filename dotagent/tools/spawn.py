"""SPAWN: let a helper do a task, in a process of its own, while this life goes on; its result wakes this one.

What a helper is born of is kept as its birth blob first, then its id is announced: so who dies over it finds the helper
by that id, made or not, and makes it once (store/spawned.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from dotagent.life.events import Spawned
from dotagent.life.session import Session
from dotagent.life.woken import works
from dotagent.store import home, rooms, spawned
from dotagent.store.spawned import LIMITS, USUAL, Terms
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short
from dotagent.tools import ToolError, Whose

FOR = "Let a helper do a task beside you; it knows what you write here, and its result wakes you"
USAGE = ("SPAWN task",)
ORDER = 71
SOME = True
EFFECT = "spawn"
ORIGIN = "own"

_SAID = re.compile(rf"({'|'.join(LIMITS)})=([0-9]{{1,9}})|workspace=(rw|ro|none)")
_WAYS = ("rw", "ro", "none")


def given(life: Whose) -> bool:
    """Whether this life may make helpers: it is not as deep below an agent that nobody made as settings allow."""
    depth = int(str(_settings(life.settings.spawn)["depth"]))
    return (life.terms.depth if life.terms else 0) < depth


def act(session: Session, call: ToolCall) -> bytes:
    """Keep the birth blob, announce the helper, make it and start its process."""
    task, asked = _read(call)
    if not task:
        raise ToolError("what shall it do? SPAWN turns=10 Add up what stands in this list: …")
    known = _settings(home.settings_now(session.home, session.settings).spawn)
    most, heard = int(str(known["most"])), session.state.heard
    busy = sum(one.goes_on for one in works(heard).values())
    if busy >= most or heard.made >= most:
        what = "helpers work already" if busy >= most else "helpers were made since somebody last spoke to you"
        raise ToolError(f"{max(busy, heard.made)} {what}, and at most {most} may: go on with what they bring")
    terms = _terms(session, known, asked)
    self_id = spawned.birth(session.store, terms, spawned.audience(terms.room))
    effect = session.announce(call, f"{self_id} {session.next()}")
    return _make(session, task, effect.what)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Make the helper that was announced, unless it is there, and let it work."""
    return _make(session, _read(call)[0], what)


def _make(session: Session, task: str, what: str) -> bytes:
    self_id, at = what.split(" ")
    terms = spawned.terms(session.store, self_id)
    if terms is None or terms.parent != session.id:
        raise ToolError("what it was to be born of is lost: SPAWN it again")
    message = rooms.line_of("AGENT", short(session.id), at, task)
    spawned.make(session.home, self_id, terms, message)
    work(session, self_id, 1)
    return (
        f"helper {short(self_id)} works; I hear of its result. It may take {terms.turns} turns, {terms.tokens:,} "
        f"tokens and {terms.seconds:,} s"
    ).encode()


def work(session: Session, self_id: str, words: int = 0) -> None:
    """See to it that a process lives the helper, once LIFE holds that so many words were given to it."""
    known, turn = works(session.state.heard).get(self_id), session.state.turn
    if words > (known.words if known else 0):
        room = turn.room or next(iter(sorted(session.state.heard.rooms)), "dev")
        session.record(Spawned(self_id, room, words))
        session.sync()
    if not spawned.works(session.home, self_id):
        with suppress(OSError):  # too many processes, or a disk that is full: it is tried again
            spawned.start(session.home, self_id, session.options, session.order[0])


def _terms(session: Session, known: Mapping[str, object], asked: Mapping[str, str]) -> Terms:
    """The helper's: as settings say, or less where the call asks for less; a helper's own are the most of its own."""
    mine, numbers = session.terms, dict[str, int]()
    for name in LIMITS:
        most = int(str(known[name])) if mine is None else min(int(str(known[name])), getattr(mine, name))
        numbers[name] = max(1, min(int(asked.get(name, most)), most))
    ways = [str(known["workspace"]), session.settings.workspace, asked.get("workspace", "rw")]
    place = max(ways, key=_WAYS.index)
    depth = 1 + (mine.depth if mine else 0)
    return Terms(session.id, spawned.place(session.home, session.id), depth, **numbers, workspace=place)


def _settings(given: Mapping[str, object]) -> dict[str, object]:
    return {**USUAL, **given}


def _read(call: ToolCall) -> tuple[str, dict[str, str]]:
    """The task, and what the call's first words ask for."""
    words, asked = call.args, dict[str, str]()
    while found := _SAID.match(words):
        if words[found.end() : found.end() + 1].strip():
            break
        name, _, value = found[0].partition("=")
        asked[name], words = value, words[found.end() :].lstrip()
    return f"{words}\n{call.body or ''}".strip(), asked
