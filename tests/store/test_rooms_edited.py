"""Rooms that a person's editor changed, cut or wrote anew: reading goes on from the right place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from roomed import HEADING, add, all_of, said, save, who
from support import waits

from dotagent import errors
from dotagent.store import disk, rooms
from dotagent.store.rooms import Position


def test_appending_follows_the_name_to_a_file_that_was_saved_anew(room: Path) -> None:
    """An editor saves by rename while a writer waits: whoever gets the lock of the old file looks again."""
    with open(room, "rb") as old, disk.locked(old.fileno()):
        child = os.fork()
        if child == 0:
            rooms.append(room, said("hello"))
            os._exit(0)
        assert waits(child, room)
        save(room, HEADING + b"edited\n")
    assert os.waitpid(child, 0)[1] == 0
    assert room.read_bytes() == HEADING + b"edited\n" + said("hello")


def test_an_editor_that_changes_what_was_heard_and_adds(room: Path) -> None:
    rooms.append(room, said("first"))
    rooms.append(room, said("second"))
    _, position = all_of(room)
    save(room, room.read_bytes().replace(b"first", b"the very first") + b"by hand\n")
    assert who(room, position) == [("", b"by hand\n")]
    _, position = all_of(room, position)
    save(room, room.read_bytes().replace(said("second"), b"") + b"more\n")
    assert who(room, position) == [("", b"more\n")]


def test_a_place_that_looks_the_same_is_told_apart(room: Path) -> None:
    """The offset ends a line there too, but another one; or the line only begins as the one that was heard."""
    add(room, b"one\ntwo\n")
    _, position = all_of(room)
    save(room, HEADING + b"new\none\ntwo\nyes\n")
    assert who(room, position) == [("", b"yes\n")]
    save(room, HEADING + b"one\ntwo or three\n")
    assert rooms.read(room, position) is None


def test_blank_lines_are_no_place_to_go_on_from(room: Path) -> None:
    add(room, b"one\n\n\n")
    heard, position = all_of(room)
    assert [message.raw for message in heard] == [b"one\n"]
    save(room, b"# dev private\nan insertion\none\n\ntwo\n\nthree\n\n\n")
    assert [raw for _, raw in who(room, position)] == [b"two\n\nthree\n"]


def test_a_place_that_is_gone_is_found_by_an_earlier_line(room: Path) -> None:
    texts = [said(f"number {n}") for n in range(5)]
    add(room, b"".join(texts))
    _, position = all_of(room)
    marks = [rooms.mark(text[:-1]) for text in reversed(texts)]
    save(room, HEADING + b"intro\n" + b"".join(texts[:3]) + said("new"))
    found = rooms.read(room, position, marks)
    assert found
    assert [message.raw for message in found[0]] == [said("new")]
    assert rooms.read(room, position) is None


@pytest.mark.parametrize("left", [b"", HEADING, b"something else\n", b"no end"])
def test_a_room_that_was_cut_or_written_anew_is_told_apart(room: Path, left: bytes) -> None:
    add(room, said("one") + said("two"))
    _, position = all_of(room)
    with open(room, "r+b") as file:
        file.truncate(0)
        file.write(left)
    assert rooms.read(room, position) is None
    assert rooms.read(room, rooms.end(room)) == ([], rooms.end(room))


def test_a_room_cut_within_what_was_heard(room: Path) -> None:
    texts = [said(f"number {n}") for n in range(5)]
    add(room, b"".join(texts))
    _, position = all_of(room)
    os.truncate(room, len(HEADING + texts[0] + texts[1]) + 10)
    found = rooms.read(room, position, [rooms.mark(text[:-1]) for text in reversed(texts)])
    assert found == ([], Position(len(HEADING + texts[0] + texts[1]), rooms.mark(texts[1][:-1])))


def test_a_room_that_is_gone(room: Path) -> None:
    room.unlink()
    for ask in (lambda: rooms.read(room, Position()), lambda: rooms.end(room), lambda: rooms.audience(room, "ana")):
        with pytest.raises(FileNotFoundError) as gone:
            ask()
        assert str(room) in errors.line(gone.value)
