"""A person in a room: what is said there appears, what the person says is appended. Works on files alone.

Text of others is made harmless here, once, before any of it reaches a terminal.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress

from dotagent import installed
from dotagent.store import face, home, listed, lives, rooms, watch
from dotagent.store.home import Home
from dotagent.store.rooms import Message, Position
from dotagent.store.watch import Watcher
from dotagent.text import escape, names, times
from dotagent.text.reference import short

LONGEST = 20_000  # characters of one message that are shown
REMEMBERED = 50  # lines by which the place is found again when an editor has written the room anew
FAILED = "(no answer: "


class Talk:
    """One person in one room of a home. Raises Misuse for a name that cannot be a room's."""

    def __init__(self, where: Home, room: str, name: str) -> None:
        self.home, self.room, self.name = where, room, name
        self.path = where.room(room)
        self._position = Position()
        self._marks: deque[str] = deque(maxlen=REMEMBERED)
        self._changed, self._faces = watch.Changed(), dict[str, str]()

    def begin(self, count: int) -> list[Message]:
        """Listen from here on; the last `count` messages that were said before."""
        try:
            self._position = rooms.end(self.path)
        except FileNotFoundError:
            return []
        return self.last(count) if count else []

    def last(self, count: int) -> list[Message]:
        """The last `count` messages of those that were told of."""
        try:
            return rooms.last(self.path, count, self._position.offset)
        except FileNotFoundError:
            return []

    def watch(self, watcher: Watcher) -> None:
        """Wake when something is said here, also when an editor saves the room by rename."""
        with suppress(FileNotFoundError):
            watcher.names(self.home.chats)
            watcher.content(self.path)

    def news(self) -> list[Message]:
        """The messages since the last look; of a room that was written anew beyond recognition, its last ones."""
        heard: list[Message] = []
        try:
            while True:
                found = rooms.read(self.path, self._position, self._marks)
                if found is None:
                    return heard + self.begin(10)
                messages, self._position = found
                if not messages:
                    return heard
                heard += messages
                self._marks.extendleft(one.mark for one in messages)
        except FileNotFoundError:
            self._position = Position()  # whatever is there next is new
            return heard

    def say(self, text: str) -> bytes:
        """Append a message durably, and return it as it stands in the room, which is made when it is not there."""
        rooms.create(self.path, "private")
        if not lives.of(self.home, self.room):
            rooms.want(self.path)
        message = rooms.line_of("USER", self.name, times.now(), text)
        rooms.append(self.path, message)
        return message

    def answer(self, mine: bytes, seconds: float) -> str | None:
        """The first message of another, an agent, after this one of ours that is no mere notice; None when none came in
        time. `begin` comes before."""
        watcher, end, said = watch.Watcher(), time.monotonic() + seconds, False
        try:
            while True:
                self.watch(watcher)
                for message in self.news():
                    theirs = message.kind == "AGENT" and message.name != self.name
                    if said and theirs and not names.NOTICE.match(text := words(message)):
                        return text
                    said = said or message.raw.startswith(mine.partition(b"\n")[0])
                left = end - time.monotonic()
                if left <= 0:
                    return None
                watcher.wait(left)
        finally:
            watcher.close()

    def nobody(self) -> str:
        """What to say when not just one agent runs in this room; empty when one does."""
        here = lives.of(self.home, self.room)
        if awake := lives.awake(self.home, self.room):
            return f"{', '.join(map(short, awake))} are in {self.room}: {lives.RULE}" if len(awake) > 1 else ""
        if lives.kept(self.home) and (here or self._listed()):
            return ""  # what is said wakes one
        room = "" if self.room == "dev" else f" --room {self.room}"
        agent = installed.typed("agent")
        last = short(lives.newest(self.home, here)) if here else ""
        resume = f"; {last} sleeps: {agent} {last}{self.home.flag}" if here else ""
        return f"nobody is in {self.room}: start one with {agent}{room}{self.home.flag}{resume}"

    def _listed(self) -> str:
        """The agent by name whose the room is by settings: it hears the room once that is there."""
        return listed.whose(self.room, home.settings_now(self.home, home.Settings()).agents)

    def who(self, message: Message) -> str:
        """Who said it, harmless to a terminal: an agent by its name, if it has one, beside its hash."""
        if message.kind != "AGENT":
            return who(message)
        whose = [self.home.agents / one / "IDENTITY.md" for one in home.lives(self.home)]
        if sum(self._changed.look(path) for path in (*whose, self.home.root / home.SETTINGS)):  # each is looked at
            self._faces.clear()
        name = escape.one_line(message.name)
        return self._faces.get(name) or self._faces.setdefault(name, face.known(self.home, name))


def words(message: Message) -> str:
    """What a message says, without its tag and indentation, harmless to a terminal."""
    plain = escape.printable(message.text)
    note = f"[… {len(plain):,} characters; the room's file has all of them …]"
    return escape.head_and_tail(plain, LONGEST, note).strip("\n")


def who(message: Message) -> str:
    """Who said it, harmless to a terminal; untagged lines are the owner's."""
    return escape.one_line(message.name) if message.name else "owner"


def shown(name: str, text: str) -> str:
    """A message for people: further lines are indented, so that none of them can pass for another speaker's."""
    return escape.indent(f"{name}: {text}").removeprefix(escape.INDENT)
