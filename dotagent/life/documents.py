"""The documents of a life: files that a person or the agent edits, heard whenever they have changed.

A new version is a blob and an event; of MEMORY it is an entry of the context, too.
"""

from __future__ import annotations

from dotagent.life import prompt
from dotagent.life.context import MEMORY
from dotagent.life.events import Document
from dotagent.life.session import Session
from dotagent.store.blobs import BlobCorrupt, BlobMissing, content_id
from dotagent.store.watch import Changed

PROMPTS = ("SEGMENT.md", "SUMMARISE.md")  # the home's, until an agent has its own copy
SETTINGS = "dotagent.toml"


class Documents:
    """The documents of one life, as this process has seen them."""

    def __init__(self, session: Session) -> None:
        self._session, self._changed = session, Changed()

    def read(self) -> None:
        """Record those that changed."""
        session, home = self._session, self._session.home
        for name in (MEMORY, *PROMPTS, SETTINGS):
            path = home.root / name if name == SETTINGS else session.path / name
            if name in PROMPTS and not path.is_file():
                path = home.root / name
            if not self._changed.look(path):
                continue
            known, gone = session.state.heard.documents.get(name), not path.exists()
            if gone and not (known and name == MEMORY):
                continue
            data = path.read_bytes() if not gone else b""  # a person took the notes away
            if known is None or not self._holds(known, data):
                session.record(Document(name), data, gist=name)

    def text(self, name: str) -> str:
        """The newest version that was heard, as a prompt may hold it. Raises BlobMissing, BlobCorrupt."""
        id = self._session.state.heard.documents[name]
        return prompt.instruction(self._session.store.get(id).body.strip())

    def _holds(self, id: str, data: bytes) -> bool:
        try:
            return content_id(self._session.store.get(id).body) == content_id(data)
        except (BlobMissing, BlobCorrupt):
            return False  # what was lost is kept anew
