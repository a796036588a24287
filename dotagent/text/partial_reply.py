"""The text for a room in a reply that is still being written. A provider and a chat need it; an agent reads whole
replies. Pure."""

from __future__ import annotations

import re

from dotagent.text import grammar, lazy, lookalike, reasoning, syntaxes
from dotagent.text.call_lines import CallLines
from dotagent.text.grammar import SILENCE, Toolset
from dotagent.text.heartbeat_reply import QUIET

_MAYBE_FENCE = lazy.compile(r" {0,3}(?:`{1,2}|`{3,}[^`]*|~{1,2}|~{3,}.*)\Z", re.DOTALL)
_MAYBE_HERE = lazy.compile(r"<(?:<[ \t]*['\"]?[A-Za-z0-9_]*['\"]?[ \t\r]*)?\Z")


def spoken(partial: str, tools: Toolset, room: str, waking: bool) -> str:
    """Return the text for `room` so far in an unfinished reply.

    `waking` says that `room` started the turn, so text without calls belongs there. A last line that may still become a
    call, a fence, a reasoning tag or a closing word is withheld. Trailing blanks are removed.
    """
    names, text = frozenset(tools.forms), reasoning.text_after(partial)
    calls, whole = _GrowingLines(text, tools).first()
    while not whole and (end := grammar.reasoned_end(text, names)):
        text = reasoning.text_after(text[end:])
        calls, whole = _GrowingLines(text, tools).first()
    if not calls:
        said = reasoning.split(text, growing=True)[0] if waking else ""
        said = "" if syntaxes.hides(said, tools.forms) else _words(said, tools)
        return "" if QUIET.startswith(said.upper()) or SILENCE.startswith(said) else said
    bodies = (call.body.rstrip() for call in calls if call.name == tools.speech and call.args == room and call.body)
    return "\n".join(one for one in bodies if one and not SILENCE.startswith(one))


def _words(text: str, tools: Toolset) -> str:
    """Return the text of an unfinished reply without calls, or "" if one of its lines is a call."""
    lines, fence, head = text.split("\n"), "", lookalike.head(frozenset(tools.forms))
    for at, line in enumerate(lines):
        if fence:
            fence = "" if lookalike.is_closed_by(line, fence) else fence
            continue
        if at == len(lines) - 1:
            lines[at] = line = syntaxes.settled(_certain(line, tools), tools.forms)
        if head.match(line):
            return ""
        fence = lookalike.opened_fence(line)
    return "\n".join(line.removesuffix("\r") for line in lines).strip()


class _GrowingLines(CallLines):
    """The lines of an unfinished text, of which the last may be incomplete."""

    growing = True

    def line(self, at: int) -> str:
        """Return a line that is not content; of the last one only the certain part."""
        line = super().line(at)
        return _certain(line, self.tools) if at == len(self.lines) - 1 else line


def _certain(line: str, tools: Toolset) -> str:
    """Return the part of an unfinished line that no further letter can turn into something hidden."""
    bare = line.removesuffix("\r")
    if _MAYBE_FENCE.match(line.lstrip("\t\r")) or any(name.startswith(bare) for name in tools.forms):
        return ""
    words = line.split(None, 2)
    if (
        len(words) == 3
        and tools.forms.get(words[0]) == "speech"
        and line.startswith(words[0])
        and (_MAYBE_HERE.match(words[2]) or _MAYBE_FENCE.match(words[2]))
    ):
        return f"{words[0]} {words[1]} "
    return line
