"""The documents of a life: files that a person or the agent edits, heard whenever they have changed.

A new version is a blob and an event; of MEMORY it is an entry of the context, too.
"""

from __future__ import annotations

import os
from pathlib import Path

from dotagent import errors
from dotagent.life import prompt
from dotagent.life.context import MEMORY
from dotagent.life.events import Document, Error
from dotagent.life.session import Session
from dotagent.store import disk
from dotagent.store.blobs import BlobCorrupt, BlobMissing, content_id
from dotagent.store.home import CODE
from dotagent.store.watch import Changed

PROMPTS = ("SEGMENT.md", "SUMMARISE.md")  # the home's, until an agent has its own copy


class Documents:
    """The documents of one life, as this process has seen them."""

    def __init__(self, session: Session) -> None:
        self._session, self._changed = session, Changed()

    def read(self) -> None:
        """Record those that changed; one that cannot be read stays what it was."""
        session, home = self._session, self._session.home
        for name in (MEMORY, *PROMPTS):
            path = session.path / name
            if name in PROMPTS and not os.path.lexists(path):
                path = home.root / name
            if not self._changed.look(path):
                continue
            known = session.state.heard.documents.get(name)
            data = self._read(path, known)
            if data is not None and (known is None or not self._holds(known, data)):
                session.record(Document(name), data, gist=name)

    def _read(self, path: Path, known: str | None) -> bytes | None:
        """What the file says now; None when it stays what it was: it is gone, or cannot be read, which is told."""
        try:
            return disk.read(path)
        except FileNotFoundError:
            if path.name == MEMORY:
                return b"" if known else None  # a person took the notes away
        except OSError as error:
            self._session.record(Error(f"{path.name} is not read: {errors.line(error)}"))
        return (CODE / path.name).read_bytes() if path.name in PROMPTS and known is None else None

    def text(self, name: str) -> str:
        """The newest version that was heard, as a prompt may hold it. Raises BlobMissing, BlobCorrupt."""
        id = self._session.state.heard.documents[name]
        return prompt.instruction(self._session.store.get(id).body.strip())

    def _holds(self, id: str, data: bytes) -> bool:
        try:
            return content_id(self._session.store.get(id).body) == content_id(data)
        except (BlobMissing, BlobCorrupt):
            return False  # what was lost is kept anew
