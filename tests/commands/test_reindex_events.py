"""`reindex-events`: the index is made anew from the files."""

from __future__ import annotations

from pathlib import Path

from happened import asked, project


def test_a_corrupt_index_is_made_anew(tmp_path: Path) -> None:
    here = project(tmp_path)
    (here.episodic / "index.sqlite").write_bytes(b"rot" * 1000)
    assert asked(here, "reindex-events") == [{"events": 3}]
    assert len(asked(here, "feed")) == 3
