"""The disk: a reader sees the old bytes or the new, whoever writes beside; what fails leaves nothing and says where."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from support import barred, together, within

from dotagent import errors
from dotagent.store import disk


def test_an_error_names_the_file_or_its_directory_and_not_a_temporary_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as lost:
        disk.replace(tmp_path / "none" / "x.svg", b"")
    assert lost.value.filename == str(tmp_path / "none")
    (tmp_path / "closed").mkdir()
    with barred(tmp_path / "closed"), pytest.raises(PermissionError) as refused:
        disk.replace(tmp_path / "closed" / "x.svg", b"")
    assert errors.line(refused.value) == f"{tmp_path}/closed: Permission denied (check its owner and permissions)"


def test_a_file_is_replaced_at_once(tmp_path: Path) -> None:
    """Eight writers of whole files, and readers who never see a part of one."""
    path = tmp_path / "file"
    disk.replace(path, b"0" * 50_000)

    def write(letter: bytes) -> None:
        for _ in range(30):
            disk.replace(path, letter * 50_000, durable=False)

    def read() -> None:
        for _ in range(300):
            data = path.read_bytes()
            assert len(data) == 50_000
            assert len(set(data)) == 1

    together(read, read, *[lambda letter=bytes([65 + n]): write(letter) for n in range(6)])
    assert os.listdir(tmp_path) == ["file"]


def test_modes_and_what_a_dead_process_left(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f".new-{os.getpid()}-{number}").write_bytes(b"left")
    disk.replace(tmp_path / "one", b"x")
    disk.replace(tmp_path / "two", b"x", mode=0o640)
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "two").stat().st_mode & 0o777 == 0o640
    os.close(disk.open_append(tmp_path / "three"))
    assert (tmp_path / "three").stat().st_mode & 0o777 == 0o600
    assert len(list(tmp_path.glob(".new-*"))) == 200


def test_what_fails_leaves_nothing_and_says_where(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(IsADirectoryError) as refused:
        disk.replace(path, b"x")
    assert errors.line(refused.value).startswith(f"{path}: Is a directory (")
    with pytest.raises(FileNotFoundError) as refused:
        disk.replace(tmp_path / "gone" / "file", b"x")
    assert str(tmp_path / "gone") in errors.line(refused.value)
    assert os.listdir(tmp_path) == ["folder"]

    def fill() -> None:
        with pytest.raises(OSError) as full:
            disk.replace(tmp_path / "file", b"x" * 9000)
        assert str(tmp_path) in errors.line(full.value)
        fd = disk.open_append(tmp_path / "log")
        with pytest.raises(OSError) as full:
            disk.append(fd, b"y" * 9000, tmp_path / "log")
        assert errors.line(full.value).startswith(f"{tmp_path / 'log'}: ")

    within(5000, fill)
    assert sorted(os.listdir(tmp_path)) == ["folder", "log"]
    assert (tmp_path / "log").read_bytes() == b"y" * 5000  # what fits is there, and what reads it sees that it is torn


def test_nothing_but_a_plain_file_is_opened(tmp_path: Path) -> None:
    """A link only where its caller says that a person may make one; never a pipe, which nobody may ever write to."""
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "nowhere", "folder", "pipe"):
        for follow in (False, True):
            if (name, follow) == ("link", True):
                assert disk.read(tmp_path / name, follow=True) == b"x"
                continue
            with pytest.raises(disk.NoFile, match=name):
                disk.open_file(tmp_path / name, follow=follow)


def test_directories_are_made_by_many_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c" / "d"

    def make() -> None:
        disk.make_dir(path)
        assert path.is_dir()

    together(*[make] * 8)
    assert {there.stat().st_mode & 0o777 for there in tmp_path.rglob("*")} == {0o700}
    (tmp_path / "file").touch()
    for place in ("file", "file/below"):
        with pytest.raises(OSError) as refused:
            disk.make_dir(tmp_path / place)
        assert errors.line(refused.value).startswith(f"{tmp_path / 'file'}")


def test_one_holds_a_lock_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()

    def count() -> None:
        for _ in range(50):
            with open(path, "r+b", buffering=0) as file, disk.locked(file.fileno()):
                number = int(file.read() or b"0")
                file.seek(0)
                file.write(b"%d" % (number + 1))

    together(*[count] * 8)
    assert path.read_bytes() == b"400"


def test_a_lock_is_tried_for_as_long_as_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    assert not disk.is_locked(path)
    assert not disk.is_locked(tmp_path / "gone")
    with open(path, "rb") as holder, open(path, "rb") as other:
        assert disk.try_lock(holder.fileno())
        assert disk.is_locked(path)
        began = time.monotonic()
        assert not disk.try_lock(other.fileno())
        assert not disk.try_lock(other.fileno(), seconds=0.1)
        assert time.monotonic() - began >= 0.1
        holder.close()
        assert disk.try_lock(other.fileno())


def test_removing_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert disk.remove(tmp_path / "file")
    assert not disk.remove(tmp_path / "file")


@pytest.mark.parametrize("named", [f"agents/{'1' * 32}", ".agent"])
def test_a_folder_inside_an_agents_directory_that_is_named_like_one_leads_nowhere(tmp_path: Path, named: str) -> None:
    """Who writes below the agent's directory may give a link the name of another agent's directory, or a project's."""
    outside, inner = tmp_path / "outside", tmp_path / f"agents/{'0' * 32}/files/{named}"
    outside.mkdir()
    (outside / "secret").write_text("sesame")
    inner.parent.mkdir(parents=True)
    inner.symlink_to(outside)
    with pytest.raises(disk.NoFile):
        disk.read(inner / "secret")
    with pytest.raises(disk.NoFile):
        disk.replace(inner / "secret", b"new")
    with pytest.raises(disk.NoFile):
        disk.remove(inner / "secret")
    assert disk.names(inner) == disk.names(inner / "below") == []
    assert (outside / "secret").read_text() == "sesame"
