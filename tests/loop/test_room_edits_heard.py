"""Rooms that people edit while an agent reads them: each message is heard once, and nothing is lost in silence."""

from __future__ import annotations

import argparse
import codecs
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from listening import heard, link, room
from roomed import add
from world import World, events, impatient, said, world

from dotagent.commands import room as repair
from dotagent.life.session import Patience
from dotagent.loop import room_changes
from dotagent.store import log
from dotagent.store.requests import ChatMessage

AT_ONCE = Patience(still=0, unfinished=0, held=0)


def answers(messages: list[ChatMessage], call: object) -> str:
    return f"answer {len(messages)}"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path / "home", answers, patience=AT_ONCE) as there:
        for text in ("one", "two"):
            there.say(text)
            there.run()
        yield there


@pytest.mark.parametrize("left", [0, 20, 60, -1])
def test_a_room_that_is_cut_while_it_is_saved_is_heard_when_it_is_whole(here: World, left: int) -> None:
    path = here.where.room("dev")
    whole = path.read_bytes() + b"three\n"
    with impatient(here, still=1000, unfinished=1000):
        path.write_bytes(whole[:left] if left >= 0 else b"")
        if left < 0:
            path.unlink()
        here.run()
        assert here.me.inbox.waits()
    assert not events(here, "ERROR", "LEAVE", "PLACE")
    path.write_bytes(whole)
    here.run()
    assert heard(here) == ["one", "two", "three"]
    assert not here.me.inbox.waits()
    assert len(events(here, "JOIN")) == 1


def test_the_last_line_without_its_end_is_heard_once_it_stands_still(here: World) -> None:
    path = here.where.room("dev")
    with impatient(here, unfinished=1000):
        path.write_bytes(path.read_bytes() + b"three")
        here.run()
        assert heard(here) == ["one", "two"]
    path.write_bytes(path.read_bytes() + b" and four")
    here.run()
    assert heard(here) == ["one", "two", "three and four"]


def test_an_answer_does_not_end_a_line_that_is_still_being_written(here: World) -> None:
    """An editor that saves in place may stop within a line, behind whole lines that would be answered."""
    path = here.where.room("dev")
    whole = path.read_bytes() + b"three\nfour"
    with impatient(here, unfinished=1000), open(path, "r+b", buffering=0) as file:
        file.write(whole[:-1])
        here.run()
        assert path.read_bytes() == whole[:-1]
        file.write(whole[-1:])
    here.run()
    assert heard(here)[2:] == ["three\nfour"]


def test_other_line_ends_are_no_change(here: World) -> None:
    path = here.where.room("dev")
    path.write_bytes((path.read_bytes() + b"three\n").replace(b"\n", b"\r\n") + b"\x1a")  # the end of a file in DOS
    here.run()
    assert heard(here) == ["one", "two", "three"]
    assert "messages are gone" not in path.read_text()


@pytest.mark.parametrize("tag", ["", "[USER:bo 2036-11-28T07:12:06Z] "])
@pytest.mark.parametrize("marks", [
    ("<<<<<<< HEAD", "=======", ">>>>>>> 1a2b3c4 (a laptop)"),  # git, hg, svn
    ("<<<<<<<", "=======", ">>>>>>>"),
    ("<<<<<<<<<<<< HEAD", "============", ">>>>>>>>>>>> 1a2b3c4"),  # conflict-marker-size
    ("<<<<<<< HEAD", "||||||| 1a2b3c4\n=======", ">>>>>>> b"),  # diff3
    ("<<<<<<< Conflict 1 of 1\n+++++++ Side #1", "------- Base\n+++++++ Side #2", ">>>>>>> Conflict 1 of 1 ends"),  # jj
], ids=["git", "bare", "long", "diff3", "jj"])  # fmt: skip
def test_marks_around_two_versions_of_new_messages_are_no_speech(
    here: World, tag: str, marks: tuple[str, str, str]
) -> None:
    path = here.where.room("dev")
    both = f"{marks[0]}\n{tag}three\n{marks[1]}\n{tag}four\n{marks[2]}\n"
    path.write_bytes(path.read_bytes() + both.encode())
    here.run()
    assert heard(here) == ["one", "two", "three", "four"]
    here.say("five")
    here.run()
    assert heard(here) == ["one", "two", "three", "four", "five"]
    assert "messages are gone" not in path.read_text()


