"""WRITE_FILE: a file's new content, whole and at once; the limit of the agent's notes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hands import Hands
from world import world

from dotagent.life.events import Swap
from dotagent.store import log


def test_what_is_written_is_there_and_read(hands: Hands) -> None:
    assert hands.shows("WRITE_FILE notes/deep/a.md <<X\none\n\n  END\nthree ◱\nX") == "wrote notes/deep/a.md, 21 bytes"
    assert (hands.path / "files/notes/deep/a.md").read_bytes() == "one\n\n  END\nthree ◱\n".encode()
    assert hands.shows("READ_FILE notes/deep/a.md") == "notes/deep/a.md, 4 lines:\none\n\n  END\nthree ◱"
    assert hands.shows("READ_FILE notes/deep/a.md 2-3") == "notes/deep/a.md, lines 2-3 of 4:\n\n  END"
    assert hands.shows("READ_FILE notes/deep/a.md 4") == "notes/deep/a.md, lines 4-4 of 4:\nthree ◱"
    assert hands.shows("READ_FILE notes/deep/a.md 3-99").endswith("lines 3-4 of 4:\n  END\nthree ◱")
    assert hands.shows("READ_FILE notes").endswith("directory of 1:\ndeep/")
    assert (hands.path / "files/notes/deep/a.md").stat().st_mode & 0o777 == 0o600
    assert (hands.path / "files/notes").stat().st_mode & 0o777 == 0o700
    assert hands.shows("WRITE_FILE empty <<X\nX") == "wrote empty, 0 bytes"
    assert hands.shows("READ_FILE empty") == "empty, 0 lines:\n"


@pytest.mark.parametrize("name", ["notes/", "'notes/'", "notes/deep/"])
def test_a_name_of_a_directory_becomes_no_file(hands: Hands, name: str) -> None:
    hands.fails(f"WRITE_FILE {name} <<X\none\nX", "names a directory; write the name of a file after it")
    assert not (hands.path / "files/notes").exists()


def test_a_file_keeps_its_mode_and_old_readers_their_bytes(hands: Hands) -> None:
    path = hands.path / "files/tool.sh"
    path.write_text("old")
    path.chmod(0o750)
    hands.shows("READ_FILE tool.sh")
    with open(path) as reader:
        hands.shows("WRITE_FILE tool.sh <<X\nnew\nX")
        assert reader.read() == "old"
    assert path.stat().st_mode & 0o777 == 0o750
    assert path.read_text() == "new\n"


REWRITE = "WRITE_FILE a.md <<END\nnew\nEND"


def test_a_persons_file_is_replaced_only_once_it_was_read(hands: Hands) -> None:
    path = hands.path / "files/a.md"
    path.write_text("one\r\ntwo\r\nthree")
    for reading in ("READ_FILE a.md 1-2", "READ_FILE a.md 3"):
        told = hands.fails(REWRITE, "nothing was written", "ADD_TO_FILE a.md", "EDIT_FILE a.md")
        assert told.endswith(": READ_FILE a.md")
        assert "\n" not in told
        hands.shows(reading)
    hands.fails(REWRITE, "nothing was written")
    assert path.read_bytes() == b"one\r\ntwo\r\nthree"
    hands.shows("READ_FILE a.md")
    path.write_text("changed meanwhile\n")
    hands.fails(REWRITE, "nothing was written")
    hands.shows("READ_FILE a.md")
    hands.shows(REWRITE)
    assert path.read_text() == "new\n"


def test_what_the_agent_made_itself_needs_no_reading(hands: Hands) -> None:
    hands.shows(REWRITE)
    hands.shows("ADD_TO_FILE a.md <<END\nmore\nEND")
    hands.shows(REWRITE)
    (hands.path / "files/blank.md").write_text("\n")
    hands.shows(REWRITE.replace("a.md", "blank.md"))


def test_what_the_agent_read_and_then_changed_needs_no_reading(hands: Hands) -> None:
    (hands.path / "files/a.md").write_text("one\ntwo\n")
    hands.shows("READ_FILE a.md")
    hands.shows("ADD_TO_FILE a.md <<END\nthree\nEND")
    hands.shows(REWRITE)
    (hands.path / "files/b.md").write_text("one\ntwo\n")
    hands.shows("ADD_TO_FILE b.md <<END\nthree\nEND")
    (hands.path / "files/b.md").write_text("another's\n")
    hands.shows("ADD_TO_FILE b.md <<END\nthree\nEND")
    hands.fails(REWRITE.replace("a.md", "b.md"), "nothing was written", ": READ_FILE b.md")
    assert (hands.path / "files/b.md").read_text() == "another's\nthree\n"


def test_a_file_whose_making_has_faded_is_read_again(hands: Hands) -> None:
    list_of_a_week = "WRITE_FILE list.md <<END\nmilk\nbread\nEND"
    hands.shows(list_of_a_week)
    made = hands.events("TOOL")[-1]
    session = hands.session
    left = [entry for entry in session.entries if entry.line.at != made.at]
    session.swap(left, Swap("test", "2->1"), session.state)
    assert hands.fails("WRITE_FILE list.md <<END\nsoap\nEND", "nothing was written").endswith(": READ_FILE list.md")
    hands.shows("READ_FILE list.md")
    hands.shows("WRITE_FILE list.md <<END\nsoap\nEND")


def test_a_document_is_replaced_only_as_the_prompt_shows_it(hands: Hands) -> None:
    rewrite = REWRITE.replace("a.md", "MEMORY.md")
    memory = hands.path / "MEMORY.md"
    memory.write_text("- a fact that no prompt shows yet\n")
    hands.fails(rewrite, "nothing was written", ": READ_FILE MEMORY.md")
    hands.world.me.documents.read()
    hands.shows("REMEMBER the hall has eight chairs")
    hands.shows(rewrite)
    assert memory.read_text() == "new\n"
    hands.shows(REWRITE.replace("a.md", "SEGMENT.md"))  # it makes a copy, and all agents keep theirs
    (hands.path / "SEGMENT.md").write_text("as a person wants it\n")
    hands.fails(REWRITE.replace("a.md", "SEGMENT.md"), "nothing was written")
    (hands.path / "bank").mkdir()
    (hands.path / "bank/people.md").write_text("- Bo: a cousin\n")
    hands.fails(REWRITE.replace("a.md", "bank/people.md"), "nothing was written")
    assert (hands.path / "bank/people.md").read_text() == "- Bo: a cousin\n"


def test_what_a_command_showed_was_read(hands: Hands) -> None:
    (hands.path / "files/a.md").write_text("one\ntwo\n")
    hands.shows("RUN cat a.md")
    hands.shows(REWRITE)


def test_a_read_in_the_same_reply_comes_too_late(tmp_path: Path) -> None:
    replies = iter([f"READ_FILE a.md\n{REWRITE}", REWRITE, "Done."])
    with world(tmp_path / "home", lambda messages, call: next(replies)) as here:
        path = here.session.path / "files/a.md"
        path.write_text("one\n")
        here.say("make a.md new")
        here.run()
        told = [line.detail for line in log.lines(here.session.path / "LIFE.md") if line.event == "TOOL"]
        assert told == ["READ_FILE ok", "WRITE_FILE error by=own", "WRITE_FILE ok"]
        assert path.read_text() == "new\n"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("WRITE_FILE a.md", "the file's content is missing"),
        ("WRITE_FILE a.md <<END\nx", "the line END is missing"),
        ("WRITE_FILE <<END\nx\nEND", "the file's path is missing"),
        ("WRITE_FILE a.md/x <<END\nx\nEND", "a part of its path is a file"),
        ("WRITE_FILE notes <<END\nx\nEND", "not a regular file"),
    ],
    ids=lambda text: text[:24],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(hands: Hands, call: str, why: str) -> None:
    (hands.path / "files/a.md").write_bytes(b"one\ntwo")
    (hands.path / "files/notes").mkdir()
    hands.fails(call, why)
    assert (hands.path / "files/a.md").read_bytes() == b"one\ntwo"


def test_memory_holds_four_thousand_characters(hands: Hands) -> None:
    full = "é" * 3999
    assert hands.shows(f"WRITE_FILE MEMORY.md <<END\n{full}\nEND") == "wrote MEMORY.md, 7,999 bytes"
    hands.fails(f"WRITE_FILE MEMORY.md <<END\n{full}é\nEND", "4,001 characters", "only 4,000 characters fit")
    edit = f"<<<<<<< SEARCH\n{full}\n=======\n{full}\nx\n>>>>>>> REPLACE"
    hands.fails(f"EDIT_FILE MEMORY.md <<END\n{edit}\nEND", "4,002 characters")
    for name in ("./MEMORY.md", "notes/../MEMORY.md", str(hands.path / "MEMORY.md")):
        hands.fails(f"WRITE_FILE {name} <<END\n{full}é\nEND", "4,001 characters")
    assert (hands.path / "MEMORY.md").read_text() == full + "\n"


def test_ones_own_prompts_are_copies(hands: Hands) -> None:
    theirs = (hands.where.root / "SEGMENT.md").read_text()
    assert hands.shows("READ_FILE SEGMENT.md").endswith(theirs.rstrip("\n"))
    first = theirs.split("\n")[0]
    hands.shows(f"EDIT_FILE SEGMENT.md <<END\n<<<<<<< SEARCH\n{first}\n=======\nMine.\n>>>>>>> REPLACE\nEND")
    assert (hands.path / "SEGMENT.md").read_text() == theirs.replace(first, "Mine.", 1)
    assert (hands.where.root / "SEGMENT.md").read_text() == theirs
    hands.fails("WRITE_FILE ../../SEGMENT.md <<END\nx\nEND", "you cannot reach")
