"""`timeline`: the last events, in order."""

from __future__ import annotations

from pathlib import Path

from happened import asked, printed, project


def test_the_last_events_in_order(tmp_path: Path) -> None:
    here = project(tmp_path)
    assert [one["summary"] for one in asked(here, "timeline")] == ["first", "second", "third"]
    assert [one["summary"] for one in asked(here, "timeline", "-n", "2")] == ["second", "third"]
    assert printed(here, "timeline", "--kind", "commit").split()[-1] == "first"
