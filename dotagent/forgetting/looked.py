"""What must be known of a life before anything of it goes by its age: which of its blobs are of what kind, which hold
still, and the number of its newest entry that is too old, by which summaries and prompts are judged.

It is known before anything changes, since afterwards nothing tells it any more. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dotagent import extensions
from dotagent.compaction import tree
from dotagent.forgetting import summaries
from dotagent.life import events
from dotagent.life.events import (
    Alternate,
    Boot,
    Chunks,
    Document,
    Fade,
    Faded,
    Faint,
    Join,
    Recent,
    Result,
    Spent,
    Summed,
    Swap,
    Wishes,
)
from dotagent.life.replay import View, derive
from dotagent.life.unsynced import REQUESTS
from dotagent.store import home, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Line

MANY, LEAST = 6, 3  # words of a sentence's beginning by which what only repeats it is known; of a shorter one all
STAMP = 26  # characters of a time before its Z

Words = tuple[str, ...]


@dataclass(frozen=True)
class Looked:
    """One life: the number of its newest entry that is too old, what stands, and its blobs."""

    bound: int
    stands: frozenset[int]
    kept: frozenset[str]
    """Blobs that hold still: the birth, the present documents, what stands."""
    kinds: Mapping[str, str]
    """Of blobs that are more than something that happened: `PAPER`, `REQUEST`, `SUMMARY`, `JOIN`, `ROWS`, `AGAIN`."""
    spans: Mapping[str, tuple[int, int]]
    """Of summaries, and requests for such, the first and the last entry."""
    covers: Mapping[str, str]
    """Of summaries the tree of what they sum up, or nothing."""
    named: frozenset[str]
    """All that its events name, but answers beside the conversation."""
    told: tuple[str, ...]
    """Blobs of what was said and seen before the time: what repeats them goes, too."""


def look(where: Home, self_id: str, before: str) -> Looked:
    """Look through a life. Raises OSError."""
    path, store = where.agent(self_id) / "LIFE.md", where.store()
    view = derive(where, self_id, home.CONTEXT_LIMIT)
    last, kinds, told, named = dict[str, str](), dict[str, str](), list[str](), set[str]()
    spans = dict[str, tuple[int, int]]()
    for line in log.lines(path):
        kind, name = _kind(line)
        if line.event != Spent.WORD:  # that names what a model answered beside the conversation
            named.add(line.id)
        if name:
            last[name] = line.id
        if kind and line.id:
            kinds[line.id] = kind
        elif line.id and line.at < before and line.event != Chunks.WORD and line.id not in kinds:
            told.append(line.id)
        if kind in ("SUMMARY", "REQUEST"):
            spans[line.id] = span(line.detail)
    heard, forgetting = view.state.heard, view.state.forgetting
    kept = frozenset((self_id, *last.values(), *heard.documents.values(), *heard.shown.values()))
    stands = frozenset(int(one) for one in forgetting.standing if one.isdecimal())
    covers = dict(summaries.known(log.lines(path)))
    for id in [id for id, kind in kinds.items() if kind == "ROWS"]:
        for one, faded in _faded(store, id):
            kinds[faded.summary], spans[faded.summary], covers[faded.summary] = Summed.WORD, span(faded.span), one
    return Looked(_bound(store, view, before), stands, kept, kinds, spans, covers, frozenset(named), tuple(told))


def _kind(line: Line) -> tuple[str, str]:
    """What kind of blob an event names, and what it is the present version of, where it is of something."""
    if line.event in REQUESTS:
        return "REQUEST", ""
    if line.event in (Summed.WORD, Join.WORD):
        return line.event, ""
    if line.event in (Faint.WORD, Recent.WORD):
        return "AGAIN", ""
    if line.event in (Swap.WORD, Fade.WORD):
        return "ROWS", ""
    event = events.parse(line)
    if isinstance(event, Document | Alternate):
        return "PAPER", event.name
    if isinstance(event, Wishes | Boot):
        return "PAPER", line.event
    return ("AGAIN" if isinstance(event, Result) and event.tool in extensions.tools().reminders else ""), ""


def _faded(store: Blobs, id: str) -> Iterator[tuple[str, Faded]]:
    """The trees that a swap, or a tree, lists, with the summaries that stand for them."""
    try:
        rows = store.get(id).body.decode("utf-8", "replace").split("\n")
    except (BlobMissing, BlobCorrupt):
        return
    for row in (one for one in rows if f" {Faded.WORD} " in one):
        line = log.parse(row[max(0, row.find("Z ") - STAMP) :].encode("utf-8", "replace"))
        event = events.parse(line) if line else None
        if line and isinstance(event, Faded) and event.summary:
            yield line.id, event


def span(detail: str) -> tuple[int, int]:
    """The first and the last entry that the line of a summary, a tree or a request for such names; 0: it names none."""
    first, _, last = detail.replace("-", " ", 1).partition(" ")
    last = last.partition(" ")[0]
    return (int(first), int(last)) if first.isdecimal() and last.isdecimal() and len(last) < 19 else (0, 0)


def _bound(store: Blobs, view: View, before: str) -> int:
    """The number of the newest entry before this time."""
    return max((number for number, at in _entries(store, view) if at < before), default=0)


def _entries(store: Blobs, view: View) -> Iterator[tuple[int, str]]:
    """The numbers and times of all entries that the life had, as far as they can be reached."""
    for entry in view.entries:
        if entry.event != events.Faded.WORD:
            yield entry.number, entry.line.at
            continue
        try:
            yield from ((one.number, one.line.at) for one in tree.originals(store, entry.line.id))
        except (BlobMissing, BlobCorrupt):
            yield entry.number, entry.line.at


def beginnings(sentences: Iterable[list[str]]) -> Iterator[Words]:
    """How sentences begin, those that are long enough to tell something."""
    for words in sentences:
        if len(words) >= LEAST:
            yield tuple(words[:MANY])
