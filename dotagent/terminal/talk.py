"""A person in a room: new messages appear, and the person's messages are appended. Works with files only.

Others' text is made harmless here, once, before it reaches a terminal. Owns no file; appends to rooms.
"""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import suppress

from dotagent import installed
from dotagent.errors import Misuse
from dotagent.store import agent_search, disk, display, home, lives, named_agents, room_completion, rooms, watch
from dotagent.store.home import Home
from dotagent.store.rooms import Message, Position
from dotagent.store.watch import Watcher
from dotagent.terminal import stop_reason
from dotagent.text import escape, names, quotes, times
from dotagent.text.reference import short

LONGEST = 20_000  # characters of one message that are shown
REMEMBERED = 50  # lines that help to find the position again after an editor has rewritten the room
FAILED = "(no answer: "
RESTART = 60.0  # seconds until an agent that stops for a permanent deletion runs again
STILL = 0.5  # seconds after which a room that changed elsewhere than at its end counts as completely saved
LOOK = 1.0  # seconds between two looks whether the agent that must answer still runs


class Talk:
    """A person in a room of a home. Raises Misuse for an invalid room name."""

    def __init__(self, where: Home, room: str, name: str) -> None:
        self.home, self.room, self.name = where, room, name
        self.path = where.room(room)
        self.said = 0
        """The offset after the last message that `say` appended. An answer may already follow it."""
        self.mine = b""
        """The last message of `say`, in room format."""
        self._position = Position()
        self._marks: deque[str] = deque(maxlen=REMEMBERED)
        self.unsettled = False
        """True while someone saves the room in an editor; call `news` again after STILL seconds."""
        self._still = watch.Still()
        self._changed, self._faces = watch.Changed(), dict[str, str]()

    def begin(self, count: int) -> list[Message]:
        """Listen from now on. Return the last `count` messages before."""
        try:
            self._position = rooms.end(self.path)
        except FileNotFoundError:
            return []
        return self.last(count) if count else []

    def last(self, count: int) -> list[Message]:
        """Return the last `count` messages that were returned before."""
        try:
            return rooms.last(self.path, count, self._position.offset)
        except FileNotFoundError:
            return []

    def watch(self, watcher: Watcher) -> None:
        """Wake at a new message, even if an editor replaces the room's file."""
        with suppress(FileNotFoundError):
            watcher.names(self.home.chats)
            watcher.content(self.path)

    def news(self) -> list[Message]:
        """Return the messages since the last call, or the last ones of a room that was completely rewritten. While the
        room is being saved, it returns nothing yet."""
        heard: list[Message] = []
        self.unsettled = False
        try:
            while True:
                if (found := self._follow()) is None:
                    self.unsettled = self._still.left(self.path, STILL) > 0
                    if self.unsettled:
                        return heard
                    found = rooms.read(self.path, self._position, self._marks)
                if found is None:
                    return heard + self.begin(10)
                messages, self._position = found
                if not messages:
                    self._still.forget(self.path)
                    return heard
                heard += messages
                self._marks.extendleft(one.mark for one in messages)
        except FileNotFoundError:
            self.unsettled = self._still.left(self.path, STILL) > 0  # an editor may put it back at once
            if not self.unsettled:
                self._position = Position()  # anything that appears later is new
            return heard

    def _follow(self) -> tuple[list[Message], Position] | None:
        """Return what follows the position, or None if the position has moved."""
        try:
            return rooms.read(self.path, self._position, exact=True)
        except disk.Held:
            return rooms.read(self.path, self._position, self._marks)

    def say(self, text: str, at: str = "", since: int | None = None) -> bytes:
        """Append a message durably, creating the room if necessary. Return the message in room format.

        With its time `at` and the room's size `since`, which were noted before an earlier attempt, it is appended only
        if it is not in the room after that offset.
        """
        rooms.create(self.path, "private")
        if not lives.find_agents(self.home, self.room):
            rooms.want(self.path)
        self.mine = message = rooms.line_of("USER", self.name, at or times.now(), text)
        if since is None:
            self.said = rooms.append(self.path, message)
        else:
            room_completion.complete(self.path, message, since)
        return message

    def answer(self, mine: bytes, seconds: float, ran: bool) -> str | None:
        """Return the first message of an agent after the message `mine`, except notices, or None if none comes in time,
        or if an agent ran (`ran`) before the message and none does now. Call `begin` first."""
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
                if left <= 0 or (ran and not lives.awake(self.home, self.room) and self.nobody()):
                    return None
                watcher.wait(min(left, STILL if self.unsettled else LOOK))
        finally:
            watcher.close()

    def nobody(self) -> str:
        """Return the problem for a waiting person: no agent or several run, or settings are unreadable. Return "" if
        there is none."""
        here = lives.find_agents(self.home, self.room)
        if awake := lives.awake(self.home, self.room):
            return (
                f"{', '.join(map(short, awake))} are in {self.room}: {lives.RULE}" if len(awake) > 1 else self._unread()
            )
        if lives.is_supervised(self.home) and (here or self._listed()):
            return ""  # a message will start one
        if here and self._is_removing(agent_search.newest(self.home, here)):
            return ""  # the agent stopped for that, and starts again at once
        room = "" if self.room == "dev" else f" --room {self.room}"
        agent = installed.program("agent")
        last = short(agent_search.newest(self.home, here)) if here else ""
        resume = f", or the stopped agent {last}: {agent} {last}{self.home.flag}" if here else ""
        if here and (why := stop_reason.find_reason(self.home, agent_search.newest(self.home, here), self.path)):
            return f"{last} has stopped: {why}; start it again with {agent} {last}{self.home.flag}"
        return f"no agent is running in {self.room}; start a new one: {agent}{room}{self.home.flag}{resume}"

    def _is_removing(self, self_id: str) -> bool:
        """Return True if text is being removed permanently, or the agent will tell the result when it runs again,
        unless that began long ago."""
        root, agent = self.home.root, self.home.agent(self_id)
        for path in (root / "forgotten" / "announced.json", agent / "run" / "forgotten"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime < RESTART:
                    return True
        return False

    def _unread(self) -> str:
        """Return the problem with the settings, although a running agent still uses the previous ones."""
        try:
            home.settings(self.home)
        except Misuse as wrong:
            return f"{wrong} (until you correct this, the previous settings stay in effect)"
        return ""

    def _listed(self) -> str:
        """Return the name of the agent to which settings assign the room. It joins when the room exists."""
        return named_agents.find_table(self.room, home.settings_now(self.home, home.Settings()).agents)

    def who(self, message: Message) -> str:
        """Return the speaker in harmless form: an agent by its name, if any, with its short id."""
        if message.kind != "AGENT":
            return who(message)
        whose = [self.home.agents / one / "IDENTITY.md" for one in home.lives(self.home)]
        if sum(self._changed.look(path) for path in (*whose, self.home.root / home.SETTINGS)):  # check every file
            self._faces.clear()
        name = escape.one_line(message.name)
        return self._faces.get(name) or self._faces.setdefault(name, display.find_label(self.home, name))


def words(message: Message) -> str:
    """Return a message's text without tag and indentation, harmless for a terminal."""
    plain = escape.printable(message.text)
    note = f"[… {len(plain):,} characters; the room's file in chats/ contains the full message …]"
    return escape.head_and_tail(plain, LONGEST, note).strip("\n")


def who(message: Message) -> str:
    """Return the speaker in harmless form. Untagged lines are the owner's."""
    return escape.one_line(message.name) if message.name else "owner"


def format_message(name: str, text: str) -> str:
    """Return a message for people. Continuation lines are indented, so that none can imitate another speaker."""
    return escape.indent(f"{name}: {text}").removeprefix(escape.INDENT)


def add_piped(said: str, piped: str) -> str:
    """Return a message with the piped text that it is about. That text is quoted, because the person may not have
    written it. Without a message, the piped text is the message."""
    said, piped = (one if one.strip() else "" for one in (said, piped))
    return f"{said}\n\n{quotes.quote(piped)}" if said and piped else said or piped


def name_of(asked: str | None, where: Home) -> str:
    """Return the person's name in rooms: `asked`, otherwise the owner of settings if the person's account has the
    directory, otherwise the login name. Raises Misuse for a name that cannot be part of a tag in a room."""
    with suppress(FileNotFoundError):
        mine = not asked and os.stat(where.root).st_uid == os.getuid()
        asked = home.settings_now(where, home.Settings()).owner if mine else asked
    name = asked or home.user()
    if not name:
        raise Misuse("your login name is unknown; give your name with --name NAME")
    if not names.PERSON.fullmatch(name) or names.is_bridged(name) or not name.isprintable():
        raise Misuse(f"{name[:100]!r} cannot be your name in a room; use one word without : [ ] and / (--name NAME)")
    return name
