"""Files that come with a message of a room: each is a blob that belongs to the room, and a line of it names the blob.

Whoever is in that room may bring the blob back; a line that names any other blob shows nothing. Puts into `blobs/`.
"""

from __future__ import annotations

import re
from functools import cache

from dotagent import extensions
from dotagent.store.blobs import Ambiguous, BlobCorrupt, BlobMissing, Blobs
from dotagent.text import escape, media, times
from dotagent.text.media import Media
from dotagent.text.reference import short
from dotagent.text.sizes import amount

OWNED = "room:"  # how the owner of a blob begins that belongs to a room


def keep(store: Blobs, room: str, name: str, data: bytes) -> str:
    """Keep a file as a blob of the room, durably; the line that names it."""
    id = store.put(data, at=times.now(), gist=name, agent=OWNED + room)
    store.sync()
    return line(name, len(data), id)


def line(name: str, size: int, id: str) -> str:
    """The line of a message that names a file kept as a blob."""
    return f"(file {escape.one_line(name)}, {amount(size)}: {extensions.tools().original} {short(id)} shows it)"


def shown(store: Blobs, room: str, raw: bytes, *, last: bool = False) -> tuple[Media, ...]:
    """The pictures, PDFs and sounds that messages of the room name, in their order, each once; where they are too many,
    the first, or the last."""
    if b" shows it)" not in raw:
        return ()
    found = dict[str, Media]()
    named = _form().findall(raw.decode("utf-8", "replace"))
    for prefix in reversed(named) if last else named:
        try:
            blob = store.get(store.find(prefix))
        except (BlobMissing, BlobCorrupt, Ambiguous):
            continue
        if blob.agent == OWNED + room and (one := media.look(blob.body, blob.id)):
            found[blob.id] = one
        if len(found) == media.MOST:
            break
    return tuple(reversed(found.values()) if last else found.values())


@cache
def _form() -> re.Pattern[str]:
    return re.compile(rf"\(file [^\n]*: {extensions.tools().original} ([0-9a-f]{{12}}) shows it\)")
