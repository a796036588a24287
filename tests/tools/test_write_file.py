"""WRITE_FILE: a file's new content, whole and at once; the limit of the agent's notes."""

from __future__ import annotations

import pytest
from hands import Hands


def test_what_is_written_is_there_and_read(hands: Hands) -> None:
    assert hands.shows("WRITE_FILE notes/deep/a.md <<X\none\n\n  END\nthree ◱\nX") == "wrote notes/deep/a.md, 21 bytes"
    assert (hands.path / "notes/deep/a.md").read_bytes() == "one\n\n  END\nthree ◱\n".encode()
    assert hands.shows("READ_FILE notes/deep/a.md") == "notes/deep/a.md, 4 lines:\none\n\n  END\nthree ◱"
    assert hands.shows("READ_FILE notes/deep/a.md 2-3") == "notes/deep/a.md, lines 2-3 of 4:\n\n  END"
    assert hands.shows("READ_FILE notes/deep/a.md 4") == "notes/deep/a.md, lines 4-4 of 4:\nthree ◱"
    assert hands.shows("READ_FILE notes/deep/a.md 3-99").endswith("lines 3-4 of 4:\n  END\nthree ◱")
    assert hands.shows("READ_FILE notes").endswith("directory of 1:\ndeep/")
    assert (hands.path / "notes/deep/a.md").stat().st_mode & 0o777 == 0o600
    assert (hands.path / "notes").stat().st_mode & 0o777 == 0o700
    assert hands.shows("WRITE_FILE empty <<X\nX") == "wrote empty, 0 bytes"
    assert hands.shows("READ_FILE empty") == "empty, 0 lines:\n"


def test_a_file_keeps_its_mode_and_old_readers_their_bytes(hands: Hands) -> None:
    path = hands.path / "tool.sh"
    path.write_text("old")
    path.chmod(0o750)
    with open(path) as reader:
        hands.shows("WRITE_FILE tool.sh <<X\nnew\nX")
        assert reader.read() == "old"
    assert path.stat().st_mode & 0o777 == 0o750
    assert path.read_text() == "new\n"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("WRITE_FILE a.md", "what shall the file hold?"),
        ("WRITE_FILE a.md <<END\nx", "no line END"),
        ("WRITE_FILE <<END\nx\nEND", "which file?"),
        ("WRITE_FILE a.md/x <<END\nx\nEND", "a part of its path is a file"),
        ("WRITE_FILE notes <<END\nx\nEND", "not a plain file"),
    ],
    ids=lambda text: text[:24],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(hands: Hands, call: str, why: str) -> None:
    (hands.path / "a.md").write_bytes(b"one\ntwo")
    (hands.path / "notes").mkdir()
    hands.fails(call, why)
    assert (hands.path / "a.md").read_bytes() == b"one\ntwo"


def test_memory_holds_four_thousand_characters(hands: Hands) -> None:
    full = "é" * 3999
    assert hands.shows(f"WRITE_FILE MEMORY.md <<END\n{full}\nEND") == "wrote MEMORY.md, 7,999 bytes"
    hands.fails(f"WRITE_FILE MEMORY.md <<END\n{full}é\nEND", "4,001 characters", "at most 4,000")
    edit = f"<<<<<<< SEARCH\n{full}\n=======\n{full}\nx\n>>>>>>> REPLACE"
    hands.fails(f"EDIT_FILE MEMORY.md <<END\n{edit}\nEND", "4,002 characters")
    for name in ("./MEMORY.md", "notes/../MEMORY.md", str(hands.path / "MEMORY.md"), "link"):
        if name == "link":
            (hands.path / "link").symlink_to("MEMORY.md")
        hands.fails(f"WRITE_FILE {name} <<END\n{full}é\nEND", "4,001 characters")
    assert (hands.path / "MEMORY.md").read_text() == full + "\n"


def test_ones_own_prompts_are_copies(hands: Hands) -> None:
    theirs = (hands.where.root / "SEGMENT.md").read_text()
    assert hands.shows("READ_FILE SEGMENT.md").endswith(theirs.rstrip("\n"))
    first = theirs.split("\n")[0]
    hands.shows(f"EDIT_FILE SEGMENT.md <<END\n<<<<<<< SEARCH\n{first}\n=======\nMine.\n>>>>>>> REPLACE\nEND")
    assert (hands.path / "SEGMENT.md").read_text() == theirs.replace(first, "Mine.", 1)
    assert (hands.where.root / "SEGMENT.md").read_text() == theirs
    hands.fails("WRITE_FILE ../../SEGMENT.md <<END\nx\nEND", "out of reach")
