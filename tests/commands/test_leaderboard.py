"""`leaderboard`: who did how much."""

from __future__ import annotations

from pathlib import Path

from happened import asked, project


def test_events_commits_files_and_days_of_each(tmp_path: Path) -> None:
    found = [tuple(one.values()) for one in asked(project(tmp_path), "leaderboard")]
    assert found == [("alice", 2, 1, 2, 2), ("bob", 1, 0, 2, 1)]