def test_messages_that_were_saved_over_are_told_once(here: World) -> None:
    path = here.where.room("dev")
    old = path.read_bytes()
    here.say("three")
    here.run()
    path.write_bytes(old + b"four\n")
    here.run()
    assert heard(here) == ["one", "two", "three", "four"]
    told = [text for text in said(here.where) if text.startswith("(room: messages are gone from this file: 2 messages")]
    assert len(told) == 1
    assert "room repair dev`" in told[0]
    path.write_bytes(path.read_bytes().replace(b"# dev private\n", b"# dev private\n\n"))
    here.run()
    assert path.read_text().count("messages are gone") == 1


def test_an_answer_that_was_saved_over_is_told(here: World) -> None:
    path = here.where.room("dev")
    path.write_bytes(path.read_bytes().rpartition(b"[AGENT:")[0] + b"three\n")
    here.run()
    assert heard(here) == ["one", "two", "three"]
    assert "are gone from this file: 1 message." in path.read_text()


def test_a_room_begun_anew_is_heard(here: World) -> None:
    here.where.room("dev").write_bytes(b"# dev private\nthree\n")
    here.run()
    assert heard(here) == ["one", "two", "three"]


def test_a_line_that_the_editor_indented_is_told(here: World) -> None:
    path = here.where.room("dev")
    path.write_bytes(path.read_bytes() + b"  what is three?\n")
    here.run()
    assert heard(here) == ["one", "two"]
    assert said(here.where)[-1].startswith("(room: a line begins with two spaces")


def test_a_removed_line_is_corrected_in_the_log_and_heard_no_more(here: World) -> None:
    path = here.where.room("dev")
    path.write_bytes(path.read_bytes().replace(b"] one\n", b"] the very first one\n"))
    here.run()
    assert len(events(here, "PLACE")) == 1
    here.say("three")
    here.run()
    assert heard(here) == ["one", "two", "three"]


def test_a_message_inserted_above_is_heard_once_whatever_interrupts(here: World) -> None:
    path = here.where.room("dev")
    begin, tag, end = path.read_bytes().rpartition(b"[AGENT:")
    path.write_bytes(begin + b"three\n" + tag + end + b"four\n")
    here.run()
    here.run()
    assert heard(here) == ["one", "two", "three", "four"]


def test_a_room_that_is_held_is_told_and_others_go_on(here: World) -> None:
    room(here, "ops")
    link(here, "ops")
    here.run()
    with open(here.where.room("dev"), "r+b") as editor:
        fcntl.flock(editor, fcntl.LOCK_EX)
        editor.seek(0, 2)
        editor.write(b"three\n")
        editor.flush()
        here.say("four", room="ops")
        here.run()
        here.run()
        assert heard(here) == ["one", "two", "four"]
        (told,) = events(here, "ERROR")
        assert "another program has locked this file" in told
        assert not here.me.inbox.waits()
    here.run()
    assert heard(here) == ["one", "two", "four", "three"]


def test_an_answer_to_a_room_that_was_renamed_meanwhile_is_asked_for_once(here: World) -> None:
    path = here.where.room("dev")
    aside, asked = path.with_name("old.md"), here.served

    def rename(_: World) -> None:
        if here.served > asked and path.exists():
            path.rename(aside)

    here.on_step = rename
    here.say("three")
    here.run()
    here.on_step = None
    assert any("could not post the answer" in told for told in events(here, "ERROR"))
    aside.rename(path)
    here.run()
    assert "are gone from this file: 1 message." in path.read_text()
    assert repair.run(argparse.Namespace(home=here.where.root, what="repair", room="dev")) == 0
    here.run()
    assert here.served == asked + 1
    assert heard(here) == ["one", "two", "three"]
    assert len([text for text in said(here.where) if text.startswith("answer")]) == 3


