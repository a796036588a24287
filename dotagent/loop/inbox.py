"""The inbox: from rooms and subscriptions to events in LIFE.

A room is heard from where LIFE says on, one waking room a turn, so that a plain answer has one place to go. A room
of another audience than the life's is never heard, however it came into subs/.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.life import events, origins, replay
from dotagent.life.documents import Documents
from dotagent.life.events import Error, Hear, Join, Leave, Note
from dotagent.life.session import Session
from dotagent.loop import forgetting, slash
from dotagent.loop.ended import Ends
from dotagent.loop.spawned import Spawns
from dotagent.loop.waking import Wakes
from dotagent.store import attachments, disk, home, lives, log, rooms
from dotagent.store.rooms import Message, Position
from dotagent.store.watch import Changed, Watcher
from dotagent.text import escape, media, names
from dotagent.text.reference import short

BACKGROUND = 20  # messages
EARLIER = 2000  # events of LIFE that are searched for a line heard before, when a room was rewritten
OWNER = "OWNER"  # who wrote an untagged line


class Inbox:
    """What of the rooms this process has looked at, so that it looks again only where something changed."""

    def __init__(self, session: Session, watch: Watcher, documents: Documents) -> None:
        self._session, self._documents = session, documents
        self._watch = watch
        self._ends, self._wakes, self._spawns = Ends(session, watch), Wakes(session, watch), Spawns(session, watch)
        self._changed = Changed()
        self._paths: dict[str, Path] = {}  # of rooms: made once, since a look asks after all of them
        self._refused: set[str] = set()
        self._unheard: dict[str, str] = {}  # rooms that cannot be heard, and why, as it was told
        self.subs = session.path / "subs"
        disk.make_dir(self.subs)
        done = session.home.calls / "done" / session.id
        disk.make_dir(done)
        for directory in (session.home.chats, session.path, self.subs, done):
            watch.names(directory)
        with suppress(OSError):  # a person's wishes come there; without it they wait
            disk.make_dir(session.path / "run")
            watch.names(session.path / "run")

    def hear(self) -> bool:
        """Record what is new in the first room that has anything that wakes; False when nothing does.

        It stops between two events where something else must be done first: then there is more to hear.
        """
        if forgetting.wished(self._session):
            return True
        if self.subscribe() or self._ends.look() or self._wakes.look() or self._spawns.look():
            return True
        for name in sorted(self._session.state.heard.rooms):
            path = self._paths.get(name) or self._paths.setdefault(name, self._session.home.room(name))
            if not self._changed.look(path):
                continue
            try:
                self._watch.content(path)
                while self._room(name, path):  # there may be more than one read takes
                    if self._session.state.turn.wake or self._session.state.turn.untold or self._interrupted():
                        self._changed.forget(path)
                        return True
            except OSError as error:
                if error.filename != str(path):
                    raise
                why = errors.line(error)
                if self._unheard.get(name) != why:
                    self._unheard[name] = why
                    self._session.record(Error(f"room {name} is not heard: {why}"))
            else:
                self._unheard.pop(name, None)
        return False

    def waits(self) -> bool:
        """Whether something goes on that this life will hear of: a helper works, or, of a helper, a command."""
        return self._spawns.waits() or (self._session.terms is not None and self._ends.waits())

    def sleep(self, seconds: float | None) -> float | None:
        """How long the loop may sleep at most, where something else wakes it after so many seconds."""
        return self._spawns.sleep(seconds)

    def subscribe(self) -> bool:
        """Join and leave rooms as the links in subs/ say; what is refused is looked at again each time. True when it
        stopped between two, as `hear` does."""
        there = [entry for entry in os.scandir(self.subs) if entry.name.endswith(".md")] if self.subs.is_dir() else []
        rooms = self._session.state.heard.rooms
        for name in sorted(set(rooms) - {entry.name[:-3] for entry in there if entry.is_symlink()}):
            self._session.record(Leave(name))
        for name in sorted({entry.name[:-3] for entry in there} - set(rooms)):
            self._join(name)
            if self._interrupted():
                return True
        return False

    def _interrupted(self) -> bool:
        """Whether something must be done before more is heard: this process was asked to end, or the context is so
        full that the oldest must fade."""
        return self._session.leaving or self._session.overfull

    def _join(self, name: str) -> None:
        session, why = self._session, ""
        try:
            path = session.home.room(name)
            if not (self.subs / f"{name}.md").is_symlink() or not (self.subs / f"{name}.md").exists():
                why = "it is no link to a room in chats/"
            elif not os.path.samefile(self.subs / f"{name}.md", path):
                why = f"it does not lead to chats/{name}.md"
            elif rooms.audience(path, session.owner) != session.state.audience:
                why = f"that room is `{rooms.audience(path, session.owner)}`, this life `{session.state.audience}`"
        except Misuse as wrong:
            why = str(wrong)
        except OSError as error:
            why = errors.line(error)
        if not why:
            self._refused.discard(name)
            self._background(name, path)
        elif name not in self._refused:
            self._refused.add(name)
            session.record(Error(f"subs/{name}.md is not heard: {why}"))

    def _background(self, name: str, path: Path) -> None:
        """Join the room at its end, with its last messages as what was said before: in one where people waited for an
        agent to be born, before the last of what they said since."""
        end = rooms.end(path)
        before = rooms.last(path, 2 * BACKGROUND, end.offset)
        if (since := rooms.wanted(path)) is not None:
            for _ in [message for message in before if message.end > since][-BACKGROUND:]:
                before.pop()
            end = Position(before[-1].end, before[-1].mark) if before else Position()
        before = before[-BACKGROUND:]
        bridged = "bridged" if any(names.is_bridged(message.name) for message in before) else ""
        body = b"".join(message.raw for message in before) or None
        said = [(one.kind, one.name, self._own(one) or self._clean(one)) for one in before]
        by = origins.listed(said, self._persons, self._session.state.audience)
        seen = media.listed(attachments.shown(self._session.store, name, body or b"", last=True))
        joined = Join(name, end.offset, end.mark or "-", seen, by, bridged)
        self._session.record(joined, body, gist=f"before, in {name}")
        if since is not None:
            self._session.sync()
            disk.remove(path.with_suffix(rooms.WANTED))

    def _room(self, name: str, path: Path) -> bool:
        """Record the room's new messages; True when there was any."""
        session = self._session
        if rooms.audience(path, session.owner) != session.state.audience:
            session.record(Leave(name))
            self._join(name)  # which says why not
            return False
        position, heard = session.state.heard.rooms[name], list[Message]()
        while not heard:
            found = rooms.read(path, position, self._earlier(name))
            if found is None:
                self._background(name, path)
                return False
            messages, position = found
            if not messages:
                return False
            heard = [message for message in messages if not self._own(message)]
        self._documents.read()  # what was written there before this was said is known when this is read
        session.clock()
        awake, whose = lives.awake(session.home, name), set[str]()
        for message in heard:
            last = message is heard[-1]
            if message.kind == "AGENT":  # which may wake it; what people said before is answered already
                self._leave(name, whose)
            before = session.state.turn.wake
            self._record(name, message, position if last else Position(message.end, message.mark))
            if message.kind != "AGENT":
                whose.add(lives.answering(awake, message.text) if len(awake) > 1 else session.id)
                if session.id in whose and (told := self._answer(name, message.text)):
                    slash.tell(session, name, told, alone=before != name)
            if self._interrupted() or session.state.turn.untold:
                break
        self._leave(name, whose)
        return True

    def _answer(self, room: str, said: str) -> str:
        """What the harness itself answers; "" where it does not."""
        return slash.answer(self._session, said) or forgetting.answer(self._session, room, said)

    def _leave(self, room: str, whose: set[str]) -> None:
        """Leave what people said to the others whose it is to answer."""
        if whose and self._session.id not in whose:
            self._session.record(Note(room, "another"), f"{short(whose.pop())} answers here: {lives.RULE}.".encode())
            whose.clear()

    def _earlier(self, room: str) -> Iterator[str]:
        """The marks of the lines heard there before, the newest first: for when an editor has moved everything."""
        for line in reversed(log.tail(self._session.path / "LIFE.md", EARLIER)):
            event = events.parse(line)
            if isinstance(event, Hear) and event.room == room:
                yield event.mark

    def _own(self, message: Message) -> bool:
        return message.kind == "AGENT" and message.name == short(self._session.id)

    @property
    def _persons(self) -> tuple[str, ...]:
        """Whose words count as its person's where others are heard too: the owner's, and theirs whom settings name."""
        named = self._session.settings.policy.get("persons", ())
        return (self._session.owner, *(map(str, named) if isinstance(named, list) else ()))

    def _clean(self, message: Message) -> bool:
        """Whether an agent of this home said it that never had a stranger's words before it."""
        if message.kind != "AGENT":
            return False
        try:
            known = replay.standing(self._session.home, home.find_life(self._session.home, message.name)).heard.origins
        except (Misuse, OSError):
            return False
        return bool(known) and not origins.foreign(known)

    def _record(self, room: str, message: Message, position: Position) -> None:
        who = f"{message.kind}:{message.name}" if message.kind else OWNER
        raw = message.raw[:1000].decode("utf-8", "replace")
        text = raw.partition("] ")[2] if message.kind else raw
        gist = escape.one_line(f"{message.name or self._session.owner}: {text}")
        seen = media.listed(attachments.shown(self._session.store, room, message.raw))
        by = origins.by(message.kind, message.name, self._persons, self._session.state.audience)
        by = origins.OWN if self._clean(message) else by
        self._session.record(Hear(room, position.offset, position.mark, seen, by, who), message.raw, gist=gist)
