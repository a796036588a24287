"""A transport for a world that can little: a subclass has `run` and `send`, and all else is as if there were none.

Its LIMITS say so too: `Limits(4000, history=False, recent=False)`. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.bridges import Access, Attachment, Gone, Incoming, Listener, Piece, Place, Refused, Sent


class Plain:
    """A bridges.Transport without edits, files, typing and looking back."""

    def __init__(self, config: Access) -> None:
        self.config = config

    async def run(self, listener: Listener) -> None:
        """Connect, and tell what comes, for ever."""
        raise NotImplementedError

    async def send(self, place: Place, piece: Piece) -> str:
        """Send it; its id there."""
        raise NotImplementedError

    async def edit(self, place: Place, id: str, text: str) -> None:
        """What is sent stays."""
        raise Refused("what is sent here stays")

    async def delete(self, place: Place, id: str) -> None:
        """What is sent stays."""
        raise Refused("what is sent here stays")

    async def typing(self, place: Place) -> None:
        """Nothing shows it."""

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        """None can be looked at."""
        return ()

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        """None can be looked at."""
        return ()

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """There are no files."""
        raise Gone("there are no files here")

    def outgoing(self, place: Place, text: str) -> str:
        """As it is."""
        return text
