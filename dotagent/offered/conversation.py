"""A life inside an editor: a session is a room of its own, a prompt a message there; what the life says and does about
it is told as it comes, until the life has come to rest.

All is read from the room, from drafts in the spool and from LIFE, as any person's screen does; the editor's person
speaks as themselves. Writes messages of rooms through store/rooms.py, and a link in `subs/` for each session.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dotagent import extensions
from dotagent.chatting import waking
from dotagent.chatting.drafts import Drafts
from dotagent.chatting.talk import Talk
from dotagent.errors import Misuse, Trouble
from dotagent.life import events, policy, questions, replay
from dotagent.life.events import Did, Effect, Fail, Reply, Result
from dotagent.life.fold import after
from dotagent.life.state import State, Turn
from dotagent.offered.offer import Outlook
from dotagent.store import attachments, lives, log, queue, rooms, watch
from dotagent.store.home import CONTEXT_LIMIT
from dotagent.store.log import Line
from dotagent.store.rooms import Message
from dotagent.text import escape, grammar, media
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short

LOOK = 1.0  # seconds between two looks, where nothing is told of
TITLE = 120  # characters of a call that are shown
SHOWN = 200  # messages of a session that is taken up again
OVER, CANCELLED = "end_turn", "cancelled"


class Shows(Protocol):
    """What an editor shows of a turn."""

    def says(self, text: str) -> None:
        """More of what is said to the person."""

    def thinks(self, text: str) -> None:
        """Words beside calls."""

    def begins(self, key: str, title: str, effect: str) -> None:
        """A call of a tool, and what policy calls what it does: "" when it only reads."""

    def ends(self, key: str, good: bool) -> None:
        """It is done."""

    def asks(self, key: str, question: str) -> str:
        """Ask the person whether this may be: yes, no or always; empty where they do not say."""


@dataclass(frozen=True)
class Given:
    """What a prompt brings beside words: a name, and the bytes of a picture, a PDF or sound."""

    name: str
    data: bytes


class Follow:
    """One life from here on: its state, and what it does in one room."""

    def __init__(self, outlook: Outlook, self_id: str, room: str) -> None:
        self._store, self._room = outlook.where.store(), room
        self.path = outlook.where.agent(self_id) / "LIFE.md"
        self._offset = self.path.stat().st_size
        self.state = replay.derive(outlook.where, self_id, CONTEXT_LIMIT, until=self._offset).state

    def look(self) -> list[tuple[Line, State]]:
        """What is new, and the state after each event of it."""
        found = []
        for line in log.lines(self.path, self._offset):
            self._offset = line.end
            if events.parse(line):
                self.state = after(self.state, line)
                found.append((line, self.state))
        return found

    def heard(self, offset: int) -> bool:
        """Whether the room was heard up to this byte, and all was done about it that the life does by itself."""
        turn, position = self.state.turn, self.state.heard.rooms.get(self._room)
        busy = turn.call or turn.untold or turn.waits or turn.effect or self.state.heard.allowed
        return bool(position and position.offset >= offset and not busy and replay.is_done(self._store, turn))

    def reading(self, turn: Turn) -> grammar.Reading:
        """The turn's reply, as the life reads it."""
        return grammar.read(self._store.get(turn.reply).body.decode("utf-8", "replace"), extensions.tools(), turn.cut)


