"""Names of the world as names in rooms: readable, safe in a tag, and for ever one person's or one place's.

Whoever takes another's old name gets a longer one, with digits made from the id. Owns nothing on disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

from dotagent.store.blobs import content_id

LONGEST = 32  # characters of a person's name, and of a place's in its room's name


def person(bridge: str, id: str, name: str, taken: Mapping[str, str]) -> str:
    """The person's name in rooms, e.g. `discord/ana`; `taken` are the names given so far, by id."""
    if id in taken:
        return taken[id]
    known = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFKC", name)).strip("-.").casefold()[:LONGEST]
    short = f"{bridge}/{known or _digits(id)}"
    return short if short not in taken.values() else f"{short}-{_digits(id)}"


def room(bridge: str, id: str, name: str, taken: Collection[str]) -> str:
    """The name of the place's room, e.g. `discord-general`; `taken` are the rooms that are another's."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    known = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST]
    short = f"{bridge}-{known or _digits(id)}"
    return short if short not in taken else f"{short}-{_digits(id)}"


def _digits(id: str) -> str:
    return content_id(id.encode("utf-8", "replace"))[:6]
