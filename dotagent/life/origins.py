"""The origins of the text in an agent's context: a part of the fold (`fold.py`).

All text is foreign except that of the agent and its person. Each event with foreign text says so (`by`). Foreign text
counts even after it was removed, because summaries, notes and replies may repeat it. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from dotagent import extensions
from dotagent.life.context import SKILLS
from dotagent.life.event import FORMS, Event
from dotagent.life.events import Boot, Document, Effect, Hear, Join, Result
from dotagent.life.state import State, change

OWN, PERSON, MADE, OTHERS = "own", "person", "helper", "others"
QUESTION = "QUESTION"  # the tool in the announcement of a question (questions.py); it writes no file
UNTAGGED = "OWNER"  # the author of a line without a tag, as the event HEAR names it
RAN = "ran"  # not an origin: a command ran, so from now on a file may contain its output
ORIGINS = ("others", "agent", "file", "command", "web")  # the foreign origins
ENDS = {"ENDED": "command", "RETURNED": "agent"}  # events of work outside a turn (background_events.py)
OF_FILES = frozenset(word for word, form in FORMS.items() if form.of_file)
WORDS = OF_FILES | ENDS.keys() | {kind.WORD for kind in (Boot, Join, Hear, Effect, Result)}


def add_origins(state: State, event: Event) -> State:
    """Return the state after the text of this event is in the context."""
    known = state.heard.origins
    now = tuple(dict.fromkeys((*known, *find_origins(event, state))))
    first = state.number + 1 if foreign(now) and not foreign(known) else state.heard.since
    return change(state, heard=change(state.heard, origins=now, since=first))


def find_origins(event: Event, state: State) -> tuple[str, ...]:
    """Return the origins of an event's text, except its person."""
    given = ("file",) if isinstance(event, Hear | Join) and event.media else ()
    match event:
        case Boot():
            return (OWN,)
        case Effect():
            return (RAN,) if event.tool != QUESTION and tool_origin(event.tool) == "command" else ()
        case _ if by := getattr(event, "by", ""):
            return (*foreign(by.split(",")), *given)
        case Hear() if not is_persons(event, state.audience):
            return ("agent" if event.who.startswith("AGENT:") else "others", *given)
        case Join() if event.offset or event.mark != "-":
            return ("agent", "others", *given)
        case Result() if event.how != "asked":
            usual = tool_origin(event.tool)
            return foreign((usual,)) if event.how != "error" or usual not in ("file", "command") else ()
        case _ if event.WORD in ENDS:
            return (ENDS[event.WORD],)
        case _ if event.WORD in OF_FILES:  # except for the list of skills, which names only trusted ones
            listed = isinstance(event, Document) and event.name == SKILLS
            return ("command",) if RAN in state.heard.origins and not listed else ()
    return given


def is_persons(event: Hear, audience: str) -> bool:
    """Return True if the agent's person sent this message: in private any person, in a group the owner and the persons
    of settings, and for a helper its parent, unless that has foreign text in its context."""
    by = event.by.split(",")
    if event.who.startswith("AGENT:"):
        return audience.startswith(MADE) and "agent" not in by
    return audience.startswith("private") or PERSON in by


@cache
def tool_origin(name: str) -> str:
    """Return the origin of a tool's results, by its ORIGIN; "command" if it declares none."""
    return extensions.declared(name, "ORIGIN", "command")


def failure_origin(tool: str, failure: Exception) -> str:
    """Return the origin of an error's text. Our own errors declare a quotation; a plug-in's may contain one."""
    added = extensions.is_added("tools", extensions.file_name(tool))
    return str(getattr(failure, "by", "")) or (tool_origin(tool) if added else OWN)


def foreign(known: Iterable[str]) -> tuple[str, ...]:
    """Return the foreign ones of these origins."""
    return tuple(one for one in known if one in ORIGINS)


def message_origins(kind: str, name: str, text: str, persons: Iterable[str], audience: str) -> list[str]:
    """Return the origins that a HEAR records: the sender (omitted in private for the person) and texts or files that
    they pass on. A message of an agent is foreign."""
    if kind == "AGENT":
        return ["agent"]
    from dotagent.text import quotes  # loaded with the first message

    sender = PERSON if not kind or name in persons else "others"
    marks = {sender: not audience.startswith("private"), "file": quotes.ATTACHED.search(text)}
    marks["others"] = marks.get("others") or quotes.passes_on(text)
    return [mark for mark in (PERSON, "others", "file") if marks.get(mark)]
