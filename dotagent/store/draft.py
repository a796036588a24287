"""What an answer says in a room while it is still being written. Nothing else of a model's stream is ever shown.

Reads `calls/stream/`; owns nothing on disk.
"""

from __future__ import annotations

from dotagent import extensions
from dotagent.store import disk, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.text import grammar


def words(home: Home, call: Call, room: str) -> str | None:
    """What the newest attempt at the call says in the room so far; None when there is no attempt."""
    attempts = queue.streams(home, call.id)
    try:
        partial = disk.read(attempts[-1]).decode("utf-8", "ignore") if attempts else None
    except OSError:
        return None
    return None if partial is None else grammar.spoken(partial, extensions.tools(), room, waking=call.room == room)
