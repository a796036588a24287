"""The agent's hands: a tool is a module here, found by its file's name (`read_file.py` is READ_FILE).

At the top of its file stands what others must know of it: USAGE (lines that show the model how to call it), and where
it is not the usual, FORM, ROLE and REMINDER (see extensions.tools). `act(session, call)` returns what the model shall
read, or None when there is nothing to read; a failure is a ToolError, whose words become the result.

One whose effect others see calls `session.announce(call, what)`, then acts. When a process dies between the two, the
next one calls `recover(session, call, what)`, which finds out what became of the effect and returns as `act` does; of
the effect of a tool that has none the model is told that it is not known.
"""

from __future__ import annotations

from functools import cache

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life.events import Effect
from dotagent.life.session import Session
from dotagent.text import escape
from dotagent.text.grammar import ToolCall

UNKNOWN = "I was stopped while I did this, and whether it happened is not known: find out before you do it again"


class ToolError(Trouble):
    """A tool's failure: a result that tells the model what went wrong and what to do instead."""


def act(session: Session, call: ToolCall) -> bytes | None:
    """Do a call; what the model shall read of it. Raises ToolError, and Trouble for a blob that is lost."""
    shown: bytes | None = extensions.load("tools", call.name.lower()).act(session, call)
    return shown


def recover(session: Session, call: ToolCall, effect: Effect) -> bytes | None:
    """Find out what became of an effect that a dead process announced, as `act`: it is never done twice."""
    tool = extensions.load("tools", call.name.lower())
    if not hasattr(tool, "recover"):
        raise ToolError(UNKNOWN)
    try:
        shown: bytes | None = tool.recover(session, call, effect.what)
    except ValueError:  # an announcement that somebody changed
        raise ToolError(UNKNOWN) from None
    return shown


@cache
def usage() -> str:
    """How every tool is called, one form a line, for the harness's facts."""
    lines = [line for name in extensions.names("tools") for line in _usage(name)]
    return escape.indent(escape.indent("\n".join(lines)))


def _usage(name: str) -> tuple[str, ...]:
    lines = extensions.constants("tools", name).get("USAGE")
    return tuple(map(str, lines)) if isinstance(lines, tuple) else ()
