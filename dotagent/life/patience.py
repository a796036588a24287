"""How long a life waits for what; all in seconds. Given at the start, so that a test need not wait."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """Waiting times, in seconds."""

    look: float = 1.0
    """Between two looks after calls that are out."""
    untaken: float = 60.0
    """After it a call that nobody takes has failed."""
    longest: float = 1800.0
    """After it a call that somebody works on, or a background one that waits for its turn, has failed."""
    stalled: float = 180.0
    """After it a background call that somebody works on has failed."""
    unsigned: float = 2.0
    """That a program of somebody's own has between taking a call and signing it."""
    retry: float = 30.0
    """Until a failure that may pass is asked about again; each time twice as long."""
    retry_most: float = 900.0
    """The longest time until then."""
    run: float = 60.0
    """That a command may take."""
    pack: float = 40.0
    """That a tool pack may take to start, beside what its manifest gives to a call."""
