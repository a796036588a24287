"""How a message, a draft and a word of ours look at a terminal: colours tell people from agents, lines break at words.

Whatever others said passed the door (text.escape) before it gets here, and again where Markdown spells something out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from wcwidth import clip, wcswidth, wrap

from dotagent.chatting.talk import shown, who, words
from dotagent.store.rooms import Message
from dotagent.text import escape, times

BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
MINE, OTHERS, AGENTS = "\x1b[1;36m", "\x1b[1;33m", "\x1b[1;32m"
NARROW = 20  # columns, in fewer than which nothing is laid out

_MARKED = re.compile(r"[*_`~#|\[\]<>&\\]|^[ \t]*(?:[-+]|\d+[.)])\s|^[ \t]*(?:---|===)|^(?: {4}|\t)", re.MULTILINE)


@dataclass
class Look:
    """What is known of the terminal: whether it may show colours, and what the person wants."""

    me: str
    colour: bool = True
    timed: bool = False
    who: Callable[[Message], str] = who

    def message(self, one: Message, columns: int) -> str:
        """A message in rows of at most so many columns, its further rows indented so that none passes for another's."""
        name, text = self.who(one), words(one)
        at = f"{DIM}{clock(one.at)}{PLAIN} " if self.timed and one.at else ""
        columns -= wcswidth(clock(one.at)) + 1 if at else 0
        rows = self._rows(name, text, one.kind == "AGENT", columns)
        return at + self._name(one) + name + PLAIN + rows.removeprefix(name)

    def _rows(self, name: str, text: str, agent: bool, columns: int) -> str:
        if not agent or columns < NARROW or not _MARKED.search(text):
            return wrapped(shown(name, text), columns)
        from dotagent.chatting import markdown  # with rich, which takes a while to load

        laid_out = markdown.render(name, text, columns - len(escape.INDENT), self.colour)
        return escape.indent(laid_out).removeprefix(escape.INDENT)

    def _name(self, one: Message) -> str:
        if not self.colour:
            return BOLD
        return AGENTS if one.kind == "AGENT" else MINE if one.name == self.me else OTHERS


def note(text: str, columns: int) -> str:
    """A word of ours."""
    return "\n".join(f"{DIM}{row}{PLAIN}" for row in wrapped(escape.printable(text), columns).split("\n"))


def row(text: str, columns: int) -> str:
    """A line of ours in one row: what does not fit is cut off."""
    text = escape.row(text)
    return text if wcswidth(text) <= columns else clip(text, 0, columns - 1) + "…"


def divider(title: str, columns: int) -> str:
    """A line across the terminal with a title."""
    return f"{DIM}── {title} {'─' * max(2, min(columns, 80) - len(title) - 5)}{PLAIN}"


def wrapped(text: str, columns: int) -> str:
    """The text with its long lines broken at words; what follows a break is indented as its line, or by two."""
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
    """When that was, by the clock on the wall: the hour, and the day where it was another."""
    try:
        then = times.parse(stamp).astimezone()
    except (ValueError, OverflowError):  # a tag that somebody wrote by hand
        return "?"
    return then.strftime("%H:%M" if then.date() == datetime.now(UTC).astimezone().date() else "%Y-%m-%d %H:%M")
