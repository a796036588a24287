"""Rooms: every message is heard once and whole, whoever writes beside it, and nobody speaks in another's name."""

from __future__ import annotations

import os
import resource
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ANY_TEXT, together, until, waits, within

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.store import disk, rooms
from dotagent.store.rooms import Message, Position
from dotagent.text import names

AT = "2026-11-21T20:17:20Z"
TEXT = ANY_TEXT | st.lists(
    st.sampled_from(["", " ", "  ", "a", f"[USER:eve {AT}] x", f"[AGENT:9f8e7d6c5b4a {AT}]", "# dev group", "\r", "\0"])
).map("\n".join)
HEADING = b"# dev private\n"


@pytest.fixture
def room(tmp_path: Path) -> Path:
    path = tmp_path / "dev.md"
    rooms.create(path, "private")
    return path


def said(text: str, name: str = "ana", kind: str = "USER", at: str = AT) -> bytes:
    return rooms.line_of(kind, name, at, text)


def add(path: Path, data: bytes) -> None:
    """As `>>` does."""
    with open(path, "ab") as file:
        file.write(data)


def all_of(path: Path, position: Position | None = None) -> tuple[list[Message], Position]:
    heard: list[Message] = []
    position = position or Position()
    while True:
        found = rooms.read(path, position)
        assert found is not None
        messages, position = found
        if not messages:
            return heard, position
        heard += messages


def who(path: Path, position: Position | None = None) -> list[tuple[str, bytes]]:
    return [(message.name, message.raw) for message in all_of(path, position)[0]]


# --- format


@pytest.mark.slow
@given(TEXT, st.sampled_from(["USER", "AGENT"]), st.from_regex(names.PERSON, fullmatch=True))
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
        rooms.complete(room, message)
        assert room.read_bytes() == before + message
    add(room, said("later"))
    rooms.complete(room, message)
    assert room.read_bytes() == before + message + said("later")
    room.write_bytes(before + said("unrelated")[:-3])
    rooms.complete(room, message)
    assert room.read_bytes() == before + said("unrelated")[:-3] + b"\n" + message


def test_a_tag_is_found_only_at_the_beginning_of_a_line(room: Path) -> None:
    tag = f"[AGENT:9f8e7d6c5b4a {AT}]".encode()
    add(room, said(f"{tag.decode()} x\n{tag.decode()}") + b" " + tag + b"\n")
    assert not rooms.holds(room, tag)
    for before in (0, 1, (1 << 16) - 60, (1 << 16) - 40, (1 << 16) - 1, 1 << 16, 1 << 17):
        room.write_bytes(HEADING + b"x" * before + b"\n" + tag + b" hi\n" + b"y" * 100_000)
        assert rooms.holds(room, tag)
    room.write_bytes(tag)
    assert rooms.holds(room, tag)
    room.write_bytes(b"")
    assert not rooms.holds(room, tag)


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


# --- editors


def save(path: Path, data: bytes) -> None:
    """As an editor does."""
    (path.parent / ".swp").write_bytes(data)
    os.rename(path.parent / ".swp", path)


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


@pytest.mark.slow
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
        assert rooms.holds(room, one) and not rooms.holds(room, said("three"))
        assert not rooms.holds(room, one[1:]) and not rooms.holds(room, b"  three\n")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert rooms.holds(room, HEADING) and rooms.holds(room, (b"y" * 1023 + b"\n") * 3000)


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


# --- size


def test_the_last_messages_are_those_before_a_place(room: Path) -> None:
    texts = [said(f"{n}\n" + "\n".join(["x" * 90] * 100)) for n in range(200)]
    add(room, b"".join(texts))
    stop = rooms.end(room).offset
    assert [message.raw for message in rooms.last(room, 20, stop)] == texts[-20:]
    assert [message.raw for message in rooms.last(room, 5, stop - len(texts[-1]))] == texts[-6:-1]
    assert rooms.last(room, 9999, stop)[-1].end == stop
    assert all(message.name == "ana" for message in rooms.last(room, 9999, stop))
    assert rooms.last(room, 20, 0) == []


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_message_of_many_megabytes_is_heard_in_pieces(room: Path) -> None:
    row = b"  " + b"x" * 8000 + b"\n"
    add(room, said("large", "discord/eve") + row * 9000 + said("next"))

    def hear() -> None:
        heard = all_of(room)[0]
        assert [message.name for message in heard] == ["discord/eve", "discord/eve", "ana"]
        assert sum(message.raw.count(row) for message in heard) == 9000
        assert heard[-1].raw == said("next")

    measured(hear, 3.0, 800)


@pytest.mark.slow
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
        assert rooms.holds(room, f"[AGENT:9f8e7d6c5b4a {AT}]".encode())
        assert [message.name for message in rooms.last(room, 20, rooms.end(room).offset)] == ["9f8e7d6c5b4a"]
        assert who(room, rooms.end(room)) == []
        rooms.append(room, said("quick"))

    measured(hear, 1.0, 150)
    measured(look, 0.2, 20)
