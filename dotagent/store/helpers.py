"""Helpers as their files describe them: agents that another agent created. Their parent, limits and end.

Parent and limits are in the birth blob, so the id guarantees them. Owns nothing on disk: the capability `helpers`
creates helpers, and owns the file `run/rested` that this reads.
"""

from __future__ import annotations

import re

from dotagent.store import disk
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.text import names
from dotagent.text.lazy import dataclass
from dotagent.text.reference import ID

LIMITS = ("turns", "tokens", "seconds")
"""How a helper may end, other than `done`, `failed` and `died`."""


@dataclass(frozen=True)
class Terms:
    """A helper's parent (full id), room, depth below an agent without a parent, and limits: requests and tokens in
    total, seconds for each task, and access to its directory as in settings' `workspace`."""

    parent: str
    room: str
    depth: int
    turns: int
    tokens: int
    seconds: int
    workspace: str


def terms(store: Blobs, self_id: str) -> Terms | None:
    """Return a helper's terms, or None if the agent has no parent or its birth blob is lost."""
    try:
        head = store.get(self_id).body.decode("utf-8", "replace").partition("\n\n")[0]
    except (BlobMissing, BlobCorrupt):
        return None
    rows = dict(row.partition(": ")[::2] for row in head.split("\n"))
    numbers = [int(one) for name in ("depth", *LIMITS) if re.fullmatch("[0-9]{1,12}", one := rows.get(name, ""))]
    parent, room = rows.get("parent", ""), rows.get("room", "")
    sound = ID.fullmatch(parent) and names.ROOM.fullmatch(room) and rows.get("audience") == audience(room)
    if not sound or len(numbers) != 4:
        return None
    return Terms(parent, room, numbers[0], numbers[1], numbers[2], numbers[3], rows.get("workspace", "none"))


def makers(store: Blobs, self_id: str) -> tuple[str, ...]:
    """Return the agent's parent, that one's parent, and so on."""
    found = tuple[str, ...]()
    while (made := terms(store, self_id)) and made.parent not in found:
        self_id = made.parent
        found = (*found, self_id)
    return found


def audience(room: str) -> str:
    """Return the audience of a helper's room: only the helper."""
    return f"helper {room.removeprefix('helper-')}"


def rested(where: Home, self_id: str) -> tuple[int, str]:
    """Return how many messages of other agents the helper had read when it last finished, and how; or (0, "")."""
    try:
        word, how = disk.read(where.agent(self_id) / "run" / "rested", 100).decode("ascii", "replace").split()
    except (OSError, ValueError):
        return 0, ""
    return (int(word), how) if re.fullmatch("[0-9]{1,9}", word) else (0, "")
