"""The appearance of messages, drafts and notices on a terminal: colours distinguish people from agents, and lines break
at words.

text.escape makes others' text harmless before it comes here, and again if Markdown decodes something. Owns nothing on
disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wcwidth import clip, wcswidth, wrap

from dotagent.store.rooms import Message
from dotagent.terminal.talk import format_message, who, words
from dotagent.text import escape, times

BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
MINE, OTHERS, AGENTS = "\x1b[1;36m", "\x1b[1;33m", "\x1b[1;32m"
NARROW = 20  # a terminal with fewer columns wraps no text

_MARKED = re.compile(r"[*_`~#|\[\]<>&\\]|^[ \t]*(?:[-+]|\d+[.)])\s|^[ \t]*(?:---|===)|^(?: {4}|\t)", re.MULTILINE)


@dataclass
class Look:
    """The terminal's properties: colours, times, and the person's name."""

    me: str
    colour: bool = True
    timed: bool = False
    who: Callable[[Message], str] = who

    def message(self, one: Message, columns: int) -> str:
        """Return a message in rows of at most `columns`, continuation rows indented so that none can imitate another
        message."""
        name, text = self.who(one), words(one)
        at = f"{DIM}{clock(one.at)}{PLAIN} " if self.timed and one.at else ""
        columns -= wcswidth(clock(one.at)) + 1 if at else 0
        rows = self._rows(name, text, one.kind == "AGENT", columns)
        return at + self._name(one) + name + PLAIN + rows.removeprefix(name)

    def _rows(self, name: str, text: str, agent: bool, columns: int) -> str:
        if not agent or columns < NARROW or not _MARKED.search(text):
            return wrapped(format_message(name, text), columns)
        from dotagent.terminal import markdown  # with rich, which takes a while to load

        laid_out = markdown.render(name, text, columns - len(escape.INDENT), self.colour)
        return escape.indent(laid_out).removeprefix(escape.INDENT) or wrapped(format_message(name, text), columns)

    def _name(self, one: Message) -> str:
        if not self.colour:
            return BOLD
        return AGENTS if one.kind == "AGENT" else MINE if one.name == self.me else OTHERS


def note(text: str, columns: int) -> str:
    """Format a notice of the program."""
    return "\n".join(f"{DIM}{row}{PLAIN}" for row in wrapped(escape.printable(text), columns).split("\n"))


def row(text: str, columns: int) -> str:
    """Return a notice in one row, cut to the width."""
    text = escape.row(text)
    return text if wcswidth(text) <= columns else clip(text, 0, columns - 1) + "…"


def divider(title: str, columns: int) -> str:
    """Return a line across the terminal with a title."""
    return f"{DIM}── {title} {'─' * max(2, min(columns, 80) - len(title) - 5)}{PLAIN}"


def wrapped(text: str, columns: int) -> str:
    """Wrap long lines at words. Continuations are indented like their line, or by two."""
    if columns < NARROW:
        return text
    rows: list[str] = []
    for line in text.replace("\t", "    ").split("\n"):
        if 0 <= wcswidth(line) <= columns:
            rows.append(line)
            continue
        blank = line[: min(len(line) - len(line.lstrip()), columns // 2)]
        further = blank or escape.INDENT
        words = line[len(blank) :]
        rows += wrap(words, columns, initial_indent=blank, subsequent_indent=further, break_on_hyphens=False) or [blank]
    return "\n".join(rows)


def clock(stamp: str) -> str:
    """Format a time as the local hour, with the day if it is not today."""
    try:
        then = times.local(stamp)
    except (ValueError, OverflowError):  # an edited tag
        return "?"
    return then.strftime("%H:%M" if then.date() == times.local_now().date() else "%Y-%m-%d %H:%M")
