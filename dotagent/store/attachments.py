"""Files attached to a message: each is a blob owned by the room, and a line of the message names it.

Any agent in the room may fetch such a blob. A line that names a blob of another owner shows nothing. Writes to
`blobs/`.
"""

from __future__ import annotations

import re
from functools import cache

from dotagent import extensions
from dotagent.store import blob_search
from dotagent.store.blob_search import Ambiguous
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.text import escape, media, times
from dotagent.text.media import Media
from dotagent.text.reference import short
from dotagent.text.sizes import amount

OWNED = "room:"  # prefix of the owner of a blob that belongs to a room


def keep(store: Blobs, room: str, name: str, data: bytes) -> str:
    """Keep a file as a durable blob of the room. Return the line for the message."""
    return line(name, len(data), put(store, room, name, data))


def put(store: Blobs, room: str, name: str, data: bytes) -> str:
    """Keep a file as a durable blob of the room. Return the blob's id."""
    id = store.put(data, at=times.now(), gist=name, agent=OWNED + room)
    store.sync()
    return id


def line(name: str, size: int, id: str) -> str:
    """Return the line that names an attached file in a message."""
    return f"(file {escape.one_line(name)}, {amount(size)}: {extensions.tools().original} {short(id)} shows it)"


def find_media(store: Blobs, room: str, raw: bytes, *, last: bool = False) -> tuple[Media, ...]:
    """Return the pictures, PDFs and sounds that the text of a room names, in order and without repeats.

    At most media.MOST are returned: the first ones, or with `last` the last ones.
    """
    if b" shows it)" not in raw:
        return ()
    found = dict[str, Media]()
    named = _form().findall(raw.decode("utf-8", "replace"))
    for prefix in reversed(named) if last else named:
        try:
            blob = store.get(blob_search.find(store, prefix))
        except (BlobMissing, BlobCorrupt, Ambiguous):
            continue
        if blob.agent == OWNED + room and (one := media.recognise(blob.body, blob.id)):
            found[blob.id] = one
        if len(found) == media.MOST:
            break
    return tuple(reversed(found.values()) if last else found.values())


@cache
def _form() -> re.Pattern[str]:
    return re.compile(rf"\(file [^\n]*: {extensions.tools().original} ([0-9a-f]{{12}}) shows it\)")
