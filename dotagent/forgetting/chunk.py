"""Chunks of forgotten entries as blobs: trees that list their members' lines and ids and copy nothing.

A merged chunk lists the members of what it merges, flat, as long as a leaf holds them; beyond, a node lists leaves. So
an original is never more than three steps away: from the context to a node, to a leaf, to the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dotagent import life
from dotagent.blobs import Blobs
from dotagent.context import Entry
from dotagent.life import Line
from dotagent.text import times

MEMBERS = 256  # lines in one tree


@dataclass(frozen=True)
class Member:
    """One line of a tree: an entry's number and its event, or a leaf's."""

    number: int
    line: Line


def encode(members: Sequence[Member]) -> bytes:
    """The body of a tree."""
    return "".join(f"{one.number} {life.render(one.line)}\n" for one in members).encode("utf-8", "replace")


def decode(body: bytes) -> list[Member]:
    """The members of a tree, in order; [] for a blob that is none."""
    found = []
    for row in body.split(b"\n")[:-1]:
        number, _, rest = row.partition(b" ")
        line = life.parse(rest)
        if line is None or not number.isdigit():
            return []
        found.append(Member(int(number), line))
    return found


def keep(store: Blobs, agent: str, entries: Sequence[Entry], gist: str) -> str:
    """Keep the entries as a tree, what had faded before by its own members; return the tree's id."""
    leaves = [[Member(entry.number, entry.line)] if entry.event != "FADED" else _below(store, entry)
              for entry in entries if entry.line]  # fmt: skip
    flat = [member for leaf in leaves for member in leaf]
    if len(flat) > MEMBERS:
        flat = _nest(store, agent, flat)
    return _put(store, agent, flat, gist)


def originals(store: Blobs, id: str) -> Iterator[Member]:
    """Every original below a tree, in order."""
    for member in decode(store.get(id).body):
        if member.line.event == "FADED":
            yield from originals(store, member.line.id)
        else:
            yield member


def _below(store: Blobs, entry: Entry) -> list[Member]:
    assert entry.line
    return decode(store.get(entry.line.id).body) or [Member(entry.number, entry.line)]


def _nest(store: Blobs, agent: str, members: Sequence[Member]) -> list[Member]:
    """The members in leaves: runs of originals fill up leaves, leaves that are there stay or are filled up."""
    runs: list[list[Member]] = [[]]
    for member in members:
        below = decode(store.get(member.line.id).body) if member.line.event == "FADED" else [member]
        if len(runs[-1]) + len(below) > MEMBERS:
            runs.append([])
        runs[-1] += below
    made = []
    for run in filter(None, runs):
        first, last = run[0].number, run[-1].number
        gist = f"{run[0].line.gist} … {run[-1].line.gist}"[:120]
        leaf = _put(store, agent, run, gist)
        made.append(Member(first, Line(run[0].line.at, "FADED", f"{first}-{last}", leaf, gist)))
    return made


def _put(store: Blobs, agent: str, members: Sequence[Member], gist: str) -> str:
    return store.put(encode(members), at=times.now(), gist=gist, agent=agent)
