"""Talk at a terminal: handle typed lines, and show changes of the room, its drafts and its agents' work.

Every message goes through the room's file and is shown from there, so the person sees what was saved. Owns nothing on
disk.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.store import history
from dotagent.store.loop_watch import LoopWatcher
from dotagent.store.rooms import Message
from dotagent.terminal import appearance, presence, progress, slash
from dotagent.terminal.appearance import Look
from dotagent.terminal.drafts import Drafts
from dotagent.terminal.screen import Screen
from dotagent.terminal.talk import Talk, format_message

BACKGROUND = 10  # messages shown when a room is entered
AGAIN = 1.0  # seconds between two updates of the elapsed time
LATE = 3.0  # seconds after which an empty draft shows its age


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
        complete = partial(slash.completions, talk.home)
        self._screen = Screen(past, lambda: self._talk.room, self._entered, complete, self._unsent)

    def run(self) -> None:
        """Talk until the person leaves."""
        self._screen.run(self._begin)

    def _begin(self) -> None:
        """Do the slower part of the start, while the person can already type."""
        if self._trouble:
            self._note(self._trouble)
        try:
            self._enter(self._talk)
        except (Trouble, OSError) as error:
            self._screen.leave(error)
            return
        self._listen()

    def _listen(self) -> None:
        """Update the display, now and after each change."""
        self._watcher = LoopWatcher(self._note)
        self._screen.wake(self._watcher.fileno(), self._look)
        self._look()

    def _look(self) -> None:
        ended = self._drafts.ended
        try:
            self._watcher.wait(0)
            self._talk.watch(self._watcher)
            self._drafts.watch(self._watcher)
            self._work.watch(self._watcher)
            said = self._talk.news()
            for text in self._work.look():
                self._note(appearance.row(text, self._screen.columns))
            for message in said:
                self._show(message)
            for text in self._work.wrong():
                self._note(text)
            if self._owed:
                self._nobody()
            self._draw()
            if self._drafts.ended != ended:  # a new watcher releases the watches on files that are gone
                self._watcher.close()
                self._listen()
        except FileNotFoundError:  # it disappeared during the check
            self._screen.again(AGAIN, self._look)
        except (Trouble, OSError) as error:
            self._screen.leave(error)

    def _draw(self) -> None:
        """Show current work and drafts above the line, with the elapsed time, which is updated later."""
        columns, most = self._screen.columns, self._screen.cells
        rows = [appearance.row(text, columns) for text in self._work.current()]
        for one in self._drafts.current():
            waited = time.time() - one.since
            text = one.text[-most:] or (f"… {waited:.0f} s, {one.waits}" if waited >= LATE else "…")
            rows.append(appearance.wrapped(format_message(one.agent, text), columns))
        self._screen.draft("\n".join(rows))
        if rows or self._owed or self._talk.unsettled:
            self._screen.again(AGAIN, self._look)

    def _unsent(self, text: str) -> None:
        """Keep a line that was not sent in the history, so that Up brings it back."""
        with suppress(OSError):  # the next line that is entered reports it
            history.add(self._path, text)

    def _entered(self, text: str) -> bool:
        """Run or send the typed line. Return False if a message could not be saved, so that it stays on the line."""
        try:
            history.add(self._path, text)
        except OSError as error:
            self._note(errors.line(error))
        command = slash.parse(text)
        try:
            if command:
                self._command(*command)
            else:
                self._talk.say(text.strip("\n"))
                self._owed = True
                self._nobody()
                self._screen.again(AGAIN, self._look)
        except (Trouble, OSError) as error:
            self._note(errors.line(error) if isinstance(error, OSError) else str(error))
            return bool(command)
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
        """Enter a room: show its agents and last messages."""
        self._talk, self._told, self._owed = talk, False, False
        self._noted = ""  # a notice that is still true after an answer is not repeated
        self._drafts, self._work = Drafts(talk.home, talk.room), progress.Work(talk.home, talk.room)
        said = talk.begin(BACKGROUND)
        self._note(f"{talk.room}: {presence.describe_agents(talk.home, talk.room)}; you are {talk.name}; /help")
        for told in presence.find_model_ends(talk.home, talk.room):
            self._note(told)
        self._last(said)
        if not talk.path.exists():
            self._note(f"there is no room {talk.room} yet; your first message creates it, private to the owner")
        self._nobody()

    def _last(self, said: list[Message]) -> None:
        """Show the last messages under a divider."""
        if said:
            title = f"the last {len(said)} messages" if len(said) > 1 else "the last message"
            self._screen.say(appearance.divider(title, self._screen.columns))
        for message in said:
            self._print(message)

    def _nobody(self) -> None:
        if not self._told and (why := self._talk.nobody()) not in ("", self._noted):
            self._told, self._noted = True, why
            self._note(why)

    def _show(self, message: Message) -> None:
        """Show a new message, and end the display of its agent's work."""
        if message.kind == "AGENT":
            self._owed = self._told = False
            if self._noted != self._talk.nobody():
                self._noted = ""
            if text := self._work.fold(message.name):
                self._note(appearance.row(text, self._screen.columns))
            self._drafts.heard(message.name)
        self._print(message)

    def _print(self, message: Message) -> None:
        self._screen.say(self._look_of.message(message, self._screen.columns))

    def _note(self, text: str) -> None:
        self._screen.say(appearance.note(text, self._screen.columns))
