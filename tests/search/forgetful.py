"""A life that was told something and forgot it."""

from __future__ import annotations

from lives import chat, good
from world import World

from dotagent import extensions, tools
from dotagent.life import tool_results
from dotagent.life.context import Entry
from dotagent.text import grammar

SEAT = "The violin lesson is at Malmö harbour, ask for Dr. Okonkwo."


def call(lived: World, words: str) -> str:
    """What a tool shows; raises its ToolError."""
    (one,) = grammar.read(words, extensions.tools()).calls
    shown = tools.act(lived.session, one)
    if shown is None or isinstance(shown, tool_results.Shown):
        return ""
    return (shown.words if isinstance(shown, tool_results.Worded) else shown).decode()


def first_faded(lived: World) -> Entry:
    return next(entry for entry in lived.session.entries if entry.event == "FADED")


def forgotten(lived: World, count: int = 25, words: int = 30) -> None:
    """Let the seat be said, and forgotten."""
    lived.say(SEAT)
    lived.run()
    chat(lived, count, words)
    assert not any(SEAT.encode() in (entry.content or b"") for entry in lived.session.entries if entry.event == "HEAR")


def compact(messages: list[dict[str, str]], asked: object) -> str:
    return good(messages, asked)  # type: ignore[arg-type]
