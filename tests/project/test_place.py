"""Where a project is, and what git says of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dotagent.project import place


def test_git_is_asked_of_the_place_that_is_meant_also_in_a_hook_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "other"):
        subprocess.run(["git", "init", "-q", str(tmp_path / name)], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    assert place.git(tmp_path / "mine", "rev-parse", "--show-toplevel") == str(tmp_path / "mine")
    assert place.git(tmp_path, "rev-parse", "--show-toplevel") == ""  # it fails
