"""Rooms that were changed elsewhere than at their end: what is new, what is lost, each once."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roomed import HEADING, said
from support import cpu_of

from dotagent.store import room_edits, rooms

BEFORE = [said(f"message {number}", at=f"2026-11-21T20:17:{number:02}Z") for number in range(20)]
SINCE = "2026-11-21T20:17:19.5Z"


def found(path: Path, data: bytes, known: Sequence[bytes] = BEFORE) -> tuple[list[bytes], list[bytes]]:
    path.write_bytes(data)
    edits = room_edits.find(path, known, SINCE, ())
    assert edits.position == rooms.end(path)
    return [one.raw for one in edits.new], list(edits.lost)


def room_of(*parts: bytes) -> bytes:
    return HEADING + b"".join(parts)


def test_a_corrected_line_and_a_new_one_that_ends_like_the_last(tmp_path: Path) -> None:
    known = [*BEFORE, b"is it blue?\n", b"ok\n"]
    text = room_of(*BEFORE, b"is it really blue?\n", b"ok\n", b"and green?\nok\n")
    assert found(tmp_path / "dev.md", text, known) == ([b"and green?\nok\n"], [])


def test_lines_that_were_saved_over_are_lost(tmp_path: Path) -> None:
    text = room_of(*BEFORE[:17], b"my own line\n")
    assert found(tmp_path / "dev.md", text) == ([b"my own line\n"], BEFORE[17:])


def test_a_message_inserted_above_known_ones_is_new(tmp_path: Path) -> None:
    other = said("from the other machine", at="2026-11-21T20:17:18Z")
    assert found(tmp_path / "dev.md", room_of(*BEFORE[:18], other, *BEFORE[18:])) == ([other], [])
    assert found(tmp_path / "dev.md", room_of(*BEFORE[:18], b"by hand\n", *BEFORE[18:])) == ([b"by hand\n"], [])


def test_a_message_that_was_moved_is_known(tmp_path: Path) -> None:
    assert found(tmp_path / "dev.md", room_of(*BEFORE[:5], *BEFORE[6:], BEFORE[5])) == ([], [])


def test_marks_of_a_conflict_are_no_speech(tmp_path: Path) -> None:
    theirs = said("theirs", at="2026-11-21T20:18:00Z")
    text = room_of(*BEFORE[:19], b"<<<<<<< HEAD\n", BEFORE[19], b"=======\n", theirs, b">>>>>>> abc123\n")
    assert found(tmp_path / "dev.md", text) == ([theirs], [])


def test_other_line_ends_and_blanks_at_line_ends_change_nothing(tmp_path: Path) -> None:
    text = room_of(*BEFORE, b"new\n").replace(b"\n", b"\r\n")
    assert found(tmp_path / "dev.md", text) == ([b"new\r\n"], [])
    assert found(tmp_path / "dev.md", room_of(*BEFORE).replace(b"\n", b"  \n")) == ([], [])


@pytest.mark.parametrize("encode", [
    lambda text: text.encode("latin-1"), lambda text: unicodedata.normalize("NFD", text).encode(),
])  # fmt: skip
def test_a_line_in_another_encoding_is_no_news(tmp_path: Path, encode: Callable[[str], bytes]) -> None:
    known = [*BEFORE, "schöne Grüße, bis später\n".encode(), said("ja", at="2026-11-21T20:17:30Z")]
    assert found(tmp_path / "dev.md", encode(room_of(*known).decode()), known) == ([], [])


@pytest.mark.parametrize(
    "before, after", [("Привет, как твои дела?", "Привет, как дела?"), ("今日は何を食べますか", "今日は何を食べようか")]
)
def test_a_corrected_line_of_any_script_is_no_news(tmp_path: Path, before: str, after: str) -> None:
    known = [*BEFORE, f"{before}\n".encode(), said("yes", at="2026-11-21T20:17:30Z")]
    assert found(tmp_path / "dev.md", room_of(*known).replace(before.encode(), after.encode()), known) == ([], [])


def test_a_room_begun_anew_is_new_and_an_old_version_is_not(tmp_path: Path) -> None:
    assert found(tmp_path / "dev.md", room_of(b"let us begin anew\n")) == ([b"let us begin anew\n"], BEFORE)
    old = [said(f"older {number}", at="2026-11-20T20:17:20Z") for number in range(50)]
    assert found(tmp_path / "dev.md", room_of(*old, b"by hand\n")) == ([b"by hand\n"], BEFORE)


def test_what_stands_before_all_that_is_known_is_old(tmp_path: Path) -> None:
    old = [b"ok\n", b"fine\n"] * 2000
    text = room_of(*old, *BEFORE[:3], *BEFORE[4:], b"new\n")
    assert found(tmp_path / "dev.md", text) == ([b"new\n"], BEFORE[3:4])
    assert found(tmp_path / "dev.md", text, [b"ok\n", *BEFORE]) == ([b"new\n"], BEFORE[3:4])


@pytest.mark.night
def test_an_edit_in_the_middle_of_a_large_room_is_placed_fast(tmp_path: Path) -> None:
    old = [said(f"line {number}", at="2026-11-20T20:17:20Z") for number in range(100_000)]
    text = room_of(*old[:50_000], b"corrected\n", *old[50_001:], b"new\n")
    (tmp_path / "dev.md").write_bytes(text)

    def find() -> room_edits.Edits:
        return room_edits.find(tmp_path / "dev.md", old[-200:], "2026-11-20T20:17:20Z", ())

    assert cpu_of(find, 0.1) < 0.1  # 4 MB
    assert [one.raw for one in find().new] == [b"new\n"]


WORDS = st.sampled_from([b"ok\n", b"yes\n", b"what of the boat?\n", b"hm\n"])


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6), st.data())
def test_whatever_is_inserted_is_heard_once_and_whatever_is_removed_is_lost(
    tmp_path: Path, own: list[bytes], added: list[bytes], data: st.DataObject
) -> None:
    """Each tagged message that is removed is lost, each that is inserted is new, whatever untagged lines repeat."""
    known = [*BEFORE, *own]
    removed = data.draw(st.sets(st.integers(1, 19), max_size=8))
    place = data.draw(st.integers(0, 20 - len(removed)))
    kept = [one for number, one in enumerate(BEFORE) if number not in removed]
    fresh = [said(f"fresh {number}", at=f"2026-11-21T20:18:{number:02}Z") for number in range(3)]
    new, lost = found(tmp_path / "dev.md", room_of(*kept[:place], *fresh, *kept[place:], *own, *added), known)
    assert lost == [one for number, one in enumerate(BEFORE) if number in removed]
    lines = [line for raw in new for line in raw.split(b"\n")[:-1]]
    assert sorted(lines) == sorted(one[:-1] for one in [*fresh, *added])


@pytest.mark.parametrize("size", [0, 1, 7])
def test_nothing_known_and_nothing_there(tmp_path: Path, size: int) -> None:
    assert found(tmp_path / "dev.md", HEADING[:size], []) == ([], [])
