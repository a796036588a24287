"""Rooms whose lock another program keeps, as nvi does while it shows a file: everybody waits for a stated time only."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from roomed import HEADING, said, who

from dotagent import errors
from dotagent.capabilities.backup import archive
from dotagent.store import disk, home, room_completion, room_copies, rooms
from dotagent.store.home import Home
from dotagent.store.rooms import Position


@pytest.fixture
def editor(room: Path) -> Iterator[Path]:
    """A room that an editor has locked."""
    rooms.append(room, said("one"))
    with open(room, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield room


def test_a_reader_waits_a_moment_then_reads_without_the_lock(editor: Path) -> None:
    began = time.monotonic()
    assert who(editor) == [("ana", said("one"))]
    assert time.monotonic() - began < 3 * rooms.READING


def test_a_reader_that_insists_is_told_which_file_is_held(editor: Path) -> None:
    with pytest.raises(disk.Held) as held:
        rooms.read(editor, Position(), exact=True)
    assert errors.line(held.value) == f"{editor}: another program has locked this file; close the file there"


@pytest.mark.night
@pytest.mark.parametrize("write", [rooms.append, room_completion.complete])
def test_a_writer_gives_up_and_leaves_the_room_as_it_is(editor: Path, write: object) -> None:
    assert callable(write)
    with pytest.raises(disk.Held):
        write(editor, said("two"))
    assert editor.read_bytes() == HEADING + said("one")


@pytest.mark.night
def test_a_backup_goes_on_with_a_room_that_is_held(tmp_path: Path) -> None:
    where = Home(tmp_path)
    home.prepare(where)
    rooms.create(where.room("dev"), "private")
    with open(where.room("dev"), "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "chats/dev.md" in [piece.path for piece in archive.cut(where)]


# --- what is a room


COPIES = (
    "dev.sync-conflict-20261128-071206-77DU2AI.md",  # Syncthing
    "dev (ana's conflicted copy 2026-11-28).md",  # Dropbox
    "dev (conflicted copy 2026-11-28 101010).md",  # Nextcloud
    "dev_conflict-20261128-101010.md",  # ownCloud
    "dev 2.md",  # iCloud
    "dev-DESKTOP-1A2B3C.md",  # OneDrive
    "dev (SFConflict ana@example.org 2026-11-28-10-10-10).md",  # Seafile
    "dev_nas_Nov-28-101010-2026_Conflict.md",  # Synology
    "dev [conflicted].md",  # pCloud
    "dev (1).md",  # Google Drive
    "dev # Name clash 2026-11-28 a1b2.md",  # Proton
    "dev_冲突文件_ana_20261128101010.md",  # Nutstore
    "dev[1].md",
    "dev_LOCAL_4711.md",  # git mergetool
    "dev.md~HEAD",  # git
    "dev.md..path1",  # rclone
    "dev.md.conflict1",  # rclone since 1.66
)


def test_copies_of_a_room_are_found(tmp_path: Path) -> None:
    where = Home(tmp_path)
    home.prepare(where)
    for name in (*COPIES, "dev.md", "dev-desktop.md", "dev_conflict.md", "my-room-LAPTOP.md", "dev.md~", "dev.md.orig"):
        (where.chats / name).write_bytes(HEADING)
    found = [(path.name, room) for path, room in room_copies.find(where)]
    assert sorted(found) == sorted([*((name, "dev") for name in COPIES), ("my-room-LAPTOP.md", "my-room")])
    assert [path.name for path in where.rooms()] == ["dev-desktop.md", "dev.md", "dev_conflict.md"]


def test_files_that_editors_leave_are_no_rooms(tmp_path: Path) -> None:
    where = Home(tmp_path)
    home.prepare(where)
    rooms.create(where.room("dev"), "private")
    rooms.create(where.room("ops"), "private")
    for name in ("dev.md~", ".dev.md.swp", "4913", "#dev.md#", "A.md", *COPIES):
        (where.chats / name).write_bytes(HEADING)
    os.symlink("ana@host.123:456", where.chats / ".#dev.md")
    os.symlink("dev.md", where.chats / "link.md")
    (where.chats / "folder.md").mkdir()
    assert where.rooms() == [where.room("dev"), where.room("ops")]
    assert {piece.path for piece in archive.cut(where) if piece.path.startswith("chats/")} >= {"chats/dev.md"}
