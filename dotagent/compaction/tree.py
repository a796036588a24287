"""Chunks of faded entries as blobs: trees that list their members' lines and ids and copy no content.

A merged chunk lists all members in one leaf while they fit; otherwise a node lists leaves. So every original is at most
three steps away: from the context to a node, to a leaf, to the original. Writes to `blobs/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dotagent.life import events
from dotagent.life.context import Entry
from dotagent.life.events import Faded
from dotagent.store import log
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import times
from dotagent.text.lazy import dataclass

MEMBERS = 256  # lines in one tree


@dataclass(frozen=True)
class Member:
    """One line of a tree: an entry's number and event, or a leaf's."""

    number: int
    line: Line


def encode(members: Sequence[Member]) -> bytes:
    """Return the body of a tree."""
    return "".join(f"{one.number} {log.render(one.line)}\n" for one in members).encode("utf-8", "replace")


def decode(body: bytes) -> list[Member]:
    """Parse the members of a tree, in order. Return [] if the body is not a tree."""
    found = []
    for row in body.split(b"\n")[:-1]:
        number, _, rest = row.partition(b" ")
        line = log.parse(rest)
        if line is None or not number.isdigit() or len(number) > 18:
            return []
        found.append(Member(int(number), line))
    return found


def tree(blob: Blob) -> list[Member]:
    """Return the members of a blob that is a tree, or [] for any other blob.

    Anyone may write text in the form of a tree, so the form alone is not enough: only a tree has the agent itself as
    its parent.
    """
    return decode(blob.body) if blob.agent and blob.parent == blob.agent else []


def keep(store: Blobs, agent: str, entries: Sequence[Entry], gist: str) -> str:
    """Store the entries as a tree, replacing earlier summaries by their members, and return its id.

    Members are sorted, so that kept entries return to their places.
    """
    own = [Member(entry.number, entry.line) for entry in entries]
    flat = [each for one in own for each in (find_members(store, one) if one.line.event == Faded.WORD else [one])]
    flat.sort(key=lambda one: one.number)
    if len(flat) > MEMBERS:
        flat = _nest(store, agent, flat)
    return _put(store, agent, flat, gist)


def originals(store: Blobs, id: str) -> list[Member]:
    """Return every original below a tree, in order. Raises BlobMissing and BlobCorrupt."""
    return sorted(_originals(store, id), key=lambda one: one.number)  # a kept entry may follow its leaf


def count(store: Blobs, id: str) -> int:
    """Return the number of originals below a tree. Full leaves are not read, because their lines have their numbers.
    Raises BlobMissing and BlobCorrupt."""
    return sum(_count_originals(store, one) for one in decode(store.get(id).body))


def _count_originals(store: Blobs, one: Member) -> int:
    """Return the number of originals that a line of a tree represents."""
    if one.line.event != Faded.WORD:
        return 1
    return _count(one) or count(store, one.line.id)


def _originals(store: Blobs, id: str) -> Iterator[Member]:
    for member in decode(store.get(id).body):
        if member.line.event == Faded.WORD:
            yield from _originals(store, member.line.id)
        else:
            yield member


def find(store: Blobs, id: str, number: int) -> Line | None:
    """Return the line of the original with this number below a tree, or None. Raises BlobMissing and BlobCorrupt."""
    for member in decode(store.get(id).body):
        event = events.parse(member.line)
        if isinstance(event, Faded):
            found = find(store, member.line.id, number) if member.number <= number <= event.last else None
            if found:
                return found
        elif member.number == number:
            return member.line
    return None


def find_members(store: Blobs, faded: Member) -> list[Member]:
    """Return the members of a tree, or the tree itself if it is lost, so that only its content is lost."""
    try:
        return decode(store.get(faded.line.id).body) or [faded]
    except (BlobMissing, BlobCorrupt):
        return [faded]


def _nest(store: Blobs, agent: str, members: Sequence[Member]) -> list[Member]:
    """Return the members in leaves. A leaf that is at least half full stays; the others are repacked."""
    runs: list[list[Member]] = [[]]
    for member in members:
        full = _count(member) * 2 >= MEMBERS  # not even read: a swap's cost must not grow
        own = find_members(store, member) if member.line.event == Faded.WORD and not full else [member]
        if own == [member] and member.line.event == Faded.WORD:
            runs += [own, []]
        elif len(runs[-1]) + len(own) > MEMBERS:
            runs.append(own)
        else:
            runs[-1] = runs[-1] + own
    return [_leaf(store, agent, run) for run in runs if run]


def _leaf(store: Blobs, agent: str, run: Sequence[Member]) -> Member:
    """Return a leaf with these members; a single leaf is returned unchanged."""
    first, last = run[0], run[-1]
    if len(run) == 1 and first.line.event == Faded.WORD:
        return first
    gist = f"{first.line.gist} … {last.line.gist}"[:120]
    detail = Faded(f"{first.number}-{last.number}", members=len(run)).detail()
    return Member(first.number, Line(first.line.at, Faded.WORD, detail, _put(store, agent, run, gist), gist))


def _count(leaf: Member) -> int:
    """Return the number of a leaf's members from its line, or 0 if it is missing."""
    event = events.parse(leaf.line)
    return event.members if isinstance(event, Faded) else 0


def _put(store: Blobs, agent: str, members: Sequence[Member], gist: str) -> str:
    return store.put(encode(members), at=times.now(), gist=gist, parent=agent, agent=agent)
