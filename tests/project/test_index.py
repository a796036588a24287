"""The index of events: up to date before each answer, made anew whatever became of it, quick."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from dotagent.project import episodes, index
from dotagent.project.episodes import Episode
from dotagent.project.index import Wanted
from dotagent.project.place import Project


def project(path: Path) -> Project:
    (path / ".agent/memory/episodic").mkdir(parents=True)
    return Project(path)


def put(here: Project, number: int, actor: str = "alice", kind: str = "edit", day: str = "2026-11-21") -> Path:
    one = Episode(
        f"{day}T10:00:{number % 60:02}.{number:06}Z",
        actor,
        "0123",
        kind,
        files=("a.py", f"{actor}.py"),
        summary=f"{kind} {number}",
    )
    return episodes.append(here, one)


def summaries(here: Project, **wanted: str) -> list[str]:
    with index.open_index(here) as db:
        return [one.summary for one in index.events(db, Wanted(**wanted), 100)]


def test_what_is_appended_is_there_and_asked_for_by_actor_kind_file_and_day(tmp_path: Path) -> None:
    here = project(tmp_path)
    put(here, 1)
    assert summaries(here) == ["edit 1"]
    put(here, 2, "bob", "commit", "2026-11-22")
    put(here, 3)
    assert summaries(here) == ["commit 2", "edit 3", "edit 1"]
    assert (
        summaries(here, actor="bob")
        == summaries(here, file="bob.py")
        == summaries(here, since="2026-11-22")
        == ["commit 2"]
    )
    with index.open_index(here) as db:
        assert [(one.actor, count) for one, count in index.who(db, Wanted())] == [("bob", 1), ("alice", 2)]
        assert index.activity(db, Wanted()) == [("2026-11-22", "bob", "commit", 1), ("2026-11-21", "alice", "edit", 2)]
        assert index.leaders(db, Wanted()) == [("bob", 1, 1, 2, 1), ("alice", 2, 0, 2, 1)]
        assert [one.summary for one in index.events(db, Wanted(), 2, newest=False)] == ["edit 3", "commit 2"]


@pytest.mark.parametrize("harm", ["rot", "removed", "shortened", "foreign"])
def test_whatever_became_of_it_it_is_made_anew(tmp_path: Path, harm: str) -> None:
    here = project(tmp_path)
    first, second = put(here, 1), put(here, 2, "bob")
    assert len(summaries(here)) == 2
    if harm == "rot":
        (here.episodic / "index.sqlite").write_bytes(b"rot" * 999)
    elif harm == "foreign":
        (here.episodic / "index.sqlite").unlink()
        (here.episodic / "index.sqlite").mkdir()
        (here.episodic / "index.sqlite").rmdir()
    elif harm == "removed":
        second.unlink()
    else:
        second.write_bytes(first.read_bytes()[: len(second.read_bytes()) - 5] + b"\n")
    expected = {"removed": 1, "shortened": 1}.get(harm, 2)
    assert len(summaries(here)) == expected


def test_a_torn_line_and_what_is_no_event_are_passed_over(tmp_path: Path) -> None:
    here = project(tmp_path)
    path = put(here, 1)
    with path.open("ab") as file:
        file.write(
            b'[1]\n{"ts": "no"}\n'
            + json.dumps({"ts": "2026-11-21T11:00:00Z", "actor": "alice", "kind": 7}).encode()
            + b'\n{"ts": "2026'
        )
    assert summaries(here) == ["edit 1"]
    put(here, 2)
    assert summaries(here) == ["edit 2", "edit 1"]


@pytest.mark.night
def test_a_hundred_thousand_events_are_indexed_in_a_minute_and_asked_at_once(tmp_path: Path) -> None:
    here, counts = project(tmp_path), Counter[str]()
    for day in range(1, 21):
        for actor in ("alice", "bob", "carol", "dan", "eve"):
            path = put(here, 0, actor, day=f"2026-11-{day:02}")
            with path.open("a") as file:
                for number in range(1, 1000):
                    at = f"2026-11-{day:02}T10:00:00.{number:06}Z"
                    told = {"ts": at, "actor": actor, "session": "0123", "kind": "edit",
                            "summary": f"edit {number}", "files": [f"src/{number % 100}.py"]}  # fmt: skip
                    file.write(json.dumps(told) + "\n")
            counts[actor] += 1000
    begun = time.process_time()
    with index.open_index(here) as db:
        assert time.process_time() - begun < 60 and index.size(db) == sum(counts.values()) == 100_000
    asked = []
    for file in range(20):
        begun = time.process_time()
        with index.open_index(here) as db:
            assert len(index.events(db, Wanted(file=f"src/{file}.py"), 20)) == 20
        asked.append(time.process_time() - begun)
    assert sorted(asked)[10] < 0.04


def test_a_clone_without_events_has_none(tmp_path: Path) -> None:
    (tmp_path / ".agent").mkdir()
    with index.open_index(Project(tmp_path)) as db:
        assert index.size(db) == 0