class Conversation:
    """One session: a room of the outlook's audience. Raises Misuse for any other."""

    def __init__(self, outlook: Outlook, room: str) -> None:
        self._outlook, self._cancelled = outlook, False
        outlook.read(room, 1)  # which raises
        self.talk = Talk(outlook.where, room, outlook.name)
        self.talk.begin(0)
        self._bell, self._ring = os.pipe()
        self._sent, self._spoke = "", False  # what was told of the message that is being written; of any in this turn
        self._calls: list[tuple[str, ToolCall]] = []  # those of the reply that are not done yet

    @property
    def life(self) -> str:
        """Who answers here; empty where nobody was born yet."""
        here = lives.of(self.talk.home, self.talk.room)
        return (lives.awake(self.talk.home, self.talk.room) or here or [""])[0]

    def past(self) -> list[tuple[bool, str]]:
        """What was said here last: whether by the person, and the words."""
        return [(one.kind != "AGENT", _words(one)) for one in self.talk.last(SHOWN)]

    def cancel(self) -> None:
        """Give up what is being asked."""
        self._cancelled = True
        os.write(self._ring, b"x")

    def prompt(self, text: str, given: Sequence[Given], screen: Shows) -> str:
        """Say it, and tell all that comes of it; why it is over. Raises Trouble."""
        self._cancelled, self._sent, self._spoke, self._calls = False, "", False, []
        self._wake()
        for message in self.talk.news():  # said since the last prompt
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
        if not lives.of(where, room):
            waking.born(self.talk, self._outlook.heading)
        elif not lives.awake(where, room) and not lives.kept(where):
            waking.wake(self.talk, self.life)

    def _kept(self, one: Given) -> str:
        if not media.look(one.data):
            return f"(file {escape.one_line(one.name, 100)}: no picture, PDF or sound that is known)"
        return attachments.keep(self.talk.home.store(), self.talk.room, one.name, one.data)

    def _turn(self, follow: Follow, watcher: watch.Watcher, screen: Shows) -> str:
        """Until the life rests, or the person gives up."""
        drafts, offset = Drafts(self.talk.home, self.talk.room), self.talk.path.stat().st_size
        asked: tuple[str, int] | None = None
        while not self._cancelled:
            self.talk.watch(watcher)
            drafts.watch(watcher)
            watcher.content(follow.path)
            for draft in drafts.current():
                if draft.agent == short(self.life) and draft.text.startswith(self._sent):
                    self._say(draft.text, screen)
            messages = self.talk.news()  # before LIFE, which tells of a question before the room has it
            asked = self._done(follow, screen) or asked
            if over := follow.heard(offset):
                messages += self.talk.news()
            for message in messages:
                drafts.heard(message.name)
                if message.kind == "AGENT" and asked and message.end > asked[1]:
                    over = False
                    if said := screen.asks(asked[0], _words(message)):
                        self.talk.say(said)
                        offset = self.talk.path.stat().st_size
                    asked = None
                elif message.kind == "AGENT":
                    self._tell(message, screen)
            if over:
                return OVER
            if not lives.awake(self.talk.home, self.talk.room) and not lives.kept(self.talk.home):
                raise Trouble(
                    f"the agent has left; what you said is kept, and answered when it is back: {self.talk.nobody()}"
                )
            watcher.wait(LOOK)
        for _, call in queue.out(self.talk.home):
            if call.kind == "live" and call.room == self.talk.room:
                queue.cancel(self.talk.home, call, hint=f"stopped by {self.talk.name}")
        return CANCELLED

    def _done(self, follow: Follow, screen: Shows) -> tuple[str, int] | None:
        """Tell what the life has done; the key of the call about which it asks its person, if it does, and how long the
        room was before the question."""
        asked = None
        for line, state in follow.look():
            match events.parse(line):
                case Reply(room=room) if room == self.talk.room:
                    self._begin(follow, state.turn, screen)
                case Effect(tool=questions.QUESTION, what=what) if self._calls and (now := questions.read(what)):
                    asked = self._calls[0][0], now.size
                case Result(how="asked"):
                    self._drop(screen, 1)
                case Did(tool=tool) | Result(tool=tool) as ended if self._calls and self._calls[0][1].name == tool:
                    key, call = self._calls.pop(0)
                    if not extensions.tools().speaks(call):
                        screen.ends(key, not (isinstance(ended, Result) and ended.how == "error"))
                case Fail():
                    self._drop(screen, 0)
            if not state.heard.question and not state.heard.allowed and not state.turn.reply:
                self._drop(screen, 0)
        return asked

    def _begin(self, follow: Follow, turn: Turn, screen: Shows) -> None:
        self._drop(screen, 0)
        reading = follow.reading(turn)
        if reading.calls and reading.text:
            screen.thinks(escape.printable(reading.text))
        self._calls = [(f"{short(turn.reply)}-{number}", call) for number, call in enumerate(reading.due)]
        for key, call in self._calls:
            if not extensions.tools().speaks(call):
                screen.begins(key, escape.one_line(f"{call.name} {call.args}", TITLE), _effect(call))

    def _drop(self, screen: Shows, keep: int) -> None:
        """The calls after the first `keep` will not be done."""
        for key, call in self._calls[keep:]:
            if not extensions.tools().speaks(call):
                screen.ends(key, False)
        del self._calls[keep:]

    def _tell(self, message: Message, screen: Shows) -> None:
        """A message that is whole: what of it was not told yet."""
        text = _words(message)
        if self._sent.startswith(text):  # the draft had more than one message
            self._sent = self._sent[len(text) :].lstrip("\n")
            return
        if not text.startswith(self._sent):
            self._sent = ""
        self._say(text, screen)
        self._sent = ""

    def _say(self, text: str, screen: Shows) -> None:
        """What of these words, which begin as what was told of, was not told."""
        if text and not self._sent and self._spoke:
            screen.says("\n\n")
        if more := text[len(self._sent) :]:
            screen.says(more)
            self._sent, self._spoke = text, True


def begin(outlook: Outlook, wanted: str = "") -> Conversation:
    """A new session: a room, which the life that is wanted hears, or the one of this audience that lived last. Raises
    Misuse."""
    where, mine = outlook.where, outlook.mine()
    self_id = lives.meant(where, wanted) if wanted else ""
    if wanted and self_id not in mine:
        raise Misuse(f"{short(self_id)} does not hear {outlook.audience}")
    path = where.room(f"acp-{secrets.token_hex(4)}")
    rooms.create(path, outlook.heading)
    rooms.want(path)
    if self_id or mine:
        lives.join(where, self_id or lives.newest(where, mine), path)
    return Conversation(outlook, path.stem)


def _words(message: Message) -> str:
    return escape.printable(message.text).strip("\n")


def _effect(call: ToolCall) -> str:
    name = extensions.named(call.name)
    known = extensions.constants("tools", name) if name in extensions.names("tools") else {}
    return str(known.get("EFFECT", policy.OTHER))
