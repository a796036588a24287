"""Questions to a life's person, as LIFE tells of them: a part of the fold (`fold.py`).

A question is announced as an effect (QUESTION). An answer counts when the life's person gives it in that room, after
the question, in time, and before the agent has said anything else there: so nobody else can give it, and the agent
cannot have another question answered. To a helper that person is who made it, which asks its own first (SESSION). Owns
nothing on disk; asking.py asks them.
"""

from __future__ import annotations

from dataclasses import dataclass

from dotagent import extensions
from dotagent.life import origins
from dotagent.life.events import Effect, Hear
from dotagent.life.origins import QUESTION as QUESTION
from dotagent.life.state import State, change
from dotagent.store.log import Line

KNOWN = 200  # of `always` that hold


@dataclass(frozen=True)
class Question:
    """A question as its announcement has it: where and how it is said, how long it stands, about which call of which
    reply, what `always` would allow, and why it is asked."""

    room: str
    size: int
    length: int
    at: str
    until: str
    reply: str
    index: int
    key: str
    why: str

    def __str__(self) -> str:
        parts = (self.room, self.size, self.length, self.at, self.until, self.reply, self.index, self.key, self.why)
        return " ".join(map(str, parts))


def read(what: str) -> Question | None:
    """The question in these words; None for none."""
    parts = what.split(" ", 8)
    if len(parts) < 9 or not all(parts[at].isdecimal() and len(parts[at]) < 19 for at in (1, 2, 6)):
        return None
    room, size, length, at, until, reply, index, key, why = parts
    return Question(room, int(size), int(length), at, until, reply, int(index), key, why)


def answers(words: str) -> str:
    """The answer that these words are: yes, no or always; empty where they are none."""
    said = words.strip(" .!`'\"\n").lower()
    said = {"y": "yes", "n": "no"}.get(said, said)
    return said if said in ("yes", "no", "always") else ""


def announced(state: State, event: Effect) -> State:
    """The state once an effect is announced: a question is open, or one is closed by what is said after it."""
    if event.tool == QUESTION:
        return change(state, heard=change(state.heard, question=event.what))
    now = read(state.heard.question)
    spoke = event.tool == extensions.tools().speech and now and event.what.split(" ")[0] == now.room
    return change(state, heard=change(state.heard, question="")) if spoke else state


def done(state: State) -> State:
    """The state once a call is done, which was the one that its person allowed, if there was one."""
    return change(state, heard=change(state.heard, allowed="")) if state.heard.allowed else state


def heard(state: State, event: Hear, line: Line) -> State:
    """The state once a message is heard, which may be the answer."""
    now = read(state.heard.question)
    if not now or event.room != now.room or not origins.is_persons(event, state.audience):
        return state
    said = answers(line.gist.partition(": ")[2])
    if not said or event.offset <= now.size + now.length or line.at > now.until:
        return state
    always = (*state.heard.always, now.key)[-KNOWN:] if said == "always" else state.heard.always
    allowed = f"{now.reply} {now.index}" if said != "no" else ""
    return change(state, heard=change(state.heard, question="", allowed=allowed, always=always))
