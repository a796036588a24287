"""`reindex`: a project's events and the cards of its docs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from happened_here import happened, project

from dotagent import commands


def test_it_says_what_it_indexed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    happened(project(tmp_path), 1, "edit", "x")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# A\n\nOf a.\n")
    assert commands.run("reindex", ["--project", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "indexed docs/a.md\nread 1 page of docs/ (1 changed), and indexed 1 event\n"
    assert commands.run("reindex", ["--project", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"pages": 1, "changed": 0, "events": 1}
