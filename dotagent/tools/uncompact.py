"""UNCOMPACT: the original behind an id, page by page when it is large."""

from __future__ import annotations

import re

from dotagent.errors import Trouble
from dotagent.mind import SHARE, Mind
from dotagent.text.grammar import Call
from dotagent.tools import ToolError

USAGE = ("UNCOMPACT 9f8e7d6c5b4a", "UNCOMPACT 9f8e7d6c5b4a 2 (its second page)")

_ARGS = re.compile(r"(?:◱hash=)?([0-9a-f]{8,32})\S*(?:\s+gist=[^◲]*◲)?(?:\s+(?:page\s+)?(\d+))?")


def act(mind: Mind, call: Call) -> bytes:
    """The blob's body, or the page of it that was asked for. Raises ToolError for an id that is not this life's."""
    found = _ARGS.fullmatch(call.args)
    if not found:
        raise ToolError("which one? UNCOMPACT and an id of 8 to 32 hex digits, as entries and references show")
    try:
        blob = mind.store.get(mind.store.find(found[1]))
    except Trouble as trouble:
        raise ToolError(str(trouble)) from None
    if blob.agent != mind.id and blob.id != mind.id:
        raise ToolError(f"{found[1]} is not of your life")
    text = blob.body.decode("utf-8", "replace")
    size = max(500, mind.settings.context_limit // SHARE - 400)
    pages = max(1, -(-len(text) // size))
    page = int(found[2] or 1)
    if not 1 <= page <= pages:
        raise ToolError(f"{found[1]} has {pages} page{'s' if pages > 1 else ''}")
    if pages == 1:
        return blob.body
    part = text[(page - 1) * size : page * size]
    more = f"; UNCOMPACT {found[1]} {page + 1} goes on" if page < pages else ""
    return f"page {page} of {pages}{more}\n{part}".encode("utf-8", "replace")
