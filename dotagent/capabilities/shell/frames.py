"""The final appearance of a command's output on a terminal: a progress bar becomes its last frame. Pure."""

from __future__ import annotations

from dotagent.text import lazy

_MOVED = lazy.compile(rb"[\r\x08]|\x1b\[\d*[A-GK]")
_MOVES = lazy.compile(r"[\r\x08]|\x1b\[\d*[A-GK]")
_PIECE = lazy.compile(r"\r|\x08|\x1b\[([0-9;?]*)([A-Za-z])|[^\r\x08\x1b]+|\x1b")
_FAR = 1000  # columns: no move leads further to the right


def last(output: bytes) -> bytes:
    """Return the output as a terminal shows it in the end: carriage returns, backspaces, and sequences that erase or
    move the cursor are applied. Lines that are printed once stay as they are, with their colours."""
    if not _MOVED.search(output):
        return output
    screen = _Screen()
    for line in output.decode("utf-8", "surrogateescape").split("\n"):
        screen.write(line.rstrip("\r"))
    return screen.text().encode("utf-8", "surrogateescape")


class _Screen:
    """The lines so far, without a limit of width or height, and the cursor."""

    def __init__(self) -> None:
        self._rows: list[str | list[str]] = []  # a text as it was printed, or the characters of a changed line
        self._row, self._at = 0, 0

    def text(self) -> str:
        """Return all lines."""
        return "\n".join(row if isinstance(row, str) else "".join(row).rstrip(" ") for row in self._rows)

    def write(self, line: str) -> None:
        """Print one line, and move the cursor to the next."""
        if self._row == len(self._rows):
            self._rows.append("")
        if self._row == len(self._rows) - 1 and not self._rows[-1] and not _MOVES.search(line):
            self._rows[-1] = line
        else:
            for piece in _PIECE.finditer(line):
                self._do(piece[0], piece[1] or "", piece[2] or "")
        self._row, self._at = self._row + 1, 0

    def _do(self, text: str, numbers: str, command: str) -> None:
        many = int(numbers) if numbers.isdecimal() and len(numbers) < 6 else 1
        if text == "\r":
            self._at = 0
        elif text == "\x08" or command == "D":
            self._at = max(0, self._at - many)
        elif command in ("C", "G"):
            self._at = max(0, min(_FAR, self._at + many if command == "C" else many - 1))
        elif command in ("A", "F", "B", "E"):
            row = self._row + (many if command in "BE" else -many)
            self._row = max(0, min(len(self._rows) - 1, row))
            self._at = 0 if command in "EF" else self._at
        elif command == "K":
            self._erase(numbers)
        elif not text.startswith("\x1b"):
            cells = self._cells()
            cells += " " * (self._at - len(cells))
            cells[self._at : self._at + len(text)] = text
            self._at += len(text)

    def _cells(self) -> list[str]:
        """Return the characters of the cursor's line, which is changed from now on."""
        row = self._rows[self._row]
        if isinstance(row, str):
            printed = [piece[0] for piece in _PIECE.finditer(row) if not piece[0].startswith("\x1b")]
            row = self._rows[self._row] = list("".join(printed))
        return row

    def _erase(self, numbers: str) -> None:
        """Erase the cursor's line, from the cursor (0), up to it (1), or whole (2)."""
        cells, at = self._cells(), self._at
        if numbers in ("", "0"):
            del cells[at:]
        else:
            cells[:] = [" "] * at + (cells[at + 1 :] if numbers == "1" else [])
