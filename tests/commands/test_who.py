"""`who`: each actor's last event, who was here last first."""

from __future__ import annotations

from pathlib import Path

from happened import asked, printed, project


def test_each_actor_s_last_event_and_how_many_there_are(tmp_path: Path) -> None:
    here = project(tmp_path)
    found = [(one["actor"], one["summary"], one["events"]) for one in asked(here, "who")]
    assert found == [("alice", "third", 2), ("bob", "second", 1)]
    assert [one["actor"] for one in asked(here, "who", "--file", "b.py")] == ["bob"]
    assert "this project has no events" in printed(here, "who", "--actor", "carol")
