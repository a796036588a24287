"""Keeping forgotten what a backup would bring back: found in it by the record's fingerprints, or its age, and removed.

The record of the home into which it is restored counts, and that of the backup itself, whose own lines were done when
it was made. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent.forgetting import finding, ledger, sweep
from dotagent.store import disk
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home


def forget(unpacked: Home, root: Path, other: bytes = b"") -> tuple[int, str]:
    """Remove from what a backup held, before it is a home's, what was forgotten since it was made, by the record below
    this root and an `other` one; how many sentences, and before which day all went by its age ("": nothing did). The
    records become one, the root's."""
    sweep.finish(unpacked)
    theirs, kept = unpacked.root / ledger.FILE, ledger.ages(unpacked.root)
    there = {one.id for one in ledger.read(unpacked.root)}
    if disk.is_file(theirs):
        ledger.merge(root, disk.read(theirs))
        disk.remove(theirs)
        theirs.parent.rmdir()
    ledger.merge(root, other)
    since = [one for one in ledger.read(root) if one.id not in there]
    said = (
        {passage for text in _texts(unpacked) for passage in ledger.Fingerprints(since).within(text)}
        if since
        else set()
    )
    if said:
        sweep.announce(unpacked, sorted(said), ", ".join(dict.fromkeys(one.by for one in since if one.key)))
        _finish(unpacked, root)
    ages, aged = ledger.ages(root), ledger.aged(root)
    if not aged or ages == kept:
        return len(said), ""
    sweep.announce_aged(unpacked, ages, aged.items, aged.by)
    _finish(unpacked, None)
    return len(said), max(ages.episodes, ages.audit)[:10]


def _finish(unpacked: Home, root: Path | None) -> None:
    """Do what is announced; what its record says becomes the root's, unless that is there."""
    sweep.finish(unpacked)
    theirs = unpacked.root / ledger.FILE
    if root:
        ledger.merge(root, disk.read(theirs))
    disk.remove(theirs)
    theirs.parent.rmdir()


def _texts(where: Home) -> Iterator[str]:
    """All that a home says, in whatever file."""
    store = where.store()
    for id in finding.ids(where):
        try:
            yield store.get(id).body.decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt):
            continue
    for path in finding.files(where.root):
        yield disk.read(where.root / path, sweep.MOST).decode("utf-8", "replace")
