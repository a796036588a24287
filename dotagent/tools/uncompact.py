"""UNCOMPACT: the original behind an id, one level at a time, page by page when it is large."""

from __future__ import annotations

import difflib
import re

from dotagent import context
from dotagent.blobs import Ambiguous, Blob, BlobMissing, Blobs
from dotagent.errors import Trouble
from dotagent.forgetting import chunk
from dotagent.forgetting.chunk import Member
from dotagent.mind import SHARE, Mind
from dotagent.text.grammar import Call
from dotagent.tools import ToolError

USAGE = ("UNCOMPACT 9f8e7d6c5b4a", "UNCOMPACT 9f8e7d6c5b4a 2 (its second page)", "UNCOMPACT 9f8e7d6c5b4a full")

_ARGS = re.compile(
    r"(?:◱hash=)?([0-9a-fA-F]{8,32})(?:\s+gist=[^◲]*)?◲?(?:\s+(?P<full>full|all))?(?:\s+(?:page\s+)?(?P<page>\d+))?"
)


def act(mind: Mind, call: Call) -> bytes:
    """What the id names, or the page of it that was asked for. Raises ToolError for an id that is not this life's."""
    found = _ARGS.fullmatch(call.args)
    if not found:
        raise ToolError("which one? UNCOMPACT and an id of 8 to 32 hex digits, as entries and references show")
    blob = _own(mind, found[1].lower())
    members = chunk.decode(blob.body)
    text = expand(mind.store, members, full=bool(found["full"])) if members else blob.body
    return _page(text, max(600, mind.limit // SHARE), found[1], int(found["page"] or 1))


def expand(store: Blobs, members: list[Member], *, full: bool = False) -> bytes:
    """The originals of a tree, each under its line; of a tree of trees, the trees' names, unless it shall be `full`."""
    rows = []
    for member in members:
        if member.line.event == "FADED" and full:
            rows.append(expand(store, chunk.decode(store.get(member.line.id).body), full=True))
            continue
        body = (lambda id: b"") if member.line.event == "FADED" else (lambda id: store.get(id).body)
        entry = context.entry(member.line, member.number, body, 1 << 30)
        if entry:
            rows.append(context.render(entry).removesuffix(b"  \n"))
    return b"".join(rows)


def _own(mind: Mind, prefix: str) -> Blob:
    """The blob of this life whose id begins so. Raises ToolError, with the candidates there are."""
    try:
        blob = mind.store.get(mind.store.find(prefix))
    except (BlobMissing, Ambiguous) as wrong:
        known = [entry.id for entry in mind.entries if entry.id]
        near = difflib.get_close_matches(prefix[:12], known, 3, 0.5) if isinstance(wrong, BlobMissing) else []
        raise ToolError(f"{wrong}" + (f"; did you mean {', '.join(near)}?" if near else "")) from None
    except Trouble as lost:
        raise ToolError(str(lost)) from None
    if blob.agent != mind.id and blob.id != mind.id:
        raise ToolError(f"{prefix} is not of your life")
    return blob


def _page(body: bytes, share: int, id: str, page: int) -> bytes:
    """The page of a text of which `share` bytes are shown at once."""
    if len(body) <= share and page == 1:
        return body
    text = body.decode("utf-8", "replace")
    size = share - 200 if len(body) == len(text) else (share - 200) // 3  # characters that take at most the share
    pages = max(1, -(-len(text) // size))
    if not 1 <= page <= pages:
        raise ToolError(f"{id} has {pages} page{'s' if pages > 1 else ''}")
    more = f"; UNCOMPACT {id} {page + 1} goes on" if page < pages else ""
    return f"page {page} of {pages}{more}\n{text[(page - 1) * size : page * size]}".encode("utf-8", "replace")
