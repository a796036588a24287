"""What a command did in a directory of its own is carried over once, from wherever a process died over it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from dotagent.store import made


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return filled(tmp_path / "agent")


def filled(place: Path) -> Path:
    """An agent's directory with a folder, four files and a link."""
    (place / "notes").mkdir(parents=True)
    (place / "notes/a.md").write_text("one\n")
    for name in ("kept", "changed", "removed", "replaced"):
        (place / name).write_text(f"{name}\n")
    os.symlink("kept", place / "link")
    return place


def did(place: Path) -> Path:
    """The folder of a command that changed, replaced, removed and made something, and would have made a SOUL."""
    folder = place / "processes/1"
    folder.mkdir(parents=True)
    top = made.begin(folder, place, [name for name in os.listdir(place) if name != "processes"])
    assert sorted(os.listdir(top)) == ["changed", "kept", "link", "removed", "replaced"]
    with (top / "changed").open("a") as file:
        file.write("more\n")
    (top / "new").write_text("new\n")
    os.replace(top / "new", top / "replaced")
    (top / "removed").unlink()
    (top / "made").write_text("made\n")
    (top / "folder/deep").mkdir(parents=True)
    (top / "notes").mkdir()  # where it is mounted
    for name in ("SOUL.md", "soul_evil.md", "LIFE.md", "USER.md", "run", "Due", ".new-1"):
        (top / name).write_text("mine\n")
    (top / "fade").mkdir(mode=0)
    return folder


def stands(place: Path) -> dict[str, str]:
    """What is in the directory: what a file or a link says, what lies in a folder."""
    found = {}
    for one in place.iterdir():
        if one.name != "processes":
            found[one.name] = os.readlink(one) if one.is_symlink() else _says(one)
    return found


def _says(one: Path) -> str:
    return " ".join(sorted(os.listdir(one))) if one.is_dir() else one.read_text()


AFTER = {"notes": "a.md", "kept": "kept\n", "changed": "changed\nmore\n", "replaced": "new\n", "made": "made\n",
         "folder": "deep", "link": "kept"}  # fmt: skip


def test_what_it_did_is_carried_over(place: Path) -> None:
    folder = did(place)
    assert (place / "changed").read_text() == "changed\nmore\n"  # at once
    assert made.settle(folder, place) == ""
    assert stands(place) == AFTER
    assert os.listdir(folder) == []
    assert made.settle(folder, place) == ""


class Dead(BaseException):
    """It was killed."""


@contextmanager
def living(changes: int) -> Iterator[None]:
    """Let a process make so many changes to the disk, and die before the next."""
    left = count(changes, -1)

    def mortal(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            if next(left) <= 0:
                raise Dead
            return real(*given, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("rename", "link", "unlink", "rmdir", "chmod"):
            patch.setattr(os, name, mortal(getattr(os, name)))
        yield


def test_from_every_death_over_it(tmp_path: Path) -> None:
    """Whatever change to the disk was the last that was done, the next process comes to the same."""
    for changes in count():
        place = filled(tmp_path / f"{changes}/agent")
        folder = did(place)
        dead = True
        with suppress(Dead), living(changes):
            made.settle(folder, place)
            dead = False
        assert made.settle(folder, place) == ""
        assert stands(place) == AFTER
        assert os.listdir(folder) == []
        if not dead:
            break
    assert changes > 10


def test_what_came_to_be_there_meanwhile_stays(place: Path) -> None:
    folder = did(place)
    (place / "made").write_text("the harness's\n")
    (place / "changed").unlink()
    (place / "aside").write_text("an editor's\n")
    os.replace(place / "aside", place / "replaced")
    assert made.settle(folder, place) == ""
    also = {"made": "the harness's\n", "made.1": "made\n", "replaced": "an editor's\n", "replaced.1": "new\n"}
    gone = {name: told for name, told in AFTER.items() if name != "changed"}
    assert stands(place) == gone | also


def test_a_record_that_is_lost_loses_no_file(place: Path) -> None:
    folder = did(place)
    (folder / made.RECORD).write_text("rubbish")
    assert made.settle(folder, place) == ""
    assert stands(place) == AFTER | {"removed": "removed\n", "replaced": "replaced\n", "replaced.1": "new\n"}


def test_what_cannot_be_carried_over_stays_and_is_told(place: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    folder = did(place)
    place.chmod(0o500)
    try:
        assert f"what it made stays in {folder / made.TOP}: " in made.settle(folder, place)
        with pytest.raises(OSError, match="stays in"):
            made.begin(folder, place, [])
    finally:
        place.chmod(0o700)
    assert made.settle(folder, place) == ""
    assert stands(place) == AFTER
