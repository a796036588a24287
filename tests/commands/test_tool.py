"""`tool pattern-extractor`: what repeats is shown, and proposed when that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from happened_here import happened, project

from dotagent import commands
from dotagent.capabilities.learning import dream, review


def test_it_shows_what_repeats_and_proposes_it_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = project(tmp_path)
    words = ["pattern-extractor", "--project", str(tmp_path), "--actor", "alice"]
    assert (
        commands.run("tool", words) == 0
        and capsys.readouterr().out == "no action repeats often enough yet to propose a pattern\n"
    )
    for day in (1, 2, 3):
        happened(here, day, "command", "make test")
    where = dream.memories(here, "alice")
    assert commands.run("tool", words) == 0 and review.waiting(where) == []
    assert "`make test` is run again and again" in capsys.readouterr().out
    for new in (1, 0):
        assert commands.run("tool", [*words, "--write"]) == 0
        assert capsys.readouterr().out.startswith(f"1 action that you repeat, {new} of them new")
    assert [one.category for one in review.waiting(where)] == ["commands"]
