"""The documents of a life: files that a person or the agent edits, heard whenever they have changed.

A new version is a blob and an event, with the version before it as parent; of MEMORY it is an entry of the context,
too, and what is told of the agent itself (persona.py) stands in the prompt's head from the next request on. Owns the
removal of an emptied BOOTSTRAP.md.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

from dotagent import errors, extensions, installed
from dotagent.errors import Trouble
from dotagent.life import alternate, daily, example, learned, persona, prompt, proposed, replay
from dotagent.life.context import EXAMPLE, MEMORY, SHOWN, SKILLS
from dotagent.life.events import Document, Error
from dotagent.life.session import Session
from dotagent.skills import shown
from dotagent.store import bootstrap, disk, prompts, setting
from dotagent.store.blobs import BlobCorrupt, BlobMissing, content_id
from dotagent.store.bootstrap import EVIL, SOUL
from dotagent.store.watch import Changed


class Documents:
    """The documents of one life, as this process has seen them."""

    def __init__(self, session: Session) -> None:
        self._session, self._changed = session, Changed()
        self._learned: list[Path] | None = None
        self._watched: list[Path] = []  # by which it is known whether the list of skills is what it was
        self._told: dict[str, str] = {}  # what was said of those that are too long

    def read(self) -> None:
        """Record those that changed; one that cannot be read stays what it was."""
        self._prompts()
        self._told_once(EVIL, alternate.turn(self._session))
        daily.read(self._session)
        before = self._session.state.heard.documents
        for name in (SOUL, *bootstrap.seen(self._session.state.audience)):
            if name not in bootstrap.CLOCK and self._changed.look(self._session.path / name):
                self._persona(name)
        self._words(persona.EXTRA, self._extra())
        self._skills()
        self._rules()
        if self._session.state.heard.documents != before:
            self._warn()

    def begin(self, born: bool) -> None:
        """At a start: decide whether the alternate soul is in force, then read them."""
        self._told_once(EVIL, alternate.begin(self._session, born))
        self.read()

    def _told_once(self, name: str, why: str) -> None:
        if why and self._told.get(name) != why:
            self._session.record(Error(why))
        self._told[name] = why

    def here(self, model: str) -> None:
        """Record where the life runs and who answers, unless it is as it was told last."""
        session = self._session
        who = f"{model}, by {session.provider}" if model else session.provider
        host = f" You run on {platform.node()}." if bootstrap.kind(session.state.audience) == "private" else ""
        self._words(persona.HERE, f"Your model is {who}.{host}")

    def _prompts(self) -> None:
        session = self._session
        for name in (MEMORY, *SHOWN):
            path = session.path / name
            if name == EXAMPLE or (name in SHOWN and not os.path.lexists(path)):
                path = session.home.prompt(name)
            if not self._changed.look(path):
                continue
            known = session.state.heard.documents.get(name)
            data = self._read(path, known)
            if data is not None and name == EXAMPLE and (wrong := _mistake(data)):
                session.record(Error(f"EXAMPLE.md, {wrong}: mend it; until then the example is the one before"))
                data = None if known else (installed.CODE / name).read_bytes()
            if data is not None and (known is None or not self._holds(known, data)):
                session.record(Document(name, self._since(known, data)), data, gist=name)

    def _persona(self, name: str) -> None:
        """Record a new version of SOUL or of another bootstrap file. SOUL is never without words, and a template that
        nobody has filled in is no version."""
        session, known = self._session, self._session.state.heard.documents.get(name)
        try:
            data: bytes | None = disk.read(session.path / name)
        except FileNotFoundError:
            data = self._gone(name, known)
        except OSError as error:
            self._told_once(f"{name} itself", f"{name} is not read: {errors.line(error)}")
            return
        empty = name == SOUL and data is not None and not data.strip()
        self._told_once(f"{name} itself", "SOUL.md is empty: the SOUL before it holds" if empty else "")
        if empty:
            return
        if name == bootstrap.FIRST and data is not None and not data.strip():
            disk.remove(session.path / name)
            self._keep(name, known, b"" if known else None)
        elif known or name in (SOUL, *bootstrap.STANDING) or (data and not bootstrap.is_untouched(name, data)):
            self._keep(name, known, data)

    def _gone(self, name: str, known: str | None) -> bytes | None:
        """What stands for a file that is not there: nothing for SOUL, whose last version holds, and where there never
        was any; a mark for one that should be there."""
        if name == SOUL or not (known or bootstrap.STANDING[0] in self._session.state.heard.documents):
            return None
        return b"" if name == bootstrap.FIRST else bootstrap.MISSING

    def _keep(self, name: str, known: str | None, data: bytes | None) -> None:
        """Record this version unless it is the one that is known; the first SOUL is the one of the birth."""
        if data is None or (known and self._holds(known, data)):
            return
        if name == SOUL and not known and self._born() == data:
            return
        gist = f"{name}, as its person wrote it" if name == SOUL else name
        self._session.record(Document(name), data, gist=gist)
        if name in proposed.FILES:
            proposed.by_hand(self._session, name, self._text(known), data.decode("utf-8", "replace"))

    def _text(self, id: str | None) -> str:
        try:
            return self._session.store.get(id).body.decode("utf-8", "replace") if id else ""
        except (BlobMissing, BlobCorrupt):
            return ""

    def _born(self) -> bytes | None:
        try:
            return replay.soul(self._session.store, self._session.id)[1].encode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt):
            return None

    def _words(self, name: str, text: str) -> None:
        """Record what is no file, where it is other than what was told last."""
        known = self._session.state.heard.documents.get(name)
        if known or text:
            self._keep(name, known, text.encode("utf-8", "replace"))

    def _skills(self) -> None:
        """What this life is told of its skills, where that may have changed since it was last looked at."""
        session, room = self._session, self._session.settings.context_limit
        if self._watched and not any(self._changed.look(path) for path in self._watched):
            return
        self._watched = shown.watched(session.home, session.id)
        for path in self._watched:  # before they are read: what changes meanwhile is seen the next time
            self._changed.look(path)
        self._words(SKILLS, shown.listing(session.home, session.id, session.state.audience, room).text)

    def _rules(self) -> None:
        """What this life has learned, where that may have changed."""
        session = self._session
        paths = learned.watched(session.home, session.id, session.state.audience)
        if [self._changed.look(path) for path in paths].count(True) == 0 and paths == self._learned:
            return
        self._learned = paths
        room = session.settings.context_limit
        for name, text in learned.texts(session.home, session.id, session.state.audience, room).items():
            self._words(name, text)

    def _extra(self) -> str:
        session = self._session
        given = session.settings.system_prompt_extra
        return "\n\n".join(setting.named(given, session.state.audience, session.id, session.owner))

    def _warn(self) -> None:
        """Say which of them is shown in part only."""
        session = self._session
        try:
            found = persona.texts(session.store, session.id, session.state, session.settings)
        except (BlobMissing, BlobCorrupt):
            return  # a life without SOUL does not begin
        for name, why in persona.too_long(found, session.state, session.settings).items():
            if self._told.get(name) != why:
                self._told[name] = why
                session.record(Error(f"{why}: shorten it, or raise bootstrap_max_chars"))

    def _read(self, path: Path, known: str | None) -> bytes | None:
        """What the file says now; None when it stays what it was: it is gone, or cannot be read, which is told."""
        try:
            data = disk.read(path)
            return prompts.brought(path.name) if prompts.is_former(path.name, data) else data
        except FileNotFoundError:
            if path.name == MEMORY:
                return b"" if known else None  # a person took the notes away
        except OSError as error:
            self._session.record(Error(f"{path.name} is not read: {errors.line(error)}"))
        return prompts.brought(path.name) if path.name in SHOWN and known is None else None

    def text(self, name: str) -> str:
        """The newest version that was heard, as a prompt may hold it. Raises BlobMissing, BlobCorrupt."""
        id = self._session.state.heard.documents[name]
        return prompt.instruction(self._session.store.get(id).body.strip())

    def edited(self, name: str) -> bool:
        """Whether somebody wrote this prompt, which the program brings else. Raises BlobMissing, BlobCorrupt."""
        return prompts.is_edited(name, self._session.store.get(self._session.state.heard.documents[name]).body)

    def _since(self, known: str | None, data: bytes) -> int:
        """How many bytes of what is new the context shows as they are, in the version before: 0 unless it only grew."""
        entries = self._session.entries
        if not known or not any(e.event == Document.WORD and e.line.id == known and not e.stripped for e in entries):
            return 0
        before = self._text(known).encode("utf-8", "replace")
        return len(before) if before.endswith(b"\n") and data.startswith(before) and len(data) > len(before) else 0

    def _holds(self, id: str, data: bytes) -> bool:
        try:
            return content_id(self._session.store.get(id).body) == content_id(data)
        except (BlobMissing, BlobCorrupt):
            return False  # what was lost is kept anew


def _mistake(data: bytes) -> str:
    """What is wrong with an example life, and in which line; "" for nothing."""
    try:
        example.check(data.decode("utf-8", "replace"), extensions.tools())
    except Trouble as wrong:
        return str(wrong)
    return ""
