"""Remove content from a backup that was deleted since: found by the record's fingerprints or by age.

It uses the record of the home that is restored into, and the backup's own, whose deletions were complete when the
backup was made. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dotagent.erasure import ledger, matches, sweep, unwritable
from dotagent.store import disk
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home


def forget(unpacked: Home, root: Path, other: bytes = b"") -> tuple[int, str]:
    """Remove content deleted since the backup was made, before the unpacked copy becomes a home. `root` is the home
    whose record applies, `other` another record. Return the number of sentences, and the day before which everything
    was removed by age, or "". The records are merged into the root's."""
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
        by = ", ".join(dict.fromkeys(one.by for one in since if one.key))
        sweep.announce(unpacked, sorted(said), by, _things(unpacked, said))
        _finish(unpacked, root)
    ages, aged = ledger.ages(root), ledger.aged(root)
    if not aged or ages == kept:
        return len(said), ""
    sweep.announce_aged(unpacked, ages, aged.items, aged.by)
    _finish(unpacked, None)
    return len(said), max(ages.episodes, ages.audit)[:10]


def _finish(unpacked: Home, root: Path | None) -> None:
    """Complete an announced deletion, and merge its record into the root's."""
    sweep.finish(unpacked)
    theirs = unpacked.root / ledger.FILE
    if root:
        ledger.merge(root, disk.read(theirs))
    disk.remove(theirs)
    theirs.parent.rmdir()


def _things(where: Home, said: Iterable[str]) -> list[str]:
    """Return the files and folders that contain one of these passages and cannot be rewritten."""
    told = unwritable.matcher(said)
    return list(
        unwritable.things(one for one in unwritable.forms(where.root, where.store(), []) if told.search(one.text))
    )


def _texts(where: Home) -> Iterator[str]:
    """Yield all text of a home, from every file and form."""
    store = where.store()
    yield from (one.text for one in unwritable.forms(where.root, store, []))
    for id in matches.ids(where):
        try:
            yield store.get(id).body.decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt):
            continue
    for path in matches.files(where.root):
        yield disk.read(where.root / path, sweep.MOST).decode("utf-8", "replace")