def test_a_copy_that_a_program_left_is_told_once(here: World) -> None:
    path = here.where.room("dev")
    copy = path.with_name("dev.sync-conflict-20261128-071206-77DU2AI.md")
    copy.write_bytes(path.read_bytes())
    here.run()
    assert "sync-conflict" not in path.read_text()
    copy.unlink()
    copy.write_bytes(path.read_bytes() + b"only here\n")
    for _ in range(3):
        here.run()
    assert path.read_text().count("sync-conflict") == 1


@pytest.mark.parametrize("change", [
    lambda data: data.replace(b"\n  ", b"\n"),
    lambda data: data.replace(b"\n  ", b"\n\t"),
    lambda data: data.replace(b"[", b"\\[").replace(b"]", b"\\]"),
    lambda data: data.replace(b"\n", b"\r"),
    lambda data: codecs.BOM_UTF8 + data,
    lambda data: data.replace(b" private\n", b" private ana our boat\n"),
    lambda data: data.decode().encode("utf-16"),
    lambda data: codecs.BOM_UTF16_BE + data.replace(b"\n", b"\r\n").decode().encode("utf-16-be"),
], ids=["stripped", "tabs", "escaped", "CR", "BOM", "heading", "UTF-16", "UTF-16BE"])  # fmt: skip
def test_what_a_program_writes_in_its_own_form_is_not_heard_again(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    """A line of the agent that is no longer indented is not a word of its owner, either."""
    with world(tmp_path / "home", lambda messages, call: "answer\nin two lines", patience=AT_ONCE) as here:
        for text in ("one", "two"):
            here.say(text)
            here.run()
        path = here.where.room("dev")
        path.write_bytes(change(path.read_bytes() + b"three \xe2\x82\xac\n"))
        here.say("four")
        here.run()
        here.run()
        assert heard(here) == ["one", "two", "three €", "four"]
        assert "(room:" not in path.read_text()
        assert len(events(here, "JOIN", "LEAVE", "ERROR")) == 1


def test_a_copy_that_is_added_to_the_end_of_its_room_is_not_heard_again(here: World) -> None:
    path = here.where.room("dev")
    copy = path.read_bytes() + b"[USER:bo 2036-11-28T07:12:06Z] elsewhere\n"
    here.say("three")
    here.run()
    path.write_bytes(path.read_bytes() + copy)
    here.run()
    assert heard(here) == ["one", "two", "three", "elsewhere"]


def test_messages_that_are_written_again_after_a_restart_are_not_heard_again(tmp_path: Path) -> None:
    with world(tmp_path / "home", answers, patience=AT_ONCE) as here:
        here.say("one")
        here.run()
        path = here.where.room("dev")
        before = path.read_bytes()
        here.say("two")
        here.run()
        path.write_bytes(before)
        here.run()
        assert "messages are gone" in path.read_text()
    with world(tmp_path / "home", answers, patience=AT_ONCE) as here:
        assert repair.run(argparse.Namespace(home=here.where.root, what="repair", room="dev")) == 0
        here.run()
        assert heard(here) == said(here.where, kind="USER") == ["one", "two"]


def test_a_message_that_came_late_and_stands_above_is_not_new(here: World) -> None:
    """The first known message is then older than one that was heard before it."""
    path, session = here.where.room("dev"), here.session
    add(path, b"[USER:bo 2036-11-28T07:12:07Z] here\n")
    here.run()
    path.write_bytes(path.read_bytes().replace(b"[USER:bo", b"[USER:cy 2036-11-28T07:12:06Z] there\n[USER:bo"))
    here.run()
    assert heard(here) == ["one", "two", "here", "there"]
    lines = [line.event for line in log.lines(session.path / "LIFE.md")]
    since_there = lines[::-1].index("HEAR") + 1
    place = session.state.heard.rooms["dev"]
    assert room_changes.find(session, "dev", path, place, compared=since_there).new == []


def test_a_room_that_was_edited_after_long_work_is_not_new(here: World) -> None:
    """The agent then searches no event with a message."""
    path, session = here.where.room("dev"), here.session
    path.write_bytes(path.read_bytes().replace(b"private\n", b"private\n\n") + b"three\n")
    edits = room_changes.find(session, "dev", path, session.state.heard.rooms["dev"], searched=1)
    assert [one.raw for one in edits.new] == [b"three\n"]


def test_messages_that_are_written_again_above_are_not_told(here: World) -> None:
    path = here.where.room("dev")
    old = b"[USER:bo 2001-11-28T07:12:06Z] far above\n"
    path.with_name("dev.sync-conflict-20261128-071206-77DU2AI.md").write_bytes(b"# dev private\n" + old)
    assert repair.run(argparse.Namespace(home=here.where.root, what="repair", room="dev")) == 0
    here.run()
    assert b"private\n" + old in path.read_bytes()
    assert heard(here) == ["one", "two"]
    assert "grown above" not in path.read_text()
    path.write_bytes(path.read_bytes().replace(b"private\n", b"private\n[USER:bo 2000-11-28T07:12:06Z] further\n"))
    here.run()
    assert "grown above" in path.read_text()


@pytest.mark.parametrize("above", [b"far above\n", b"[USER:bo 2001-11-28T07:12:06Z] far above\n"])
def test_a_line_above_all_known_ones_is_told_once(here: World, above: bytes) -> None:
    path = here.where.room("dev")
    path.write_bytes(path.read_bytes().replace(b"private\n", b"private\n" + above))
    here.run()
    assert path.read_text().count("(room: this file has grown above") == 1
    path.write_bytes(path.read_bytes().replace(b"] two\n", b"] two\nand a half\n") + b"three\n")
    here.run()
    assert heard(here) == ["one", "two", "and a half\nthree"] or heard(here) == ["one", "two", "and a half", "three"]
    path.write_bytes(path.read_bytes().replace(b"and a half\n", b"\n\n"))
    here.run()
    assert path.read_text().count("(room: this file has grown above") == 1


def test_an_indented_line_is_told_also_if_another_message_follows(here: World) -> None:
    path = here.where.room("dev")
    path.write_bytes(path.read_bytes() + b"  what is three?\nthree\n")
    here.run()
    assert heard(here) == ["one", "two", "three"]
    assert path.read_text().count("(room: a line begins with two spaces") == 1


def test_an_indented_line_in_the_midst_of_a_room_is_told(here: World) -> None:
    path = here.where.room("dev")
    begin, two, end = path.read_bytes().rpartition(b"[USER:")
    path.write_bytes(begin + b"  what is one?\n" + two + end)
    here.run()
    assert heard(here) == ["one", "two"]
    assert said(here.where)[-1].startswith("(room: a line begins with two spaces")


@pytest.mark.parametrize("form", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("last", ["three", "three €\n", "three 中"])
def test_a_last_line_without_its_end_is_heard_from_utf_16(here: World, form: str, last: str) -> None:
    path = here.where.room("dev")
    path.write_bytes(("\ufeff" + path.read_text() + last).encode(form))
    here.run()
    here.say("four")
    here.run()
    assert heard(here) == ["one", "two", last.strip(), "four"]


@pytest.mark.parametrize("form", ["utf-16-le", "utf-16-be"])
def test_what_is_appended_to_a_utf_16_room_is_heard(here: World, form: str) -> None:
    path = here.where.room("dev")
    path.write_bytes(("\ufeff" + path.read_text() + "three").encode(form))
    here.say("four")
    here.run()
    here.run()
    assert heard(here) == ["one", "two", "three", "four"]
