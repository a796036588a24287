"""A transport for a simple network. A subclass has `run` and `send`; all other abilities are missing.

Its LIMITS must say so, too: `Limits(4000, history=False, recent=False)`. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.bridges import Access, Attachment, Gone, Incoming, Listener, Piece, Place, Refused, Sent


class Plain:
    """A bridges.Transport without edits, files, typing and history."""

    def __init__(self, config: Access) -> None:
        self.config = config

    async def run(self, listener: Listener) -> None:
        """Connect, and report messages without end."""
        raise NotImplementedError

    async def send(self, place: Place, piece: Piece) -> str:
        """Send a message and return its id there."""
        raise NotImplementedError

    async def edit(self, place: Place, id: str, text: str) -> None:
        """Refuse: a sent message stays."""
        raise Refused("messages cannot be changed or deleted here")

    async def delete(self, place: Place, id: str) -> None:
        """Refuse: a sent message stays."""
        raise Refused("messages cannot be changed or deleted here")

    async def typing(self, place: Place) -> None:
        """Do nothing."""

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        """Return nothing: there is no history."""
        return ()

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        """Return nothing: there is no history."""
        return ()

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Refuse: there are no files."""
        raise Gone("this bridge cannot download files")

    def outgoing(self, place: Place, text: str) -> str:
        """Return the text unchanged."""
        return text
