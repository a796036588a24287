"""Ask the owner in a room for permission, and match an answer to its question (questions.py).

A question quotes foreign text only inside a call. It is announced like any effect, so it is posted once. After a yes,
exactly the listed calls of that reply run. Writes messages of rooms through store/rooms.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import origins
from dotagent.life.events import Effect, Hear, Result, parse
from dotagent.life.policy import Act
from dotagent.life.questions import BEGIN, LINES, Question, answer, imitated, read, standing
from dotagent.life.session import Session
from dotagent.store import room_completion, rooms
from dotagent.store.rooms import Message
from dotagent.text import escape, lazy, quote_match, quotes, tag, times
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short

STANDS = 3600.0  # seconds after which a missing answer means no
USED = "(my question does not count any more, because somebody else used its number here; say again what to do)"
EARLY = "(no answer) "  # before an answer whose question is not above it
OPEN = "(my question {0} is still open; if you mean it, write: yes {0}, or: no {0})"

SHOWN, TALL = 3500, 60  # the most characters and lines of a question: a person would not see more as a whole
ASKED = (
    "Not done yet: I asked my owner in {} (question {}). The rest of that reply is not done either. After a yes, the "
    "listed calls are done automatically. Without a yes by {} they are not."
)
TOO_LONG = f"not done: my owner must first see the whole call; shorten it to at most {SHOWN:,} characters"
NAMED = 3  # sources that a question names
READ = {"others": "someone else's message", "agent": "an agent's message", "file": "a file",
        "command": "a command's output", "web": "a page of the web"}  # fmt: skip
"""The name of a source by its origin: a stranger could choose another name."""
_PATH = lazy.compile(r"[\w./-]{1,60}")  # a name that cannot contain a message
Due = Sequence[tuple[int, ToolCall, Act]]  # calls that need a question: the place in the reply, and the effect, of each


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
    return say(session, what, again=False)


def say(session: Session, what: str, *, again: bool = True) -> bytes:
    """Post an announced question, unless it was posted before a crash (`again`). Raises Trouble if the announcement
    cannot be read, or if the room is gone."""
    now = read(what)
    if not now or not (text := session.words(now.words)):
        raise Trouble("not done: my question to the owner was lost in a crash; make the call again to ask again")
    try:
        append = room_completion.complete if again else rooms.append
        append(session.home.room(now.room), rooms.line_of("AGENT", short(session.id), now.at, text))
    except FileNotFoundError:
        raise Trouble(f"not done: the room {now.room}, where I would ask my owner, no longer exists") from None
    return ASKED.format(now.room, now.number, now.until).encode("utf-8", "replace")


def find_words(session: Session, event: Hear, message: Message, pending: Collection[str] = ()) -> str:
    """Return what LIFE notes of a message instead of its text, or "": the beginning of a question that somebody else
    imitates, an answer with its question's number, or an answer to no question above it. `pending` has the texts of
    other messages of the agent there that wait for a yes: then an answer must quote its question or name its number.
    An answer that contains words of others must quote its question in any case."""
    text, room, by_agent = message.text, event.room, message.kind == "AGENT"
    open = [one for one in standing(session.state) if one.room == room]
    own = text if by_agent else quotes.own_text(text)
    quote = not by_agent and bool(quotes.quoted_words(text) or quotes.passes_on(text))
    quoted = [one for one in open if quote and quote_match.repeats(text, session.words(one.words))]
    if by_agent or not origins.is_persons(event, session.state.audience):
        theirs = own if quoted else text
        if not answer(theirs)[0] and (number := imitated(theirs, [one.number for one in open])):
            return BEGIN.format(number)
    said, number, lines = answer(own)
    here = {one.at: one for one in open if said and number in (0, one.number)}
    me, now = ("AGENT", short(session.id)), None
    above = itertools.islice(rooms.back(session.home.room(room), message.end), 1, None)
    asked = ((one, here.get(one.at) if (one.kind, one.name) == me else None) for one in above)  # newest first
    if here and quote:
        known = list(asked)  # an agent's other message may contain the same words
        if not any(one.kind == "AGENT" and not its and quote_match.is_quoted_in(text, one.text) for one, its in known):
            now = next((its for _, its in known if its in quoted), None)
    elif here and number:
        now = next((its for _, its in asked if its), None)
    elif here:
        mine = list(itertools.takewhile(lambda each: (each[0].kind, each[0].name) == me, asked))
        if mine and not any(its or one.text in pending for one, its in mine[1:]):
            now = mine[0][1]
    early = f"{EARLY}{text}" if answer(text)[1] else ""
    return " ".join(map(str, (said, now.number, *lines))) if now else early


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
    begin = f"{BEGIN.format(number)}I have read {' and '.join(_sources(session))}, which you did not write."
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


def _sources(session: Session) -> list[str]:
    """Return names of the sources of foreign text, newest first. A file has the name that the agent used for it."""
    named = dict[str, None]()
    for line in (one.line for one in reversed(session.entries) if one.line.event in origins.WORDS):
        event, name = parse(line), line.gist.partition(",")[0]
        for origin in origins.foreign(origins.find_origins(event, session.state)) if event else ():
            by_name = isinstance(event, Result) and origins.tool_origin(event.tool) == origin == "file"
            named[name if by_name and _PATH.fullmatch(name) else READ[origin]] = None
    return [*list(named)[:NAMED], *["more"] * (len(named) > NAMED)] or ["text"]
