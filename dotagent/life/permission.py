"""Ask the owner in a room for permission, and match an answer to its question (questions.py).

A question contains its reason, each complete call, and the possible answers. It quotes foreign text only inside a call.
It is announced like any effect, so it is posted once. After a yes, exactly the listed calls of that reply run. Writes
messages of rooms through store/rooms.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import origins
from dotagent.life.background_events import Ended, Returned
from dotagent.life.event import Event
from dotagent.life.events import Effect, Hear, Join, Result, parse
from dotagent.life.policy import Act
from dotagent.life.questions import BEGIN, LINES, Question, answer, imitated, read, standing
from dotagent.life.session import Session
from dotagent.store import room_completion, rooms
from dotagent.store.rooms import Message
from dotagent.text import escape, lazy, quote_match, quotes, tag, times
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short

STANDS = 3600.0  # seconds after which a missing answer means no
USED = (
    "(my question does not count any more, because somebody else used its number here. Tell me again what to do, and I "
    "ask with another number)"
)
EARLY = "(no answer) "  # before an answer whose question is not above it
OPEN = "(my question {0} is still open; if you mean it, write: yes {0}, or: no {0})"

SHOWN, TALL = 3500, 60  # the most characters and lines of a question: a person would not see more as a whole
ASKED = (
    "Not done yet: I asked my owner in {} (question {}). The rest of that reply is not done either. After a yes, the "
    "listed calls are done automatically. Without a yes by {} they are not."
)
TOO_LONG = f"not done: my owner must first see the whole call; shorten it to at most {SHOWN:,} characters"
NAMED = 3  # sources that a question names
READ = {"command": "a command's output", "web": "a page of the web", "file": "a file"}  # by origin
_PATH = lazy.compile(r"[\w./-]{1,60}")  # a name that cannot contain a message

Due = Sequence[tuple[int, ToolCall, Act]]
"""Calls of a reply that need a question, each with its place in the reply and its effect."""


def ask(session: Session, due: Due) -> bytes:
    """Ask about these calls in the room of the turn. Return the text that the model gets. Raises Trouble if there is no
    room to ask in, or if a call is too long to show."""
    turn, heard = session.state.turn, session.state.heard
    if turn.flush or turn.room not in heard.rooms or not turn.reply or not due:
        raise Trouble("not done: this needs my owner's permission, and there is no room in which I can ask")
    number, wait = max(heard.asked, LINES) + 1, float(session.settings.policy.get("wait", STANDS))
    shown, text = _write(session, number, due[:LINES], wait)
    if not shown:
        raise Trouble(TOO_LONG)
    at, words = session.next(), session.keep(text, f"question {number}")
    until = times.make_stamp(times.parse(at) + timedelta(seconds=wait))
    calls = {str(place): act.key for place, _, act in due[:shown]}
    what = Question(number, turn.room, at, until, words, turn.reply, calls).detail()
    session.record(Effect(origins.QUESTION, what))
    session.sync()
    return say(session, what, rooms.append)


def say(session: Session, what: str, append: Callable[[Path, bytes], object] = room_completion.complete) -> bytes:
    """Post an announced question. After a crash, `append` first searches the whole room for it. Raises Trouble if the
    announcement cannot be read, or if the room is gone."""
    now = read(what)
    if not now or not (text := session.words(now.words)):
        raise Trouble("not done: my question to the owner was lost in a crash; make the call again to ask again")
    try:
        append(session.home.room(now.room), rooms.line_of("AGENT", short(session.id), now.at, text))
    except FileNotFoundError:
        raise Trouble(f"not done: the room {now.room}, where I would ask my owner, no longer exists") from None
    return ASKED.format(now.room, now.number, now.until).encode("utf-8", "replace")


def find_words(session: Session, event: Hear, message: Message, pending: Collection[str] = ()) -> str:
    """Return what LIFE notes of a message instead of its text, or "": the beginning of a question that somebody else
    imitates, an answer with its question's number, or an answer to no question above it.

    An answer quotes its question or contains its number; otherwise the question is the only one right above it, and no
    other message of the agent there waits for a yes: `pending` has the texts of such messages.
    """
    text, room, by_agent = message.text, event.room, message.kind == "AGENT"
    open = [one for one in standing(session.state) if one.room == room]
    quote = "" if by_agent else quotes.quoted_words(text)
    if by_agent or not origins.is_persons(event, session.state.audience):
        replies = quote and any(quote_match.repeats(text, session.words(one.words)) for one in open)
        theirs = quotes.own_text(text) if replies else text
        if not answer(theirs)[0] and (number := imitated(theirs, [one.number for one in open])):
            return BEGIN.format(number)
    said, number, lines = answer(text if by_agent else quotes.own_text(text))
    here = {one.at: one for one in open} if said else {}
    me, meant = ("AGENT", short(session.id)), list[Question | None]()
    above = itertools.islice(rooms.back(session.home.room(room), message.end), 1, None)
    asked = ((one, here.get(one.at) if (one.kind, one.name) == me else None) for one in above)  # newest first
    if quote and here:
        known = list(asked)  # an agent's other message may contain the same words
        others = (one for one, now in known if one.kind == "AGENT" and not now)
        if not any(quote_match.is_quoted_in(text, one.text) for one in others):
            meant = [now for _, now in known if now and quote_match.repeats(text, session.words(now.words))]
    elif number in [one.number for one in here.values()]:
        meant = [next((now for _, now in asked if now and now.number == number), None)]
    elif here:
        mine = list(itertools.takewhile(lambda each: (each[0].kind, each[0].name) == me, asked))
        meant = [] if any(now or one.text in pending for one, now in mine[1:]) else [now for _, now in mine]
    if meant and (now := meant[0]) and number in (0, now.number):
        return " ".join(map(str, (said, now.number, *lines)))
    return f"{EARLY}{text}" if any(answer(text)[1:]) else ""


def find_notice(session: Session, room: str, message: Message, before: Mapping[str, str]) -> str:
    """Return what to tell the room after a message, or "". `before` are the open questions before it."""
    line, same = session.entries[-1].line, session.state.heard.questions == before
    event, answered = parse(line), bool(answer(quotes.own_text(message.text))[0])
    persons = isinstance(event, Hear) and origins.is_persons(event, session.state.audience)
    if message.kind == "AGENT" or not persons:
        return "" if same or answered else USED
    open = [one.number for one in standing(session.state) if one.room == room and line.at <= one.until]
    return OPEN.format(open[-1]) if same and open and answered else ""


def _write(session: Session, number: int, due: Due, wait: float) -> tuple[int, str]:
    """Return how many of the calls the question can show completely, from the first, and its text. `wait` is its
    lifetime in seconds."""
    begin = f"{BEGIN.format(number)}{_name_sources(session)}."
    told = (f"{at}. {_format_call(call, act.about)}" for at, (_, call, act) in enumerate(due, 1))
    calls = [escape.indent(escape.indent(one)) for one in told]  # Markdown hides no part of code
    while calls and (len(text := "\n".join([begin, *calls]).expandtabs()) > SHOWN or text.count("\n") > TALL):
        calls.pop()
    rules = session.settings.policy.get("always", True)
    lasting = [at for at, (_, _, act) in enumerate(due[: len(calls)], 1) if act.key and rules]
    ways = ["yes (all) / yes 1" if len(calls) > 1 else "yes", "no", *(f"always {at}" for at in lasting[:1])]
    late = f"If you write another message first: yes {number}. No answer within {wait / 60:.3g} minutes means no."
    return len(calls), "\n".join([begin, "", *calls, "", f"Answer {' / '.join(ways)}. {late}"])


def _format_call(call: ToolCall, about: str) -> str:
    """Return the complete call for a person, with invisible characters made visible."""
    begin, body = f"{call.name} {call.args}".strip(), (call.body or "").strip("\n")
    if call.name == extensions.tools().speech:
        begin, body = f"say in {call.args}", f'"{tag.remove_imitated(body)}"'
    text = f"{begin}:\n{escape.indent(body)}" if "\n" in body else f"{begin}: {body}" if body else begin
    shown = escape.printable(text).replace("\n", f"\n{escape.INDENT * 2}")
    return f"{shown}\n{escape.printable(about)}" if about else shown


def _name_sources(session: Session) -> str:
    """Return the names of the sources of foreign text, newest first, without quoting them."""
    known = ((parse(one.line), one.line.gist) for one in reversed(session.entries) if one.line.event in origins.WORDS)
    named = list(dict.fromkeys(
        _name(event, gist) for event, gist in known
        if event and origins.foreign(origins.find_origins(event, session.state))
    ))  # fmt: skip
    if not named:
        return "My context contains text that you did not write"
    *first, last = [*named[:NAMED], *["more"] * (len(named) > NAMED)]
    return f"I have read {' and '.join(filter(None, (', '.join(first), last)))}, which you did not write"


def _name(event: Event, gist: str) -> str:
    """Return a name for the source that no stranger could choose. A file has the name that the agent used for it."""
    if isinstance(event, Hear | Join):
        return f"a message from {'another agent' if event.by == 'agent' else 'someone else'} in {event.room}"
    if isinstance(event, Result):
        usual, name = origins.tool_origin(event.tool), gist.partition(",")[0]
        shown = name if usual == "file" and _PATH.fullmatch(name) else READ.get(event.by or usual, "")
        return shown or "what others wrote"
    return {Ended: READ["command"], Returned: "a helper's answer"}.get(type(event), "notes")
