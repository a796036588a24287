"""Walking a folder: what cannot be listed is told of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import barred, make_home

from dotagent.capabilities.backup import archive
from dotagent.erasure import matches
from dotagent.store.directories import names, walk


def test_what_is_not_there_has_nothing_and_what_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert list(walk(tmp_path)) == [(str(tmp_path), [], ["file"])] and names(tmp_path) == ["file"]
    for nothing in (tmp_path / "file", tmp_path / "nowhere"):
        assert list(walk(nothing)) == [] and names(nothing) == []
    with barred(tmp_path):
        with pytest.raises(PermissionError):
            list(walk(tmp_path))
        with pytest.raises(PermissionError):
            names(tmp_path)


def test_a_link_that_cannot_be_followed_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "long").symlink_to("x" * 4000)
    (tmp_path / "loop").symlink_to("loop")
    assert [sorted(files) for _, folders, files in walk(tmp_path) if not folders] == [["long", "loop"]]


def test_folders_may_be_nested_more_deeply_than_python_recurses(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    deep = where.agents
    for _ in range(1500):
        deep = deep / "d"
        deep.mkdir()
    (deep / "f").write_text("x")
    (where.agents / "link").symlink_to(where.agents)
    assert sum(1 for _ in walk(where.agents)) == 1501
    assert any(path.endswith("d/d/f") for path in matches.files(where.root))
    (deep / "f").unlink()
    os.removedirs(deep)


def test_neither_a_backup_nor_who_forgets_passes_over_a_folder_in_silence(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    with barred(where.root):
        for found in (archive.cut(where), matches.files(where.root), matches.ids(where)):
            with pytest.raises(PermissionError):
                list(found)
