"""The inbox: it turns messages in rooms, and changed subscriptions, into events in LIFE.

It reads each room from the position that LIFE records, and starts a turn for one room only, so that a plain answer has
one place to go. It never reads a room of another audience, even if subs/ links to it. Owns nothing on disk.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from dotagent import contract, errors
from dotagent.contract import Living
from dotagent.errors import Misuse
from dotagent.life import origins, replay
from dotagent.life.documents import Documents
from dotagent.life.events import Error, Hear, Join, Leave, Note, Placed, Tell
from dotagent.life.session import Session
from dotagent.loop.room_reader import RoomReader
from dotagent.store import disk, lives, rooms
from dotagent.store.rooms import Message, Position
from dotagent.store.watch import Changed, Watcher
from dotagent.text import escape, names
from dotagent.text.reference import short

BACKGROUND = 20  # messages


class Inbox:
    """The rooms that this process has read, so that it reads them again only after a change."""

    def __init__(self, session: Session, watch: Watcher, documents: Documents, parts: Sequence[Living]) -> None:
        self._session, self._documents = session, documents
        self._watch = watch
        self._parts = parts
        self._changed = Changed()
        self._heeded, self._turn = Changed(), tuple[int, ...]()  # for `heed`, in the turn with this first entry
        self._path = cache(session.home.room)  # each check needs the paths of all rooms
        self._reader = RoomReader(session)
        self._refused: set[str] = set()
        self._unheard: dict[str, str] = {}  # rooms that cannot be read, with the reported reason
        subs = session.path / "subs"
        disk.make_dir(subs)
        done = session.home.calls / "done" / session.id
        disk.make_dir(done)
        for directory in (session.home.chats, session.path, subs, done):
            watch.names(directory)
        with suppress(OSError):  # other processes' requests arrive there; without the directory they wait
            disk.make_dir(session.path / "run")
            watch.names(session.path / "run")

    def hear(self) -> bool:
        """Record the news of the first room that starts a turn. Return False if no room does.

        If something else must be done first, it stops between two events and returns True.
        """
        if self.subscribe() or any(one.look() for one in self._parts):
            return True
        for name in sorted(self._session.state.heard.rooms):
            path = self._path(name)
            if not self._changed.look(path) and not self._reader.is_due(name):
                continue
            try:
                self._watch.content(path)
                while self._room(name, path):  # one read may not return all messages
                    if self._session.state.turn.wake or self._session.state.turn.untold or self._interrupted():
                        self._changed.forget(path)
                        return True
            except OSError as error:
                if error.filename != str(path):
                    raise
                if not isinstance(error, FileNotFoundError) or not self._reader.missing(name, path):
                    self._unread(name, errors.line(error))
            else:
                self._unheard.pop(name, None)
        return False

    def heed(self) -> bool:
        """Between two steps of a turn, record what its person has added since. Return True if there was something.

        A message that only asks something, or that is a command, is recorded after the turn, unless more follows.
        """
        turn, name = self._session.state.turn, self._session.state.turn.room
        if not turn.unread or turn.wake or turn.quiet or turn.flush or name not in self._session.state.heard.rooms:
            return False
        path = self._path(name)
        if self._turn != turn.frame[:1]:
            self._turn = turn.frame[:1]
            self._heeded.forget(path)
        if not self._heeded.look(path):
            return False
        from dotagent.loop.additions import added  # loaded only when a room changes in the midst of a turn

        if (heard := added(self._session, self.unheard(name), self._who)) and not self.record(name, heard):
            self._heeded.forget(path)
        return bool(heard)

    def unheard(self, name: str, most: int | None = None) -> list[tuple[Message, Position]]:
        """Return the messages of others in a room that LIFE does not contain, each with the position after it. `most`
        is the size of the room's file up to which it is read. `hear` reads all of them again."""
        if name not in self._session.state.heard.rooms:
            return []
        path = self._path(name)
        self._changed.forget(path)
        try:
            if rooms.audience(path, self._session.owner) != self._session.state.audience:
                return []
            found = self._reader.look(name, path, fits=True)
        except OSError:
            found = None  # `hear` reports it
        if not found:
            self._heeded.forget(path)  # the room is being saved
            return []
        self._reader.leave(name)  # from the place in LIFE, and an edited room whole
        messages = () if found.edited else found.messages
        return [(one, at) for one, at in messages if not self._own(one) and (most is None or at.offset <= most)]

    def _unread(self, name: str, why: str) -> None:
        """Report once that a room cannot be read."""
        if self._unheard.get(name) != why:
            self._unheard[name] = why
            self._session.record(Error(f"could not read room {name}: {why}"))

    def waits(self) -> bool:
        """Return True if a room is being saved, or if a capability's work is in progress."""
        return self._reader.waits() or any(one.waits() for one in self._parts)

    def sleep(self, seconds: float | None) -> float | None:
        """Return the most seconds that the loop may sleep; `seconds` is the limit of its other parts."""
        asked = [seconds, self._reader.sleep(), *(one.sleep() for one in self._parts)]
        return min((one for one in asked if one is not None), default=None)

    def subscribe(self) -> bool:
        """Join and leave rooms as the links in subs/ say; refused links are tried again each time. Return True if it
        stopped between two rooms, as `hear` does."""
        session = self._session
        there, rooms = lives.subscribed(session.path), session.state.heard.rooms
        kept = {one for one in there if lives.is_subscribed(session.home, session.id, one)}
        for name in sorted(set(rooms) - kept) if session.path.is_dir() else ():  # someone may have moved the home
            self._reader.leave(name)
            session.record(Leave(name))
        for name in sorted(set(there) - set(rooms)):
            self._join(name)
            if self._interrupted():
                return True
        return False

    def _interrupted(self) -> bool:
        """Return True if something must be done before more is read. Either this process must exit, or the context is
        so full that its oldest part must fade."""
        return self._session.leaving or self._session.overfull

    def _join(self, name: str) -> None:
        session, why = self._session, ""
        try:
            path, link = session.home.room(name), session.path / "subs" / f"{name}.md"
            if not link.is_symlink() or not link.exists():
                why = "the file is not a symbolic link to a room in chats/"
            elif not os.path.samefile(link, path):
                why = f"the symbolic link does not lead to chats/{name}.md"
            elif rooms.audience(path, session.owner) != session.state.audience:
                theirs = rooms.audience(path, session.owner)
                mine = session.state.audience
                why = f"the room's audience (who can read it) is `{theirs}`, but the agent's audience is `{mine}`"
        except Misuse as wrong:
            why = str(wrong)
        except OSError as error:
            why = errors.line(error)
        if not why:
            self._refused.discard(name)
            self._background(name, path)
        elif name not in self._refused:
            self._refused.add(name)
            session.record(Error(f"the agent does not read the room of the link subs/{name}.md: {why}"))

    def _background(self, name: str, path: Path) -> None:
        """Join the room at its end, with its last messages as background. If people were waiting for an agent, their
        messages since then are news and not background."""
        end = rooms.end(path)
        before = rooms.last(path, 2 * BACKGROUND, end.offset)
        if (since := rooms.waiting_since(path)) is not None:
            for _ in [message for message in before if message.end > since][-BACKGROUND:]:
                before.pop()
            end = Position(before[-1].end, before[-1].mark) if before else rooms.end(path, since)
        before = before[-BACKGROUND:]
        bridged = "bridged" if any(names.is_bridged(message.name) for message in before) else ""
        body = b"".join(message.raw for message in before) or None
        said = {mark for one in before for mark in self._marks(one)} - {origins.PERSON}
        by = ",".join(sorted(said)) or origins.OWN
        seen = self._find_media(name, body or b"", last=True)
        joined = Join(name, end.offset, end.mark or "-", seen, by, bridged)
        self._session.record(joined, body, gist=f"before, in {name}")
        if since is not None:
            self._session.sync()
            disk.remove(path.with_suffix(rooms.WANTED))

    def _room(self, name: str, path: Path) -> bool:
        """Record the room's new messages. Return True if there were any."""
        session = self._session
        fits = rooms.audience(path, session.owner) == session.state.audience
        while found := self._reader.look(name, path, fits=fits):
            if not fits:
                if found.edited:
                    self._reader.leave(name)
                    session.record(Leave(name))
                    self._join(name)  # this records the reason for refusing it
                return False
            heard = [(one, at) for one, at in found.messages if not self._own(one)]
            indented = any(self._own(one) and one.raw.startswith(b"  ") for one, _ in found.messages)
            if heard or found.edited or indented or not found.messages:
                break
            if any(one.text.startswith(rooms.GONE) for one, _ in found.messages):
                self._place(name, found.end)  # messages that are written again are above this place
        if not found or not (heard or found.edited or indented):
            return False
        if heard and not self.record(name, heard):
            return True
        if found.edited and not heard:
            self._place(name, found.end)
        if indented or found.above or found.lost:
            from dotagent.loop import room_changes  # loaded only for a room that someone edited

            for text in room_changes.notices(name, indented, found.above, len(found.lost)):
                session.record(Tell(name, text=text))
        return True

    def _place(self, name: str, end: Position) -> None:
        self._session.record(Placed(name, end.offset, end.mark or "-"))

    def record(self, name: str, heard: Sequence[tuple[Message, Position]]) -> bool:
        """Record the messages, each with the position after it. Return False if something else must be done first."""
        session = self._session
        self._documents.read()  # a document that changed before a message must be known when the message is read
        session.clock()
        awake, whose = lives.awake(session.home, name, session.owner), set[str]()
        for message, position in heard:
            if message.kind == "AGENT":  # it may start a turn, and earlier messages of people are answered already
                self._leave_to_another(name, whose)
            before, stood = session.state.turn.wake, session.state.heard.questions
            self._record_one(name, message, position)
            told = ""
            if message.kind == "AGENT":
                self._pass(name, message, awake, waits=before == name)
            else:
                whose.add(self._find_answering(awake, message.text))
                said = message.text if session.state.heard.questions == stood else ""  # else it answered a question
                who = message.name or session.owner
                if session.id in whose and (told := contract.answer(self._parts, name, who, said)):
                    self._tell(name, told, alone=before != name)
            if stood and not told and (message.kind == "AGENT" or session.id in whose):
                from dotagent.life import permission  # loaded only while a question is open

                if notice := permission.find_notice(session, name, message, stood):
                    session.record(Tell(name, text=notice))
            if message is not heard[-1][0] and (self._interrupted() or session.state.turn.untold):
                self._reader.leave(name)  # the rest is read again from the place in LIFE
                self._leave_to_another(name, whose)
                return False
        self._leave_to_another(name, whose)
        return True

    def _tell(self, room: str, told: str, *, alone: bool) -> None:
        """Post dotagent's own answer to a message in the room. With `alone`, earlier messages count as answered;
        otherwise they still need an answer."""
        why, text = ("told", lives.ANSWERED) if alone else ("last", lives.ANSWERED_LAST)
        self._session.record(Note(room, why), text.encode())
        self._session.record(Tell(room, text=told))

    def _find_answering(self, awake: list[str], text: str) -> str:
        """Return the running agent that answers a person's message with this text."""
        if len(awake) < 2:
            return self._session.id
        from dotagent.store import room_answering  # loaded only where several agents may answer

        return room_answering.answering(self._session.home, self._session.settings, awake, text)

    def _pass(self, room: str, message: Message, awake: list[str], *, waits: bool) -> None:
        """Record that an agent's message needs no answer, because a person called that agent and it calls no one. Do
        nothing if an earlier message waits for an answer."""
        session = self._session
        if waits or len(awake) < 2:
            return
        from dotagent.store import room_answering  # loaded only where several agents may answer

        if not room_answering.concerns(session.home, session.settings, awake, session.id, room, message):
            session.record(Note(room, "another"), f"{message.name} answers the person who called it.".encode())

    def _leave_to_another(self, room: str, whose: set[str]) -> None:
        """Record that another agent must answer these messages."""
        if whose and self._session.id not in whose:
            self._session.record(Note(room, "another"), f"{short(whose.pop())} answers here: {lives.RULE}.".encode())
            whose.clear()

    def _own(self, message: Message) -> bool:
        return message.kind == "AGENT" and message.name == short(self._session.id)

    @staticmethod
    def _who(message: Message) -> str:
        return f"{message.kind}:{message.name}" if message.kind else origins.UNTAGGED

    def _marks(self, message: Message) -> list[str]:
        """Return the origins that a HEAR records for this message, besides its sender (life/origins.py)."""
        if self._own(message) or self._is_task(message):
            return []
        session = self._session
        persons = (session.owner, *session.settings.policy.get("persons", ()))  # who has the owner's rights in a group
        return origins.message_origins(message.kind, message.name, message.text, persons, session.state.audience)

    def _is_task(self, message: Message) -> bool:
        """Return True if the message is a task from the helper's parent, and the parent had no foreign text in its
        context so far."""
        terms, where = self._session.terms, self._session.home
        if message.kind != "AGENT" or terms is None or message.name != short(terms.parent):
            return False
        try:
            known = replay.standing(where, terms.parent).heard.origins
        except (Misuse, OSError):
            return False
        return bool(known) and not origins.foreign(known)

    def _find_media(self, room: str, raw: bytes, *, last: bool = False) -> str:
        """Return the media that the text of a room names, as LIFE lists them."""
        if b" shows it)" not in raw:
            return ""
        from dotagent.store import attachments

        return ",".join(map(str, attachments.find_media(self._session.store, room, raw, last=last)))

    def _record_one(self, room: str, message: Message, position: Position) -> None:
        who = self._who(message)
        raw = message.raw[:1000].decode("utf-8", "replace")
        text = raw.partition("] ")[2] if message.kind else raw
        seen = self._find_media(room, message.raw)
        by = ",".join(self._marks(message))
        event = Hear(room, position.offset, position.mark, seen, by, who)
        if self._session.state.heard.questions:
            from dotagent.life import permission  # loaded only while a question is open

            pending = contract.pending(self._parts, room)
            text = permission.find_words(self._session, event, message, pending) or text
        gist = escape.one_line(f"{message.name or self._session.owner}: {text}")
        self._session.record(event, message.raw, gist=gist)
