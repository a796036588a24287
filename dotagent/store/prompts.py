"""The prompts that the program brings with it, and which copies of them are nobody's edit.

A home's copy, or an agent's own, that is byte for byte what some version brought was edited by nobody: today's text
holds in its place. Whoever edited one keeps it. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dotagent.installed import CODE
from dotagent.store import disk
from dotagent.store.blobs import content_id

FORMER: Mapping[str, tuple[str, ...]] = {  # what earlier versions brought, by the id of its content
    "SOUL.md": ("a20e5c0f98266e66a3fe2f1b11c247da",),
    "SEGMENT.md": (
        "8791c2ae607680d07037d1f0f04240b2",
        "d926d55a5d19247b727cba716ceb6bd5",
        "61cf33ef5ca6cc0a0be5e549043b5b78",
    ),
    "SUMMARISE.md": (
        "25d3f0b7051f42dc64dc18329f9bf05d",
        "d6e2ce189ab84306209c793251192c65",
        "148b2a1dbbcb917c7714721434140d08",
        "14716cafb715101210268cebf0ca52ac",
    ),
}


def brought(name: str) -> bytes:
    """The prompt as this version brings it."""
    return disk.read(CODE / name, follow=True)


def is_former(name: str, data: bytes) -> bool:
    """Whether this is what an earlier version brought."""
    return content_id(data) in FORMER.get(name, ())


def outdated(path: Path) -> bool:
    """Whether the file is a copy of what an earlier version brought, and nothing else."""
    try:
        return path.name in FORMER and is_former(path.name, disk.read(path))
    except OSError:
        return False  # who needs it tells why it cannot be read


def is_edited(name: str, data: bytes) -> bool:
    """Whether somebody wrote this: neither this version brought it nor an earlier one; blanks at its ends count for
    nothing."""
    return data.strip() != brought(name).strip() and not is_former(name, data)
