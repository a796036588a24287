"""The refusals of servers, kept for the next provider process. Owns `calls/refused.json`, a cache that may be
deleted."""

from __future__ import annotations

import json
from contextlib import suppress

from dotagent.providers.formats import attempts
from dotagent.store import disk
from dotagent.store.home import Home

MOST = 1 << 20  # bytes of the file; a larger one was not written here


def load(where: Home) -> None:
    """Load what earlier processes learned. An unreadable file counts as missing."""
    with suppress(OSError, ValueError, RecursionError):
        attempts.learn(json.loads(disk.read(where.calls / "refused.json", MOST)))


def save(where: Home) -> None:
    """Save what this process learned, merged with what others saved meanwhile."""
    with suppress(OSError), disk.locked_dir(where.calls):
        load(where)
        text = json.dumps(attempts.list_refusals(), indent=1).encode() + b"\n"
        disk.replace(where.calls / "refused.json", text, durable=False)
