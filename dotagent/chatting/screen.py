"""The terminal: what was said scrolls away above, and an area at the bottom holds drafts and the line being typed.

The area's rows are broken here and never by the terminal, so it can be erased and drawn anew at any time, whatever
is said meanwhile. Owns the terminal's mode while it is open, and gives it back as it was.
"""

from __future__ import annotations

import os
import select
import sys
import termios

from dotagent.chatting.line import cells, lay

BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_PASTES = "\x1b[?2004{}"  # h: pastes come in brackets; l: as if typed
_IFLAG, _LFLAG, _CC = 0, 3, 6  # of termios attributes


class Screen:
    """A terminal in which one line is typed, a key at a time. It is open until `close`."""

    def __init__(self, source: int = 0, target: int = 1) -> None:
        self._source, self._target = source, target
        self._before = termios.tcgetattr(source)
        self.open()

    def open(self) -> None:
        """Take the terminal: keys come one by one, also ^C and ^Z, and nothing is echoed."""
        mode = termios.tcgetattr(self._source)
        mode[_IFLAG] &= ~termios.ICRNL  # a pasted CR LF is one line end
        mode[_LFLAG] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
        mode[_CC][termios.VMIN], mode[_CC][termios.VTIME] = 1, 0
        termios.tcsetattr(self._source, termios.TCSADRAIN, mode)
        self._forget()
        self._write(_PASTES.format("h"))

    def close(self) -> None:
        """Give the terminal back, with nothing of the area left on it."""
        try:
            self._write(self._erase() + _PASTES.format("l"))
        finally:
            termios.tcsetattr(self._source, termios.TCSADRAIN, self._before)

    def read(self) -> bytes | None:
        """What was typed since the last look; b"" when the terminal is gone, None when nothing was."""
        if not select.select([self._source], [], [], 0)[0]:
            return None
        try:
            return os.read(self._source, 1 << 16)
        except OSError:  # EIO: it was hung up
            return b""

    def clear(self) -> None:
        """Wipe the whole screen."""
        self._write("\x1b[H\x1b[2J")
        self._forget()

    def _forget(self) -> None:
        self._rows, self._row, self._column = [""], 0, 0  # the area as it was drawn, and the cursor in it
        self._drawn: object = None

    def draw(self, said: str, drafts: str, line: str, at: int) -> None:
        """Let what was said scroll (lines, each ended by LF), and draw the area: drafts, and the line with its cursor.

        Of what is higher than the screen, the drafts' end and the line around its cursor are shown.
        """
        size = self._size()
        now = (drafts, line, at, size)
        if not said and now == self._drawn:
            return
        erase = self._erase()
        most = max(1, size.lines - 1)
        rows, row, column = lay(line.replace("\t", " "), max(2, size.columns - 1), at)  # the cursor has room at the end
        start = max(0, min(row - most // 2, len(rows) - most))
        rows, row = rows[start : start + most], row - start
        space = most - len(rows)
        above = lay(drafts.replace("\t", " "), max(2, size.columns))[0][-space:] if drafts and space else []
        self._rows, self._row, self._column, self._drawn = above + rows, len(above) + row, column, now
        text = "\n".join([*(DIM + one + PLAIN for one in above), *rows])
        up = len(self._rows) - 1 - self._row
        self._write(erase + said + text + (f"\x1b[{up}A" if up else "") + "\r" + (f"\x1b[{column}C" if column else ""))

    def _erase(self) -> str:
        """What takes the cursor to the area's beginning and clears from there; a narrower terminal broke rows anew."""
        columns = self._size().columns
        above = sum(1 + max(0, sum(map(cells, row)) - 1) // columns for row in self._rows[: self._row])
        up = above + self._column // columns
        return "\r" + (f"\x1b[{up}A" if up else "") + "\x1b[J"

    def _size(self) -> os.terminal_size:
        size = os.get_terminal_size(self._target)
        return size if size.columns and size.lines else os.terminal_size((80, 24))

    def _write(self, text: str) -> None:
        data = memoryview(text.encode("utf-8", "replace"))
        sys.stdout.flush()
        while data:
            data = data[os.write(self._target, data) :]
