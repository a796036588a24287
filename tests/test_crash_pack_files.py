"""Dying at every change to the disk while blobs are packed, unpacked, or dropped from packs: every blob is still there,
and what was to go is gone once the work is done again."""

from __future__ import annotations

from pathlib import Path

import crash
import pytest
from crash import Tale
from deaths import POWER

from dotagent.errors import Trouble
from dotagent.store import blob_search, pack_writer
from dotagent.store.blobs import BlobForgotten, content_id, encode
from dotagent.store.home import Home
from dotagent.store.pack_files import names

AT = "2026-01-01T00:00:00Z"
TEXTS = [f"On day {n} the harbour was calm." for n in range(5)]
SECRET = "The alarm code is zebra."
EVER = 1e12  # seconds since 1970, later than any blob


def put(where: Home, *texts: str) -> list[str]:
    """The ids of these texts as durable blobs."""
    store = where.store()
    made = [store.put(text.encode(), at=AT, gist="x") for text in texts]
    store.sync()
    return made


def fresh(path: Path) -> Home:
    """A home with some blobs that have their own files, and some that are packed."""
    where = crash.fresh(path)
    put(where, SECRET, *TEXTS[:2])
    pack_writer.write(where.blobs, pack_writer.loose(where.blobs, EVER))
    put(where, *TEXTS[2:])
    return where


def pack(where: Home) -> None:
    """Pack the rest, which merges the packs."""
    pack_writer.write(where.blobs, pack_writer.loose(where.blobs, EVER))


def unpack(where: Home) -> None:
    """Make files of all blobs again."""
    pack_writer.undo(where.blobs)


def drop(where: Home) -> None:
    """Have the secret forgotten."""
    (id,) = blob_search.matching(where.store(), secret(where)) or [secret(where)]
    where.store().forget(id, AT)
    pack_writer.drop(where.blobs, {id})


def secret(where: Home) -> str:
    """The id of the secret."""
    return content_id(encode(SECRET.encode(), at=AT, gist="x"))


def there(where: Home) -> list[str]:
    """What is wrong with the blobs that must stay."""
    store, bodies = where.store(), set[str]()
    for id in [id for n in range(256) for id in found(where, f"{n:02x}")]:
        try:
            bodies.add(store.get(id).body.decode())
        except BlobForgotten:
            continue
        except Trouble as lost:
            return [str(lost)]
    return [f"lost: {text}" for text in TEXTS if text not in bodies]


def found(where: Home, shard: str) -> set[str]:
    """The ids of a shard, with their own files or packed."""
    own = where.blobs / shard
    loose = {path.name for path in own.iterdir()} if own.is_dir() else set[str]()
    return loose | {id for one in where.store().packs() for id in one.ids() if id.startswith(shard)}


def packed(where: Home) -> list[str]:
    """What is wrong after packing: everything is in one pack, and nothing half done is left."""
    left = [path.name for path in (where.blobs / "packs").iterdir() if not path.name.endswith(".pack")]
    loose = [id for id, _ in pack_writer.loose(where.blobs, EVER)]
    return there(where) + [f"left: {one}" for one in left] + [f"not packed: {id}" for id in loose]


def unpacked(where: Home) -> list[str]:
    """What is wrong after unpacking: no pack is left."""
    return there(where) + [f"left: {name}" for name in names(where.blobs / "packs")]


def dropped(where: Home) -> list[str]:
    """What is wrong after a removal: a pack still has the secret."""
    kept = [one for one in where.store().packs() if any(b"zebra" in (one.get(id) or b"") for id in one.ids())]
    return there(where) + [f"{one.place} still has it" for one in kept]


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
@pytest.mark.parametrize("work", [(pack, packed), (unpack, unpacked), (drop, dropped)], ids=["pack", "undo", "drop"])
def test_no_death_loses_a_blob(power: str, work: tuple[object, object]) -> None:
    live, verdict = work
    crash.survives(Tale(live, verdict, 1, 1, fresh).everywhere, "crash-pack-files", power)  # type: ignore[arg-type]
