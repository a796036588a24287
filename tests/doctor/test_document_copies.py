"""A program that syncs files leaves copies of documents, notes, jobs and settings: `doctor` and `status` name each."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import make_home

from dotagent.capabilities.maintenance import document_copies
from dotagent.store.home import Home, Settings
from dotagent.text.reference import short

LIFE = "0123456789abcdef" * 2


@pytest.fixture
def where(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    (made.agent(LIFE) / "memory").mkdir(parents=True)
    for path in (made.root / "dotagent.toml", made.agent(LIFE) / "MEMORY.md", made.agent(LIFE) / "LIFE.md"):
        path.touch()
    (made.agent(LIFE) / "memory" / "2026-11-28.md").touch()
    return made


def named(where: Home) -> list[str]:
    return [copy for copy, _ in document_copies.find(where)]


@pytest.mark.parametrize(
    "name",
    [
        "MEMORY.sync-conflict-20261128-101010-ABCDEFG.md",  # Syncthing
        "MEMORY (ana's conflicted copy 2026-11-28).md",  # Dropbox
        "MEMORY (conflicted copy 2026-11-28 101010).md",  # Nextcloud
        "MEMORY_conflict-20261128-101010.md",  # ownCloud
        "MEMORY.conflict1.md",  # rclone
    ],
)
def test_a_copy_of_a_document_is_named_whatever_made_it(where: Home, name: str) -> None:
    (where.agent(LIFE) / name).write_text("- tea\n")
    assert named(where) == [f"agents/{short(LIFE)}/{name}"]
    (told,) = document_copies.warn(where, Settings())
    assert told.startswith(f"agents/{short(LIFE)}/{name}: a program that syncs files left this copy of MEMORY.md")
    assert told.endswith("add what you need of it to MEMORY.md, then delete the copy")


def test_copies_of_notes_and_settings_are_named_and_other_files_are_not(where: Home) -> None:
    (where.agent(LIFE) / "memory" / "2026-11-28.sync-conflict-20261128-101010-ABCDEFG.md").touch()
    (where.root / "dotagent.sync-conflict-20261128-101010-ABCDEFG.toml").touch()
    for name in ("conflict.md", "On conflict.md", "MEMORY.old.md"):
        (where.agent(LIFE) / name).touch()
    assert [name.rpartition("/")[2][:10] for name in named(where)] == ["dotagent.s", "2026-11-28"]
