"""The record of deletions: time, person, number of sentences, blobs, and a fingerprint of each passage.

A fingerprint contains a hash of a passage's words under the record's own key, and four digits of the hash of its first
two words. So a restored backup that still contains the passage is recognised, while the record does not reveal it. Owns
`forgotten/record.jsonl` in the home.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from blake3 import blake3

from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.text import encoded_text, escape, passages
from dotagent.text.lazy import dataclass
from dotagent.text.sizes import plural

FILE = "forgotten/record.jsonl"
PROMISE = "forgotten/announced.json"  # the file of a deletion that is not complete; sweep.py owns it
FEW = 3  # files that a result names
UNREAD = "because the file is too large, unreadable or not writable"


@dataclass(frozen=True)
class Ages:
    """The times before which events, and the history of memory, are removed by age; "" for never."""

    episodes: str = ""
    audit: str = ""

    def later(self, other: Ages) -> Ages:
        """Return the later time of each kind."""
        return Ages(max(self.episodes, other.episodes), max(self.audit, other.audit))


NEVER = Ages()


@dataclass(frozen=True)
class Done:
    """A deletion. `blobs` are those with a tombstone since then."""

    id: str
    at: str
    by: str
    items: int
    blobs: tuple[str, ...]
    key: str = ""
    left: tuple[str, ...] = ()
    """Files that could not be searched."""
    deleted: int = 0
    """How many things that could not be rewritten were deleted; not stored."""
    changed: int = 0
    """How many files other than blobs changed."""
    remains: tuple[str, ...] = ()
    """The files that still contained a passage in the final search."""
    given: tuple[str, ...] = ()
    """The unedited files of dotagent that contain such words and keep them."""
    ages: Ages = NEVER
    """The times of a removal by age, which has no passages and blobs."""
    since: str = ""
    """When something was first removed by age."""
    prints: tuple[tuple[int, str, str], ...] = ()
    """For each passage: its number of words, the beginning of the keyed hash of its first two words, and the hash of
    all."""

    def list_exceptions(self) -> list[str]:
        """Return what a person must know about files that the deletion did not change, one sentence each."""
        told = [f"dotagent did not search {escape.one_line(path, 300)}, {UNREAD}" for path in self.left]
        if self.given:
            names = escape.one_line(", ".join(self.given[:FEW]), 300)
            more = len(self.given) - FEW
            names += f" and {plural(more, 'other file')}" if more > 0 else ""
            told.append(
                f"{names} also contains such words and stays unchanged, because this file came with dotagent"
                if len(self.given) == 1
                else f"{names} also contain such words and stay unchanged, because these files came with dotagent"
            )
        return told


def add(root: Path, done: Done, wished: Sequence[str]) -> None:
    """Record the deletion, unless it is recorded already."""
    if any(one.id == done.id for one in read(root)):
        return
    if done.ages != NEVER:
        _aged(root, done)
        return
    key = next((one.key for one in read(root) if one.key), "") or os.urandom(32).hex()
    told = [[len(said), _hash(key, said[:2])[:4], _hash(key, said)] for said in map(passages.words, wished) if said]
    row = {"id": done.id, "at": done.at, "by": done.by, "items": done.items, "blobs": done.blobs, "key": key}
    row |= {"files": done.changed, "remains": done.remains, "left": done.left, "given": done.given}
    path = root / FILE
    disk.make_dir(path.parent)
    before = disk.read(path) if disk.is_file(path) else b""
    disk.replace(path, before + json.dumps({**row, "prints": told}).encode() + b"\n")  # completely or not at all


def _aged(root: Path, done: Done) -> None:
    """Record a removal by age. The last such line replaces earlier ones."""
    before, path = aged(root), root / FILE
    ages = done.ages.later(before.ages) if before else done.ages
    row = {"id": done.id, "at": done.at, "by": done.by, "items": done.items + (before.items if before else 0)}
    row |= {"blobs": (), "key": "", "prints": (), "ages": [ages.episodes, ages.audit]}
    row["since"] = before.since if before else done.at
    kept = [raw for raw, one in _rows(disk.read(path) if disk.is_file(path) else b"") if not one or one.ages == NEVER]
    disk.make_dir(path.parent)
    disk.replace(path, b"".join(kept) + json.dumps(row).encode() + b"\n")


def aged(root: Path) -> Done | None:
    """Return the last removal by age, or None."""
    found = [one for one in read(root) if one.ages != NEVER]
    return found[-1] if found else None


def ages(root: Path) -> Ages:
    """Return the times before which everything was removed by age, from all lines of the record."""
    made = NEVER
    for one in read(root):
        made = made.later(one.ages)
    return made


def read(root: Path) -> list[Done]:
    """Return all deletions, oldest first. Unreadable lines are skipped."""
    path = root / FILE
    return list(_read(disk.read(path))) if disk.is_file(path) else []


def is_unfinished(where: Home) -> bool:
    """Return True if an announced deletion is not complete."""
    return (where.root / PROMISE).exists()


def is_damaged(root: Path) -> bool:
    """Return True if a line of the record is unreadable."""
    return len(read(root)) != disk.read(root / FILE).count(b"\n")


def _read(data: bytes) -> Iterator[Done]:
    return (one for _, one in _rows(data) if one)


def _rows(data: bytes) -> Iterator[tuple[bytes, Done | None]]:
    """Yield the record's lines, each parsed, or with None if unreadable."""
    for line in data.split(b"\n")[:-1]:
        try:
            told = json.loads(line)
            prints = tuple((int(many), str(first), str(made)) for many, first, made in told["prints"])
            id, at, by, key = (str(told[name]) for name in ("id", "at", "by", "key"))
            made = Done(id, at, by, int(told["items"]), tuple(map(str, told["blobs"])), key, prints=prints,
                        changed=int(told.get("files", 0)), remains=_paths(told.get("remains")),
                        left=_paths(told.get("left")), given=_paths(told.get("given")),
                        ages=Ages(*map(str, told.get("ages", ()))), since=str(told.get("since", "")))  # fmt: skip
        except (ValueError, KeyError, TypeError):
            made = None
        yield line + b"\n", made


