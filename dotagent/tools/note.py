"""NOTE: a line in today's note, `memory/<day>.md`, with its time."""

from __future__ import annotations

from dotagent import extensions
from dotagent.life import daily
from dotagent.life.session import Session
from dotagent.store import bootstrap, notes
from dotagent.text import grammar, secrets
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose

FOR = "Note what happens today"
USAGE = ("NOTE words",)
ORDER = 31
EFFECT = "note"
ORIGIN = "own"
ROLE = "note"
SOME = True

SECTION = "Notes"


def given(life: Whose) -> bool:
    """Whether this life has it: a helper has no notes."""
    return not bootstrap.is_hidden(life.state.audience, notes.FOLDER)


def act(session: Session, call: ToolCall) -> bytes | None:
    """Append the line, with the time that is announced."""
    said(session, call)
    effect = session.announce(call, session.next())
    return _note(session, call, effect.what)


def recover(session: Session, call: ToolCall, what: str) -> bytes | None:
    """Append it now, unless it is there."""
    return _note(session, call, what)


def said(session: Session, call: ToolCall) -> str:
    """The words of the call, as one line. Raises ToolError for none, or too many."""
    words = " ".join(f"{call.args} {call.body or ''}".split())
    if not words:
        raise ToolError(f"{call.name} what? {call.name} and some words, on one line")
    if len(words) > daily.LONGEST:
        raise ToolError(f"{len(words):,} characters are too many for one line, {daily.LONGEST:,} fit: say it in short")
    if bootstrap.is_hidden(session.state.audience, notes.FOLDER):
        raise ToolError("you have no notes: tell what matters to the one who asked you")
    return words


def write(session: Session, at: str, words: str) -> str:
    """Append the words to the note of that time; its path in the agent's directory."""
    day, line = daily.line(session, at, words)
    daily.write(session, SECTION, day, line)
    return f"{notes.FOLDER}/{day}.md"


def noted(session: Session, words: str, where: str) -> bytes | None:
    """What is to be read of it: nothing, where the reply says something after it, or the turn is one in silence."""
    if kinds := secrets.kinds(words):
        return f"noted in {where}, without the {kinds[0]}: secrets do not become notes".encode()
    turn, tools = session.state.turn, extensions.tools()
    calls = grammar.read(session.words(turn.reply), tools, turn.cut).due[turn.done + 1 :] if turn.reply else ()
    ends = turn.flush or any(map(tools.speaks, calls))
    return None if ends else f"noted in {where}".encode()


def _note(session: Session, call: ToolCall, at: str) -> bytes | None:
    words = said(session, call)
    return noted(session, words, write(session, at, words))
