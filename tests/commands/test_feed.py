"""`feed`: the last events, the newest first."""

from __future__ import annotations

from pathlib import Path

import pytest
from happened import asked, project

from dotagent.errors import Misuse


def test_the_last_events_the_newest_first(tmp_path: Path) -> None:
    here = project(tmp_path)
    assert [one["summary"] for one in asked(here, "feed", "--file", "a.py")] == ["second", "first"]
    (found,) = asked(here, "feed", "-n", "1")
    assert found["files"] == ["c.py"] and found["tool"] == "vim"


def test_where_no_project_is_that_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="create one with `python -m dotagent observe install`"):
        asked(project(tmp_path / "a"), "feed", "--project", str(tmp_path))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-n", "0"), "'0' is not a whole number of at least 1"),
        (("-n", "-1"), "expected one argument|not a whole number"),
        (("--since", "2026-13-40"), "is not a date"),
        (("--since", "yesterday"), "is not a date"),
    ],
)  # fmt: skip
def test_neither_a_number_nor_a_day_is_guessed(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    with pytest.raises(Misuse, match=why):
        asked(project(tmp_path), "feed", *words)
