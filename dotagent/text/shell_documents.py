"""A shell command in a reply: its lines, and the here-documents that the shell reads for it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from dotagent.text import lazy, lookalike, reasoning

_SHELL_CODE = lazy.compile(
    r"""\\(?:.|(?P<more>\Z)) | (?P<quote>['"`]) | (?P<sum>\$?\(\() | (?P<sub>\() | (?P<end>\))
    | (?P<note>(?<![^\s;&|(])\#.*) | <<<
    | <<(?P<tabs>-?)[ \t]*(?P<word>(?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>()'"\\`])+)""",
    re.VERBOSE | re.DOTALL,
)
_SHELL_QUOTED = lazy.compile(r"""\\(?:.|(?P<more>\Z))|(?P<quote>["`])|(?P<sum>\$\(\()|(?P<sub>\$\()""", re.DOTALL)
_SHELL_SINGLE = lazy.compile(r"(?P<quote>')")


Close = Callable[[str, int, bool], int]


class ShellCommand:
    """A shell command in the lines of a reply: `begun` is its first line without the tool's name, and `after` the line
    below. `head` matches the beginning of a call. `close` returns the line that is a closing word, from a line on,
    after tabs or not, or the number of lines."""

    def __init__(self, lines: Sequence[str], begun: str, after: int, head: re.Pattern[str], close: Close) -> None:
        self._lines, self._head, self._close = lines, head, close
        self.end = after  # the line after the command
        self.problem = ""
        self._taken, self._inside = [begun], list[str]()
        self._read()

    @property
    def text(self) -> str:
        """Return the command."""
        return "\n".join(self._taken)

    def _read(self) -> None:
        words = self._documents()
        while words:
            for word, tabs in words:
                close = self._close(word, self.end, tabs)
                self._taken += self._lines[self.end : close]
                self.end = close
                if close == len(self._lines):
                    self.problem = f"the line {word} is missing after <<{word}"
                    return
                self._taken.append(word)  # without blanks, because the shell allows none after the word
                self.end += 1
            words = []
            while self._inside and not words and self._follows():
                self._take()
                words = self._documents()

    def _documents(self) -> list[tuple[str, bool]]:
        """Return the here-documents that the last line announces, after joining continued lines."""
        words, more = documents(self._taken[-1], self._inside)
        while more and self._follows():
            self._take()
            further, more = documents(self._taken[-1], self._inside)
            words += further
        return words

    def _take(self) -> None:
        """Add the next line to the command."""
        self._taken.append(self._lines[self.end].removesuffix("\r"))
        self.end += 1

    def _follows(self) -> bool:
        """Return True if the next line can belong to an incomplete shell command."""
        line = self._lines[self.end] if self.end < len(self._lines) else "```"
        return not (self._head.match(line) or lookalike.FENCE.match(line) or reasoning.tagged(line))


def documents(line: str, inside: list[str]) -> tuple[list[tuple[str, bool]], bool]:
    """Return the here-documents of a line of shell code (closing word, whether tabs may precede it), and whether the
    command continues.

    `inside` is the stack of open quotes and brackets before the line, and is updated for the next line.
    """
    found: list[tuple[str, bool]] = []
    at = 0
    while True:
        top = inside[-1] if inside else ""
        token = {'"': _SHELL_QUOTED, "'": _SHELL_SINGLE}.get(top, _SHELL_CODE).search(line, at)
        if token is None or token.lastgroup == "more":
            return found, token is not None
        at = token.end()
        match token.lastgroup:
            case "quote" if token[0] == top:
                inside.pop()
            case "quote":
                inside.append(token[0])
            case "sum":
                inside += ["((", "(("]  # arithmetic, where << is a shift
            case "sub":
                inside.append("((" if top == "((" else "(")
            case "end" if top in ("(", "(("):
                inside.pop()
            case "word" if top != "((":
                found.append((re.sub(r"['\"\\]", "", token["word"]), bool(token["tabs"])))
