"""Talking at a terminal: one loop that sleeps until a key, a message or a draft comes, and draws what changed.

Whatever is said goes through the room's file and is shown when it is there: what a person sees is what was kept.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import FrameType

from dotagent import errors
from dotagent.chatting import history
from dotagent.chatting.drafts import Drafts
from dotagent.chatting.keys import Keys
from dotagent.chatting.line import Line, complete
from dotagent.chatting.screen import BOLD, DIM, PLAIN, Screen
from dotagent.chatting.talk import Talk, shown, who, words
from dotagent.errors import Trouble
from dotagent.store import watch
from dotagent.store.home import Home
from dotagent.store.rooms import Message
from dotagent.store.watch import Watcher
from dotagent.text import escape

BACKGROUND = 10  # messages that are shown when a room is entered
COMMANDS = ("/help", "/quit", "/room", "/rooms")
HELP = """/room NAME  go to another room      /rooms  list them      /quit or ^D  leave
a line that ends in \\ goes on, as does Alt-Enter; ^C clears it; Tab completes /commands and rooms
a message that begins with / : put a blank before it"""


class Terminal:
    """A person at a terminal, in one room at a time."""

    def __init__(self, talk: Talk, screen: Screen, path: Path) -> None:
        self._home, self._screen, self._path = talk.home, screen, path
        self._keys = Keys()
        self._said: list[str] = []  # what scrolls up when it is drawn next
        self.leaving = False
        try:
            past = history.read(path)
        except OSError as error:
            past = []
            self._note(errors.line(error))
        self._line = Line(past)
        self._enter(talk)

    def watch(self, watcher: Watcher) -> None:
        """Wake for all that is shown here."""
        self._talk.watch(watcher)
        self._drafts.watch(watcher)

    def draw(self) -> int:
        """Show what is new; returns how many drafts have gone so far."""
        for message in self._talk.news():
            self._show(message)
            if message.kind == "AGENT":
                self._drafts.heard(message.name)
        drafts = "\n".join(shown(one.agent, one.text or "…") for one in self._drafts.current())
        said = "".join(line + "\n" for line in self._said)
        self._said.clear()
        typed = f"{self._talk.room}> "
        self._screen.draw(said, drafts, escape.printable(typed + self._line.text), len(typed) + self._line.at)
        return self._drafts.ended

    def type(self) -> None:
        """Take what was typed."""
        data = self._screen.read()
        if data == b"":
            self.leaving = True
        for key, text in self._keys.feed(data or b""):
            if text:
                self._line.insert(text)
            elif not self._line.press(key):
                self._command_key(key)

    def _command_key(self, key: str) -> None:
        if key == "enter":
            text = self._line.enter()
            if text is not None and text.strip():
                self._entered(text)
        elif key == "cancel":
            if not self._line.text:
                self._note("^D leaves")
            self._line.clear()
        elif key == "leave":
            self.leaving = self.leaving or not self._line.text
            self._line.press("delete")
        elif key == "clear":
            self._screen.clear()
        elif key == "suspend":
            self._suspend()
        elif key == "complete":
            more, candidates = complete(self._line.text[: self._line.at], rooms_of(self._home), COMMANDS)
            self._line.insert(more)
            if candidates and not more:
                self._note("  ".join(candidates))

    def _entered(self, text: str) -> None:
        try:
            history.add(self._path, text)
        except OSError as error:
            self._note(errors.line(error))
        first, _, rest = text.strip().partition(" ")
        try:
            if text.startswith("/") and first[1:].isalpha():
                self._command(first, rest.strip())
            else:
                self._talk.say(text.strip("\n"))
                self._nobody()
        except (Trouble, OSError) as error:
            self._note(errors.line(error) if isinstance(error, OSError) else str(error))
            self._line.set(text)

    def _command(self, name: str, rest: str) -> None:
        if name == "/quit":
            self.leaving = True
        elif name == "/rooms":
            self._note("  ".join(rooms_of(self._home)) or "there is no room yet")
        elif name == "/room" and rest:
            self._enter(Talk(self._home, rest, self._talk.name))
        elif name == "/room":
            self._note(f"this is {self._talk.room}; /room NAME goes to another")
        elif name == "/help":
            self._note(HELP)
        else:
            self._note(f"no command {name}: /help lists them; to say it, put a blank before it")

    def _enter(self, talk: Talk) -> None:
        """Go to a room: its last messages, and whether anybody is there."""
        self._talk = talk
        self._drafts = Drafts(self._home, talk.room)
        self._told = False
        for message in talk.begin(BACKGROUND):
            self._show(message)
        if not talk.path.exists():
            self._note(f"there is no room {talk.room} yet: your first message makes it, private to the owner")
        self._nobody()

    def _nobody(self) -> None:
        if not self._told and (why := self._talk.nobody()):
            self._told = True
            self._note(why)

    def _show(self, message: Message) -> None:
        self._said.append(BOLD + shown(who(message) + PLAIN, words(message)))

    def _note(self, text: str) -> None:
        """Say something of our own."""
        self._said.append(DIM + escape.printable(text) + PLAIN)

    def _suspend(self) -> None:
        self._screen.close()
        os.kill(0, signal.SIGTSTP)  # the whole job, as a terminal does; SIGCONT goes on here
        self._screen.open()


def rooms_of(where: Home) -> list[str]:
    """The rooms' names, sorted."""
    return sorted(path.stem for path in where.chats.glob("*.md"))


def run(talk: Talk) -> None:
    """Talk in a room at this terminal until the person leaves."""
    with closing(Screen()) as screen:
        terminal = Terminal(talk, screen, history.place())
        with _bell(terminal) as bell:
            watcher, ended = _watcher(bell), 0
            while not terminal.leaving:
                terminal.watch(watcher)
                gone = terminal.draw()
                if gone != ended:  # a fresh watcher has no watch on files that have gone
                    watcher.close()
                    watcher, ended = _watcher(bell), gone
                    continue
                watcher.wait(None)
                _drain(bell)
                terminal.type()


def _watcher(bell: int) -> Watcher:
    new = watch.Watcher()
    new.also(0)
    new.also(bell)
    return new


@contextmanager
def _bell(terminal: Terminal) -> Iterator[int]:
    """A descriptor that signals wake: a resized terminal is drawn anew, a hang-up ends it cleanly."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)

    def heard(signum: int, frame: FrameType | None) -> None:
        terminal.leaving = terminal.leaving or signum != signal.SIGWINCH

    for one in (signal.SIGWINCH, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, heard)
    try:
        yield read
    finally:
        signal.set_wakeup_fd(-1)
        os.close(read)
        os.close(write)


def _drain(bell: int) -> None:
    with suppress(BlockingIOError):
        os.read(bell, 4096)
