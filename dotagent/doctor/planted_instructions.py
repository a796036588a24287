"""Instructions in MEMORY.md that no person's message gave: someone may have planted them for the agent to obey.

A fact about a person is not an instruction, and a person's own request is in a room in their words. So a sentence is
suspect if it tells the reader what to do or resembles a tool call, and the persons' messages do not contain its words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent import extensions
from dotagent.compaction.faithfulness import Source, grounded
from dotagent.doctor import Finding, limit_findings, warning
from dotagent.life import facts, origins
from dotagent.life.context import MEMORY
from dotagent.life.state import State
from dotagent.store import reserved_names, rooms
from dotagent.store.home import Home
from dotagent.store.rooms import Position
from dotagent.text import lookalike, quotes, standing_instructions


def orders(where: Home, folder: Path, place: str, state: State) -> Iterator[Finding]:
    """Warn about each such sentence of an agent's MEMORY.md, with its line."""
    try:
        text = reserved_names.read(folder, MEMORY).decode("utf-8", "replace")
    except OSError:
        return  # the agent says so
    found = [
        (number, sentence)
        for number, line in enumerate(text.split("\n"), 1)
        for sentence in standing_instructions.sentences(facts.ADDED.sub("", line))
        if _orders(sentence)
    ]
    if not found:
        return
    said = Source("\n".join(_persons_words(where, state)))
    strange = [one for one in found if not said.words.strip() or not grounded(one[1], said)]
    do = "remove the order, unless you want the agent to follow it"
    yield from limit_findings(
        (warning(f"the file contains an order that no person gave in a message: "
        f"{sentence}", f"{place}/{MEMORY}:{number}", do)
         for number, sentence in strange),
        f"{place}/{MEMORY}",
    )  # fmt: skip


def _orders(sentence: str) -> bool:
    """Return True if the sentence gives the agent an order or resembles a tool call."""
    bare = sentence.lstrip("-*+•> ")
    return standing_instructions.orders(sentence) or bool(
        lookalike.head(frozenset(extensions.tools().forms)).match(bare)
    )


def _persons_words(where: Home, state: State) -> Iterator[str]:
    """Return the persons' own words in the rooms that the agent hears."""
    private = state.audience.startswith("private")
    for name in state.heard.rooms:
        position = Position()
        while found := _read(where.room(name), position):
            messages, position = found
            for one in messages:
                by = origins.message_origins(one.kind, one.name, one.text, (), state.audience)
                if "agent" not in by and (private or origins.PERSON in by):
                    yield quotes.own_text(one.text)


def _read(path: Path, position: Position) -> tuple[list[rooms.Message], Position] | None:
    """Return the next messages of a room and the position after them; None at its end or if it cannot be read."""
    try:
        found = rooms.read(path, position)
    except OSError:
        return None  # the check of rooms says so
    return found if found and found[0] else None
