"""The waiting times of an agent, in seconds. They are set at the start, so that a test need not wait. Owns nothing
on disk."""

from __future__ import annotations

from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class Patience:
    """Waiting times, in seconds."""

    look: float = 1.0
    """Between two checks of pending calls."""
    untaken: float = 60.0
    """Until a live call that no provider takes counts as failed."""
    longest: float = 1800.0
    """Until a live call in progress, or a waiting background call, counts as failed."""
    stalled: float = 180.0
    """Until a background call in progress counts as failed."""
    unsigned: float = 2.0
    """For a user's program, between taking a call and signing it."""
    retry: float = 30.0
    """Until a retryable failure is tried again; the time doubles with each attempt."""
    retry_most: float = 900.0
    """The longest time until such an attempt."""
    still: float = 0.3
    """Until a room that changed elsewhere than at its end counts as completely saved."""
    unfinished: float = 2.0
    """The same for a room that is missing or shorter than before, and for a last line without its end."""
    held: float = 2.0
    """Between two tries to read a room that another program has locked."""
    run: float = 60.0
    """For a command."""
    pack: float = 40.0
    """For a tool pack to start, in addition to the time of a call in its manifest."""
