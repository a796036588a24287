"""The promise of forgetting, checked: every entry a life ever had is visible, or covered by exactly one summary that
is, and its original is there, byte for byte, a few steps away, or was forgotten for good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from dotagent.compaction import tree
from dotagent.life.events import Faded
from dotagent.life.replay import View
from dotagent.store.blobs import BlobCorrupt, BlobForgotten, BlobMissing, Blobs


@dataclass(frozen=True)
class Reach:
    """How a life's entries can be reached: `steps` is the longest way to an original, `problems` one line each."""

    visible: int
    forgotten: int
    steps: int
    problems: tuple[str, ...]


def reach(store: Blobs, view: View) -> Reach:
    """Follow every reference of the context to its originals, and read each."""
    ways, problems = Counter[int](), list[str]()
    longest = visible = 0
    for entry in view.entries:
        here = entry.line.id
        faded = bool(here) and entry.event == Faded.WORD
        visible += not faded
        for number, id, steps in _below(store, here, 1, problems) if faded else [(entry.number, here, 0)]:
            ways[number] += 1
            longest = max(longest, steps)
            _read(store, id, problems)
    for number in range(1, view.state.number + 1):
        if ways[number] != 1:
            how = "cannot be reached" if not ways[number] else f"can be reached in {ways[number]} ways"
            problems.append(f"entry #{number} {how}")
    return Reach(visible, len(ways) - visible, longest, tuple(problems))


def _below(store: Blobs, id: str, steps: int, problems: list[str]) -> Iterator[tuple[int, str, int]]:
    """The originals below a tree: number, blob, and steps from the context."""
    for member in tree.decode(_read(store, id, problems)):
        if member.line.event == Faded.WORD:
            yield from _below(store, member.line.id, steps + 1, problems)
        else:
            yield member.number, member.line.id, steps + 1


def _read(store: Blobs, id: str, problems: list[str]) -> bytes:
    """What the blob holds; one that is lost is a problem and holds nothing."""
    try:
        return store.get(id).body if id else b""
    except BlobForgotten:  # as its person wished
        return b""
    except (BlobMissing, BlobCorrupt) as lost:
        problems.append(str(lost))
        return b""
