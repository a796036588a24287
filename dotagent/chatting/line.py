"""The line that is being typed: its text, the cursor in it, and the lines typed before. Pure: keys in, text out.

Why not readline: while a person types, others speak above the line, and an answer is shown there as it is written.
For that the cursor's place must be known and the line drawn anew at any time, which Python's readline does not offer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence


def cells(char: str) -> int:
    """How many cells of a terminal a character takes: 2 when it is wide, 0 when it joins the one before it."""
    if char < "\u0300":
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def lay(text: str, columns: int, at: int = 0) -> tuple[list[str], int, int]:
    """The text in rows of at most that many cells, and the row and the cell at which its index `at` stands."""
    rows, row, used, place = list[str](), list[str](), 0, (0, 0)
    for index, char in enumerate(text):
        size = 0 if char == "\n" else cells(char)
        if used + size > columns:
            rows.append("".join(row))
            row, used = [], 0
        if index == at:
            place = len(rows), used
        if char == "\n":
            rows.append("".join(row))
            row, used = [], 0
        else:
            row.append(char)
            used += size
    if at >= len(text):
        place = len(rows), used
    return [*rows, "".join(row)], *place


def complete(before: str, rooms: Sequence[str], commands: Sequence[str]) -> tuple[str, list[str]]:
    """What to insert behind the text before the cursor, and the candidates when it may be more than one."""
    command, blank, start = before.partition(" ")
    if not command.startswith("/") or (blank and command != "/room"):
        return "", []
    start = start if blank else command
    found = [one for one in (rooms if blank else commands) if one.startswith(start)]
    common = _common(found)
    if len(found) == 1:
        return common[len(start) :] + ("" if blank else " "), []
    return common[len(start) :], found


def _common(words: Sequence[str]) -> str:
    """The longest beginning that all of the words share."""
    first, last = min(words, default=""), max(words, default="")
    same = next((at for at, char in enumerate(first) if not last.startswith(char, at)), len(first))
    return first[:same]


class Line:
    """A line being typed. `past` holds the lines typed before, the newest last."""

    def __init__(self, past: Sequence[str] = ()) -> None:
        self.text, self.at = "", 0
        self.past = list(past)
        self._browsed, self._kept = len(self.past), ""  # where in the past it is, and what was typed before
        self._cut = ""
        self._keys: dict[str, Callable[[], object]] = {
            "left": lambda: self._go(self._left()),
            "right": lambda: self._go(self._right()),
            "home": lambda: self._go(0),
            "end": lambda: self._go(len(self.text)),
            "word left": lambda: self._go(self._word_left()),
            "word right": lambda: self._go(self._word_right()),
            "erase": lambda: self._remove(self._left(), self.at),
            "delete": lambda: self._remove(self.at, self._right()),
            "erase word": lambda: self._cut_out(self._word_left(), self.at),
            "delete word": lambda: self._cut_out(self.at, self._word_right()),
            "cut to end": lambda: self._cut_out(self.at, len(self.text)),
            "cut to start": lambda: self._cut_out(0, self.at),
            "paste back": lambda: self.insert(self._cut),
            "new line": lambda: self.insert("\n"),
            "up": lambda: self._browse(-1),
            "down": lambda: self._browse(1),
        }

    def press(self, key: str) -> bool:
        """Do what the key means to a line; False when it means nothing to it."""
        if key not in self._keys:
            return False
        self._keys[key]()
        return True

    def insert(self, text: str) -> None:
        """Type the text at the cursor."""
        self.text = self.text[: self.at] + text + self.text[self.at :]
        self.at += len(text)

    def set(self, text: str) -> None:
        """Make it this text, the cursor at its end."""
        self.text, self.at = text, len(text)

    def enter(self) -> str | None:
        """The whole text, which becomes past; None when a backslash at its end says that it goes on."""
        if self.text.endswith("\\"):
            self.set(self.text[:-1] + "\n")
            return None
        text = self.text
        if text.strip() and self.past[-1:] != [text]:
            self.past.append(text)
        self.clear()
        return text

    def clear(self) -> None:
        """Begin anew."""
        self.set("")
        self._browsed = len(self.past)

    def _go(self, at: int) -> None:
        self.at = at

    def _remove(self, start: int, end: int) -> str:
        gone = self.text[start:end]
        self.text, self.at = self.text[:start] + self.text[end:], start
        return gone

    def _cut_out(self, start: int, end: int) -> None:
        self._cut = self._remove(start, end) or self._cut

    def _left(self) -> int:
        at = max(0, self.at - 1)
        while at and cells(self.text[at]) == 0:
            at -= 1
        return at

    def _right(self) -> int:
        at = min(len(self.text), self.at + 1)
        while at < len(self.text) and cells(self.text[at]) == 0:
            at += 1
        return at

    def _word_left(self) -> int:
        before = self.text[: self.at].rstrip()
        return len(before) - len(before.split()[-1]) if before else 0

    def _word_right(self) -> int:
        after = self.text[self.at :]
        blanks = len(after) - len(after.lstrip())
        return self.at + blanks + len((after.split(None, 1) or [""])[0])

    def _browse(self, step: int) -> None:
        to = self._browsed + step
        if not 0 <= to <= len(self.past):
            return
        if self._browsed == len(self.past):
            self._kept = self.text
        self._browsed = to
        self.set(self.past[to] if to < len(self.past) else self._kept)
