"""From a terminal's bytes to keys: pure, and fed piece by piece as they come.

A paste (bracketed, as every current terminal does) is text with its line ends in it, so it never presses Enter.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterator

PASTE, PASTED = "\x1b[200~", "\x1b[201~"

_TOKEN = re.compile(
    r"(?P<rest>\x1b(?:\[[0-?]*[ -/]*|O)?\Z)|\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[ -~]|\x1b.|[^\x00-\x1f\x7f]+|.", re.DOTALL
)
_KEYS = {
    "left": ("\x1b[D", "\x1bOD", "\x02"),
    "right": ("\x1b[C", "\x1bOC", "\x06"),
    "up": ("\x1b[A", "\x1bOA", "\x10"),
    "down": ("\x1b[B", "\x1bOB", "\x0e"),
    "home": ("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~", "\x01"),
    "end": ("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~", "\x05"),
    "word left": ("\x1bb", "\x1b[1;5D", "\x1b[1;3D"),
    "word right": ("\x1bf", "\x1b[1;5C", "\x1b[1;3C"),
    "erase": ("\x7f", "\x08"),
    "delete": ("\x1b[3~",),
    "erase word": ("\x17", "\x1b\x7f", "\x1b\x08"),
    "delete word": ("\x1bd",),
    "cut to end": ("\x0b",),
    "cut to start": ("\x15",),
    "paste back": ("\x19",),
    "complete": ("\t",),
    "enter": ("\r", "\n"),
    "new line": ("\x1b\r", "\x1b\n"),
    "cancel": ("\x03",),
    "leave": ("\x04",),
    "clear": ("\x0c",),
    "suspend": ("\x1a",),
}
NAMES = {sequence: name for name, sequences in _KEYS.items() for sequence in sequences}


class Keys:
    """Reads what is typed. Each key is a pair: ("text", what was typed or pasted), or a key's name and ""."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._pasting = False

    def feed(self, data: bytes) -> Iterator[tuple[str, str]]:
        """The keys in the next bytes; what is not complete waits for more, and unknown keys are nothing."""
        text, at = self._rest + self._decoder.decode(data), 0
        self._rest = ""
        while at < len(text):
            if self._pasting:
                at = yield from self._paste(text, at)
                continue
            token = _TOKEN.match(text, at)
            assert token is not None  # its last branch takes any character
            at = token.end()
            if token["rest"] is not None:
                self._rest = token[0]
            elif token[0] == PASTE:
                self._pasting = True
            elif token[0] in NAMES:
                yield NAMES[token[0]], ""
            elif token[0] >= " " and token[0] != "\x7f":
                yield "text", token[0]

    def _paste(self, text: str, at: int) -> Generator[tuple[str, str], None, int]:
        """What is pasted, up to its end or to what may become its end; returns where it goes on."""
        end = text.find(PASTED, at)
        stop = end
        if end < 0:
            half = next((n for n in range(len(PASTED) - 1, 0, -1) if text.endswith(PASTED[:n])), 0)
            stop = max(at, len(text) - half)
            self._rest = text[stop:]
        if stop > at:
            yield "text", text[at:stop].replace("\r\n", "\n").replace("\r", "\n")
        self._pasting = end < 0
        return end + len(PASTED) if end >= 0 else len(text)
