"""A terminal for tests: a program on a pty, and the screen as a person would see it, with all that scrolled away.

It knows what chat.py writes (rows, wide characters, the cursor's ways, erasing, styles) and fails on anything else.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

from prompt_toolkit.utils import get_cwidth as cells
from support import MOMENT, PATIENCE, ROOT, Deadline, environment, ready

from dotagent.store import queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.text import times

_PIECE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|([\r\n\b])|([^\x00-\x1f\x7f])")

AGENT = "0123456789ab" + "0" * 20
ID = "f" * 32


class Screen:
    """Rows of cells; the last `height` rows are what is seen."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.rows: list[list[str]] = [[]]
        self.row, self.column = 0, 0

    def feed(self, text: str) -> str:
        """Write the text; returns what is not complete yet."""
        at = 0
        while at < len(text):
            piece = _PIECE.match(text, at)
            if piece is None:
                assert text[at] == "\x1b" and len(text) - at < 16, f"unknown to this terminal: {text[at : at + 16]!r}"
                return text[at:]
            at = piece.end()
            number, letter, end, char = piece.groups()
            if char:
                self._put(char)
            elif end == "\r":
                self.column = 0
            elif end == "\b":
                self.column = max(0, self.column - 1)
            elif end:
                self._down()
            else:
                self._do(letter, number)
        return ""

    def text(self) -> str:
        """All rows, as text."""
        return "\n".join("".join(row).rstrip() for row in self.rows)

    def resize(self, width: int, height: int) -> None:
        """Be another size, as most terminals are: rows that are too long now go on below."""
        before, at = self.rows, self.row
        self.width, self.height, self.rows = width, height, []
        for number, row in enumerate(before):
            if number == at:
                self.row, self.column = len(self.rows) + self.column // width, self.column % width
            self.rows += [row[start : start + width] for start in range(0, max(1, len(row)), width)]

    def _put(self, char: str) -> None:
        size = cells(char)
        if self.column + size > self.width:  # a full row goes on below
            self.column = 0
            self._down()
        row = self.rows[self.row]
        row += [" "] * (self.column - len(row))
        row[self.column : self.column + size] = [char] + [""] * (size - 1)
        self.column += size

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([])

    def _do(self, letter: str, number: str) -> None:
        top = max(0, len(self.rows) - self.height)
        if letter == "A":
            self.row = max(top, self.row - int(number or 1))
        elif letter == "C":
            self.column = min(self.width - 1, self.column + int(number or 1))
        elif letter == "D":
            self.column = max(0, min(self.column, self.width - 1) - int(number or 1))
        elif letter == "K" and not number:
            del self.rows[self.row][self.column :]
        elif letter == "J" and not number:
            if (self.row, self.column) == (top, 0) and any(self.rows[top:]):  # tmux keeps a screen that is cleared
                self.row = len(self.rows)
                self.rows.append([])
                return
            del self.rows[self.row][self.column :]
            del self.rows[self.row + 1 :]
        else:
            assert letter in "mhl", f"unknown to this terminal: CSI {number}{letter}"


class Terminal:
    """A program of ours on a terminal. `with` starts it, and ends it when it has not left."""

    def __init__(
        self,
        where: Home,
        *words: str,
        width: int = 60,
        height: int = 20,
        person: str = "ana",
        kind: str = "xterm-256color",
        **more: str,
    ) -> None:
        self.screen = Screen(width, height)
        self._master, self._slave = os.openpty()
        termios.tcsetwinsize(self._slave, (height, width))
        self._mode = termios.tcgetattr(self._slave)
        env = environment(where, HOME=str(where.root), TERM=kind, USER=person, **more)
        self.child = subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env=env,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
        )
        self._rest = b""
        self._half = ""
        self.raw = ""  # all that came, styles too

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        self._close()

    def _close(self) -> None:
        for fd in {self._master, self._slave} - {-1}:
            os.close(fd)
        self._master = self._slave = -1

    def closes(self) -> None:
        """Close the window, without a signal, as where the program is not the window's own; wait until it has left."""
        self._close()
        self.child.wait(PATIENCE)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._master, text.encode())

    def resize(self, width: int, height: int) -> None:
        """Make the window another size."""
        self.screen.resize(width, height)
        termios.tcsetwinsize(self._slave, (height, width))
        os.kill(self.child.pid, signal.SIGWINCH)

    def until(self, look: Callable[[str], object]) -> str:
        """The whole screen's text once `look` says yes to it."""
        deadline = Deadline()
        while not look(self.screen.text()):
            deadline.check(self.screen.text)
            if ready(self._master, deadline.left()):
                self._read()
        return self.screen.text()

    def looks(self) -> None:
        """Take what comes within a moment, if anything does."""
        if ready(self._master, MOMENT):
            self._read()

    def sees(self, words: str) -> str:
        """The screen's text once these words stand on it."""
        return self.until(lambda text: words in text)

    def interrupt(self, signum: int = signal.SIGINT) -> None:
        """Press Ctrl-C, and after some seconds again: a signal between a prompt and its read wakes nobody."""
        deadline, due = Deadline(), PATIENCE
        while self.child.poll() is None:
            deadline.check(self.screen.text)
            if deadline.left() <= due:
                due = deadline.left() - PATIENCE / 20
                self.child.send_signal(signum)
            self.looks()

    def ends(self) -> int:
        """The exit status once the program has left."""
        deadline = Deadline()
        while self.child.poll() is None:
            deadline.check(self.screen.text)
            self.looks()
        while ready(self._master, 0):
            self._read()
        return self.child.returncode

    def given_back(self) -> bool:
        """Whether the terminal is in the mode in which it was lent."""
        return termios.tcgetattr(self._slave) == self._mode

    def _read(self) -> None:
        data = self._rest + os.read(self._master, 1 << 16)
        text = data.decode("utf-8", "ignore")
        self._rest = data[len(text.encode()) :]
        self.raw += text
        self._half = self.screen.feed(self._half + text)


def room(where: Home, name: str = "dev") -> str:
    """What stands in a room."""
    path: Path = where.room(name)
    return path.read_text("utf-8") if path.exists() else ""


def say(where: Home, kind: str, name: str, text: str, to: str = "dev") -> None:
    """Somebody says something in a room."""
    rooms.append(where.room(to), rooms.line_of(kind, name, times.now(), text))


def place(where: Home, id: str = ID, to: str = "dev") -> Call:
    """A call of the agent's that a provider has just taken."""
    queue.place(where, Call(id, AGENT, "own", "live", to))
    taken = queue.take(where, "own")
    assert taken
    return taken
