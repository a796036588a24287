"""A conversation with an agent in an editor: a session is a room, and a prompt is a message there. The agent's messages
and actions are shown as they arrive, until it has finished.

Everything is read from the room, from drafts in the queue and from LIFE. The editor's person posts under their own
name. Writes messages of rooms through store/rooms.py, and for each session one link in `subs/` and its directory in
`chats/<room>.directory`.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from dotagent import extensions
from dotagent.capabilities.servers.offer import Outlook
from dotagent.errors import Misuse, Trouble
from dotagent.life import events, finished_turns, origins, policy, questions, replay, stop_requests
from dotagent.life.events import Did, Effect, Fail, Reply, Result
from dotagent.life.fold import apply
from dotagent.life.state import State, Turn
from dotagent.store import agent_search, attachments, disk, lives, log, rooms, watch
from dotagent.store.home import CONTEXT_LIMIT, Home
from dotagent.store.log import Line
from dotagent.store.rooms import Message
from dotagent.terminal import agent_start
from dotagent.terminal.drafts import Drafts
from dotagent.terminal.talk import Talk
from dotagent.text import escape, grammar, media, quotes, times
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short

LOOK = 1.0  # seconds between two looks without a notification
TITLE = 120  # characters of a call that are shown
SHOWN = 200  # messages of a session that is taken up again
DIRECTORY = ".directory"  # the ending of a file next to the room's, which names the directory of its editor
OVER, CANCELLED = "end_turn", "cancelled"


class Shows(Protocol):
    """How an editor shows a turn."""

    def says(self, text: str) -> None:
        """Show more text of the agent."""

    def begins(self, key: str, title: str, effect: str) -> None:
        """Show that a tool call begins. `effect` is its kind in policy, "" if it only reads."""

    def ends(self, key: str, good: bool) -> None:
        """Show that the call has ended."""

    def asks(self, key: str, question: str) -> str:
        """Ask the person for permission. Return `yes`, `no` or `always`, or "" for no answer."""


@dataclass(frozen=True)
class Given:
    """An attachment of a prompt: its name, and the bytes of an image, a PDF or audio."""

    name: str
    data: bytes


@dataclass(frozen=True)
class EditorSession:
    """A session as an editor lists it: its room, the directory in which it was last used, the person's first message
    (of the last SHOWN), and the time of the last change."""

    id: str
    cwd: str
    title: str
    at: str


class Follow:
    """An agent's new events in one room, and the agent's state."""

    def __init__(self, outlook: Outlook, self_id: str, room: str) -> None:
        self._store, self._room = outlook.where.store(), room
        self.path = outlook.where.agent(self_id) / "LIFE.md"
        self._offset = self.path.stat().st_size
        self.state = replay.derive(outlook.where, self_id, CONTEXT_LIMIT, until=self._offset).state

    def look(self) -> list[tuple[Line, State]]:
        """Return the new events, each with the state after it."""
        found = []
        for line in log.lines(self.path, self._offset):
            self._offset = line.end
            if events.parse(line):
                self.state = apply(self.state, line)
                found.append((line, self.state))
        return found

    def heard(self, offset: int) -> bool:
        """Return whether the agent has read the room up to this byte and has finished its reaction.

        The byte must be the end of a person's message: an agent does not record how far its own messages reach.
        """
        turn, position = self.state.turn, self.state.heard.rooms.get(self._room)
        busy = turn.call or turn.untold or turn.waits or turn.effect or self.state.heard.allowed
        return bool(position and position.offset >= offset and not busy and finished_turns.is_done(self._store, turn))

    def reading(self, turn: Turn) -> grammar.Reading:
        """Return the turn's reply, parsed as the agent parses it."""
        return grammar.read(self._store.get(turn.reply).body.decode("utf-8", "replace"), extensions.tools(), turn.cut)


