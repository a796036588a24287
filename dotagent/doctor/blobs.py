"""The blobs that LIFE files name: each exists and has the content that its name promises. With --deep, every blob."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from dotagent import installed
from dotagent.doctor import Finding, damage, entries, limit_findings, ok, warning
from dotagent.erasure import ledger
from dotagent.errors import Misuse
from dotagent.life.events import Document, Hear, Join, Reply, Result
from dotagent.life.log_repair import REQUESTS
from dotagent.store import disk, home
from dotagent.store.blobs import (
    MOST,
    BlobCorrupt,
    BlobForgotten,
    BlobMissing,
    Blobs,
    content_id,
    decode,
    is_tombstone,
    remaining_content,
)  # fmt: skip
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.store.pack_files import FOLDER, NAME, Damaged, PackFile
from dotagent.store.pack_writer import ASIDE
from dotagent.text import secrets
from dotagent.text.lazy import asdict
from dotagent.text.reference import ID, short
from dotagent.text.sizes import amount, plural

LOST = "restore this blob (stored text) from a backup; until then, only a short form of the text is left"
SECRET = "revoke this secret, and do not send secrets to the agent; notes, summaries and indexes do not contain it"
TOLD = (Hear.WORD, Join.WORD, Result.WORD, Reply.WORD, Document.WORD)  # original content; a request only repeats it
READ = 200_000  # bytes that are searched for secrets
FORGED = "restore this blob (stored text) from a backup, unless you permanently deleted the text"
WRONG = "restore this blob (stored text) from a backup, or move it away; dotagent never uses the wrong content"


def check_named(store: Blobs, lines: Iterable[Line], where: str, lost: Collection[str] = ()) -> Iterator[Finding]:
    """Check the blobs that these events name, also for secrets. A missing request is not damage, because it is a cache.
    Neither is a blob in `lost`: it was never synced, and its step is repeated."""
    seen: dict[str, str] = {}
    for line in lines:
        if line.id:
            seen.setdefault(line.id, line.event)
    wrong = [finding for id, event in seen.items() for finding in _check_content(store, id, event, id in lost)]
    yield from limit_findings(
        wrong, where, lambda: f"all {plural(len(seen), 'blob')} that the agent's log names are intact"
    )


def _check_content(store: Blobs, id: str, event: str, lost: bool) -> Iterator[Finding]:
    try:
        body = store.get(id).body
        kinds = secrets.kinds(body[:READ].decode("utf-8", "replace")) if event in TOLD else []
        if kinds:
            yield warning(f"blob {short(id)} seems to contain a {kinds[0]}", f"named by {event}", SECRET)
    except BlobForgotten:
        return
    except (BlobMissing, BlobCorrupt) as wrong:
        if event in REQUESTS:
            yield warning(str(wrong), "a request", "no action needed: only this old prompt can no longer be shown")
        elif lost:
            yield warning(
                str(wrong),
                f"named by {event}",
                "no action needed: a power cut lost this text, and the next start of the agent writes it again",
            )
        else:
            yield damage(str(wrong), f"named by {event}", LOST if isinstance(wrong, BlobMissing) else WRONG)


def every(where: Home) -> Iterator[Finding]:
    """Check that every blob has the content that its name promises or was forgotten, and that the folders contain
    nothing else."""
    sizes: list[int] = []
    wrong = _check_files(where, sizes, _Told(where.root))
    yield from limit_findings(wrong, "blobs", lambda: f"all {plural(len(sizes), 'blob')}, {amount(sum(sizes))}")


class _Told:
    """The tombstones that the record of forgetting explains."""

    def __init__(self, root: Path) -> None:
        self._ids = {id for one in ledger.read(root) for id in one.blobs}
        self._aged = ledger.aged(root)

    def of(self, id: str, data: bytes) -> bool:
        """Return True if the record explains this one: by its id, or by the time of a removal by age."""
        at = data[len(b"---\nforgotten: ") :].partition(b"\n")[0].decode("ascii", "replace")
        return id in self._ids or (self._aged is not None and self._aged.since <= at <= self._aged.at)


def _check_files(where: Home, sizes: list[int], known: _Told) -> Iterator[Finding]:
    for shard in entries(where.blobs):
        if shard.name == FOLDER and shard.is_dir(follow_symlinks=False):
            continue
        if not re.fullmatch("[0-9a-f]{2}", shard.name) or not shard.is_dir(follow_symlinks=False):
            if re.fullmatch(r"\.new-\d+-\d+", shard.name):
                yield warning(
                    "an unfinished file", f"blobs/{shard.name}", "remove the file, unless an agent is running"
                )
            else:
                yield warning("the file does not belong to dotagent", f"blobs/{shard.name}", "move the file away")
            continue
        for entry in entries(Path(shard.path)):
            yield from _check_blob(entry, f"blobs/{shard.name}/{entry.name}", sizes, known)
    for entry in entries(where.blobs / FOLDER):
        yield from _pack(entry, f"blobs/{FOLDER}/{entry.name}", sizes)


def _pack(entry: os.DirEntry[str], place: str, sizes: list[int]) -> Iterator[Finding]:
    if ASIDE.fullmatch(entry.name):
        yield warning("an unfinished file", place, "the next `pack` removes the file")
    elif not NAME.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
        yield warning("the file does not belong to dotagent", place, "move the file away")
    else:
        try:
            pack = PackFile(Path(entry.path))
            for id in pack.ids():
                data = pack.get(id) or b""
                sizes.append(len(data))
                if content_id(data) != id:
                    raise Damaged(place)
        except Damaged:
            yield damage(
                "the pack file, which contains many stored texts, is damaged", place, "restore the file from a backup"
            )
        if entry.stat(follow_symlinks=False).st_mode & 0o077:
            yield warning(
                "other users of this computer can read the files in this directory", place, "chmod -R go= blobs"
            )


def _check_blob(entry: os.DirEntry[str], place: str, sizes: list[int], known: _Told) -> Iterator[Finding]:
    if not ID.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
        yield warning("the file does not belong to dotagent", place, "move the file away")
    elif not place.startswith(f"blobs/{entry.name[:2]}/"):
        yield damage(
            "this blob (stored text) is in the wrong directory", place, f"move the blob to blobs/{entry.name[:2]}/"
        )
    else:
        data = disk.read(entry.path, MOST)
        sizes.append(len(data))
        try:
            if not is_tombstone(data):
                decode(entry.name, data)
            elif remaining_content(entry.name, data) is not None and not known.of(entry.name, data):
                yield warning(
                    f"blob {short(entry.name)} is marked as deleted, but no record of deletions names it", place, FORGED
                )
        except BlobCorrupt:
            yield warning(
                f"blob {short(entry.name)} is corrupt",
                place,
                "remove this damaged file; the findings above list the events that lose their text",
            )
        if entry.stat(follow_symlinks=False).st_mode & 0o077:
            yield warning("other users of this computer can read this file", place, "chmod -R go= blobs")


def forgotten(where: Home) -> Iterator[Finding]:
    """Check that the record of forgetting can be read, and that no removal is unfinished."""
    if ledger.is_unfinished(where):
        do = f"start an agent, which finishes the deletion, or run `{installed.program('forget')}`"
        yield warning("a permanent deletion is not finished yet", ledger.PROMISE, do)
    done = ledger.read(where.root)
    known = {id for one in done for id in one.blobs}
    if (where.root / ledger.FILE).exists() and ledger.is_damaged(where.root):
        yield damage(
            "a line is unreadable",
            ledger.FILE,
            "restore this file from a backup; `restore` needs it so that deleted texts do not come back",
        )
    if aged := ledger.aged(where.root):
        days = ", ".join(f"{name} before {at[:10]}" for name, at in asdict(aged.ages).items() if at)
        yield ok(f"dotagent removed {plural(aged.items, 'event')} because of their age: {days}", ledger.FILE)
    yield from _overdue(where)
    if done := [one for one in done if one.ages == ledger.NEVER]:
        many = plural(sum(one.items for one in done), "sentence")
        yield ok(f"{many} permanently deleted, {plural(len(known), 'blob')} changed", ledger.FILE)


def _overdue(where: Home) -> Iterator[Finding]:
    """Warn about events that are too old by the settings but still exist."""
    try:
        settings = home.settings(where)
    except Misuse:  # reported by another check
        return
    if not settings.retention:
        return
    from dotagent.erasure import retention  # it needs everything that deletes

    if many := retention.find_due(where, settings, datetime.now(UTC) - retention.LATE)[1]:
        told = f"found {plural(many, 'event')} older than the setting [retention] allows"
        do = f"start `{installed.program('clock')}`, which removes these events"
        yield warning(told, "LIFE", f"{do}, or remove them now with `{installed.program('forget')} --old`")
