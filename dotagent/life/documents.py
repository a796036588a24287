"""The documents of an agent: files that a person or the agent edits, recorded whenever they have changed.

A new version is a blob and an event, with the earlier version as parent. MEMORY also becomes an entry of the context.
The texts about the agent itself (persona.py) are in the prompt's head from the next request on. Owns the removal of an
emptied BOOTSTRAP.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from dotagent import errors, extensions, installed
from dotagent.errors import Trouble
from dotagent.life import persona, prompt, replay
from dotagent.life.context import EXAMPLE, MEMORY, SHOWN
from dotagent.life.events import Document, Effect, Error, parse
from dotagent.life.origins import OTHERS, OWN, RAN, foreign
from dotagent.life.session import Session
from dotagent.store import bootstrap, disk, log, prompts, reserved_names
from dotagent.store.blobs import BlobCorrupt, BlobMissing, content_id
from dotagent.store.bootstrap import EVIL, SOUL
from dotagent.store.watch import Changed
from dotagent.text import encoding

MOST = 1 << 20  # bytes of a document
LATELY = 200  # events that are searched for the agent's own edits


class Documents:
    """The documents of an agent, as this process last read them."""

    def __init__(
        self, session: Session, files: Sequence[Callable[[], str]], more: Sequence[Callable[[], Mapping[str, str]]]
    ) -> None:
        self._session, self._changed, self._files, self._more = session, Changed(), files, more
        self._place = cache(session.path.__truediv__)  # each turn asks for each document's path
        self._told: dict[str, str] = {}  # the last reported problem of each
        self._head = session.state.model.head  # tokens of the prompt when shortened files were last reported

    def read(self) -> None:
        """Record changed documents. An unreadable one keeps its last version."""
        self._prompts()
        self._told_once(EVIL, self._alternate("turn"))
        for at, record in enumerate(self._files):
            self._told_once(str(at), record())
        before = self._session.state.heard.documents
        for name in (SOUL, *bootstrap.visible_files(self._session.state.audience)):
            if name not in bootstrap.CLOCK and self._changed.look(self._place(name), follow=True):
                self._persona(name)
        for read in self._more:
            for name, text in read().items():
                self._words(name, text)
        head = self._session.state.model.head
        if self._session.state.heard.documents != before or head != self._head:
            self._head = head
            self._warn()

    def begin(self) -> None:
        """Decide at a start if the alternate character is in effect, then read the documents."""
        self._told_once(EVIL, self._alternate("begin"))
        self.read()

    def _alternate(self, when: str) -> str:
        """Decide if the alternate character is in effect, at the beginning of a process or of a turn. Return the
        problem."""
        if not (self._session.settings.hooks or self._session.state.heard.documents.get(EVIL)):
            return ""
        from dotagent.life import alternate  # imported only if settings have hooks, or had some

        return alternate.begin(self._session) if when == "begin" else alternate.turn(self._session)

    def _told_once(self, name: str, why: str) -> None:
        if why and self._told.get(name) != why:
            self._session.record(Error(why))
        self._told[name] = why

    def here(self, model: str) -> None:
        """Record the model, its provider and the machine, unless nothing changed."""
        session = self._session
        who = f"{model}, by {session.provider}" if model else session.provider
        host = f" You run on {os.uname().nodename}." if bootstrap.kind(session.state.audience) == "private" else ""
        self._words(persona.HERE, f"Your model is {who}.{host}")

    def _prompts(self) -> None:
        session = self._session
        for name in (MEMORY, *SHOWN):
            path = self._place(name)
            if name == EXAMPLE or (name in SHOWN and not os.path.lexists(path)):
                path = session.home.prompt(name)
            if not self._changed.look(path, follow=True):
                continue
            known = session.state.heard.documents.get(name)
            raw = self._read(path, known)
            data = None if raw is None else encoding.utf8(raw)
            if data is not None and name == EXAMPLE and (wrong := _mistake(data)):
                session.record(Error(f"EXAMPLE.md, {wrong}; until you correct the file, I use its last valid version"))
                data = None if known else (installed.CODE / name).read_bytes()
            if data is not None and (known is None or not self._holds(known, data)):
                session.record(Document(name, self._since(known, data), self._by(name, raw or data)), data, gist=name)

    def _persona(self, name: str) -> None:
        """Record a new version of SOUL or of another bootstrap file. An empty SOUL and an unedited template are
        ignored."""
        session, known = self._session, self._session.state.heard.documents.get(name)
        try:
            raw: bytes | None = self._whole(self._place(name), known)
        except FileNotFoundError:
            raw = self._gone(name, known)
        except OSError as error:
            self._told_once(f"{name} itself", f"could not read {name}: {errors.line(error)}")
            return
        data = None if raw is None else encoding.utf8(raw)
        empty = name == SOUL and data is not None and not data.strip()
        self._told_once(f"{name} itself", "SOUL.md is empty, so I keep the previous text" if empty else "")
        if empty:
            return
        if name == bootstrap.FIRST and data is not None and not data.strip():
            disk.remove(session.path / name)
            self._keep(name, known, b"" if known else None)
        elif known or name in (SOUL, *bootstrap.STANDING) or (data and not bootstrap.is_untouched(name, data)):
            self._keep(name, known, data, raw)

    def _gone(self, name: str, known: str | None) -> bytes | None:
        """Return the content to record for a missing file. For SOUL, which keeps its last version, and for a file that
        never had a version, return None. BOOTSTRAP.md becomes empty, and other files get a mark."""
        if name == SOUL or not (known or bootstrap.STANDING[0] in self._session.state.heard.documents):
            return None
        return b"" if name == bootstrap.FIRST else bootstrap.MISSING

    def _keep(self, name: str, known: str | None, data: bytes | None, raw: bytes | None = None) -> None:
        """Record this version unless it is already known. The first SOUL is in the birth blob. `raw` is the file's
        content if its encoding is different."""
        if data is None or (known and self._holds(known, data)):
            return
        if name == SOUL and not known and self._born() == data:
            return
        gist = f"{name}, as a person edited it" if name == SOUL else name
        self._session.record(Document(name, by=self._by(name, raw or data)), data, gist=gist)
        if name in bootstrap.PERSONA:
            from dotagent.life import identity_edits  # imported only after such an edit

            identity_edits.record_hand_edits(self._session, name, self._text(known), data.decode("utf-8", "replace"))

    def _by(self, name: str, data: bytes) -> str:
        """Return `own` if this agent's file tools made the version from nothing, the template or the version before;
        otherwise "". A tool that only changed a part may have kept text that a command wrote."""
        if b"[from " in data and not foreign(self._session.state.heard.origins):
            from dotagent.text import source_marks  # loaded only for such a line

            if any(source_marks.list_marked(data.decode("utf-8", "replace"))):
                return OTHERS  # it came with the words of others, by an import or a copy
        if RAN not in self._session.state.heard.origins:  # only a person can have written it
            return ""
        lines = log.tail(self._session.path / "LIFE.md", LATELY)
        found = (event for line in lines if line.event == Effect.WORD and (event := parse(line)))
        known = self._text(self._session.state.heard.documents.get(name)).encode("utf-8", "replace")
        own = {"-", content_id(known), content_id(bootstrap.template(name)) if name in bootstrap.PROMPT else ""}
        for one in found:
            if isinstance(one, Effect) and one.tool.endswith("_FILE"):
                before, after, _ = (*one.what.split(" ", 2), "", "")[:3]
                own |= {after} if extensions.declared(one.tool, "WHOLE", "") or before in own else set()
        for before, after in self._session.rewrote:
            own |= {after} if before in own else set()
        return OWN if content_id(data) in own else ""

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
        """Record a text that is not a file, if it changed."""
        known = self._session.state.heard.documents.get(name)
        if known or text:
            self._keep(name, known, text.encode("utf-8", "replace"))

    def _warn(self) -> None:
        """Report the files that the prompt shows only in part."""
        session = self._session
        try:
            found = persona.texts(session.store, session.id, session.state, session.settings)
        except (BlobMissing, BlobCorrupt):
            return  # an agent without SOUL does not start
        for name, (why, setting) in persona.too_long(found, session.state, session.settings).items():
            self._told_once(name, f"{why}; shorten the file, or raise {setting}")

    def _read(self, path: Path, known: str | None) -> bytes | None:
        """Return the file's content, or None to keep the known version: the file is gone or, after a report,
        unreadable."""
        try:
            data = self._whole(path, known)
            return prompts.brought(path.name) if prompts.is_former(path.name, data) else data
        except FileNotFoundError:
            if path.name == MEMORY:
                return b"" if known else None  # a person deleted the notes
        except OSError as error:
            self._session.record(Error(f"could not read {path.name}: {errors.line(error)}"))
        return prompts.brought(path.name) if path.name in SHOWN and known is None else None

    def _whole(self, path: Path, known: str | None) -> bytes:
        """Return the file's content, once no editor is saving it. Raises OSError."""
        size, read = len(self._text(known)), partial(disk.read, path)
        if path.parent == self._session.path:
            read = partial(reserved_names.read, path.parent, path.name, MOST)
        try:
            if len(data := read()) >= size and data[-1:] in (b"", b"\n"):
                return data
        except FileNotFoundError:
            if not known:
                raise
        from dotagent.store import half_saved

        return half_saved.settled(path, read, lambda data: len(data) >= size and data.endswith(b"\n"))

    def text(self, name: str) -> str:
        """Return the newest recorded version in the form of a prompt. Raises BlobMissing, BlobCorrupt."""
        id = self._session.state.heard.documents[name]
        return prompt.instruction(self._session.store.get(id).body.strip())

    def edited(self, name: str) -> bool:
        """Return True if a person changed this prompt from the program's version. Raises BlobMissing, BlobCorrupt."""
        return prompts.is_edited(name, self._session.store.get(self._session.state.heard.documents[name]).body)

    def _since(self, known: str | None, data: bytes) -> int:
        """Return the size of the earlier version, which the context already shows, if text was only appended to it;
        otherwise 0."""
        entries = self._session.entries
        if not known or not any(e.event == Document.WORD and e.line.id == known and not e.stripped for e in entries):
            return 0
        before = self._text(known).encode("utf-8", "replace")
        return len(before) if before.endswith(b"\n") and data.startswith(before) and len(data) > len(before) else 0

    def _holds(self, id: str, data: bytes) -> bool:
        try:
            return content_id(self._session.store.get(id).body) == content_id(data)
        except (BlobMissing, BlobCorrupt):
            return False  # a lost version is recorded again


def _mistake(data: bytes) -> str:
    """Return the mistake in an edited example conversation, with its line, or "". The program's own example may call
    tools of a missing capability: those turns are not shown."""
    if not prompts.is_edited(EXAMPLE, data):
        return ""
    from dotagent.life import example  # loaded only for an edited one

    try:
        example.check(data.decode("utf-8", "replace"), extensions.tools())
    except Trouble as wrong:
        return str(wrong)
    return ""
