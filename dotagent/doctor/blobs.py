"""The blobs: whether those that a life names are there and are what their names promise; with --deep, every one."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from dotagent import installed
from dotagent.doctor import Finding, damage, entries, ok, told, warning
from dotagent.errors import Misuse
from dotagent.forgetting import ledger, retention, sweep
from dotagent.life.events import Document, Hear, Join, Reply, Result
from dotagent.life.unsynced import REQUESTS
from dotagent.store import disk, home
from dotagent.store.blobs import MOST, BlobCorrupt, BlobForgotten, BlobMissing, Blobs, decode, is_tombstone, left_of
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import secrets
from dotagent.text.reference import ID, short
from dotagent.text.sizes import amount, plural

LOST = "bring it back from a backup: without it that event is only known by its gist"
SECRET = "no note, gist, index or summary has it: let it be valid no longer, and give the agent none"
TOLD = (
    Hear.WORD,
    Join.WORD,
    Result.WORD,
    Reply.WORD,
    Document.WORD,
)  # what was heard, seen and said: a request repeats it
READ = 200_000  # bytes that are looked through for secrets
FORGED = "nobody forgot it here: bring it back from a backup, unless the record of that is lost"
WRONG = "move it away or bring it back from a backup: it is never used"


def named(store: Blobs, lines: Iterable[Line], where: str, lost: Collection[str] = ()) -> Iterator[Finding]:
    """The blobs that these events name, and which of them hold a secret. A request is a cache, and what was never
    synced happens again: of that are the ids in `lost`."""
    seen: dict[str, str] = {}
    for line in lines:
        if line.id:
            seen.setdefault(line.id, line.event)
    wrong = [finding for id, event in seen.items() for finding in _one(store, id, event, id in lost)]
    yield from told(wrong, where, lambda: f"all {plural(len(seen), 'blob')} that its events name")


def _one(store: Blobs, id: str, event: str, lost: bool) -> Iterator[Finding]:
    try:
        body = store.get(id).body
        kinds = secrets.kinds(body[:READ].decode("utf-8", "replace")) if event in TOLD else []
        if kinds:
            yield warning(f"blob {short(id)} holds what looks like a {kinds[0]}", f"named by {event}", SECRET)
    except BlobForgotten:
        return
    except (BlobMissing, BlobCorrupt) as wrong:
        if event in REQUESTS:
            yield warning(str(wrong), "a request", "that prompt cannot be shown any more; nothing else is lost")
        elif lost:
            yield warning(str(wrong), f"named by {event}", "a power cut took it: the next start does that again")
        else:
            yield damage(str(wrong), f"named by {event}", LOST if isinstance(wrong, BlobMissing) else WRONG)


def every(where: Home) -> Iterator[Finding]:
    """Every blob of the store is what its name promises, or was forgotten, and nothing else lies there."""
    sizes: list[int] = []
    wrong = _all(where, sizes, _Told(where.root))
    yield from told(wrong, "blobs", lambda: f"all {plural(len(sizes), 'blob')}, {amount(sum(sizes))}")


class _Told:
    """Of which tombstones the record tells."""

    def __init__(self, root: Path) -> None:
        self._ids = {id for one in ledger.read(root) for id in one.blobs}
        self._aged = ledger.aged(root)

    def of(self, id: str, data: bytes) -> bool:
        """Whether it tells of this one: by its id, or since what is too old goes."""
        at = data[len(b"---\nforgotten: ") :].partition(b"\n")[0].decode("ascii", "replace")
        return id in self._ids or (self._aged is not None and self._aged.since <= at <= self._aged.at)


def _all(where: Home, sizes: list[int], known: _Told) -> Iterator[Finding]:
    for shard in entries(where.blobs):
        if not re.fullmatch("[0-9a-f]{2}", shard.name) or not shard.is_dir(follow_symlinks=False):
            if re.fullmatch(r"\.new-\d+-\d+", shard.name):
                yield warning("unfinished", f"blobs/{shard.name}", "remove it, unless something writes just now")
            else:
                yield warning("not dotagent's", f"blobs/{shard.name}", "move it away")
            continue
        for entry in entries(Path(shard.path)):
            yield from _whole(entry, f"blobs/{shard.name}/{entry.name}", sizes, known)


def _whole(entry: os.DirEntry[str], place: str, sizes: list[int], known: _Told) -> Iterator[Finding]:
    if not ID.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
        yield warning("not dotagent's", place, "move it away")
    elif not place.startswith(f"blobs/{entry.name[:2]}/"):
        yield damage("a blob in another's place", place, f"move it to blobs/{entry.name[:2]}/")
    else:
        data = disk.read(entry.path, MOST)
        sizes.append(len(data))
        try:
            if not is_tombstone(data):
                decode(entry.name, data)
            elif left_of(entry.name, data) is not None and not known.of(entry.name, data):
                yield warning(f"blob {short(entry.name)} has a tombstone of no record", place, FORGED)
        except BlobCorrupt:
            yield warning(f"blob {short(entry.name)} is corrupt", place, "remove it: what is lost by it is told above")
        if entry.stat(follow_symlinks=False).st_mode & 0o077:
            yield warning("can be read by others", place, "chmod -R go= blobs")


def forgotten(where: Home) -> Iterator[Finding]:
    """What was forgotten for good: the record of it can be read, and nothing is half done."""
    if sweep.due(where):
        do = f"the next start of an agent goes on, or `{installed.typed('forget')}`"
        yield warning("something is announced and not gone yet", sweep.PROMISE, do)
    done = ledger.read(where.root)
    known = {id for one in done for id in one.blobs}
    if (where.root / ledger.FILE).exists() and ledger.lost(where.root):
        yield damage("a line of it cannot be read", ledger.FILE, "bring it back from a backup: a restore goes by it")
    if aged := ledger.aged(where.root):
        days = ", ".join(f"{name} before {at[:10]}" for name, at in asdict(aged.ages).items() if at)
        yield ok(f"{plural(aged.items, 'event')} gone by their age, {days}", ledger.FILE)
    yield from _overdue(where)
    if done := [one for one in done if one.ages == ledger.NEVER]:
        many = plural(sum(one.items for one in done), "sentence")
        yield ok(f"{many} forgotten for good, {plural(len(known), 'blob')} changed", ledger.FILE)


def _overdue(where: Home) -> Iterator[Finding]:
    """What is too old by the settings, and nobody lets go."""
    try:
        settings = home.settings(where)
    except Misuse:  # of which another check tells
        return
    many = retention.due(where, settings, datetime.now(UTC) - retention.LATE)[1] if settings.retention else 0
    if many:
        told = f"{plural(many, 'event')} older than [retention] keeps"
        yield warning(told, "LIFE", f"the clock lets them go, or `{installed.typed('forget')} --old`")
