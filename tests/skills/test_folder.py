"""A folder is read whole, and nothing in it leads out of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from planting import plant

from dotagent.errors import Misuse
from dotagent.skills import folder

Harm = Callable[[Path], object]
HOSTILE: dict[str, tuple[Harm, str]] = {
    "a link to a file": (lambda path: (path / "a").symlink_to("/etc/passwd"), "is a link"),
    "a link within": (lambda path: (path / "a").symlink_to("SKILL.md"), "is a link"),
    "a link to a directory": (lambda path: (path / "a").symlink_to("/etc"), "is a link"),
    "a link in its SKILL.md's place": (lambda path: ((path / "SKILL.md").unlink(), (path / "SKILL.md").symlink_to("x")),
                                       "is a link"),
    "a pipe": (lambda path: os.mkfifo(path / "a"), "neither a file nor a directory"),
    "many": (lambda path: [(path / str(n)).touch() for n in range(folder.MANY)], "more than 500 files"),
    "large": (lambda path: os.truncate(path / "SKILL.md", folder.LARGE + 1), "larger than 16 MB"),
    "deep": (lambda path: (path / "/".join("abcdefghijk")).mkdir(parents=True), "too deep"),
    "a name that hides": (lambda path: (path / "a\u202eb").touch(), "simple file"),
    "a name of two lines": (lambda path: (path / "a\nb").touch(), "simple file"),
    "a name that is no text": (lambda path: (Path(os.fsdecode(os.fsencode(path) + b"/\xff"))).touch(), "simple file"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_ones_are_refused_whole(tmp_path: Path, name: str) -> None:
    harm, why = HOSTILE[name]
    harm(plant(tmp_path, "x"))
    with pytest.raises(Misuse, match=why):
        folder.read_folder(tmp_path, "x")


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    plant(tmp_path / "there", "x")
    (tmp_path / "x").symlink_to(tmp_path / "there" / "x")
    (tmp_path / "skills").symlink_to(tmp_path / "there")
    for parent in (tmp_path, tmp_path / "skills"):
        with pytest.raises((Misuse, OSError)):
            folder.read_folder(parent, "x")


@pytest.mark.parametrize("path", ["../a", "a/../../b", "/etc/passwd", "a//b", ".", "a/./b", "a\\b"])
def test_paths_of_an_archive_lead_nowhere_else(path: str) -> None:
    with pytest.raises(Misuse):
        folder.build_folder("x", {path: b""})


def test_its_hash_is_of_all_of_it(tmp_path: Path) -> None:
    path = plant(tmp_path, "x", files={"scripts/a.sh": "true\n", "references/b.md": "b\n"})
    path.joinpath("scripts/a.sh").chmod(0o755)
    there = folder.read_folder(tmp_path, "x")
    assert there.programs == {"scripts/a.sh"} and there == folder.read_folder(tmp_path, "x")
    assert folder.build_folder("x", there.files).id == there.id != folder.build_folder("y", there.files).id
    seen = {there.id}
    for change in ({"scripts/a.sh": b"false\n"}, {"new": b""}, {"SKILL.md": b""}):
        seen.add(folder.build_folder("x", {**there.files, **change}).id)
    assert len(seen) == 4


def test_what_git_keeps_is_no_part_of_it(tmp_path: Path) -> None:
    plant(tmp_path, "x", files={".git/config": "x", "__pycache__/a.pyc": "x", ".hidden": "x"})
    assert sorted(folder.read_folder(tmp_path, "x").files) == [".hidden", "SKILL.md"]


def test_what_cannot_be_read_is_named_with_its_whole_path(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as lost:
        folder.read_folder(tmp_path, "pdf")
    assert lost.value.filename == str(tmp_path / "pdf")
