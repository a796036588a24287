"""Rooms as they are written: what a message is, whose it is, and what an append promises."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roomed import AT, HEADING, add, all_of, said, who
from support import ANY_TEXT, together, until, waits, within

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.store import disk, room_completion, rooms
from dotagent.store.rooms import Message, Position
from dotagent.text import names

TEXT = ANY_TEXT | st.lists(
    st.sampled_from(["", " ", "  ", "a", f"[USER:eve {AT}] x", f"[AGENT:9f8e7d6c5b4a {AT}]", "# dev group", "\r", "\0"])
).map("\n".join)


# --- format


@pytest.mark.slow
@given(TEXT, st.sampled_from(["USER", "AGENT"]), st.from_regex(names.PERSON.pattern, fullmatch=True))
@settings(max_examples=200)
def test_a_message_is_one_message_whatever_its_text(tmp_path: Path, text: str, kind: str, name: str) -> None:
    path = tmp_path / "dev.md"
    message = rooms.line_of(kind, name, AT, text)
    path.write_bytes(HEADING + said("before") + message + said("after"))
    first, heard, last = all_of(path)[0]
    assert (heard.kind, heard.name, heard.at) == (kind, name.encode("utf-8", "replace").decode(), AT)
    assert heard.raw == message
    assert (first.raw, last.raw) == (said("before"), said("after"))


@given(TEXT)
def test_positions_between_messages_say_where_to_go_on(tmp_path: Path, text: str) -> None:
    path = tmp_path / "dev.md"
    path.write_bytes(HEADING + said(text) + b"an owner's own line\n\n\n" + said("x", "discord/ana"))
    heard, end = all_of(path)
    assert end == rooms.end(path)
    for number, message in enumerate(heard):
        at = Position(message.end, rooms.mark(message.raw[:-1].rpartition(b"\n")[2]))
        assert all_of(path, at)[0] == heard[number + 1 :]


@pytest.mark.parametrize("name", ["a b", "a:b", "a]b", "[", "", "x" * 101, "a\nb", "a\u00a0b", "a\u3000b", "a\u2028b"])
def test_a_name_that_makes_no_tag_is_refused(name: str) -> None:
    with pytest.raises(Misuse, match="cannot be a name"):
        rooms.line_of("USER", name, AT, "x")


def test_a_long_name_of_many_bytes_does_not_speak_as_the_owner(room: Path) -> None:
    rooms.append(room, said("do as I say", "discord/" + "Ж" * 92))
    assert [message.name for message in all_of(room)[0]] == ["discord/" + "Ж" * 92]


def test_blanks_of_any_script_in_a_tag_are_no_blanks_in_a_name(room: Path) -> None:
    add(room, f"[USER:山田\u3000太郎 {AT}] hi\n[USER:a\u00a0b {AT}] ho\n".encode())
    assert [message.name for message in all_of(room)[0]] == ["山田_太郎", "a_b"]


@pytest.mark.parametrize(
    "line",
    [
        f" [USER:eve {AT}] x", f"[USER:eve {AT}]x", f"[USER:eve {AT} ] x", "[USER:eve] x", f"[user:eve {AT}] x",
        "[USER:eve 2026-11-21 20:17:20] x", f"[ROOT:eve {AT}] x", f"x [USER:eve {AT}] x",
    ],
)  # fmt: skip
def test_what_is_no_tag_is_the_owners(room: Path, line: str) -> None:
    add(room, line.encode() + b"\n")
    assert who(room) == [("", line.encode() + b"\n")]


def test_lines_of_a_message_that_was_torn_stay_its_speakers(room: Path) -> None:
    _, position = all_of(room)
    add(room, said("one\nRUN something bad", "discord/eve")[:-5])
    heard, position = all_of(room, position)
    assert heard[-1].raw.endswith(b"] one\n")
    rooms.append(room, said("and now?"))
    assert who(room, position) == [("discord/eve", b"  RUN something\n"), ("ana", said("and now?"))]
    add(room, b"  a line of ana's message\nowner\n  owner too\n")
    assert who(room)[-2:] == [("ana", said("and now?") + b"  a line of ana's message\n"), ("", b"owner\n  owner too\n")]


def test_far_continuations_find_their_speaker(room: Path) -> None:
    rooms.append(room, said("\n".join(["x" * 1000] * 3000), "discord/eve")[:-1])
    _, position = all_of(room)
    add(room, b"\n  more\n")
    assert [name for name, _ in who(room, position)] == ["discord/eve"]


@pytest.mark.parametrize(
    ("first", "audience"),
    [
        (b"", "private ana"), (b"# dev private\n", "private ana"), (b"# dev private eve\n", "private eve"),
        (b"# dev group\n", "group"), (b"# dev public\n", "group"), (b"# dev Private\n", "group"),
        (b"# dev helper\n", "group"), (b"# dev private ana\r\n", "private ana"), (b"# dev group\r\n", "group"),
        (b"\xef\xbb\xbf# dev group\n", "group"), (b"#\tdev\tgroup", "group"), (b"# dev\n", "private ana"),
        (b"#dev group\n", "private ana"), (b"# dev \xff\n", "group"), (b"[USER:ana x] group\n", "private ana"),
        (b"hello there group\n", "private ana"), (b"\0" * 9000, "private ana"), (b"\n# dev group\n", "private ana"),
    ],
)  # fmt: skip
def test_the_heading_says_who_hears(tmp_path: Path, first: bytes, audience: str) -> None:
    (tmp_path / "dev.md").write_bytes(first)
    assert rooms.audience(tmp_path / "dev.md", "ana") == audience


def test_the_heading_is_no_message_and_only_the_first_line_is_one(tmp_path: Path) -> None:
    path = tmp_path / "dev.md"
    for heading in (b"# dev private\n", b"\xef\xbb\xbf# dev private\n", b"# dev private\r\n"):
        path.write_bytes(heading)
        assert all_of(path) == ([], rooms.end(path))
        add(path, b"# dev group\n")
        assert who(path) == [("", b"# dev group\n")]
        assert rooms.audience(path, "ana") == "private ana"


def test_crlf_rooms(tmp_path: Path) -> None:
    path = tmp_path / "dev.md"
    path.write_bytes((HEADING + said("one\ntwo") + said("", "eve") + b"mine\n").replace(b"\n", b"\r\n"))
    add(path, b"[USER:eve %s]\r\n  not mine\r\n" % AT.encode())
    assert [name for name, _ in who(path)] == ["ana", "eve", "", "eve"]
    assert who(path)[0][1] == said("one\ntwo").replace(b"\n", b"\r\n")


def test_a_lone_cr_a_nul_and_bytes_that_are_no_text_end_no_line(room: Path) -> None:
    line = b"[USER:ana %s] a\rb\x0bc\x1cd\x85e\xe2\x80\xa8f\0g\xff\n" % AT.encode()
    add(room, line)
    assert who(room) == [("ana", line)]


# --- appending


def test_creating_a_room_twice_changes_nothing(room: Path) -> None:
    assert room.read_bytes() == HEADING
    assert not rooms.create(room, "group")
    assert room.read_bytes() == HEADING
    assert sorted(os.listdir(room.parent)) == ["dev.md"]
    assert room.stat().st_mode & 0o777 == 0o600


def test_an_append_begins_a_line_of_its_own(room: Path) -> None:
    add(room, b"written with >> and no end")
    rooms.append(room, said("hello"))
    assert who(room) == [("", b"written with >> and no end\n"), ("ana", said("hello"))]
    room.write_bytes(b"")
    rooms.append(room, said("hello"))
    assert room.read_bytes() == said("hello")


def test_an_unfinished_line_is_heard_once_it_is_finished(room: Path) -> None:
    heard: list[Message] = []
    position = rooms.end(room)
    for byte in said("one\ntwo") + b"by hand\n":
        add(room, bytes([byte]))
        messages, position = all_of(room, position)
        heard += messages
    assert b"".join(message.raw for message in heard) == said("one\ntwo") + b"by hand\n"
    assert [message.name for message in heard] == ["ana", "ana", ""]


def test_appending_where_no_room_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rooms.append(tmp_path / "gone.md", said("x"))
    assert os.listdir(tmp_path) == []
    (tmp_path / "dev.md").mkdir()
    with pytest.raises(OSError) as refused:
        rooms.append(tmp_path / "dev.md", said("x"))
    assert errors.line(refused.value).startswith(f"{tmp_path / 'dev.md'}: Is a directory")


def test_a_full_disk_keeps_what_was_said(room: Path) -> None:
    rooms.append(room, said("before"))

    def fill() -> None:
        with pytest.raises(OSError) as refused:
            rooms.append(room, said("y" * 5000))
        assert errors.line(refused.value).startswith(str(room))

    within(1000, fill)
    rooms.append(room, said("after"))
    assert who(room)[0] == ("ana", said("before"))
    assert who(room)[-1] == ("ana", said("after"))


def test_a_torn_message_is_completed_and_a_whole_one_left(room: Path) -> None:
    message = said("one\ntwo\n[AGENT:x] three", "9f8e7d6c5b4a", "AGENT")
    before = HEADING + said("hi")
    for size in range(len(message) + 1):
        room.write_bytes(before + message[:size])
        room_completion.complete(room, message)
        assert room.read_bytes() == before + message
    add(room, said("later"))
    room_completion.complete(room, message)
    assert room.read_bytes() == before + message + said("later")
    room.write_bytes(before + said("unrelated")[:-3])
    room_completion.complete(room, message)
    assert room.read_bytes() == before + said("unrelated")[:-3] + b"\n" + message


def test_a_tag_is_found_only_at_the_beginning_of_a_line(room: Path) -> None:
    tag = f"[AGENT:9f8e7d6c5b4a {AT}]".encode()
    add(room, said(f"{tag.decode()} x\n{tag.decode()}") + b" " + tag + b"\n")
    assert not room_completion.contains_tag(room, tag)
    for before in (0, 1, (1 << 16) - 60, (1 << 16) - 40, (1 << 16) - 1, 1 << 16, 1 << 17):
        room.write_bytes(HEADING + b"x" * before + b"\n" + tag + b" hi\n" + b"y" * 100_000)
        assert room_completion.contains_tag(room, tag)
    room.write_bytes(tag)
    assert room_completion.contains_tag(room, tag)
    room.write_bytes(b"")
    assert not room_completion.contains_tag(room, tag)


def test_eight_writers_and_a_reader(room: Path) -> None:
    """Every message is heard exactly once and whole, in the order in which its writer wrote."""
    writers, each = 8, 25

    def messages_of(name: str) -> list[bytes]:
        return [said("\n".join([f"{name} {number} {'z' * 700}"] * number), name) for number in range(each)]

    def writer(name: str) -> Callable[[], None]:
        def write() -> None:
            for message in messages_of(name):
                rooms.append(room, message)

        return write

    def follow() -> None:
        heard: list[Message] = []
        place = Position()

        def look() -> bool:
            nonlocal place
            messages, place = all_of(room, place)
            heard.extend(messages)
            return len(heard) >= writers * each

        until(look, room.parent)
        assert all_of(room, place)[0] == []
        for name in (f"w{n}" for n in range(writers)):
            assert [message.raw for message in heard if message.name == name] == messages_of(name)
        assert b"".join(message.raw for message in heard) == room.read_bytes()[len(HEADING) :]

    together(follow, *(writer(f"w{n}") for n in range(writers)))


@pytest.mark.parametrize("other", ["reader", "writer"])
def test_nobody_comes_between_the_halves_of_a_message(room: Path, other: str) -> None:
    """A large message may take more than one write: who reads or appends meanwhile waits."""
    message = said("one\ntwo\nthree")
    with open(room, "ab", buffering=0) as file, disk.locked(file.fileno()):
        file.write(message[:-9])
        child = os.fork()
        if child == 0:
            if other == "writer":
                rooms.append(room, said("other"))
            os._exit(0 if who(room)[0] == ("ana", message) else 1)
        assert waits(child, room)
        file.write(message[-9:])
    assert os.waitpid(child, 0)[1] == 0
    assert room.read_bytes() == HEADING + message + (said("other") if other == "writer" else b"")
