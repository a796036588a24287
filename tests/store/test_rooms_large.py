"""Rooms and messages of many megabytes: read in parts, with little memory."""

from __future__ import annotations

import os
import resource
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roomed import AT, HEADING, add, all_of, said, save, who
from support import together

from dotagent.store import room_completion, rooms
from dotagent.store.rooms import Position


@pytest.mark.night
def test_in_a_large_room_written_anew_the_place_is_looked_for_near_the_end(room: Path) -> None:
    """Hashing every line of a gigabyte took half a minute: of what is far from the end nothing is read."""
    early, late = said("early"), said("late")
    large = b"".join(bytes([65 + n % 26]) * (1 << 20) + b"\n" for n in range(66))
    save(room, HEADING + b"moved\n" + early + large + late + said("new"))
    moved = [Position(7, rooms.mark(text[:-1])) for text in (early, late)]
    assert rooms.read(room, moved[0]) is None
    found = rooms.read(room, moved[1])
    assert found and [message.raw for message in found[0]] == [said("new")]


def test_a_message_is_found_in_a_large_room_with_little_memory(room: Path) -> None:
    one = said("one") + b"  two\n"
    save(room, HEADING + b"x\n" + one + (b"y" * 1023 + b"\n") * (20 << 10))
    tracemalloc.start()
    try:
        assert room_completion.contains_tag(room, one) and not room_completion.contains_tag(room, said("three"))
        assert not room_completion.contains_tag(room, one[1:]) and not room_completion.contains_tag(room, b"  three\n")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert room_completion.contains_tag(room, HEADING) and room_completion.contains_tag(
        room, (b"y" * 1023 + b"\n") * 3000
    )


def test_the_last_messages_are_those_before_a_place(room: Path) -> None:
    texts = [said(f"{n}\n" + "\n".join(["x" * 90] * 100)) for n in range(200)]
    add(room, b"".join(texts))
    stop = rooms.end(room).offset
    assert [message.raw for message in rooms.last(room, 20, stop)] == texts[-20:]
    assert [message.raw for message in rooms.last(room, 5, stop - len(texts[-1]))] == texts[-6:-1]
    assert rooms.last(room, 9999, stop)[-1].end == stop
    assert all(message.name == "ana" for message in rooms.last(room, 9999, stop))
    assert rooms.last(room, 20, 0) == []


@given(
    st.lists(st.tuples(st.sampled_from(["said", "plain", "blank", "nul"]), st.sampled_from([1, 9, 999])), max_size=20),
    st.integers(0, 9),
    st.sampled_from([b"", b"torn", b"  torn"]),
)
def test_messages_from_the_end_are_the_same_as_from_the_beginning(
    blocks: list[tuple[str, int]], count: int, torn: bytes
) -> None:
    forms = {"plain": b"a line that somebody wrote\n", "blank": b"\n", "nul": b"\0\n"}
    whole = b"".join(forms[how] * size if how in forms else said("in several lines\n" * size) for how, size in blocks)
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder) / "dev.md"
        room.write_bytes(HEADING + whole + torn)
        there = all_of(room)[0]
        assert rooms.last(room, count, room.stat().st_size) == there[max(0, len(there) - count) :]


def test_the_last_messages_cost_the_same_in_a_room_of_any_size(room: Path) -> None:
    add(room, said("one of very many") * 40_000)
    tracemalloc.start()
    try:
        assert len(rooms.last(room, 2, room.stat().st_size)) == 2
        assert tracemalloc.get_traced_memory()[1] < 1 << 18
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_reading_in_parts_is_reading_whole(room: Path) -> None:
    texts = [said(f"{n}\n" + "\n".join("y" * 50 for _ in range(n % 700))) for n in range(300)]
    texts.insert(100, said("\n".join("a large one" for _ in range(300_000))))
    texts.insert(150, b"\n" * (1 << 21))
    add(room, b"".join(texts))
    assert [message.raw for message in all_of(room)[0]] == [text for text in texts if text.strip()]


def measured(work: Callable[[], None], seconds: float, megabytes: int) -> None:
    """Do the work in a process of its own, within so much CPU time and so much more memory than now."""

    def run() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.process_time()
        work()
        took = time.process_time() - began
        grew = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
        assert took < 5 * seconds, f"{took:.2f} s"  # what is quadratic takes minutes, however slow the machine
        assert grew < megabytes, f"{grew} MB"

    together(run)


@pytest.mark.night
def test_a_line_of_fifty_megabytes(room: Path) -> None:
    line = said("x" * 50_000_000)
    add(room, line + b"next\n")

    def hear() -> None:
        (large,) = all_of(room)[0][:1]
        assert (large.name, len(large.raw)) == ("ana", len(line))
        place = Position(large.end, rooms.mark(large.raw[:-1]))
        assert who(room, place) == [("", b"next\n")]
        assert rooms.last(room, 20, large.end) == []

    measured(hear, 1.0, 400)


@pytest.mark.night
def test_a_message_of_many_megabytes_is_heard_in_pieces(room: Path) -> None:
    row = b"  " + b"x" * 8000 + b"\n"
    add(room, said("large", "discord/eve") + row * 9000 + said("next"))

    def hear() -> None:
        heard = all_of(room)[0]
        assert [message.name for message in heard] == ["discord/eve", "discord/eve", "ana"]
        assert sum(message.raw.count(row) for message in heard) == 9000
        assert heard[-1].raw == said("next")

    measured(hear, 3.0, 800)


@pytest.mark.night
def test_a_room_of_a_gigabyte(room: Path) -> None:
    """A hole of NULs without an end of line: what is behind it is heard, and what it is is said in one line."""
    add(room, said("before"))
    _, position = all_of(room)
    os.truncate(room, 1 << 30)
    assert all_of(room, position) == ([], position)
    rooms.append(room, said("after", "9f8e7d6c5b4a", "AGENT"))

    def hear() -> None:
        hole, after = all_of(room, position)[0]
        assert b"this line has 1,073,741" in hole.raw
        assert len(hole.raw) < 2 << 20
        assert after.raw == said("after", "9f8e7d6c5b4a", "AGENT")
        assert after.end == rooms.end(room).offset == room.stat().st_size

    def look() -> None:
        assert room_completion.contains_tag(room, f"[AGENT:9f8e7d6c5b4a {AT}]".encode())
        assert [message.name for message in rooms.last(room, 20, rooms.end(room).offset)] == ["9f8e7d6c5b4a"]
        assert who(room, rooms.end(room)) == []
        rooms.append(room, said("quick"))

    measured(hear, 1.0, 150)
    measured(look, 0.2, 20)
