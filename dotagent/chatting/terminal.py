"""Talking at a terminal: what was typed is done or said, and what changed in the room or its drafts is shown.

Whatever is said goes through the room's file and is shown when it is there: what a person sees is what was kept.
"""

from __future__ import annotations

from dotagent import errors
from dotagent.chatting import history
from dotagent.chatting.drafts import Drafts
from dotagent.chatting.screen import BOLD, DIM, PLAIN, Screen
from dotagent.chatting.talk import Talk, shown, who, words
from dotagent.errors import Trouble
from dotagent.store import watch
from dotagent.store.home import Home
from dotagent.store.rooms import Message
from dotagent.text import escape, names

BACKGROUND = 10  # messages that are shown when a room is entered
COMMANDS = ("/help", "/quit", "/room", "/rooms")
HELP = """/room NAME  go to another room      /rooms  list them      /quit or ^D  leave
a line that ends in \\ goes on, as does Alt-Enter; ^C clears it; Tab completes /commands and rooms; ^R searches
a message that begins with / : put a blank before it"""


class Terminal:
    """A person at a terminal, in one room at a time."""

    def __init__(self, talk: Talk) -> None:
        self._home, self._path = talk.home, history.place()
        past, trouble = list[str](), ""
        try:
            past = history.read(self._path)
        except OSError as error:
            trouble = errors.line(error)
        self._screen = Screen(past, lambda: self._talk.room, self._entered, self._words)
        if trouble:
            self._note(trouble)
        self._enter(talk)

    def run(self) -> None:
        """Talk until the person leaves."""
        self._screen.run(self._listen)

    def _listen(self) -> None:
        """Look, and again whenever something changed."""
        self._watcher = watch.Watcher()
        self._screen.wake(self._watcher.fileno(), self._look)
        self._look()

    def _look(self) -> None:
        """Show what is new."""
        ended = self._drafts.ended
        try:
            self._watcher.wait(0)
            self._talk.watch(self._watcher)
            self._drafts.watch(self._watcher)
            for message in self._talk.news():
                self._show(message)
                if message.kind == "AGENT":
                    self._drafts.heard(message.name)
            self._screen.draft("\n".join(shown(one.agent, one.text or "…") for one in self._drafts.current()))
            if self._drafts.ended != ended:  # a fresh watcher has no watch on files that have gone
                self._watcher.close()
                self._listen()
        except (Trouble, OSError) as error:
            self._screen.leave(error)

    def _words(self) -> list[str]:
        """What Tab completes."""
        return [*COMMANDS, *(f"/room {name}" for name in rooms_of(self._home))]

    def _entered(self, text: str) -> bool:
        """Do or say what was typed; False when it could not be done and stays on the line."""
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
            return False
        return True

    def _command(self, name: str, rest: str) -> None:
        if name == "/quit":
            self._screen.leave()
        elif name == "/rooms":
            self._note("  ".join(rooms_of(self._home)) or "there is no room yet")
        elif name == "/room" and rest:
            self._enter(Talk(self._home, rest, self._talk.name))
            self._look()
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
        self._screen.say(BOLD + shown(who(message) + PLAIN, words(message)))

    def _note(self, text: str) -> None:
        """Say something of our own."""
        self._screen.say(DIM + escape.printable(text) + PLAIN)


def rooms_of(where: Home) -> list[str]:
    """The rooms' names, sorted; not those of files that only lie there."""
    return sorted(path.stem for path in where.chats.glob("*.md") if names.ROOM.fullmatch(path.stem))
