"""Pack files: what was packed is read as before, what was forgotten is in no byte of them, and damage is never taken
for content."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.store import blob_search, pack_writer
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.pack_files import Damaged, PackFile, names

AT = "2026-11-21T20:17:20.000000Z"
LATER = time.time() + 1e6


@contextmanager
def a_store() -> Iterator[Blobs]:
    """An empty store."""
    with tempfile.TemporaryDirectory() as path:
        (root := Path(path) / "blobs").mkdir()
        yield Blobs(root)


def put(store: Blobs, *texts: str) -> list[str]:
    """The ids of these texts as blobs."""
    return [store.put(text.encode(), at=AT, gist=text[:9], agent="a" * 32) for text in texts]


def pack(store: Blobs) -> pack_writer.Packed:
    """PackFile everything."""
    return pack_writer.write(store.root, pack_writer.loose(store.root, LATER))


def many(count: int) -> list[str]:
    """Texts that have much in common, as those of a life have."""
    return [f"On day {n} the harbour was calm, and the kettle stood beside window {n * n}." for n in range(count)]


def content(path: Path) -> bytes:
    """Everything that can be had from a pack file."""
    there = PackFile(path)
    return b"\n".join([path.read_bytes(), there.words, *(there.get(id) or b"" for id in there.ids())])


@given(st.lists(st.tuples(st.binary(max_size=300), st.booleans()), max_size=12))
def test_blobs_are_read_from_packs_as_from_their_files(made: list[tuple[bytes, bool]]) -> None:
    with a_store() as store:
        kept = dict[str, bytes]()
        for body, packs in made:
            id = store.put(body, at=AT, gist="x")
            kept[id] = store.raw(id)
            if packs:
                pack(store)
        reader = Blobs(store.root)
        assert {id: reader.raw(id) for id in kept} == kept == {id: store.raw(id) for id in kept}
        assert all(blob_search.matching(reader, id[:8]) and reader.has(id) for id in kept)
        assert all(blob_search.find(reader, id[:9]) == id for id in kept)
        pack_writer.undo(store.root)
        assert not names(store.root / "packs")
        assert {id: store.path(id).read_bytes() for id in kept} == kept


def test_a_thousand_blobs_take_one_file_and_less_than_half_of_their_bytes() -> None:
    with a_store() as store:
        ids = put(store, *many(1000))
        done = pack(store)
        assert done.blobs == 1000 and done.packed * 2 < done.size
        assert names(store.root / "packs") == ["000001.pack"]
        assert not any(store.path(id).exists() for id in ids)
        put(store, *many(1100))
        assert pack(store).blobs == 1100  # a small pack is merged into the next one
        assert names(store.root / "packs") == ["000002.pack"]
        assert len(store.packs()[0]) == 1100


def test_what_is_dropped_is_in_no_byte_and_the_rest_stays() -> None:
    with a_store() as store:
        secret, *others = put(store, "The alarm code is 4-7-1-1-zebra.", *many(300))
        pack(store)
        reader = Blobs(store.root)
        assert b"zebra" in reader.raw(secret)
        store.forget(secret, AT)
        assert b"zebra" not in reader.raw(secret)  # the tombstone counts, though the pack still has the text
        assert pack_writer.drop(store.root, {secret}) == 1
        (name,) = names(store.root / "packs")
        assert b"zebra" not in content(store.root / "packs" / name)
        assert all(id in reader.raw(id).decode() or reader.get(id) for id in others)
        assert pack_writer.drop(store.root, {secret}) == 0
        pack(store)
        assert b"zebra" not in reader.raw(secret)  # a tombstone is never packed


def test_a_pack_of_which_nothing_is_left_goes() -> None:
    with a_store() as store:
        ids = put(store, "one", "two")
        pack(store)
        assert pack_writer.drop(store.root, ids) == 1
        assert names(store.root / "packs") == []
        with pytest.raises(BlobMissing):
            store.raw(ids[0])


def test_a_corrupt_file_is_not_packed_and_takes_no_good_blob_with_it() -> None:
    with a_store() as store:
        rotten, good = put(store, "rotten", "good")
        store.path(rotten).write_bytes(b"something else")
        assert pack(store).blobs == 1
        assert store.path(rotten).read_bytes() == b"something else"
        assert store.get(good).body == b"good"
        store.path(good).write_bytes(b"a rotten copy of what is packed")
        put(store, "a third")
        pack(store)  # merges
        store.path(good).unlink()
        assert Blobs(store.root).get(good).body == b"good"


def test_a_blob_that_is_put_again_is_durable_though_its_file_goes_before_the_sync() -> None:
    with a_store() as store:
        (id,) = put(store, "said twice")
        pack(store)
        writer = Blobs(store.root)
        assert put(writer, "said twice") == [id]
        pack(store)
        writer.sync()
        assert not writer.path(id).exists() and writer.get(id).body == b"said twice"


def test_no_flipped_or_missing_byte_is_taken_for_content() -> None:
    with a_store() as store:
        ids = put(store, *many(4))
        pack(store)
        (name,) = names(store.root / "packs")
        path = store.root / "packs" / name
        whole = path.read_bytes()
        before = {id: store.raw(id) for id in ids}
        for at in range(0, len(whole), 7):
            for changed in (whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :], whole[:at]):
                path.write_bytes(changed)
                reader = Blobs(store.root)
                for id in ids:
                    with suppress(BlobCorrupt, BlobMissing):
                        assert reader.get(id) and reader.raw(id) == before[id]
                with suppress(Damaged):
                    assert not PackFile(path).is_whole()


def test_a_young_blob_keeps_its_file() -> None:
    with a_store() as store:
        (id,) = put(store, "just now")
        assert pack_writer.loose(store.root, time.time() - 60) == []
        os.utime(store.path(id), (1e9, 1e9))
        assert [one for one, _ in pack_writer.loose(store.root, time.time() - 60)] == [id]
