"""The record of what was forgotten: when, for whom, how many sentences, which blobs; and a fingerprint of each.

A fingerprint is a hash, under a key of this record's own, of a passage's words: so a backup that still has the passage
is found out when it comes back, and the record does not tell it. Owns `forgotten/record.jsonl` in the home.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from dotagent.store import disk
from dotagent.text import passages

FILE = "forgotten/record.jsonl"


@dataclass(frozen=True)
class Done:
    """One time that something was forgotten: the blobs are those that have a tombstone since."""

    id: str
    at: str
    by: str
    items: int
    blobs: tuple[str, ...]
    key: str = ""
    prints: tuple[tuple[int, str], ...] = ()
    """Of each passage: how many words it has, and their keyed hash."""


def add(root: Path, done: Done, wished: Sequence[str]) -> None:
    """Write down that it is done, unless that stands there already."""
    if any(one.id == done.id for one in read(root)):
        return
    key = secrets.token_hex(32)
    told = [[len(said), fingerprint(key, said)] for said in map(passages.words, wished)]
    row = {"id": done.id, "at": done.at, "by": done.by, "items": done.items, "blobs": done.blobs, "key": key}
    path = root / FILE
    disk.make_dir(path.parent)
    before = disk.read(path) if disk.is_file(path) else b""
    disk.replace(path, before + json.dumps({**row, "prints": told}).encode() + b"\n")  # whole or not at all


def read(root: Path) -> list[Done]:
    """All that was forgotten, the first first; a line that cannot be read is passed over."""
    path = root / FILE
    return list(_read(disk.read(path))) if disk.is_file(path) else []


def lost(root: Path) -> bool:
    """Whether a line of the record cannot be read."""
    return len(read(root)) != disk.read(root / FILE).count(b"\n")


def _read(data: bytes) -> Iterator[Done]:
    for line in data.split(b"\n")[:-1]:
        try:
            told = json.loads(line)
            prints = tuple((int(many), str(made)) for many, made in told["prints"])
            id, at, by, key = (str(told[name]) for name in ("id", "at", "by", "key"))
            yield Done(id, at, by, int(told["items"]), tuple(map(str, told["blobs"])), key, prints)
        except (ValueError, KeyError, TypeError):
            continue


def fingerprint(key: str, words: Sequence[str]) -> str:
    """The keyed hash of a passage's words."""
    return str(blake3(" ".join(words).encode("utf-8", "replace"), key=bytes.fromhex(key)).hexdigest())[:32]