def _paths(told: object) -> tuple[str, ...]:
    """Return the files of a row; an earlier version wrote how many there were."""
    return tuple(map(str, told)) if isinstance(told, list) else ("?",) * (told if isinstance(told, int) else 0)


def merge(root: Path, rows: bytes) -> None:
    """Append the lines of another record that this one lacks."""
    path = root / FILE
    before = disk.read(path) if disk.is_file(path) else b""
    known = {one.id for one in _read(before)}
    new = [line + b"\n" for line in rows.split(b"\n")[:-1] for one in _read(line + b"\n") if one.id not in known]
    if new:
        disk.make_dir(path.parent)
        disk.replace(path, before + b"".join(new))


class Fingerprints:
    """Recognises the passages of a record's lines by their fingerprints."""

    def __init__(self, done: Iterable[Done]) -> None:
        self._tables = list[tuple[str, dict[str, set[int]], set[str]]]()
        self.times = dict[str, str]()  # when each passage was last deleted, by the hash of its words
        for key, rows in groupby(
            sorted((one for one in done if one.key), key=lambda one: one.key), key=lambda one: one.key
        ):
            starts, wholes = dict[str, set[int]](), set[str]()
            for at, (many, first, made) in ((row.at, one) for row in rows for one in row.prints):
                starts.setdefault(first, set()).add(many)
                wholes.add(made)
                self.times[made] = max(self.times.get(made, ""), at)
            self._tables.append((key, starts, wholes))

    def sentences(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the passages that a text repeats, also in base64, base32, hex or escapes, and the hashes of their
        words. A short one counts only if it is a whole line, because its words may be there by chance."""
        for form in self._forms(text):
            for begin, end, made in self._find(form):
                found = passages.words(form[begin:end])
                line = form[form.rfind("\n", 0, begin) + 1 :].partition("\n")[0]
                if passages.is_long(found) or found == passages.words(line):
                    yield form[begin:end], made

    def within(self, text: str) -> Iterator[str]:
        """Yield the passages found in a text, also in these forms."""
        return (form[begin:end] for form in self._forms(text) for begin, end, _ in self._find(form))

    def _forms(self, text: str) -> Iterator[str]:
        if self._tables:
            yield text
            yield from (inner for _, _, inner in encoded_text.texts(text))
            if escaped := encoded_text.unescaped(text):
                yield escaped[0]

    def _find(self, text: str) -> Iterator[tuple[int, int, str]]:
        plain, escaped = passages.tokens(text), passages.tokens(text, escaped=True)
        for found in (plain, escaped, passages.runs(plain)):  # an earlier version hashed runs
            said = [word for _, _, word in found]
            for key, starts, wholes in self._tables:
                single = any(1 in many for many in starts.values())
                for at in range(len(said)):
                    firsts = [said[at : at + 2], *([said[at : at + 1]] if single else [])]
                    for many in {many for first in firsts for many in starts.get(_start(key, tuple(first)), ())}:
                        if at + many <= len(said) and (made := _hash(key, said[at : at + many])) in wholes:
                            yield found[at][0], found[at + many - 1][1], made


def without_deleted(root: Path, text: str) -> tuple[str, int]:
    """Return a text that comes from elsewhere without the passages that were deleted here, and how many it had."""
    found = {made: words for words, made in Fingerprints(read(root)).sentences(text)}
    return passages.Passages(found.values()).gone(text) if found else text, len(found)


@lru_cache(maxsize=1 << 18)
def _start(key: str, first: tuple[str, ...]) -> str:
    return _hash(key, first)[:4]


def _hash(key: str, words: Sequence[str]) -> str:
    return str(blake3(" ".join(words).encode("utf-8", "replace"), key=bytes.fromhex(key)).hexdigest())[:32]
