"""UNCOMPACT: show the original text that a summary replaced; the agent names the number or the id of the summary. If
the summary replaced earlier summaries, the tool shows the earlier summaries first. The tool shows a long original text
in several parts (pages)."""

from __future__ import annotations

import difflib
import re

from dotagent.compaction import receipt, tree
from dotagent.compaction.tree import Member
from dotagent.life import context, heads, media_results
from dotagent.life.context import Entry
from dotagent.life.events import Faded, Join, parse
from dotagent.life.session import Session
from dotagent.life.tool_results import Shown, Worded
from dotagent.store import blob_search, disk, lineage, room_completion
from dotagent.store.attachments import OWNED
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import SETTINGS
from dotagent.text import entry_names, tokens
from dotagent.text.entry_names import Named
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import replace
from dotagent.text.reference import short
from dotagent.text.sizes import plural
from dotagent.tools import ToolError

FOR = "Bring back, word for word, the messages that a FADED entry summarises"
USAGE = ("UNCOMPACT number",)
ORDER = 33
EFFECT = ""
ORIGIN = "own"
ROLE = "original"
REMINDER = True

_ID = re.compile(rb"\b[0-9a-f]{12}\b")


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded:
    """Return the original of the number or id, or the requested page. Raises ToolError if it does not belong to the
    agent."""
    found = entry_names.find_name(call.args)
    if not found:
        raise ToolError(
            "the number is missing: UNCOMPACT and an entry's number, or an id of 8 to 32 hex digits from a reference; "
            "RECALL finds one by its words"
        )
    return bring(session, found)


def bring(session: Session, found: Named) -> bytes | Shown | Worded:
    """Return the original of this name. Raises ToolError."""
    blob = _find_own(session, found.id or numbered(session, found.number))
    by = "" if lineage.owns(session.store, session.id, blob) else "file"  # brought or said by others
    if seen := media_results.blob(blob):
        return replace(seen, by=by)
    members = tree.tree(blob)
    text = expand(session.store, members, full=found.full) if members else blob.body
    page = _page(text, session.share, f"{found.text} full" if found.full else found.text, found.page)
    return Worded(page, by=by) if by else page


def expand(store: Blobs, members: list[Member], *, full: bool = False) -> bytes:
    """Return the originals of a summary, each with its head, its own messages as `me`. For summaries below, return
    their names, unless `full`. A lost original is only named."""
    rows, before = list[str](), list[Entry]()
    for member in members:
        below = tree.find_members(store, member) if member.line.event == Faded.WORD and full else [member]
        if below != [member]:
            rows.append(expand(store, below, full=True).decode())
            continue
        entry = context.entry(member.line, member.number, lambda id: store.get(id).body, 1 << 30)
        if entry and entry.event == Faded.WORD:  # its number is that of its first entry, so only an id can name it
            rows.append(context.head(entry))
        elif entry:
            before.append(entry)
            rows.append(heads.render_last(before))
    return "".join(f"{row}\n" for row in rows).encode()


def numbered(session: Session, number: int) -> str:
    """Return the blob id of the entry with this number, in the context or faded. Raises ToolError."""
    line = next((entry.line for entry in session.entries if entry.number == number), None)
    over = [entry for entry in session.entries if entry.event == Faded.WORD and entry.number < number]
    over.sort(key=lambda entry: receipt.span(entry)[1] < number)  # until November 2026 a span could end too early
    line = line or next(filter(None, (tree.find(session.store, one.line.id, number) for one in over)), None)
    if line and line.id:
        return line.id
    raise ToolError(f"there is no entry #{number} with a stored text; your entries are #1 to #{session.state.number}")


def _find_own(session: Session, prefix: str) -> Blob:
    """Return the agent's own blob whose id begins with `prefix`.

    Raises ToolError, with the same text whether the id does not exist or belongs to another agent.
    """
    found, lost = list[Blob](), list[str]()
    for id in blob_search.matching(session.store, prefix):
        try:
            blob = session.store.get(id)
        except (BlobMissing, BlobCorrupt) as wrong:  # a lost blob does not say whose it was
            whole = lineage.parts(session.store, session.path)
            lost += [str(wrong)] if any(line.id == id for part in whole for line in part.lines()) else []
            continue
        if _is_own(session, blob):
            found.append(blob)
    if len(found) > 1:
        raise ToolError(f"{prefix} is ambiguous: {', '.join(one.id for one in found[:8])}")
    if not found:
        raise ToolError(
            next(iter(lost), f"you have no original entry with the id {prefix}{_suggest_ids(session, prefix)}")
        )
    return found[0]


def _is_own(session: Session, blob: Blob) -> bool:
    """Return True if the blob belongs to the agent, or someone wrote or brought it into one of its rooms. Settings
    never are."""
    if blob.gist == SETTINGS != blob.body.decode("utf-8", "replace").strip():  # earlier versions stored them
        return False
    return (
        lineage.owns(session.store, session.id, blob) or _is_from_bridge(session, blob) or _is_from_agent(session, blob)
    )


def _is_from_bridge(session: Session, blob: Blob) -> bool:
    """Return True if a bridge brought the blob into one of the agent's rooms, according to the blob itself. This
    includes the rooms of the life that the agent continues, until then."""
    room = blob.agent.removeprefix(OWNED)
    if room == blob.agent or room in session.state.heard.rooms:
        return room != blob.agent
    before = next((one.at for one in lineage.find_origins(session.store, session.id)), "")
    parts = lineage.parts(session.store, session.path)[:-1] if blob.at <= before else []
    joined = (parse(line) for part in parts for line in part.picked((Join.WORD,)))
    return any(isinstance(one, Join) and one.room == room for one in joined)


def _is_from_agent(session: Session, blob: Blob) -> bool:
    """Return True if the blob is another agent's message in one of this agent's rooms."""
    paths = [session.home.room(name) for name in session.state.heard.rooms] if blob.body.endswith(b"\n") else []
    return any(room_completion.contains_tag(path, blob.body) for path in paths if disk.is_file(path))


def _suggest_ids(session: Session, prefix: str) -> str:
    """Return the most similar ids in the context, as a hint."""
    known = {entry.id for entry in session.entries if entry.id}
    for entry in session.entries:
        known.update(id.decode() for id in _ID.findall(entry.content or b""))
    near = difflib.get_close_matches(short(prefix), sorted(known - {short(prefix)}), 3, 0.5)
    return f"; did you mean {', '.join(near)}?" if near else ""


def _page(body: bytes, share: int, name: str, page: int) -> bytes:
    """Return a page of a text; a page has at most `share` tokens. All pages together are the text."""
    if page == 1 and tokens.fits(body, share):
        return body
    ends, size = [0], share - context.REMARK
    while ends[-1] < len(body):
        part = body[ends[-1] : ends[-1] + size * tokens.LONGEST]
        ends.append(context.border(body, ends[-1] + max(4, tokens.measure(part, size))))
    pages = max(1, len(ends) - 1)
    if not 1 <= page <= pages:
        raise ToolError(f"{name} has {plural(pages, 'page')}")
    more = f"; UNCOMPACT {name} {page + 1} shows the next page" if page < pages else ""
    return f"page {page} of {pages}{more}\n".encode() + body[ends[page - 1] : ends[min(page, len(ends) - 1)]]
