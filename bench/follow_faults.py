"""What is wrong with the form of a reply, whatever it does: for bench/follow.py.

A call that cannot be read, the question repeated, a head printed, or a fact of the prompt's fixed part told.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from follow_tasks import Got, Task

from dotagent.life import turns
from dotagent.store.requests import ChatMessage

HEAD = re.compile(r"^\s*#\d+ |^\[?(?:USER|AGENT):\S+ \d{4}-|^\d\d:\d\d \w+ \w+:", re.MULTILINE)
GIVEN = {"MEMORY.md", "USER.md", "IDENTITY.md", "SEGMENT.md", "SUMMARISE.md", "LIFE.md", "Python"}
LOOKS = re.compile(r"^\W*(?:TOOL |REPLY\b|ANSWER\b|[A-Z]+_[A-Z_]+\b)", re.MULTILINE)


def faults(task: Task, messages: Sequence[ChatMessage], got: Got) -> Iterator[str]:
    """What is wrong with a reply's form, whatever it does."""
    if got.reading.lost or any(call.problem for call in got.reading.calls) or LOOKS.search(got.reading.text):
        yield "form"
    if HEAD.search(got.reply):
        yield "head"
    asked = task.turns[-1][0].partition(": ")[2]
    said = " ".join(got.said.values())
    if (
        len(asked.split()) > 3
        and difflib.SequenceMatcher(None, asked.lower(), said[: 2 * len(asked)].lower()).ratio() > 0.8
    ):
        yield "parrot"
    if leaked := facts(messages) & words(got.reply):
        yield f"leak ({' '.join(sorted(leaked))})"


def words(text: str) -> set[str]:
    """What of a text may be a fact: numbers, names of files, and words in capitals within a sentence."""
    return set(re.findall(r"\b\d[\d:.,]*\d\b|[\w-]+(?:/[\w.-]+|\.\w{2,4})\b|(?<=[a-z,;] )[A-Z][a-z]{2,}\b", text))


def facts(messages: Sequence[ChatMessage]) -> set[str]:
    """What stands in the fixed part or a turn shown beside, and nowhere in the life: nothing of it may come back."""
    text = "\n".join(message["content"] for message in messages)
    at = text.index("\n#1 ")
    beside = text.find(f"#0{turns.FIRST} ", at)
    fixed, life = text[:at], text[at:]
    if beside >= 0:
        last = text.rindex(f"\n{messages[-1]['content']}")
        fixed, life = text[:at] + text[beside:last], text[at:beside] + text[last:]
    plain = set(re.findall(r"\w+", text))  # what is also a word in small letters is no name
    return {one for one in words(fixed) if one not in life and one not in GIVEN and one.lower() not in plain - {one}}
