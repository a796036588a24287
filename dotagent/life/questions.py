"""Questions to the agent's person, as LIFE records them: a part of the fold (`fold.py`).

A question is announced as an effect (QUESTION); `yes 12` answers it. A helper's person is its parent, which first asks
its own person (tools/session.py). Owns nothing on disk; permission.py asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from dotagent.life import origins
from dotagent.life.event import Event, detailed, pairs
from dotagent.life.events import Effect, Hear
from dotagent.life.state import State, change
from dotagent.store.log import Line
from dotagent.text import lazy

KNOWN = 200  # `always` rules that are remembered
STAND = 8  # open questions
LINES = 9  # calls in one question; the numbers of questions are larger, so `yes 1` can only mean a call
BEGIN = "[{}] Before I do this: "
LEAP = 1000  # no other agent's number may raise the own numbers by more, or they would soon have too many digits
IMITATED = lazy.compile(r"[\W_]*([0-9]{1,9})[\W_]+Before I do this\b", re.IGNORECASE)
"""The beginning of a line that looks like a question. Its number is not used again, because `yes 12` would answer both.
"""
_ANSWER = lazy.compile(r"(yes|no|always|y|n)((?:[\s,]+[0-9]{1,9})*)", re.IGNORECASE)


@detailed
class Question(Event):
    """The announcement of a question: its number, its room, its time, its deadline, the blob of its text, and the reply
    with the listed calls. `calls` maps the place of each call in the reply to its key for `always`."""

    number: int
    room: str
    at: str
    until: str
    words: str
    reply: str
    calls: Mapping[str, str] = pairs()


def imitated(text: str) -> str:
    """Return the first line of the text that looks like a question, or ""."""
    return next((line for line in text.split("\n") if IMITATED.match(line)), "")


def read(what: str) -> Question | None:
    """Return the announced question, or None for other text, such as that of an earlier version."""
    try:
        return Question.read(what)
    except ValueError:
        return None


def standing(state: State) -> list[Question]:
    """Return the open questions, oldest first."""
    return [one for one in map(read, state.heard.questions.values()) if one]


def answer(words: str) -> tuple[str, tuple[int, ...]]:
    """Return `yes`, `no` or `always` and the numbers after it, or "" and no numbers for any other text."""
    found = _ANSWER.fullmatch(words.strip(" .!`'\"\n"))
    said = {"y": "yes", "n": "no"}.get(found[1].lower(), found[1].lower()) if found else ""
    return said, tuple(map(int, found[2].replace(",", " ").split())) if found else ()


def announced(state: State, event: Effect) -> State:
    """Return the state after an effect was announced, which may be a question."""
    now = read(event.what) if event.tool == origins.QUESTION else None
    if now is None:
        return state
    stand = dict([*state.heard.questions.items(), (str(now.number), event.what)][-STAND:])
    return change(state, heard=change(state.heard, questions=stand, asked=max(state.heard.asked, now.number)))


def fold_message(state: State, event: Hear, line: Line) -> State:
    """Return the state after a message, which may be an answer."""
    words, of_agent = line.gist.partition(": ")[2], event.who.startswith("AGENT:")
    if of_agent and (other := IMITATED.match(words)):
        return _use_number(state, int(other[1]), event.room)
    said, numbers = answer(words)
    now = next((one for one in standing(state) if numbers[:1] == (one.number,)), None)
    may = state.audience.startswith(origins.MADE) if of_agent else origins.is_persons(event, state.audience)
    if not now or now.room != event.room or line.at > now.until or not may:
        return state
    calls = dict(enumerate(now.calls.items(), 1))
    chosen = [calls[one] for one in sorted(set(numbers[1:]) or calls) if one in calls]
    if len(chosen) < len(set(numbers[1:])):
        return state
    left = _drop(state.heard.questions, now.number)
    waits = [f"{now.reply} {place}" for place, _ in chosen if said != "no"]
    allowed = ";".join(filter(None, (state.heard.allowed, *waits)))
    always = dict.fromkeys((*state.heard.always, *(key for _, key in chosen if key and said == "always")))
    return change(state, heard=change(state.heard, questions=left, allowed=allowed, always=tuple(always)[-KNOWN:]))


def _use_number(state: State, number: int, room: str) -> State:
    """Return the state after another agent used this number for a question in the room. An open question with this
    number ends."""
    heard, stand = state.heard, {(one.number, one.room) for one in standing(state)}
    left = _drop(heard.questions, number) if (number, room) in stand else heard.questions
    asked = max(heard.asked, number) if number <= heard.asked + LEAP else heard.asked
    return change(state, heard=change(heard, questions=left, asked=asked))


def _drop(table: Mapping[str, str], number: int) -> dict[str, str]:
    return {one: what for one, what in table.items() if one != str(number)}
