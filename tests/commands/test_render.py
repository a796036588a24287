"""`render`: both files are written, and a second run writes none."""

from __future__ import annotations

from pathlib import Path

from happened import asked, printed, project


def test_it_names_what_it_wrote_and_a_second_run_writes_nothing(tmp_path: Path) -> None:
    here = project(tmp_path)
    assert asked(here, "render", "--actor", "alice") == [{"changed": "CLAUDE.md"}, {"changed": "AGENTS.md"}]
    before = (tmp_path / "CLAUDE.md").read_bytes()
    assert "nothing was written" in printed(here, "render", "--actor", "alice")
    assert (tmp_path / "CLAUDE.md").read_bytes() == before and b"alice edit by vim: third (c.py)" in before