class Conversation:
    """One session in a room of the outlook's audience. Raise Misuse for any other room."""

    def __init__(self, outlook: Outlook, room: str) -> None:
        self._outlook, self._cancelled = outlook, False
        outlook.read(room, 1)  # raises for a room of others
        self.talk = Talk(outlook.where, room, outlook.name)
        self.talk.begin(0)
        self._bell, self._ring = os.pipe()
        self._sent, self._spoke = "", False  # shown of the message being written; any in this turn
        self._calls: list[tuple[str, ToolCall]] = []  # calls of the reply that have not ended

    @property
    def life(self) -> str:
        """Return the id of the agent that answers here, or "" without one."""
        here = lives.find_agents(self.talk.home, self.talk.room)
        return (lives.awake(self.talk.home, self.talk.room) or here or [""])[0]

    def past(self) -> list[tuple[bool, str]]:
        """Return the last messages of the room: whether each is a person's, and its text."""
        return [(one.kind != "AGENT", _words(one)) for one in self.talk.last(SHOWN)]

    def cancel(self) -> None:
        """Cancel the turn."""
        self._cancelled = True
        os.write(self._ring, b"x")

    def close(self) -> None:
        """Close what the session has open. No turn may be under way."""
        os.close(self._bell)
        os.close(self._ring)

    def prompt(self, text: str, given: Sequence[Given], screen: Shows) -> str:
        """Post the message, show everything that follows, and return why the turn ended. Raise Trouble."""
        self._cancelled, self._sent, self._spoke, self._calls = False, "", False, []
        self._wake()
        for message in self.talk.news():  # posted since the last prompt
            if message.kind == "AGENT":
                self._tell(message, screen)
        follow = Follow(self._outlook, self.life, self.talk.room)
        self.talk.say("\n".join([text, *(self._kept(one) for one in given)]).strip() or "(nothing)")
        watcher = watch.Watcher()
        watcher.also(self._bell)
        try:
            return self._turn(follow, watcher, screen)
        finally:
            watcher.close()
            if self._cancelled:
                os.read(self._bell, 1)

    def _wake(self) -> None:
        where, room = self.talk.home, self.talk.room
        if not lives.find_agents(where, room):
            agent_start.born(self.talk, self._outlook.heading)
        elif not lives.awake(where, room) and not lives.is_supervised(where):
            agent_start.wake(self.talk, self.life)

    def _kept(self, one: Given) -> str:
        if not media.recognise(one.data):
            name = quotes.quote(escape.one_line(one.name, 100))  # others may have chosen it
            why = "it is not a picture, PDF or sound of a known type"
            return f"{name}\n(the file of that name was not saved, because {why})"
        return attachments.keep(self.talk.home.store(), self.talk.room, one.name, one.data)

    def _turn(self, follow: Follow, watcher: watch.Watcher, screen: Shows) -> str:
        """Show the turn until the agent has finished or the person cancels."""
        drafts = Drafts(self.talk.home, self.talk.room)
        asked: tuple[str, str] | None = None
        while not self._cancelled:
            self.talk.watch(watcher)
            drafts.watch(watcher)
            watcher.content(follow.path)
            for draft in drafts.current():
                if draft.agent == short(self.life) and draft.text.startswith(self._sent):
                    self._say(draft.text, screen)
            messages = self.talk.news()  # before LIFE, which has a question before the room does
            asked = self._done(follow, screen) or asked
            if over := follow.heard(self.talk.said):
                messages += self.talk.news()
            for message in messages:
                drafts.heard(message.name)
                if message.kind == "AGENT" and asked and message.at == asked[1]:
                    over = False
                    if said := screen.asks(asked[0], _words(message)):
                        self.talk.say(said)
                    asked = None
                elif message.kind == "AGENT":
                    self._tell(message, screen)
            if over:
                return OVER
            if not lives.awake(self.talk.home, self.talk.room) and not lives.is_supervised(self.talk.home):
                raise Trouble(
                    "the agent has stopped; your message is saved, and gets an answer when the agent runs "
                    f"again: {self.talk.nobody()}"
                )
            watcher.wait(LOOK)
        stop_requests.ask(self.talk.home, self.talk.room, self.talk.name)
        return CANCELLED

    def _done(self, follow: Follow, screen: Shows) -> tuple[str, str] | None:
        """Show what the agent has done. If a call asks the person a question, return the key of the call and the time
        of the question."""
        asked = None
        for line, state in follow.look():
            match events.parse(line):
                case Reply(room=room) if room == self.talk.room:
                    self._begin(follow, state.turn, screen)
                case Effect(tool=origins.QUESTION) if self._calls and (stand := questions.standing(state)):
                    asked = self._calls[0][0], stand[-1].at
                case Result(how="asked"):
                    self._drop(screen, 1)
                case Did(tool=tool) | Result(tool=tool) as ended if self._calls and self._calls[0][1].name == tool:
                    key, call = self._calls.pop(0)
                    if not extensions.tools().speaks(call):
                        screen.ends(key, not (isinstance(ended, Result) and ended.how == "error"))
                case Fail():
                    self._drop(screen, 0)
            if not state.heard.questions and not state.heard.allowed and not state.turn.reply:
                self._drop(screen, 0)
        return asked

    def _begin(self, follow: Follow, turn: Turn, screen: Shows) -> None:
        self._drop(screen, 0)
        reading = follow.reading(turn)
        self._calls = [(f"{short(turn.reply)}-{number}", call) for number, call in enumerate(reading.due)]
        for key, call in self._calls:
            if not extensions.tools().speaks(call):
                title = escape.one_line(f"{call.name} {call.args}", TITLE)
                screen.begins(key, title, extensions.declared(call.name, "EFFECT", policy.OTHER))

    def _drop(self, screen: Shows, keep: int) -> None:
        """Report that all calls after the first `keep` will not be made."""
        for key, call in self._calls[keep:]:
            if not extensions.tools().speaks(call):
                screen.ends(key, False)
        del self._calls[keep:]

    def _tell(self, message: Message, screen: Shows) -> None:
        """Show the part of a complete message that was not shown as a draft."""
        text = _words(message)
        if self._sent.startswith(text):  # the draft contained several messages
            self._sent = self._sent[len(text) :].lstrip("\n")
            return
        if not text.startswith(self._sent):
            self._sent = ""
        self._say(text, screen)
        self._sent = ""

    def _say(self, text: str, screen: Shows) -> None:
        """Show the rest of the text, which begins with the part already shown."""
        if text and not self._sent and self._spoke:
            screen.says("\n\n")
        if more := text[len(self._sent) :]:
            screen.says(more)
            self._sent, self._spoke = text, True


