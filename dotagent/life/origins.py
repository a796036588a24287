"""Whose words a life has before it: a part of the fold (`fold.py`).

Its person's and its own are nobody else's. What others say, another agent, a file, a command or the web stays before it
for ever, since whatever it makes of that (a summary, a note, a reminder, what it recalls) stands in the same context:
so that this is known of a life as a whole follows every reference there is, over compactions and restarts. What a line
of LIFE does not tell, as an earlier version's, counts as a stranger's. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from dotagent import extensions
from dotagent.life.context import SKILLS
from dotagent.life.event import Event, parse
from dotagent.life.events import Boot, Daily, Document, Effect, Ended, Hear, Join, Result, Returned, Wake
from dotagent.life.state import State, change
from dotagent.store.log import Line

OWN, PERSON, MADE = "own", "person", "helper"
QUESTION = "QUESTION"  # the tool of the effect by which a question is announced (questions.py): it writes no file
RAN = "ran"  # no origin: from now on files may be what a command made of them
ORIGINS = ("others", "agent", "file", "command", "web")
"""Whose words are not its person's."""
WORDS = frozenset(kind.WORD for kind in (Boot, Join, Hear, Daily, Document, Effect, Result, Ended, Returned, Wake))


def after(state: State, event: Event) -> State:
    """The state once the words that come with this event are before the life."""
    known = state.heard.origins
    new = tuple(one for one in of(event, state) if one not in known)
    return change(state, heard=change(state.heard, origins=(*known, *dict.fromkeys(new)))) if new else state


def of(event: Event, state: State) -> tuple[str, ...]:
    """Whose words an event brings, beside its person's."""
    if isinstance(event, Result):
        return _shown(event)
    if isinstance(event, Hear):
        return (*_speaker(event, state.audience), *(("file",) if event.media else ()))
    if isinstance(event, Join):
        return (*_background(event, state.audience), *(("file",) if event.media else ()))
    if isinstance(event, Ended | Returned):
        return ("command",) if isinstance(event, Ended) else () if event.by == OWN else ("agent",)
    if isinstance(event, Effect):
        return (RAN,) if event.tool != QUESTION and of_tool(event.tool) == "command" else ()
    if isinstance(event, Document) and event.name == SKILLS:  # what their person trusts, and names
        return ()
    if isinstance(event, Document | Daily | Wake):  # made of a file, and commands write files without a word
        return ("command",) if RAN in state.heard.origins else ()
    return (OWN,) if isinstance(event, Boot) else ()


def is_persons(event: Hear, audience: str) -> bool:
    """Whether its person said this: in a private room all that people say there, in others whom settings name; to a
    helper that is who made it, whose own policy its task has passed."""
    private = audience.partition(" ")[0] == "private"
    if audience.partition(" ")[0] == MADE and event.who.startswith("AGENT:"):
        return True
    return not event.who.startswith("AGENT:") and (private or event.by == PERSON)


def _speaker(event: Hear, audience: str) -> tuple[str, ...]:
    if event.who.startswith("AGENT:") and audience.partition(" ")[0] != MADE:
        return () if event.by == OWN else ("agent",)
    return () if is_persons(event, audience) else ("others",)


def _background(event: Join, audience: str) -> tuple[str, ...]:
    if event.by:
        return tuple(one for one in event.by.split(",") if one in ORIGINS)
    if event.offset == 0 and event.mark == "-":  # nothing was said there
        return ()
    return ("agent",) if audience.partition(" ")[0] == "private" and not event.bridged else ("agent", "others")


def _shown(event: Result) -> tuple[str, ...]:
    if event.how == "asked" or event.by == OWN:
        return ()
    usual = of_tool(event.tool)
    if event.how == "error" and usual in ("file", "command"):  # what failed is told in our words
        return ()
    return tuple(one for one in (event.by or usual,) if one in ORIGINS)


@cache
def of_tool(name: str) -> str:
    """Whose words a tool's results are, by its ORIGIN; a tool that does not say shows a stranger's."""
    known = extensions.constants("tools", extensions.named(name)) if name in extensions.tools().forms else {}
    return str(known.get("ORIGIN", "command"))


def foreign(known: Iterable[str]) -> tuple[str, ...]:
    """Of these origins those that are strangers'."""
    return tuple(one for one in known if one in ORIGINS)


def listed(said: Iterable[tuple[str, str, bool]], persons: Iterable[str], audience: str) -> str:
    """What a JOIN tells of its background: of each message its kind and speaker, and whether that is an agent which
    never heard a stranger."""
    private, found = audience.partition(" ")[0] == "private", set[str]()
    mine = set(persons)
    for kind, name, clean in said:
        if kind == "AGENT":
            found |= set() if clean else {"agent"}
        elif not private and kind and name not in mine:
            found.add("others")
    return ",".join(sorted(found)) or OWN


def by(kind: str, name: str, persons: Iterable[str], audience: str) -> str:
    """What a HEAR tells of a person's message in a group."""
    private = audience.partition(" ")[0] == "private"
    return PERSON if kind != "AGENT" and not private and (not kind or name in set(persons)) else ""


def read(lines: Iterable[Line], state: State, *, until: int) -> State:
    """The state with the origins of these lines up to a byte offset, for a life whose last swap tells of none."""
    for line in lines:
        if line.end > until:
            break
        if line.event in WORDS and (event := parse(line)):
            state = after(state, event)
    return state
