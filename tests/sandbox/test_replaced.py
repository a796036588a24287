"""A command that goes on while what it may not come to is made, replaced and removed beside it, as harness and editors
do by a rename: it sees none of it, on each kind of sandbox."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cages import caged
from hands import Hands
from support import until

from dotagent import sandbox
from dotagent.store import disk, supervised

KEPT = ("SOUL.md", "SOUL_EVIL.md", "context.md", "LIFE.torn-1", "LIFE.md", "recall.db", "fade", ".new-soul")
"""None of these is a command's to see, whenever it comes to be there."""
READ = ("USER.md", "IDENTITY.md")
"""These it may read as they were when it began."""
FOLDERS = ("run/late", "processes/99", "subs/ops.md", "due/job@20260101T000000Z.json")


@pytest.fixture(params=sandbox.KINDS)
def hands(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Hands]:
    with caged(tmp_path, request.param) as life:
        yield life


def begun(hands: Hands, does: str) -> Path:
    """The folder of a PROCESS that does this again and again until files/stop is there; it has begun."""
    hands.shows(f"PROCESS start until [ -e files/stop ]; do {does}; touch files/on; done; echo done")
    folder = hands.path / "processes/1"
    until((hands.path / "files/on").exists, folder)
    return folder


def around(hands: Hands, folder: Path) -> None:
    """Wait until it has done all once more."""
    (hands.path / "files/on").unlink(missing_ok=True)
    until((hands.path / "files/on").exists, folder)


def printed(hands: Hands, folder: Path) -> bytes:
    """All that it printed, after its end."""
    (hands.path / "files/stop").touch()
    until(lambda: supervised.ended(folder), folder)
    found = supervised.output(folder, 0)[0]
    assert found.endswith(b"done\n")
    return found


def test_what_takes_the_place_of_a_hidden_file_is_hidden(hands: Hands) -> None:
    """By the harness's own way of replacing, again and again, while the command looks at all names that there are."""
    names = " ".join((*KEPT, *READ))
    folder = begun(
        hands,
        f"for f in {names} .new-*; do cat $f 2>/dev/null; (echo x >> $f; echo x > $f; rm -f $f; mv files/x $f; "
        f"chmod 777 $f; ln $f files/link; truncate -s 0 $f) 2>/dev/null; done",
    )
    life = (hands.path / "LIFE.md").read_bytes()
    for turn in range(4):
        for name in (*KEPT, *READ):
            data = (life if name == "LIFE.md" else b"") + b"sesame %d" % turn
            for _ in range(3):  # what is being written lies beside it for a moment, too
                disk.replace(hands.path / name, data, durable=False)
        around(hands, folder)
    for name in (*KEPT, *READ):
        assert (hands.path / name).read_bytes().endswith(b"sesame 3"), name
        assert (hands.path / name).stat().st_mode & 0o777 != 0o777, name
    (hands.path / "LIFE.md").write_bytes(life)
    assert b"sesame" not in printed(hands, folder)
    assert not (hands.path / "files/link").exists() or b"sesame" not in (hands.path / "files/link").read_bytes()


def test_what_is_removed_can_be_made_by_the_harness_alone(hands: Hands) -> None:
    """A soul that is taken away leaves no place where a command could put its own; nor does a folder of the harness."""
    for name in ("SOUL_EVIL.md", "fade"):
        (hands.path / name).write_bytes(b"")
    folder = begun(
        hands,
        "for f in SOUL_EVIL.md fade USER.md run/late processes/99 subs/ops.md due/job@20260101T000000Z.json; do "
        "(echo x > $f; mkdir $f; ln -s notes.md $f; echo y > files/y; mv files/y $f) 2>/dev/null; done",
    )
    user = (hands.path / "USER.md").read_bytes()
    for name in ("SOUL_EVIL.md", "fade", "USER.md"):
        (hands.path / name).unlink()
    around(hands, folder)
    around(hands, folder)
    printed(hands, folder)
    assert not [name for name in ("SOUL_EVIL.md", "fade", *FOLDERS) if os.path.lexists(hands.path / name)]
    assert not (hands.path / "USER.md").exists()
    (hands.path / "USER.md").write_bytes(user)


def test_what_is_the_agents_own_goes_both_ways_while_a_command_runs(hands: Hands) -> None:
    """A directory of its own is one place for both, also where the file tools replace a file in it."""
    (hands.path / "work").mkdir()
    (hands.path / "work/page").write_text("one\n")
    folder = begun(hands, "cat work/page; cp work/page work/copy; mv work/copy work/moved")
    hands.shows("WRITE_FILE work/page <<EOF\ntwo\nEOF")
    around(hands, folder)
    around(hands, folder)
    assert b"two\n" in printed(hands, folder)
    assert (hands.path / "work/moved").read_text() == "two\n"
