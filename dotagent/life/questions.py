"""Questions to the agent's person, as LIFE records them: a part of the fold (`fold.py`).

A question is announced as an effect (QUESTION); `yes 12` answers it. A helper's person is its parent, which first asks
its own person (tools/session.py). Owns nothing on disk; permission.py asks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

from dotagent.life import origins
from dotagent.life.event import Event, pairs
from dotagent.life.events import Effect, Hear
from dotagent.life.state import State, change
from dotagent.store.log import Line
from dotagent.text import lazy
from dotagent.text.lazy import dataclass

STAND, KNOWN = 8, 200  # open questions and `always` rules; the newest count
LINES = 9  # calls in one question; the numbers of questions are larger, so `yes 1` can only mean a call
BEGIN = "[{}] Before I do this: "
LEAP = 1000  # no other agent's number may raise the own numbers by more, or they would soon have too many digits
IMITATED = lazy.compile(r"^(?:_|[^\w\n])*([0-9]{1,9})(?:_|[^\w\n])+Before I do this\b.*", re.IGNORECASE | re.MULTILINE)
"""A line that looks like a question. Its number is not used again, because `yes 12` would answer both."""
_NUMBER = lazy.compile(r"(?:\b(?:yes|no|always)\W{1,9}|[\[(【〔《「])([0-9]{1,9})\b", re.IGNORECASE)
_ANSWER = lazy.compile(r"(yes|no|always|y|n)((?:[\s,]+[0-9]{1,9})*)", re.IGNORECASE)


@dataclass(frozen=True)
class Question(Event):
    """The announcement of a question: `at` and `until` are its time and its deadline, `words` is the blob of its text,
    and `calls` maps the place of each listed call in the reply to its key for `always`."""

    number: int
    room: str
    at: str
    until: str
    words: str
    reply: str
    calls: Mapping[str, str] = pairs()


def read(what: str) -> Question | None:
    """Return the announced question, or None for other text, such as that of an earlier version."""
    try:
        return Question.read(what)
    except ValueError:
        return None


def standing(state: State) -> list[Question]:
    """Return the open questions, oldest first."""
    return [one for one in map(read, state.heard.questions.values()) if one]


def answer(words: str) -> tuple[str, int, tuple[int, ...]]:
    """Return `yes`, `no`, `always` or "" for another text, the number of the question (0 without one), and the numbers
    of its calls (none for all of them)."""
    if not (found := _ANSWER.fullmatch(words.strip(" .!`'\"\n"))):
        return "", 0, ()
    said, numbers = found[1].lower(), [int(one) for one in found[2].replace(",", " ").split()]
    number = numbers.pop(0) if numbers and numbers[0] > LINES else 0
    return {"y": "yes", "n": "no"}.get(said, said), number, tuple(numbers)


def imitated(text: str, open: Collection[int] = ()) -> int:
    """Return the number of the question that a text imitates, or of the open one that it names in brackets or in an
    answer, because a person could answer that text by `yes 12`. Otherwise return 0."""
    plain = unicodedata.normalize("NFKC", text)
    named = (n for n in map(int, _NUMBER.findall(plain)) if n in open)
    return int(found[1]) if (found := IMITATED.search(plain)) else next(named, 0)


def announced(state: State, event: Effect) -> State:
    """Return the state after an effect was announced, which may be a question."""
    if event.tool != origins.QUESTION or not (now := read(event.what)):
        return state
    stand = dict([*state.heard.questions.items(), (str(now.number), event.what)][-STAND:])
    return change(state, heard=change(state.heard, questions=stand, asked=max(state.heard.asked, now.number)))


def fold_message(state: State, event: Hear, line: Line) -> State:
    """Return the state after an answer, or after an imitation, which ends the question with its number in that room."""
    heard, words, of_agent = state.heard, line.gist.partition(": ")[2], event.who.startswith("AGENT:")
    said, number, lines = answer(words)
    persons = origins.is_persons(event, state.audience)
    may = state.audience.startswith(origins.MADE) if of_agent else persons
    if (of_agent or not persons) and (other := IMITATED.match(words)):
        said, number, lines, may = "no", int(other[1]), (), True
        if number <= heard.asked + LEAP:
            heard = change(heard, asked=max(heard.asked, number))
    now = next((one for one in standing(state) if (one.number, one.room) == (number, event.room)), None)
    calls = dict(enumerate(now.calls.items(), 1)) if now else {}
    if now and may and line.at <= now.until and calls.keys() >= set(lines):
        chosen = [calls[one] for one in sorted(set(lines) or calls)] if said != "no" else []
        left = {key: what for key, what in heard.questions.items() if key != str(number)}
        allowed = ";".join(filter(None, (heard.allowed, *(f"{now.reply} {place}" for place, _ in chosen))))
        always = dict.fromkeys((*heard.always, *(key for _, key in chosen if key and said == "always")))
        heard = change(heard, questions=left, allowed=allowed, always=tuple(always)[-KNOWN:])
    return change(state, heard=heard)
