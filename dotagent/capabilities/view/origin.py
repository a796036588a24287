"""The history of one entry of an agent's context: its original, its origin, its summaries, and the prompts that held
it. Owns nothing on disk."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from dotagent.capabilities.view.frames import Frame, Scenes, block, who
from dotagent.compaction import tree
from dotagent.errors import Misuse
from dotagent.life import context, events, heads, origins, snapshot
from dotagent.life.compaction_events import Fade
from dotagent.life.context import Entry
from dotagent.life.events import Ask, Faded, Hear, Swap
from dotagent.store import log, log_search
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import escape

MOST = 200_000  # characters of an original that the page shows
LISTED = 100  # prompts and originals that are listed
WHOLE = 1 << 30  # tokens: an entry is not cut


def describe_entry(scenes: Scenes, self_id: str, number: int, offset: int, *, original: bool = False) -> dict[str, Any]:
    """Return what is known of the entry with this number, seen from the moment at a byte offset. With `original`, it is
    not the summary that begins with this entry. Raises Misuse if there is no such entry."""
    store, frame = scenes.where.store(), scenes.at(self_id, offset).frame(offset)
    entry, cover = find_entry(store, frame, number, original=original)
    event = events.parse(entry.line)
    summary = event if isinstance(event, Faded) else None
    prompts = [] if summary else list(requests_with(scenes, self_id, entry))
    text, lost = _text(store, summary.summary if summary else entry.line.id)
    made = block(entry)
    return {
        "number": number, "last": made.last, "kind": made.kind, "event": entry.event, "detail": entry.line.detail,
        "at": entry.line.at, "who": made.who, "id": entry.line.id, "tokens": frame.tokens(entry),
        "shown": escape.printable(heads.render_last([entry])), "original": text, "lost": lost,
        "by": list(origins.find_origins(event, frame.state)) if event else [],
        "covered": _cover(cover), "covers": _members(store, summary, entry) if summary else [],
        "faded": [] if summary else list(_fades(scenes, self_id, number)),
        **({"room": event.room, "end": event.offset} if isinstance(event, Hear) else {}),
        "prompts": [{"id": one.id, "at": one.at, "end": one.end} for one in prompts[-LISTED:]], "sent": len(prompts),
    }  # fmt: skip


def find_entry(store: Blobs, frame: Frame, number: int, *, original: bool = False) -> tuple[Entry, Entry | None]:
    """Return the entry with this number, and the summary in the frame that covers it, if any. A summary has the number
    of its first entry; with `original`, that entry is meant. Raises Misuse."""
    for entry in frame.entries:
        if entry.number == number and not (original and entry.event == Faded.WORD):
            return entry, None
    for entry in frame.entries:
        event = events.parse(entry.line)
        if isinstance(event, Faded) and entry.number <= number <= event.last:
            with suppress(BlobMissing, BlobCorrupt):
                line = tree.find(store, entry.line.id, number)
                made = context.entry(line, number, lambda id: store.get(id).body, WHOLE) if line else None
                if made:
                    return made, entry
    raise Misuse(f"the context of this moment has neither #{number} nor a summary of it; choose another moment")


def requests_with(scenes: Scenes, self_id: str, entry: Entry) -> Iterator[Line]:
    """Yield the requests of the conversation whose prompts held the entry, oldest first.

    After it came, each request holds it until a swap leaves it out. Only an undo brings it back.
    """
    path, store = scenes.where.agent(self_id) / "LIFE.md", scenes.where.store()
    lines, begins, end = scenes.swaps(self_id)
    try:
        start = line_at(scenes, self_id, entry.line.at).end
    except Misuse:  # it is of the life that this one continues
        start = 0
    borders = [(one, begin) for one, begin in zip(lines, begins, strict=True) if begin >= start]
    live = True
    for swap, begin in borders:
        if live:
            yield from log_search.picked(path, (Ask.WORD,), start, begin)
        event = events.parse(swap)
        if live or (isinstance(event, Swap) and event.undoes):
            with suppress(BlobMissing, BlobCorrupt, ValueError):
                live = _holds(store, swap, entry.number)
        start = swap.end
    if live:
        yield from log_search.picked(path, (Ask.WORD,), start, end)


def find_forgetting(scenes: Scenes, self_id: str, when: str) -> dict[str, int]:
    """Return the number of the entry that the line of LIFE with this time made, and the moment of the swap that left it
    out: the byte offset after it, or that of the end of LIFE if the entry is still there. Raises Misuse."""
    line, store = line_at(scenes, self_id, when), scenes.where.store()
    made = next((one for one in scenes.at(self_id, line.end).frame(line.end).entries if one.line.at == when), None)
    if made is None:
        raise Misuse("this line of the log added nothing to the context; reload the page")
    lines, _, end = scenes.swaps(self_id)
    for swap in lines:
        with suppress(BlobMissing, BlobCorrupt, ValueError):
            if swap.end > line.end and not _holds(store, swap, made.number):
                return {"number": made.number, "offset": swap.end}
    return {"number": made.number, "offset": end}


def _holds(store: Blobs, swap: Line, number: int) -> bool:
    """Return True if the entry, and not only a summary, is in the context after this swap."""
    rows = snapshot.decode(store.get(swap.id).body, swap.at)[1]
    return any(one == number and row.event != Faded.WORD for one, _, row in rows)


def time_of_message(scenes: Scenes, self_id: str, room: str, end: int) -> str:
    """Return when the agent read the message that ends at this offset of the room's file. Raises Misuse."""
    for line in log_search.picked(scenes.where.agent(self_id) / "LIFE.md", (Hear.WORD,)):
        event = events.parse(line)
        if isinstance(event, Hear) and (event.room, event.offset) == (room, end):
            return line.at
    raise Misuse("the agent has not read this message")


