"""Folders of an agent and of a project are listed and filled without following a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from dotagent.store import disk, safe_paths


@pytest.mark.parametrize("top", ["agents/" + "a" * 32, "project/.agent"])
def test_no_folder_is_listed_or_filled_through_a_link(tmp_path: Path, top: str) -> None:
    agent, outside = tmp_path / top, tmp_path / "outside"
    (agent / "memory").mkdir(parents=True)
    outside.mkdir()
    (outside / "x.md").write_text("theirs")
    (agent / "memory" / "linked").symlink_to(outside)
    (agent / "memory" / "plain").mkdir()
    (agent / "memory" / "plain" / "y.md").write_text("mine")
    (agent / "memory" / "plain" / "z.md").symlink_to(outside / "x.md")
    assert disk.names(agent / "memory" / "linked") == [] == disk.names(agent / "memory" / "nothing")
    assert disk.names(agent / "memory" / "plain", ".md") == ["y.md", "z.md"]
    assert safe_paths.matching(agent, "memory/*/*.md") == [agent / "memory" / "plain" / "y.md"]
    with pytest.raises(disk.NoFile):
        disk.create(agent / "memory" / "linked" / "new.md", b"x")
    assert disk.create(agent / "memory" / "plain" / "new.md", b"x")
    assert not disk.create(agent / "memory" / "plain" / "new.md", b"y")
    assert sorted(one.name for one in outside.iterdir()) == ["x.md"]
    assert sorted(one.name for one in (agent / "memory" / "plain").iterdir()) == ["new.md", "y.md", "z.md"]
