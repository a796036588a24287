"""The facts about an agent that a removal by age needs: its blobs' kinds, the blobs to keep, and the number of its
newest entry that is too old, which decides about summaries and prompts.

They are collected before anything changes, because afterwards they are lost. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from dotagent import extensions
from dotagent.compaction import tree
from dotagent.erasure import summaries
from dotagent.life import events
from dotagent.life.compaction_events import Chunks, Fade, Faint, Summed, Wishes
from dotagent.life.events import Alternate, Boot, Document, Faded, Join, Recent, Result, Spent, Swap
from dotagent.life.log_repair import REQUESTS
from dotagent.life.replay import View, derive
from dotagent.store import home, log, log_search
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text.lazy import dataclass

MANY, LEAST = 6, 3  # words of a sentence's beginning that identify repetitions; the least words of a sentence
STAMP = 26  # characters of a time before its Z

Words = tuple[str, ...]


@dataclass(frozen=True)
class Looked:
    """An agent: the number of its newest entry that is too old, its current instructions, and its blobs."""

    bound: int
    stands: frozenset[int]
    kept: frozenset[str]
    """Blobs to keep: the birth, the present documents, current instructions."""
    kinds: Mapping[str, str]
    """The kind of blobs that are not just an event: `PAPER`, `REQUEST`, `SUMMARY`, `JOIN`, `ROWS`, `AGAIN`."""
    spans: Mapping[str, tuple[int, int]]
    """The first and last entry of each summary, and of each request for one."""
    covers: Mapping[str, str]
    """The tree below each summary, or ""."""
    named: frozenset[str]
    """All blobs that its events name, except background answers."""
    told: tuple[str, ...]
    """Blobs of messages and results before the time; their repetitions are removed, too."""


def examine(where: Home, self_id: str, before: str) -> Looked:
    """Examine an agent. Raises OSError."""
    path, store = where.agent(self_id) / "LIFE.md", where.store()
    view = derive(where, self_id, home.CONTEXT_LIMIT)
    last, kinds, told, named = dict[str, str](), dict[str, str](), list[str](), set[str]()
    spans = dict[str, tuple[int, int]]()
    for line in log.lines(path):
        kind, name = _kind(line)
        if line.event != Spent.WORD:  # it names the model's answer to a background request
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
    covers = dict(summaries.find_summaries(log_search.picked(path, summaries.WORDS)))
    for id in [id for id, kind in kinds.items() if kind == "ROWS"]:
        for one, faded in _faded(store, id):
            kinds[faded.summary], spans[faded.summary], covers[faded.summary] = Summed.WORD, span(faded.span), one
    newest = max((number for number, at in _entries(store, view) if at < before), default=0)
    return Looked(newest, stands, kept, kinds, spans, covers, frozenset(named), tuple(told))


def _kind(line: Line) -> tuple[str, str]:
    """Return the kind of blob that an event names, and, for a version of a document, the document's name."""
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
    """Yield the trees in a swap or a tree, with their summaries."""
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
    """Return the first and last entry in the detail of a summary, a tree or a request; zeros if there are none."""
    first, _, last = detail.replace("-", " ", 1).partition(" ")
    last = last.partition(" ")[0]
    return (int(first), int(last)) if first.isdecimal() and last.isdecimal() and len(last) < 19 else (0, 0)


def _entries(store: Blobs, view: View) -> Iterator[tuple[int, str]]:
    """Yield the numbers and times of all entries that the agent ever had, if reachable."""
    for entry in view.entries:
        if entry.event != events.Faded.WORD:
            yield entry.number, entry.line.at
            continue
        try:
            yield from ((one.number, one.line.at) for one in tree.originals(store, entry.line.id))
        except (BlobMissing, BlobCorrupt):
            yield entry.number, entry.line.at


def beginnings(sentences: Iterable[list[str]]) -> Iterator[Words]:
    """Yield the beginnings of sentences that are long enough."""
    for words in sentences:
        if len(words) >= LEAST:
            yield tuple(words[:MANY])
