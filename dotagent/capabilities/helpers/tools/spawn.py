"""SPAWN: let a helper (another agent) do a task in a separate process, while the agent continues. The agent reads the
helper's result as a new message.

The helper's birth blob is stored first, then its id is announced. So after a crash the helper is found by that id, and
created only once (children.py). Owns nothing else on disk.
"""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.capabilities.helpers import children
from dotagent.capabilities.helpers.options import USUAL, WAYS
from dotagent.life.background_events import works
from dotagent.life.session import Session
from dotagent.store import helpers, home, rooms
from dotagent.store.helpers import LIMITS, Terms
from dotagent.text import lazy
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short
from dotagent.tools import ToolError, Whose

FOR = "Let a helper do a task in parallel; it knows only what you write here, and its result wakes you"
USAGE = ("SPAWN task",)
ORDER = 71
SOME = True
EFFECT = "spawn"
ORIGIN = "own"

_SAID = lazy.compile(rf"({'|'.join(LIMITS)})=([0-9]{{1,9}})|workspace=(rw|ro|none)")


def given(life: Whose) -> bool:
    """Return True if the agent may create helpers: it is less deep below an agent without a parent than settings
    allow."""
    depth = int(str(_settings(life.settings.value("spawn"))["depth"]))
    return (life.terms.depth if life.terms else 0) < depth


def act(session: Session, call: ToolCall) -> bytes:
    """Store the birth blob, announce the helper, create it and start its process."""
    task, asked = _read(call)
    if not task:
        raise ToolError("the task is missing. Example: SPAWN turns=10 Add up the numbers in this list: …")
    known = _settings(home.settings_now(session.home, session.settings).value("spawn"))
    most, heard = int(str(known["most"])), session.state.heard
    busy = sum(one.goes_on for one in works(heard).values())
    if busy >= most or heard.made >= most:
        what = "helpers are already working" if busy >= most else "helpers were created since the last message to you"
        raise ToolError(
            f"{max(busy, heard.made)} {what}, and the limit is {most}; wait for their results and continue with them"
        )
    terms = _terms(session, known, asked)
    self_id = children.birth(session.store, terms, helpers.audience(terms.room))
    effect = session.announce(call, f"{self_id} {session.next()}")
    return _make(session, task, effect.what)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Create the announced helper, unless it exists, and let it work."""
    return _make(session, _read(call)[0], what)


def _make(session: Session, task: str, what: str) -> bytes:
    self_id, at = what.split(" ")
    terms = helpers.terms(session.store, self_id)
    if terms is None or terms.parent != session.id:
        raise ToolError("the helper's task was lost; SPAWN it again")
    message = rooms.line_of("AGENT", short(session.id), at, task)
    children.make(session.home, self_id, terms, message)
    children.work(session, self_id, 1)
    return (
        f"helper {short(self_id)} is working; I get its result when it finishes. It may use {terms.turns} turns, "
        f"{terms.tokens:,} "
        f"tokens and {terms.seconds:,} s"
    ).encode()


def _terms(session: Session, known: Mapping[str, object], asked: Mapping[str, str]) -> Terms:
    """Return the helper's limits: from settings, or lower if requested. A helper's own limits bound those of its
    helpers."""
    mine, numbers = session.terms, dict[str, int]()
    for name in LIMITS:
        most = int(str(known[name])) if mine is None else min(int(str(known[name])), getattr(mine, name))
        numbers[name] = max(1, min(int(asked.get(name, most)), most))
    ways = [str(known["workspace"]), session.settings.workspace, asked.get("workspace", "rw")]
    place = max(ways, key=WAYS.index)
    depth = 1 + (mine.depth if mine else 0)
    return Terms(session.id, children.place(session.home, session.id), depth, **numbers, workspace=place)


def _settings(given: Mapping[str, object]) -> dict[str, object]:
    return {**USUAL, **given}


def _read(call: ToolCall) -> tuple[str, dict[str, str]]:
    """Return the task, and the options before it."""
    words, asked = call.args, dict[str, str]()
    while found := _SAID.match(words):
        if words[found.end() : found.end() + 1].strip():
            break
        name, _, value = found[0].partition("=")
        asked[name], words = value, words[found.end() :].lstrip()
    return f"{words}\n{call.body or ''}".strip(), asked
