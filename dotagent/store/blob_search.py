"""Find blobs by the beginning of their id. Owns nothing on disk."""

from __future__ import annotations

import os

from dotagent.errors import Trouble
from dotagent.store.blobs import BlobMissing, Blobs
from dotagent.text import escape
from dotagent.text.reference import ID, PREFIX


class NoId(BlobMissing):
    """The text is not an id or its beginning."""

    status = 2


class Ambiguous(Trouble):
    """Several blob ids begin with this prefix."""


def matching(store: Blobs, prefix: str) -> list[str]:
    """Return the sorted full ids that begin with these 8 or more hex digits. An invalid prefix matches nothing."""
    if not PREFIX.fullmatch(prefix):
        return []
    shard = store.root / prefix[:2]
    names = os.listdir(shard) if shard.is_dir() else []
    found = {name for name in names if name.startswith(prefix) and ID.fullmatch(name)}
    return sorted(found | store.packed.beginning(prefix))


def find(store: Blobs, prefix: str) -> str:
    """Return the full id that begins with these 8 or more hex digits. Only one shard of the blobs' own files is
    listed.

    Raises BlobMissing if no id matches, and Ambiguous with the candidates if several match.
    """
    if not PREFIX.fullmatch(prefix):
        raise NoId(f"{escape.one_line(prefix, 40)!r} is not an id; an id has 8 to 32 hex digits")
    if ID.fullmatch(prefix) and store.has(prefix):
        return prefix
    found = matching(store, prefix)
    if not found:
        raise BlobMissing(f"no blob (stored text) has an id that begins with {prefix}")
    if len(found) > 1:
        raise Ambiguous(f"{prefix} is ambiguous: {', '.join(found[:8])}" + (" …" if len(found) > 8 else ""))
    return found[0]