def begin(outlook: Outlook, wanted: str, cwd: str) -> Conversation:
    """Start a session of this directory in a new room. The agent `wanted` joins it, otherwise the newest agent of this
    audience. Raise Misuse."""
    where, mine = outlook.where, outlook.mine()
    self_id = agent_search.find_agent(where, wanted) if wanted else ""
    if wanted and self_id not in mine:
        raise Misuse(
            f"agent {short(self_id)} cannot be used here, because its audience (who can read it) is not "
            f"`{outlook.audience}`; choose another agent"
        )
    path = where.room(f"acp-{secrets.token_hex(4)}")
    rooms.create(path, outlook.heading)
    rooms.want(path)
    if self_id or mine:
        lives.join(where, self_id or agent_search.newest(where, mine), path)
    place(where, path.stem, cwd)
    return Conversation(outlook, path.stem)


def place(where: Home, room: str, cwd: str) -> None:
    """Write down the directory in which the editor uses a session; a relative one is below this process's own."""
    disk.replace(where.room(room).with_suffix(DIRECTORY), os.fsencode(os.path.abspath(cwd)) + b"\n")


def list_known(outlook: Outlook, cwd: str | None = None) -> list[EditorSession]:
    """Return the sessions, the newest first: all, or those of this directory."""
    found = []
    for room in outlook.names():
        path = outlook.where.room(room)
        there = os.fsdecode(disk.read(path.with_suffix(DIRECTORY), missing=b"").removesuffix(b"\n"))
        if cwd is not None and (not there or os.path.abspath(there) != os.path.abspath(cwd)):
            continue
        talk = Talk(outlook.where, room, outlook.name)
        talk.begin(0)
        first = next((_words(one) for one in talk.last(SHOWN) if one.kind != "AGENT"), "")
        at = times.make_stamp(datetime.fromtimestamp(path.stat().st_mtime, UTC))
        found.append(EditorSession(room, there or str(outlook.where.root), escape.one_line(first, TITLE) or room, at))
    return sorted(found, key=lambda one: one.at, reverse=True)


def _words(message: Message) -> str:
    return escape.printable(message.text).strip("\n")
