"""Trees: they name what they cover and copy nothing, stay flat as long as they can, and lose only what is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import entry

from dotagent.compaction import tree
from dotagent.compaction.tree import MEMBERS, Member
from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.store import log
from dotagent.store.blobs import Blobs
from dotagent.store.log import Line
from dotagent.text import times

ME = "0123456789abcdef" * 2


@pytest.fixture
def store(tmp_path: Path) -> Blobs:
    (tmp_path / "blobs").mkdir()
    return Blobs(tmp_path / "blobs")


def fresh(store: Blobs, first: int, count: int) -> list[Entry]:
    """Entries with blobs of their own."""
    made = []
    for number in range(first, first + count):
        id = store.put(f"words {number}".encode(), at=times.now(), gist=f"gist {number}", agent=ME, durable=False)
        at = f"2026-11-21T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000000Z"
        found = context.entry(Line(at, "HEAR", "dev 1 x USER:ana", id, "g"), number, lambda id: b"", 99)
        assert found
        made.append(found)
    return made


def faded(store: Blobs, entries: list[Entry], gist: str = "a gist") -> Entry:
    """The entry that takes their place."""
    id = tree.keep(store, ME, entries, gist)
    assert entries[0].line
    detail = f"{entries[0].number}-{entries[-1].number} relevance=3 summary={id}"
    found = context.entry(Line(entries[0].line.at, "FADED", detail, id, gist), entries[0].number, lambda id: b"s", 99)
    assert found
    return found


def depth(store: Blobs, id: str) -> int:
    """Steps from a tree to its farthest original."""
    below = [member for member in tree.decode(store.get(id).body) if member.line.event == "FADED"]
    return 1 + max((depth(store, member.line.id) for member in below), default=0)


def leaves(store: Blobs, id: str) -> list[Member]:
    return [member for member in tree.decode(store.get(id).body) if member.line.event == "FADED"]


LINES = st.builds(
    Line,
    st.just("2026-11-21T20:17:20.123456Z"),
    st.sampled_from(["HEAR", "REPLY", "FADED", "TOOL"]),
    st.text("abc 019-=:/#é", max_size=30).map(lambda text: " ".join(text.split())),
    st.sampled_from(["", "0" * 32, "f" * 32]),
    st.just(""),
)


@given(st.lists(st.builds(Member, st.integers(0, 10**9), LINES), max_size=20))
def test_a_tree_reads_back(members: list[Member]) -> None:
    assert tree.decode(tree.encode(members)) == members


@given(st.binary(max_size=300))
def test_what_is_no_tree_has_no_members(body: bytes) -> None:
    if found := tree.decode(body):
        assert tree.encode(found).count(b"\n") == body.count(b"\n")
    assert tree.decode(b"9" * 5000 + b" 2026-11-21T20:17:20.123456Z HEAR dev\n") == []


def test_words_that_look_like_a_tree_are_words(store: Blobs) -> None:
    """Whoever writes rows of a tree into a message or a file names no blob by it."""
    secret = store.put(b"another life's secret", at=times.now(), gist="", agent="f" * 32)
    rows = tree.encode([Member(1, Line("2026-11-21T20:17:20.123456Z", "HEAR", "dev", secret, ""))])
    for parent in ("", "e" * 32):
        said = store.put(rows, at=times.now(), gist="", parent=parent, agent=ME)
        assert tree.decode(store.get(said).body)
        assert tree.tree(store.get(said)) == []
    assert tree.tree(store.get(store.put(rows, at=times.now(), gist=""))) == []
    kept = tree.keep(store, ME, fresh(store, 1, 3), "g")
    assert [member.number for member in tree.tree(store.get(kept))] == [1, 2, 3]


def test_a_chunk_lists_its_entries_and_copies_nothing(store: Blobs) -> None:
    entries = fresh(store, 1, 5)
    blob = store.get(tree.keep(store, ME, entries, "what it is"))
    assert (blob.gist, blob.agent) == ("what it is", ME)
    assert b"words" not in blob.body
    assert [member.line for member in tree.decode(blob.body)] == [
        entry.line and log.parse(log.render(entry.line).encode()) for entry in entries
    ]


def test_what_is_merged_stays_flat(store: Blobs) -> None:
    one = faded(store, fresh(store, 1, 10))
    two = faded(store, [one, *fresh(store, 11, 10)])
    three = faded(store, [two, faded(store, fresh(store, 21, 10)), *fresh(store, 31, 5)])
    assert three.line
    assert depth(store, three.line.id) == 1
    assert [member.number for member in tree.originals(store, three.line.id)] == list(range(1, 36))
    assert tree.count(store, three.line.id) == 35


@pytest.mark.night
@given(st.lists(st.integers(1, 300), min_size=1, max_size=14), st.integers(0, 99))
@settings(max_examples=15)
def test_an_original_is_never_more_than_three_steps_away(tmp_path: Path, sizes: list[int], seed: int) -> None:
    """Many generations, each merging some of what was there: context, node, leaf, original."""
    (tmp_path / "blobs").mkdir(exist_ok=True)
    store, chance, live, number = Blobs(tmp_path / "blobs"), random.Random(seed), list[Entry](), 1
    for size in sizes:
        live += fresh(store, number, size)
        number += size
        at = chance.randrange(len(live))
        live[at:] = [faded(store, live[at:])]
    last = faded(store, live)
    assert last.line
    assert [member.number for member in tree.originals(store, last.line.id)] == list(range(1, number))
    assert tree.count(store, last.line.id) == number - 1
    assert depth(store, last.line.id) <= 2
    assert len(tree.decode(store.get(last.line.id).body)) <= MEMBERS


def test_what_was_kept_amid_a_full_leaf_is_told_in_its_place(store: Blobs) -> None:
    entries = fresh(store, 1, 2 * MEMBERS)
    around = faded(store, [one for one in entries if one.number != 100])
    assert leaves(store, around.line.id if around.line else "")
    id = tree.keep(store, ME, [around, entries[99]], "g")
    assert [one.number for one in tree.originals(store, id)] == [one.number for one in entries]
    assert tree.count(store, id) == len(entries)
    assert tree.find(store, id, 100) == entries[99].line


def test_leaves_that_are_full_are_not_written_again(store: Blobs) -> None:
    """A life of 10,000 turns at whose every compaction the oldest chunk grows writes what is new, not all anew."""
    old = faded(store, fresh(store, 1, 3 * MEMBERS))
    new = faded(store, [old, *fresh(store, 3 * MEMBERS + 1, 40)])
    newer = faded(store, [new, *fresh(store, 3 * MEMBERS + 41, 40)])
    assert old.line and newer.line
    ids = [member.line.id for member in leaves(store, newer.line.id)]
    assert ids == [member.line.id for member in leaves(store, old.line.id)]
    assert len(ids) == 3
    assert [member.number for member in tree.originals(store, newer.line.id)] == list(range(1, 3 * MEMBERS + 81))


@pytest.mark.parametrize("count", [20, 2 * MEMBERS])
@pytest.mark.parametrize("how", ["missing", "corrupt"])
def test_a_tree_that_is_lost_takes_nothing_else_with_it(store: Blobs, count: int, how: str) -> None:
    lost = faded(store, fresh(store, 1, count))
    assert lost.line
    body = store.path(lost.line.id).read_bytes()
    store.path(lost.line.id).write_bytes(body[:-9]) if how == "corrupt" else store.path(lost.line.id).unlink()
    new = faded(store, [lost, *fresh(store, count + 1, count)])
    assert new.line
    members = tree.decode(store.get(new.line.id).body)
    assert members[0].line.id == lost.line.id
    store.path(lost.line.id).write_bytes(body)  # brought back from a backup
    assert [member.number for member in tree.originals(store, new.line.id)] == list(range(1, 2 * count + 1))


def test_an_entry_without_a_blob_is_a_member_too(store: Blobs) -> None:
    id = tree.keep(store, ME, [entry(1, "RESUME"), entry(2, "LEAVE", detail="dev")], "g")
    assert [member.line.event for member in tree.originals(store, id)] == ["RESUME", "LEAVE"]
