"""UNCOMPACT: the original behind a number or an id, one level at a time, page by page when it is large."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace

from dotagent.compaction import receipt, tree
from dotagent.compaction.tree import Member
from dotagent.life import context, heads, showing
from dotagent.life.context import Entry
from dotagent.life.events import Faded
from dotagent.life.session import Session
from dotagent.life.showing import Shown, Worded
from dotagent.store import disk, rooms
from dotagent.store.attachments import OWNED
from dotagent.store.blobs import Ambiguous, Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import SETTINGS
from dotagent.text import named
from dotagent.text.grammar import ToolCall
from dotagent.text.named import Named
from dotagent.text.reference import short
from dotagent.text.sizes import plural
from dotagent.tools import ToolError

FOR = "Bring back word for word what a FADED entry sums up"
USAGE = ("UNCOMPACT number",)
ORDER = 33
EFFECT = ""
ORIGIN = "own"
ROLE = "original"
REMINDER = True

_ID = re.compile(rb"\b[0-9a-f]{12}\b")


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded:
    """What the number or id names, or the page that was asked for. Raises ToolError for what is not this life's."""
    found = named.named(call.args)
    if not found:
        raise ToolError(
            "which one? UNCOMPACT and an entry's number, or an id of 8 to 32 hex digits as references show; "
            "RECALL finds one by its words"
        )
    return bring(session, found)


def bring(session: Session, found: Named) -> bytes | Shown | Worded:
    """What is named so. Raises ToolError."""
    blob = _own(session, found.id or numbered(session, found.number))
    by = "" if session.id in (blob.agent, blob.id) else "file"  # what was brought or said beside this life
    if seen := showing.blob(blob):
        return replace(seen, by=by)
    members = tree.tree(blob)
    text = expand(session.store, members, full=found.full) if members else blob.body
    page = _page(text, session.share, f"{found.text} full" if found.full else found.text, found.page)
    return Worded(page, by=by) if by else page


def expand(store: Blobs, members: list[Member], *, full: bool = False) -> bytes:
    """The originals of a tree, each with its head, the agent's own as `me`; of a tree of trees, the trees' names,
    unless it shall be `full`. Of one that is lost its name is all there is to show.
    """
    rows, before = list[str](), list[Entry]()
    for member in members:
        below = tree.below(store, member) if member.line.event == Faded.WORD and full else [member]
        if below != [member]:
            rows.append(expand(store, below, full=True).decode())
            continue
        entry = context.entry(member.line, member.number, lambda id: store.get(id).body, 1 << 30)
        if entry and entry.event == Faded.WORD:  # its number is that of the first entry in it, so an id must name it
            rows.append(context.head(entry))
        elif entry:
            before.append(entry)
            rows.append(heads.told(before))
    return "".join(f"{row}\n" for row in rows).encode()


def numbered(session: Session, number: int) -> str:
    """The id of the blob of the entry of this number, whether the context shows it or it faded. Raises ToolError."""
    line = next((entry.line for entry in session.entries if entry.number == number), None)
    over = [entry for entry in session.entries if entry.event == Faded.WORD and entry.number < number]
    over.sort(key=lambda entry: receipt.span(entry)[1] < number)  # until November 2026 a span could end too early
    line = line or next(filter(None, (tree.find(session.store, one.line.id, number) for one in over)), None)
    if line and line.id:
        return line.id
    raise ToolError(f"there is no entry #{number} with an original: yours go from #1 to #{session.state.number}")


def _own(session: Session, prefix: str) -> Blob:
    """The blob of this life whose id begins so. Raises ToolError, with the candidates there are."""
    try:
        blob = session.store.get(session.store.find(prefix))
    except (Ambiguous, BlobCorrupt) as wrong:
        raise ToolError(str(wrong)) from None
    except BlobMissing as wrong:
        raise ToolError(f"{wrong}{_near(session, prefix)}") from None
    if blob.gist == SETTINGS != blob.body.decode("utf-8", "replace").strip():  # earlier versions kept them as a paper
        raise ToolError(f"{prefix} is the settings of the home, and no life's to read")
    if session.id in (blob.agent, blob.id) or _was_brought(session, blob) or _was_said(session, blob):
        return blob
    raise ToolError(f"{prefix} is not of your life{_near(session, prefix)}")


def _was_brought(session: Session, blob: Blob) -> bool:
    """Whether a bridge brought it into a room that this life is in: it says so of the blob, whatever a message says."""
    room = blob.agent.removeprefix(OWNED)
    return room != blob.agent and room in session.state.heard.rooms


def _was_said(session: Session, blob: Blob) -> bool:
    """Whether the blob is a message, as another life heard it, in a room that this one is in."""
    paths = [session.home.room(name) for name in session.state.heard.rooms] if blob.body.endswith(b"\n") else []
    return any(rooms.holds(path, blob.body) for path in paths if disk.is_file(path))


def _near(session: Session, prefix: str) -> str:
    """The ids in the context that look most like this one."""
    known = {entry.id for entry in session.entries if entry.id}
    for entry in session.entries:
        known.update(id.decode() for id in _ID.findall(entry.content or b""))
    near = difflib.get_close_matches(short(prefix), sorted(known - {short(prefix)}), 3, 0.5)
    return f"; did you mean {', '.join(near)}?" if near else ""


def _page(body: bytes, share: int, name: str, page: int) -> bytes:
    """The page of a text of which `share` bytes are shown at once; all pages together are the text."""
    if len(body) <= share and page == 1:
        return body
    size = share - 200
    pages = max(1, -(-len(body) // size))
    if not 1 <= page <= pages:
        raise ToolError(f"{name} has {plural(pages, 'page')}")
    more = f"; UNCOMPACT {name} {page + 1} goes on" if page < pages else ""
    first, last = context.border(body, (page - 1) * size), context.border(body, page * size)
    return f"page {page} of {pages}{more}\n".encode() + body[first:last]
