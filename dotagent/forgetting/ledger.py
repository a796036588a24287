"""The record of what was forgotten: when, for whom, how many sentences, which blobs; and a fingerprint of each.

A fingerprint is a hash, under a key of this record's own, of a passage's words, and four digits of that of its first
two: so a backup that still has the passage is found out when it comes back, and the record does not tell it. Owns
`forgotten/record.jsonl` in the home.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from blake3 import blake3

from dotagent.store import disk
from dotagent.text import passages

FILE = "forgotten/record.jsonl"


@dataclass(frozen=True)
class Ages:
    """Before when things go by their age: what happened, and what tells how the memory came to be; "" for never."""

    episodes: str = ""
    audit: str = ""

    def later(self, other: Ages) -> Ages:
        """The later of both, of each kind."""
        return Ages(max(self.episodes, other.episodes), max(self.audit, other.audit))


NEVER = Ages()


@dataclass(frozen=True)
class Done:
    """One time that something was forgotten: the blobs are those that have a tombstone since."""

    id: str
    at: str
    by: str
    items: int
    blobs: tuple[str, ...]
    key: str = ""
    left: tuple[str, ...] = ()
    """Files that could not be looked through; it is told once, and not kept."""
    ages: Ages = NEVER
    """Before when what happened went by its age; then no passages and blobs are told."""
    since: str = ""
    """When something went by its age for the first time."""
    prints: tuple[tuple[int, str, str], ...] = ()
    """Of each passage: how many words it has, the beginning of its first two words' keyed hash, and that of all."""


def add(root: Path, done: Done, wished: Sequence[str]) -> None:
    """Write down that it is done, unless that stands there already."""
    if any(one.id == done.id for one in read(root)):
        return
    if done.ages != NEVER:
        _aged(root, done)
        return
    key = next((one.key for one in read(root) if one.key), "") or secrets.token_hex(32)
    told = [[len(said), _hash(key, said[:2])[:4], _hash(key, said)] for said in map(passages.words, wished) if said]
    row = {"id": done.id, "at": done.at, "by": done.by, "items": done.items, "blobs": done.blobs, "key": key}
    path = root / FILE
    disk.make_dir(path.parent)
    before = disk.read(path) if disk.is_file(path) else b""
    disk.replace(path, before + json.dumps({**row, "prints": told}).encode() + b"\n")  # whole or not at all


def _aged(root: Path, done: Done) -> None:
    """Write down what went by its age: the last line of that kind stands for those before it."""
    before, path = aged(root), root / FILE
    ages = done.ages.later(before.ages) if before else done.ages
    row = {"id": done.id, "at": done.at, "by": done.by, "items": done.items + (before.items if before else 0)}
    row |= {"blobs": (), "key": "", "prints": (), "ages": [ages.episodes, ages.audit]}
    row["since"] = before.since if before else done.at
    kept = [raw for raw, one in _rows(disk.read(path) if disk.is_file(path) else b"") if not one or one.ages == NEVER]
    disk.make_dir(path.parent)
    disk.replace(path, b"".join(kept) + json.dumps(row).encode() + b"\n")


def aged(root: Path) -> Done | None:
    """What went by its age so far; None where nothing did."""
    found = [one for one in read(root) if one.ages != NEVER]
    return found[-1] if found else None


def ages(root: Path) -> Ages:
    """Before when all is gone that goes by its age, by all lines of the record."""
    made = NEVER
    for one in read(root):
        made = made.later(one.ages)
    return made


def read(root: Path) -> list[Done]:
    """All that was forgotten, the first first; a line that cannot be read is passed over."""
    path = root / FILE
    return list(_read(disk.read(path))) if disk.is_file(path) else []


def lost(root: Path) -> bool:
    """Whether a line of the record cannot be read."""
    return len(read(root)) != disk.read(root / FILE).count(b"\n")


def _read(data: bytes) -> Iterator[Done]:
    return (one for _, one in _rows(data) if one)


def _rows(data: bytes) -> Iterator[tuple[bytes, Done | None]]:
    """The record's lines, each with what it says, if it can be read."""
    for line in data.split(b"\n")[:-1]:
        try:
            told = json.loads(line)
            prints = tuple((int(many), str(first), str(made)) for many, first, made in told["prints"])
            id, at, by, key = (str(told[name]) for name in ("id", "at", "by", "key"))
            made = Done(id, at, by, int(told["items"]), tuple(map(str, told["blobs"])), key, prints=prints,
                        ages=Ages(*map(str, told.get("ages", ()))), since=str(told.get("since", "")))  # fmt: skip
        except (ValueError, KeyError, TypeError):
            made = None
        yield line + b"\n", made


def merge(root: Path, rows: bytes) -> None:
    """Add another record's lines to this one, but those that it has."""
    path = root / FILE
    before = disk.read(path) if disk.is_file(path) else b""
    known = {one.id for one in _read(before)}
    new = [line + b"\n" for line in rows.split(b"\n")[:-1] for one in _read(line + b"\n") if one.id not in known]
    if new:
        disk.make_dir(path.parent)
        disk.replace(path, before + b"".join(new))


class Fingerprints:
    """The passages of some lines of records, known by their fingerprints."""

    def __init__(self, done: Iterable[Done]) -> None:
        self._tables = list[tuple[str, dict[str, set[int]], set[str]]]()
        for key, rows in groupby(
            sorted((one for one in done if one.key), key=lambda one: one.key), key=lambda one: one.key
        ):
            starts, wholes = dict[str, set[int]](), set[str]()
            for many, first, made in (one for row in rows for one in row.prints):
                starts.setdefault(first, set()).add(many)
                wholes.add(made)
            self._tables.append((key, starts, wholes))

    def within(self, text: str) -> Iterator[str]:
        """The passages that stand in a text, as they stand there."""
        for found in (passages.tokens(text), passages.tokens(text, escaped=True)):
            said = [word for _, _, word in found]
            for key, starts, wholes in self._tables:
                single = any(1 in many for many in starts.values())
                for at in range(len(said)):
                    firsts = [said[at : at + 2], *([said[at : at + 1]] if single else [])]
                    for many in {many for first in firsts for many in starts.get(_start(key, tuple(first)), ())}:
                        if at + many <= len(said) and _hash(key, said[at : at + many]) in wholes:
                            yield text[found[at][0] : found[at + many - 1][1]]


@lru_cache(maxsize=1 << 18)
def _start(key: str, first: tuple[str, ...]) -> str:
    return _hash(key, first)[:4]


def _hash(key: str, words: Sequence[str]) -> str:
    return str(blake3(" ".join(words).encode("utf-8", "replace"), key=bytes.fromhex(key)).hexdigest())[:32]
