"""NOTE: add a line with the time to the notes of today, `memory/<day>.md`."""

from __future__ import annotations

from dotagent import extensions
from dotagent.life import daily, example_names, marks
from dotagent.life.session import Session
from dotagent.store import bootstrap, notes
from dotagent.text import grammar, secrets
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Note something that happened today"
USAGE = ("NOTE words",)
ORDER = 31
EFFECT = "note"
ORIGIN = "own"
ROLE = "note"
SOME = "notes"

SECTION = "Notes"


def act(session: Session, call: ToolCall) -> bytes | None:
    """Append the line, with the announced time."""
    checked(session, call)
    effect = session.announce(call, session.next())
    return _note(session, call, effect.what)


def recover(session: Session, call: ToolCall, what: str) -> bytes | None:
    """Append the line, unless it exists."""
    return _note(session, call, what)


def one_line(session: Session, call: ToolCall) -> str:
    """Return the text of the call as one line. Raises ToolError if it is empty or too long."""
    words = " ".join(f"{call.args} {call.body or ''}".split())
    if not words:
        raise ToolError(f"the words are missing: write {call.name} and some words, on one line")
    if len(words) > daily.LONGEST:
        raise ToolError(f"the note has {len(words):,} characters, but a note has at most {daily.LONGEST:,}; shorten it")
    if bootstrap.is_hidden(session.state.audience, notes.FOLDER):
        raise ToolError("you cannot keep notes for these people; say what matters in your answer instead")
    return words


def checked(session: Session, call: ToolCall) -> None:
    """Raise ToolError if the text cannot be kept, or contains a name from the prompt's example."""
    if found := example_names.names(session, one_line(session, call)):
        many = "are names" if len(found) > 1 else "is a name"
        raise ToolError(
            f"{' and '.join(found)} {many} {example_names.ONLY}: nothing was saved. Use {call.name} again, with "
            "names from messages to you"
        )


def write(session: Session, at: str, words: str) -> str:
    """Append the text to the note of that time. Return the note's path in the agent's directory."""
    day, line = daily.line(session, at, marks.mark(session, words))
    daily.write(session, SECTION, day, line)
    return f"{notes.FOLDER}/{day}.md"


def make_result(session: Session, words: str, where: str) -> bytes | None:
    """Return the result for the model, or None if the reply sends a message afterwards or the turn is silent."""
    if kinds := secrets.kinds(words):
        return f"noted in {where}, without the {kinds[0]}, because notes must not contain secrets".encode()
    turn, tools = session.state.turn, extensions.tools()
    calls = grammar.read(session.words(turn.reply), tools, turn.cut).due[turn.done + 1 :] if turn.reply else ()
    ends = turn.flush or any(map(tools.speaks, calls))
    return None if ends else f"noted in {where}".encode()


def _note(session: Session, call: ToolCall, at: str) -> bytes | None:
    words = one_line(session, call)
    return make_result(session, words, write(session, at, words))
