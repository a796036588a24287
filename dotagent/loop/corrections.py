"""The notes to the model about a reply that could not be used: a wrong form, or nothing. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Sequence

from dotagent import extensions, tools
from dotagent.life import heads
from dotagent.life.event import FORMS
from dotagent.life.events import Fail, Note
from dotagent.life.session import Session
from dotagent.text import escape, native

FORM = """Nothing of your reply was said or done: it is neither only words nor only calls. Reply once more:
- with only words; put lines that look like calls between ``` marks; or
- with only calls, each at the beginning of a line and outside ``` marks; put longer content between <<WORD and a line
  that is only WORD, and choose a WORD that is no line of the content. You have these calls: {}.
You were told:
{}"""
LOST = (
    "Nothing was done, because this call names no tool that you have, or does not give the tool's arguments as a JSON "
    "object: ({} Make the call again, with the arguments of its tool."
)
QUOTED = 400  # characters of a message that is shown once more


def request(session: Session, lost: Sequence[str]) -> None:
    """Record a note that lets the model reply once more; after a second empty reply, end the turn. `lost` are the lines
    of the reply that look like calls."""
    turn = session.state.turn
    if lost and not turn.corrected:
        session.record(Note(turn.room, "form"), _form(session).encode("utf-8", "replace"))
    else:
        what = Fail("empty", "stopped") if turn.corrected else Note(turn.room, "empty")
        session.record(what, _blank(session).encode(), gist="the model sent an empty reply twice")


def _form(session: Session) -> str:
    """Return the request for a reply in the right form. It ends with the message that needs the reply, because a small
    model attends most to the last lines."""
    names = ", ".join(sorted(map(extensions.call_name, tools.list_names(session))))
    heard = next((one for one in reversed(session.entries) if FORMS[one.event].begins), None)
    return FORM.format(names, escape.one_line(heads.text(heard, heard.line.at), QUOTED) if heard else "(nothing)")


def _blank(session: Session) -> str:
    """Return the note to the model about an empty reply, or about a call that could not be read."""
    lost = session.words(session.state.turn.reply).partition(native.LOST)[2]
    if lost:
        return LOST.format(escape.one_line(lost, QUOTED))
    return f"Your reply was empty. Write your answer, or call a tool, or reply {extensions.tools().silence}."