def line_at(scenes: Scenes, self_id: str, when: str) -> Line:
    """Return the line of LIFE with exactly this time. Raises Misuse."""
    path = scenes.where.agent(self_id) / "LIFE.md"
    for line in log.lines(path, log_search.offset_of_day(path, when)):
        if line.at == when:
            return line
        if line.at > when:
            break
    raise Misuse(f"no event of this agent has the time {when[:40]}")


def _text(store: Blobs, id: str) -> tuple[str, bool]:
    """Return the text of a blob, and whether it is lost or was forgotten."""
    try:
        return escape.printable(store.get(id).body.decode("utf-8", "replace")[:MOST]) if id else "", False
    except (BlobMissing, BlobCorrupt) as lost:
        return str(lost), True


def _cover(summary: Entry | None) -> dict[str, Any] | None:
    if summary is None:
        return None
    made = block(summary)
    return {"number": made.number, "last": made.last, "words": made.words, "at": made.at}


def _members(store: Blobs, summary: Faded, entry: Entry) -> list[dict[str, Any]]:
    try:
        members = tree.originals(store, entry.line.id)
    except (BlobMissing, BlobCorrupt):
        return []
    return [_member(one) for one in members[:LISTED]]


def _member(one: tree.Member) -> dict[str, Any]:
    name = who(Entry(one.number, one.line, "", None))
    words = escape.one_line(one.line.gist.removeprefix(f"{name}: "), 120)
    return {"number": one.number, "at": one.line.at, "event": one.line.event, "who": name, "words": words}


def _fades(scenes: Scenes, self_id: str, number: int) -> Iterator[dict[str, Any]]:
    """Yield each time that the entry became a part of a summary, with the swap that used the summary, if any."""
    path = scenes.where.agent(self_id) / "LIFE.md"
    swaps, begins, _ = scenes.swaps(self_id)
    for line in log_search.picked(path, (Fade.WORD,)):
        event = events.parse(line)
        first, _, last = event.span.partition("-") if isinstance(event, Fade) else ("", "", "")
        if isinstance(event, Fade) and first.isdecimal() and last.isdecimal() and int(first) <= number <= int(last):
            after = bisect_left(begins, line.end)
            yield {"at": line.at, "span": event.span, "why": event.why, "end": line.end, "words": line.gist,
                   "tokens": event.tokens, "swap": swaps[after].id if swaps[after:] else ""}  # fmt: skip
