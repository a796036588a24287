"""The part of an unfinished answer that is for the room, or the reason why a call still waits.

Other parts of a model's stream are never shown. Reads `calls/stream/`; owns nothing on disk.
"""

from __future__ import annotations

from contextlib import suppress

from dotagent import extensions
from dotagent.store import disk, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call


def words(home: Home, call: Call, room: str) -> str | None:
    """Return the text for the room in the newest attempt at the call, or None if no attempt has begun."""
    attempts = queue.streams(home, call.id)
    try:
        partial = disk.read(attempts[-1]).decode("utf-8", "ignore") if attempts else None
    except OSError:
        return None
    if partial is None:
        return None
    from dotagent.text import partial_reply  # loaded once an answer comes

    return partial_reply.spoken(partial, extensions.tools(), room, waking=call.room == room)


def waiting_reason(home: Home, call: Call) -> str:
    """Return why the person still waits, while the call has no text for the room."""
    if not queue.find_taken(home, call.id):
        return _queued(home, call)
    attempts = queue.streams(home, call.id)
    with suppress(OSError, ValueError, ArithmeticError):
        read, _, total = disk.read(queue.reading(home, call.id)).decode().partition("/")
        return (
            f"the model is reading the prompt: {int(read):,} of {int(total):,} tokens "
            f"({100 * int(read) // int(total)} %)"
        )
    with suppress(OSError):
        if attempts and attempts[-1].stat().st_size:
            return "the model is thinking"
    return f"waiting for the first word of {call.provider}"


def _queued(home: Home, call: Call) -> str:
    """Return the reason why no process has taken the call yet."""
    before = [one for state, one in queue.out(home) if state == "taken" and one.provider == call.provider]
    if any(one.kind == "live" for one in before):
        return f"waiting until {call.provider} has answered another message"
    if before:
        return f"waiting until {call.provider} has summarised an agent's old context"
    return f"waiting for {call.provider} to take the message"
