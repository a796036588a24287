"""Check the guarantee of fading: every entry is visible or covered by exactly one visible summary, and its original is
available byte for byte in a few steps, unless it was permanently deleted. Owns nothing on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dotagent.compaction import tree
from dotagent.life.events import Faded
from dotagent.life.replay import View
from dotagent.store.blobs import BlobCorrupt, BlobForgotten, BlobMissing, Blobs
from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class Reach:
    """How an agent's entries can be reached: `steps` is the longest way to an original, `problems` has one line
    each."""

    visible: int
    forgotten: int
    steps: int
    problems: tuple[str, ...]


def reach(store: Blobs, view: View) -> Reach:
    """Follow every reference in the context to its originals, and read each."""
    ways, problems = Counter[int](), list[str]()
    longest = visible = 0
    for entry in view.entries:
        here = entry.line.id
        faded = bool(here) and entry.event == Faded.WORD
        visible += not faded
        for number, id, steps in _originals_below(store, here, 1, problems) if faded else [(entry.number, here, 0)]:
            ways[number] += 1
            longest = max(longest, steps)
            _read(store, id, problems)
    for number in range(1, view.state.number + 1):
        if ways[number] != 1:
            how = (
                "is missing from the context and its summaries" if not ways[number] else f"occurs {ways[number]} times"
            )
            problems.append(f"message #{number} {how}")
    return Reach(visible, len(ways) - visible, longest, tuple(problems))


def _originals_below(store: Blobs, id: str, steps: int, problems: list[str]) -> Iterator[tuple[int, str, int]]:
    """Yield the originals below a tree: number, blob, and steps from the context."""
    for member in tree.decode(_read(store, id, problems)):
        if member.line.event == Faded.WORD:
            yield from _originals_below(store, member.line.id, steps + 1, problems)
        else:
            yield member.number, member.line.id, steps + 1


def _read(store: Blobs, id: str, problems: list[str]) -> bytes:
    """Return the blob's content. A lost blob is reported as a problem and is empty."""
    try:
        return store.get(id).body if id else b""
    except BlobForgotten:  # deleted at a person's request
        return b""
    except (BlobMissing, BlobCorrupt) as lost:
        problems.append(str(lost))
        return b""
