"""Talking at a terminal: what was typed is done or said, and what changed in the room, its drafts and its agents' lives
is shown.

Whatever is said goes through the room's file and is shown when it is there: what a person sees is what was kept.
"""

from __future__ import annotations

import os
import time

from dotagent import errors
from dotagent.chatting import here, rendering, slash, work
from dotagent.chatting.drafts import Drafts
from dotagent.chatting.rendering import Look
from dotagent.chatting.screen import Screen
from dotagent.chatting.talk import Talk, shown
from dotagent.errors import Trouble
from dotagent.store import history, watch
from dotagent.store.rooms import Message

BACKGROUND = 10  # messages that are shown when a room is entered
AGAIN = 1.0  # seconds between two looks while somebody is at work: the time it takes is shown
LATE = 3.0  # seconds after which a draft of nothing says how long it has been that


class Terminal:
    """A person at a terminal, in one room at a time."""

    def __init__(self, talk: Talk) -> None:
        self._talk, self._path = talk, history.place(talk.home, talk.name)
        self._look_of = Look(talk.name, not os.environ.get("NO_COLOR"), who=talk.who)
        past, self._trouble = list[str](), ""
        try:
            past = history.read(self._path)
        except OSError as error:
            self._trouble = errors.line(error)
        self._screen = Screen(past, lambda: self._talk.room, self._entered, self._completions)

    def run(self) -> None:
        """Talk until the person leaves."""
        self._screen.run(self._begin)

    def _begin(self) -> None:
        """The line can be typed on: now what takes longer."""
        if self._trouble:
            self._note(self._trouble)
        try:
            self._enter(self._talk)
        except (Trouble, OSError) as error:
            self._screen.leave(error)
            return
        self._listen()

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
            self._work.watch(self._watcher)
            said = self._talk.news()
            for text in self._work.look():
                self._note(text if work.ASIDE in text else rendering.row(text, self._screen.columns))
            for message in said:
                self._show(message)
            self._draw()
            if self._drafts.ended != ended:  # a fresh watcher has no watch on files that have gone
                self._watcher.close()
                self._listen()
        except FileNotFoundError:  # it went while it was looked at
            self._screen.again(AGAIN, self._look)
        except (Trouble, OSError) as error:
            self._screen.leave(error)

    def _draw(self) -> None:
        """What is being done and written now, above the line; with how long it takes, which is looked at again."""
        columns, most = self._screen.columns, self._screen.cells
        rows = [rendering.row(text, columns) for text in self._work.current()]
        for one in self._drafts.current():
            waited = time.time() - one.since
            text = one.text[-most:] or (f"… {waited:.0f} s" if waited >= LATE else "…")
            rows.append(rendering.wrapped(shown(one.agent, text), columns))
        self._screen.draft("\n".join(rows))
        if rows:
            self._screen.again(AGAIN, self._look)

    def _completions(self, before: str) -> list[str]:
        """What Tab may make of the line."""
        return slash.completions(self._talk.home, before)

    def _entered(self, text: str) -> bool:
        """Do or say what was typed; False when it could not be done and stays on the line."""
        try:
            history.add(self._path, text)
        except OSError as error:
            self._note(errors.line(error))
        try:
            if slash.is_one(text):
                name, _, rest = text.strip().partition(" ")
                self._command(name.lower(), rest.strip())
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
        elif name == "/room" and rest:
            self._enter(Talk(self._talk.home, rest, self._talk.name))
            self._look()
        elif name == "/times":
            self._look_of.timed = not self._look_of.timed
            if self._look_of.timed:
                self._last(self._talk.last(BACKGROUND))
        elif text := slash.do(self._talk, name, rest):
            self._note(text)

    def _enter(self, talk: Talk) -> None:
        """Go to a room: who is there, and its last messages."""
        self._talk, self._told = talk, False
        self._drafts, self._work = Drafts(talk.home, talk.room), work.Work(talk.home, talk.room)
        said = talk.begin(BACKGROUND)
        self._note(f"{talk.room}: {here.there(talk.home, talk.room)}; you are {talk.name}; /help")
        self._last(said)
        if not talk.path.exists():
            self._note(f"there is no room {talk.room} yet: your first message makes it, private to the owner")
        self._nobody()

    def _last(self, said: list[Message]) -> None:
        """The last messages, under a divider."""
        if said:
            title = f"the last {len(said)} messages" if len(said) > 1 else "the last message"
            self._screen.say(rendering.divider(title, self._screen.columns))
        for message in said:
            self._print(message)

    def _nobody(self) -> None:
        if not self._told and (why := self._talk.nobody()):
            self._told = True
            self._note(why)

    def _show(self, message: Message) -> None:
        """A message that is new: it ends what its agent was at work on."""
        if message.kind == "AGENT":
            if text := self._work.fold(message.name):
                self._note(rendering.row(text, self._screen.columns))
            self._drafts.heard(message.name)
        self._print(message)

    def _print(self, message: Message) -> None:
        self._screen.say(self._look_of.message(message, self._screen.columns))

    def _note(self, text: str) -> None:
        """Say something of our own."""
        self._screen.say(rendering.note(text, self._screen.columns))
