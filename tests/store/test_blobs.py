"""Blobs: the bytes that went in come out or are named as lost; every program that reads the format agrees on ids."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT, ROOT, noted, together, within

from dotagent.errors import line
from dotagent.store import blob_search
from dotagent.store.blob_search import Ambiguous
from dotagent.store.blobs import BlobCorrupt, BlobForgotten, BlobMissing, Blobs, encode, tombstone

AT = "2026-11-21T20:17:20.123456Z"


@pytest.fixture
def store(tmp_path: Path) -> Blobs:
    (tmp_path / "blobs").mkdir()
    return Blobs(tmp_path / "blobs")


def golden() -> tuple[str, bytes]:
    """The id and the bytes of the example in the docs."""
    page = (ROOT / "docs" / "files.md").read_text("utf-8")
    found = re.search(r"`([0-9a-f]{32})`, a blob of (\d+) bytes:\n\n((?:    .*\n)+)", page)
    assert found, "docs/files.md has no golden example"
    data = re.sub(r"^    ", "", found[3], flags=re.MULTILINE).encode()
    assert len(data) == int(found[2])
    return found[1], data


def test_the_docs_example_has_the_id_that_they_promise(store: Blobs) -> None:
    id, data = golden()
    assert blake3(data).hexdigest()[:32] == id
    head, _, body = data.partition(b"\n---\n")
    fields = dict(row.split(": ", 1) for row in head.decode().split("\n")[1:])
    assert store.put(body, **fields) == id
    assert store.path(id).read_bytes() == data


@pytest.mark.skipif(not shutil.which("b3sum"), reason="no b3sum on this machine")
def test_b3sum_agrees(store: Blobs) -> None:
    id, data = golden()
    told = subprocess.run(["b3sum", "--no-names"], input=data, capture_output=True, check=True).stdout
    assert told.decode().startswith(id)


@given(body=st.binary() | st.just(b"---\nat: x\n---\n") | st.just(b"\n---\n\0\xff"), gist=ANY_TEXT)
def test_what_is_put_is_what_is_got(body: bytes, gist: str, tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir(exist_ok=True)
    store = Blobs(tmp_path / "blobs")
    id = store.put(body, at=AT, gist=gist, parent="a" * 32, agent="b" * 32)
    data = store.path(id).read_bytes()
    blob = store.get(id)
    assert blob.body == body
    assert (blob.id, blob.at, blob.parent, blob.agent) == (id, AT, "a" * 32, "b" * 32)
    assert blake3(data).hexdigest()[:32] == id
    assert data == encode(body, at=AT, gist=blob.gist, parent="a" * 32, agent="b" * 32)
    assert "\n" not in blob.gist
    assert not set("◱◲") & set(blob.gist)
    assert len(blob.gist) <= 80


def test_files_are_their_owners_only(store: Blobs) -> None:
    path = store.path(store.put(b"x", at=AT, gist="x"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.parent.parent == store.root


def test_every_cut_and_every_flipped_byte_is_found(store: Blobs) -> None:
    id = store.put(b"some body", at=AT, gist="g")
    whole = store.path(id).read_bytes()
    damaged = [whole[:size] for size in range(len(whole))]
    damaged += [bytes(b ^ (i == n) for i, b in enumerate(whole)) for n in range(len(whole))]
    damaged += [whole + b"\n", b"\0" * len(whole)]
    for data in damaged:
        store.path(id).write_bytes(data)
        with pytest.raises(BlobCorrupt, match=f"{id[:12]}.*{id}"):
            store.get(id)


def test_a_file_that_hashes_to_its_name_but_is_no_blob(store: Blobs) -> None:
    for data in (b"", b"hello", b"---\nat: x\n---\nbody"):
        id = blake3(data).hexdigest()[:32]
        store.path(id).parent.mkdir(exist_ok=True)
        store.path(id).write_bytes(data)
        with pytest.raises(BlobCorrupt, match="first lines are missing"):
            store.get(id)


def test_what_a_tombstone_has_left_is_found_changed(store: Blobs) -> None:
    id = store.put(b"gone", at=AT, gist="g")
    for left, found in ((encode(b"left", at=AT, gist="g"), b"left"), (b"", None)):
        whole = tombstone(AT, left)
        store.path(id).write_bytes(whole)
        if found:
            assert store.get(id).body == found
        else:
            with pytest.raises(BlobForgotten, match="as the owner asked"):
                store.get(id)
        store.path(id).write_bytes(whole + b"!")
        with pytest.raises(BlobCorrupt, match="deletion mark"):
            store.get(id)


def test_something_else_where_a_blob_should_be(store: Blobs) -> None:
    id = store.put(b"x", at=AT, gist="g")
    store.path(id).unlink()
    with pytest.raises(BlobMissing, match=id):
        store.get(id)
    store.path(id).mkdir()
    with pytest.raises(BlobCorrupt, match=id):
        store.get(id)
    with pytest.raises(OSError) as refused:
        store.put(b"x", at=AT, gist="g")
    assert str(store.path(id)) in line(refused.value)
    assert "directory" in line(refused.value)
    assert [name for name in os.listdir(store.root) if name.startswith(".")] == []
    shutil.rmtree(store.path(id).parent)
    store.path(id).parent.write_bytes(b"a file")
    with pytest.raises(BlobCorrupt, match=id):
        store.get(id)
    with pytest.raises(OSError) as refused:
        Blobs(store.root).put(b"x", at=AT, gist="g")
    assert f"{store.path(id).parent}: " in line(refused.value)


def test_unfinished_files_lie_in_blobs_itself(store: Blobs) -> None:
    with noted("open") as opened:
        ids = [store.put(b"%d" % n, at=AT, gist="g") for n in range(50)]
    made = [Path(str(path)) for path, _, flags in opened if isinstance(flags, int) and flags & os.O_CREAT]
    assert len(made) == 50
    assert {path.parent for path in made} == {store.root}
    assert sum(len(names) for _, _, names in os.walk(store.root)) == len(set(ids)) == 50


def test_what_a_dead_process_left_is_in_nobodys_way(store: Blobs) -> None:
    for number in range(1000):
        (store.root / f".new-{os.getpid()}-{number}").write_bytes(b"left")
    id = store.put(b"x", at=AT, gist="g")
    assert store.get(id).body == b"x"
    assert len(list(store.root.glob(".new-*"))) == 1000


def test_a_prefix_of_eight_or_more_finds_it(store: Blobs) -> None:
    ids = [store.put(b"%d" % n, at=AT, gist="g") for n in range(200)]
    for id in ids[:20]:
        assert [blob_search.find(store, id[:size]) for size in (8, 12, 31, 32)] == [id] * 4
    for bad in (ids[0][:7], ids[0].upper(), "", "../../etc", ids[0] + "0", "ab/cd1234", "\n" * 8, "◱" * 8):
        with pytest.raises(BlobMissing, match="8 to 32 hex digits"):
            blob_search.find(store, bad)
    unknown = next(f"{n:08x}" for n in range(1 << 20) if not any(id.startswith(f"{n:08x}") for id in ids))
    with pytest.raises(BlobMissing, match=unknown):
        blob_search.find(store, unknown)
    with pytest.raises(BlobMissing):
        blob_search.find(store, "0123456789abcdef" * 2)


def test_an_ambiguous_prefix_lists_the_candidates(store: Blobs) -> None:
    ids = [f"abcdef01{n}{0:023x}" for n in range(10)]
    (store.root / "ab").mkdir()
    for id in ids[:2]:
        store.path(id).write_bytes(b"")
    with pytest.raises(Ambiguous, match=f"{ids[0]}, {ids[1]}$"):
        blob_search.find(store, "abcdef01")
    assert blob_search.find(store, ids[1]) == blob_search.find(store, "abcdef011") == ids[1]
    for id in ids[2:]:
        store.path(id).write_bytes(b"")
    with pytest.raises(Ambiguous, match=r"…$"):
        blob_search.find(store, "abcdef01")


def test_a_lookup_lists_one_shard(store: Blobs) -> None:
    ids = [store.put(b"%d" % n, at=AT, gist="g") for n in range(400)]
    assert len(os.listdir(store.root)) > 100
    with noted("os.listdir", "os.scandir", "open") as looked:
        assert blob_search.find(store, ids[7][:12]) == ids[7]
    assert [Path(str(path)) for path, *_ in looked] == [store.path(ids[7]).parent]


def test_a_full_disk_loses_nothing_and_leaves_nothing(store: Blobs) -> None:
    small = store.put(b"small", at=AT, gist="g")

    def fill() -> None:
        with pytest.raises(OSError) as refused:
            store.put(b"x" * 100_000, at=AT, gist="g")
        assert str(store.root) in line(refused.value)
        assert store.get(store.put(b"y", at=AT, gist="g")).body == b"y"

    within(50_000, fill)
    assert store.get(small).body == b"small"
    assert list(store.root.glob(".new-*")) == []


def test_many_processes_put_the_same(store: Blobs) -> None:
    def put() -> None:
        mine = Blobs(store.root)
        for n in range(50):
            mine.get(mine.put(b"body %d" % n, at=AT, gist="g"))
        mine.sync()

    together(*[put] * 8)
    found = [name for _, _, names in os.walk(store.root) for name in names]
    assert len(found) == 50
    assert all(store.get(id).id == id for id in found)


def test_sync_after_a_blob_has_gone_says_which(store: Blobs) -> None:
    path = store.path(store.put(b"x", at=AT, gist="g"))
    path.unlink()
    with pytest.raises(FileNotFoundError) as lost:
        store.sync()
    assert str(path) in line(lost.value)
