"""Hearing: from rooms, subscriptions and papers to events in LIFE.

A room is heard from where LIFE says on, one waking room a turn, so that a plain answer has one place to go. A room
of another audience than the life's is never heard, however it came into subs/.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.life.session import Session
from dotagent.life.state import OWNER
from dotagent.store import disk, log, rooms
from dotagent.store.blobs import BlobCorrupt, BlobMissing, content_id
from dotagent.store.rooms import Message, Position
from dotagent.store.watch import Watcher
from dotagent.text import escape
from dotagent.text.reference import short

BACKGROUND = 20  # messages
EARLIER = 2000  # events of LIFE that are searched for a line heard before, when a room was rewritten
DOCUMENTS = ("MEMORY.md", "SEGMENT.md", "SUMMARISE.md", "dotagent.toml")

Seen = tuple[int, int, int]


class Inbox:
    """What of the world this process has looked at, so that it looks again only where something changed."""

    def __init__(self, session: Session, watch: Watcher) -> None:
        self._session = session
        self._watch = watch
        self._seen: dict[Path, Seen | None] = {}
        self._paths: dict[str, Path] = {}  # of rooms: made once, since a look asks after all of them
        self._refused: set[str] = set()
        self.subs = session.path / "subs"
        disk.make_dir(self.subs)
        done = session.home.calls / "done" / session.id
        disk.make_dir(done)
        for directory in (session.home.chats, session.path, self.subs, done):
            watch.names(directory)

    def hear(self) -> bool:
        """Record what is new in the first room that has anything that wakes; False when nothing does."""
        self.subscribe()
        for name in sorted(self._session.state.rooms):
            path = self._paths.get(name) or self._paths.setdefault(name, self._session.home.room(name))
            if not self._changed(path):
                continue
            try:
                self._watch.content(path)
                while self._room(name, path):  # there may be more than one read takes
                    if self._session.state.wake:
                        self._seen.pop(path)
                        return True
            except OSError as error:
                if path.is_file():
                    raise
                self._session.record("ERROR", f"room {name} is not heard: {errors.line(error)}")
        return False

    def documents(self) -> None:
        """Record the papers that changed: a new version is a blob, and of MEMORY an entry."""
        session = self._session
        for name in DOCUMENTS:
            path = session.home.root / name if name == "dotagent.toml" else session.path / name
            if name in ("SEGMENT.md", "SUMMARISE.md") and not path.is_file():
                path = session.home.root / name
            known = session.state.documents.get(name)
            if not self._changed(path):
                continue
            gone = not path.exists()
            if gone and not (known and name == "MEMORY.md"):
                continue
            data = path.read_bytes() if not gone else b""  # a person took the notes away
            if known is None or not self._holds(known, data):
                session.record("PAPER", name, data, gist=name)

    def _holds(self, id: str, data: bytes) -> bool:
        try:
            return content_id(self._session.store.get(id).body) == content_id(data)
        except (BlobMissing, BlobCorrupt):
            return False  # what was lost is kept anew

    def subscribe(self) -> None:
        """Join and leave rooms as the links in subs/ say; what is refused is looked at again each time."""
        there = [entry for entry in os.scandir(self.subs) if entry.name.endswith(".md")] if self.subs.is_dir() else []
        for name in sorted(set(self._session.state.rooms) - {entry.name[:-3] for entry in there if entry.is_symlink()}):
            self._session.record("LEAVE", name)
        for name in sorted({entry.name[:-3] for entry in there} - set(self._session.state.rooms)):
            self._join(name)

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
            session.record("ERROR", f"subs/{name}.md is not heard: {why}")

    def _background(self, name: str, path: Path) -> None:
        """Join the room at its end, with its last messages as what was said before."""
        end = rooms.end(path)
        before = rooms.last(path, BACKGROUND, end.offset)
        bridged = " bridged" if any("/" in message.name for message in before) else ""
        body = b"".join(message.raw for message in before) or None
        self._session.record("JOIN", f"{name} {end.offset} {end.mark or '-'}{bridged}", body, gist=f"before, in {name}")

    def _room(self, name: str, path: Path) -> bool:
        """Record the room's new messages; True when there was any."""
        session = self._session
        if rooms.audience(path, session.owner) != session.state.audience:
            session.record("LEAVE", name)
            self._join(name)  # which says why not
            return False
        position, heard = session.state.rooms[name], list[Message]()
        while not heard:
            found = rooms.read(path, position, self._earlier(name))
            if found is None:
                self._background(name, path)
                return False
            messages, position = found
            if not messages:
                return False
            heard = [message for message in messages if not self._own(message)]
        for message in heard:
            last = message is heard[-1]
            self._record(name, message, position if last else Position(message.end, _mark(message)))
        return True

    def _earlier(self, room: str) -> Iterator[str]:
        """The marks of the lines heard there before, the newest first: for when an editor has moved everything."""
        for line in reversed(log.tail(self._session.path / "LIFE.md", EARLIER)):
            if line.event == "HEAR" and line.detail.startswith(f"{room} "):
                yield line.detail.split(" ")[2]

    def _own(self, message: Message) -> bool:
        return message.kind == "AGENT" and message.name == short(self._session.id)

    def _record(self, room: str, message: Message, position: Position) -> None:
        who = f"{message.kind}:{message.name}" if message.kind else OWNER
        raw = message.raw[:1000].decode("utf-8", "replace")
        text = raw.partition("] ")[2] if message.kind else raw
        gist = escape.one_line(f"{message.name or self._session.owner}: {text}")
        self._session.record("HEAR", f"{room} {position.offset} {position.mark} {who}", message.raw, gist=gist)

    def _changed(self, path: Path) -> bool:
        """Whether the file is another than when this was last asked."""
        try:
            found = path.stat()
            seen: Seen | None = (found.st_ino, found.st_size, found.st_mtime_ns)
        except FileNotFoundError:
            seen = None
        if path in self._seen and self._seen[path] == seen:
            return False
        self._seen[path] = seen
        return True


def _mark(message: Message) -> str:
    return rooms.mark(message.raw[:-1].rpartition(b"\n")[2])
