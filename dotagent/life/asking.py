"""Asking a person whether an effect may be: a question in their room, and `yes`, `no` or `always` as its answer.

The question is announced like any effect, so that it is said once; which answer counts is a fold of LIFE
(questions.py). After a yes the very call is done that was asked about, from the reply in which it stands. Writes
messages of rooms through store/rooms.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import policy
from dotagent.life.events import Effect, Result
from dotagent.life.policy import Act
from dotagent.life.questions import QUESTION, Question, read
from dotagent.life.session import Session
from dotagent.life.showing import Worded
from dotagent.store import rooms
from dotagent.text import escape, grammar, tag, times
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short

STANDS = 3600.0  # seconds after which no answer is a no
SHOWN = 1200  # characters of a call that a question shows
FROM = 60  # and of that which it comes from
ALL = {"run": "any command", "remind": "any reminder", "search": "any search", "spawn": "any helper"}
"""What `always` allows of an effect that has no target."""


def allowed(session: Session) -> tuple[ToolCall, ...]:
    """The call that its person has allowed and that is still to be done, or none."""
    reply, _, index = session.state.heard.allowed.partition(" ")
    if not index.isdecimal():
        return ()
    return grammar.read(session.words(reply), extensions.tools()).calls[int(index) :][:1]


def ask(session: Session, call: ToolCall, act: Act) -> Worded:
    """Say the question in the room of the turn. Raises Trouble where nobody can be asked."""
    turn, standing = session.state.turn, read(session.state.heard.question)
    if standing and session.next() <= standing.until:
        raise Trouble("not done: my person is asked about something else already; wait for that, then call it again")
    if turn.room not in session.state.heard.rooms or turn.reply == "":
        raise Trouble("not done: my person would have to be asked first, and there is no room to ask in")
    path = session.home.room(turn.room)
    wait = session.settings.policy.get("wait", STANDS)
    until = times.of(times.parse(session.next()) + timedelta(seconds=float(str(wait))))
    now = Question(turn.room, path.stat().st_size, 0, session.next(), until, turn.reply, turn.done, act.key,
                   escape.one_line(_why(session, call, act), 500))  # fmt: skip
    now = replace(now, length=len(_message(session, call, now)))
    session.record(Effect(QUESTION, str(now)))
    session.sync()
    return _say(session, call, now, rooms.append)


def finish(session: Session, call: ToolCall, what: str) -> Worded:
    """Say the question of a process that died over it, unless the room has it."""
    now = read(what)
    if now is None:
        raise Trouble("not done: my person was to be asked, and the question is lost")
    return _say(session, call, now, rooms.complete)


def _say(session: Session, call: ToolCall, now: Question, append: Callable[[Path, bytes], None]) -> Worded:
    try:
        append(session.home.room(now.room), _message(session, call, now))
    except FileNotFoundError:
        raise Trouble(f"not done: the room {now.room}, where my person would be asked, is gone") from None
    shown = escape.one_line(f"{call.name} {call.args}", 200)
    told = (
        f"Not done: {shown}\nMy person is asked in {now.room} whether it may be, for {now.why}. What follows it in that"
        f" reply was not done either. After their yes it is done by itself; without one by {now.until} it is not."
    )
    return Worded(told.encode("utf-8", "replace"), "asked")


def _message(session: Session, call: ToolCall, now: Question) -> bytes:
    """The question as it stands in the room."""
    text = f"{call.name} {call.args}\n{call.body}" if call.body is not None else f"{call.name} {call.args}"
    text = tag.without_imitated(text.strip())
    if len(text) > SHOWN:
        cut = len(text) - SHOWN
        text = f"{text[: SHOWN * 2 // 3]}\n[… {cut:,} characters that are not shown …]\n{text[-SHOWN // 3 :]}"
    kind, _, target = now.key.partition(":")
    always = f"{kind} {target.replace('%20', ' ').replace('%25', '%')}".strip()
    words = (
        f"May I do this? I ask since {now.why}. Answer yes, no, or always (from now on: {ALL.get(always, always)}); "
        f"no answer within {_span(now)} is a no.\n{escape.indent(text)}"
    )
    return rooms.line_of("AGENT", short(session.id), now.at, words)


def _span(now: Question) -> str:
    """How long it stands, in words: no clock's time, since that of its person's place may be another."""
    seconds = round((times.parse(now.until) - times.parse(now.at)).total_seconds())
    size, unit = next((one for one in ((86400, "days"), (3600, "hours"), (60, "minutes")) if seconds >= 2 * one[0]),
                      (1, "seconds"))  # fmt: skip
    return f"{seconds // size:,} {unit}"


def _why(session: Session, call: ToolCall, act: Act) -> str:
    """Whose words it comes from, as far as that is known; for a helper's answer, what the helper asks."""
    if act.about:
        return act.about
    entry, value = policy.source(session, act)
    if entry is None:
        return "you did not say so, and words that are not yours are before me"
    tool = f"{entry.detail.split(' ')[0]}: " if entry.event == Result.WORD else ""
    where = escape.one_line(f"{tool}{entry.line.gist}", FROM)
    if value:
        shown = "it" if value.strip() == call.args.strip() else f"`{escape.one_line(value, 100)}`"
        return f"{shown} is not yours but stands in “{where}”"
    return f"you did not say so, and what is not yours is before me, last “{where}”"
