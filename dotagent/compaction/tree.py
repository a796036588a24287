"""Chunks of forgotten entries as blobs: trees that list their members' lines and ids and copy nothing.

A merged chunk lists the members of what it merges, flat, as long as a leaf holds them; beyond, a node lists leaves. So
an original is never more than three steps away: from the context to a node, to a leaf, to the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dotagent.life import events
from dotagent.life.context import Entry
from dotagent.life.events import Faded
from dotagent.store import log
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import times

MEMBERS = 256  # lines in one tree


@dataclass(frozen=True)
class Member:
    """One line of a tree: an entry's number and its event, or a leaf's."""

    number: int
    line: Line


def encode(members: Sequence[Member]) -> bytes:
    """The body of a tree."""
    return "".join(f"{one.number} {log.render(one.line)}\n" for one in members).encode("utf-8", "replace")


def decode(body: bytes) -> list[Member]:
    """The members of a tree, in order; [] for a blob that is none."""
    found = []
    for row in body.split(b"\n")[:-1]:
        number, _, rest = row.partition(b" ")
        line = log.parse(rest)
        if line is None or not number.isdigit() or len(number) > 18:
            return []
        found.append(Member(int(number), line))
    return found


def tree(blob: Blob) -> list[Member]:
    """The members of a blob that is a tree; [] for any other blob.

    Somebody may say or write words that look like a tree. So the form is not enough: only a tree has the life itself as
    its parent.
    """
    return decode(blob.body) if blob.agent and blob.parent == blob.agent else []


def keep(store: Blobs, agent: str, entries: Sequence[Entry], gist: str) -> str:
    """Keep the entries as a tree, what had faded before by its own members; return the tree's id.

    In order: what was kept while all around it faded goes back to its place among them.
    """
    own = [Member(entry.number, entry.line) for entry in entries]
    flat = [each for one in own for each in (below(store, one) if one.line.event == Faded.WORD else [one])]
    flat.sort(key=lambda one: one.number)
    if len(flat) > MEMBERS:
        flat = _nest(store, agent, flat)
    return _put(store, agent, flat, gist)


def originals(store: Blobs, id: str) -> list[Member]:
    """Every original below a tree, in order. Raises BlobMissing and BlobCorrupt."""
    return sorted(_originals(store, id), key=lambda one: one.number)  # what was kept may stand behind a leaf around it


def _originals(store: Blobs, id: str) -> Iterator[Member]:
    for member in decode(store.get(id).body):
        if member.line.event == Faded.WORD:
            yield from _originals(store, member.line.id)
        else:
            yield member


def find(store: Blobs, id: str, number: int) -> Line | None:
    """The line of the original of this number below a tree, if it is there. Raises BlobMissing and BlobCorrupt."""
    for member in decode(store.get(id).body):
        event = events.parse(member.line)
        if isinstance(event, Faded):
            found = find(store, member.line.id, number) if member.number <= number <= event.last else None
            if found:
                return found
        elif member.number == number:
            return member.line
    return None


def below(store: Blobs, faded: Member) -> list[Member]:
    """What a tree lists. When the tree is lost it is listed itself: only what it held is lost then."""
    try:
        return decode(store.get(faded.line.id).body) or [faded]
    except (BlobMissing, BlobCorrupt):
        return [faded]


def _nest(store: Blobs, agent: str, members: Sequence[Member]) -> list[Member]:
    """The members in leaves: one that is at least half full stays as it is, all others are put into new ones."""
    runs: list[list[Member]] = [[]]
    for member in members:
        full = _count(member) * 2 >= MEMBERS  # then it is not even read, so that a swap costs no more in a long life
        own = below(store, member) if member.line.event == Faded.WORD and not full else [member]
        if own == [member] and member.line.event == Faded.WORD:
            runs += [own, []]
        elif len(runs[-1]) + len(own) > MEMBERS:
            runs.append(own)
        else:
            runs[-1] = runs[-1] + own
    return [_leaf(store, agent, run) for run in runs if run]


def _leaf(store: Blobs, agent: str, run: Sequence[Member]) -> Member:
    """The leaf that holds these members; a leaf alone is it."""
    first, last = run[0], run[-1]
    if len(run) == 1 and first.line.event == Faded.WORD:
        return first
    gist = f"{first.line.gist} … {last.line.gist}"[:120]
    detail = Faded(f"{first.number}-{last.number}", members=len(run)).detail()
    return Member(first.number, Line(first.line.at, Faded.WORD, detail, _put(store, agent, run, gist), gist))


def _count(leaf: Member) -> int:
    """How many members a leaf has, as its line tells; 0 when it does not."""
    event = events.parse(leaf.line)
    return event.members if isinstance(event, Faded) else 0


def _put(store: Blobs, agent: str, members: Sequence[Member], gist: str) -> str:
    return store.put(encode(members), at=times.now(), gist=gist, parent=agent, agent=agent)
