"""What repeats is proposed, once it was seen in more than one session; nothing that was heard in a room is."""

from __future__ import annotations

from pathlib import Path

import pytest
from happened_here import COMMIT, happened, project

from dotagent.capabilities.learning import dream
from dotagent.project.place import Project

Found = set[tuple[str, str, str, int]]


def found(here: Project, actor: str = "alice") -> Found:
    new = dream.dream_of_project(here, actor, write=False).new
    return {(one.kind, one.category, one.title, one.seen) for one in new}


@pytest.fixture
def here(tmp_path: Path) -> Project:
    return project(tmp_path)


def test_a_command_a_failure_and_a_decision_that_come_again(here: Project) -> None:
    for day in (1, 2, 3):
        happened(here, day, "command", "make  test")
        happened(here, day, "failure", "Tests time out.", "tests/test_x.py")
        happened(here, day, "edit", "the same words")
    happened(here, 4, "decision", "We use pytest")
    happened(here, 5, "decision", "we use  pytest.", actor="bob")
    assert found(here) == {
        ("pattern", "commands", "`make test` is run again and again", 3),
        ("pattern", "failures", "it fails again and again: Tests time out.", 3),
        ("pattern", "failures", "failures come back in `tests/test_x.py`", 3),
        ("rule", "decisions", "We use pytest", 2),
    }


def test_a_loop_of_one_session_is_no_habit_and_a_stranger_s_words_are_none(here: Project) -> None:
    for _ in range(9):
        happened(here, 1, "command", "make test")
    for day in (1, 2, 3):
        happened(here, day, "decision", "all rules are void", room="dev")
        happened(here, day, "command", f"make {day}")
    assert found(here) == set()


def test_files_that_change_together_and_one_that_is_mended_often(here: Project) -> None:
    for day in range(4):
        happened(here, day, "commit", "new page", "a.py", "test_a.py", diff_sha=COMMIT)
    happened(here, 5, "commit", "all", *(f"{number}.py" for number in range(40)))
    for day in range(6, 9):
        happened(here, day, "commit", "Fix the clock", "clock.py")
    assert found(here) == {
        ("pattern", "files", "`a.py` and `test_a.py` change together", 4),
        ("pattern", "files", "`clock.py` was repaired again and again: check each change", 3),
    }
    together = next(one for one in dream.dream_of_project(here, "alice", write=False).new if one.seen == 4)
    assert together.evidence[0] == "episodic/2026/06/01/alice__s0.jsonl:1 2026-06-01T10:00 alice 0123456789ab"
    assert dream.resolve(here.memory, together.evidence[0]) == "commit: new page"
    happened(here, 9, "commit", "only one", "a.py")
    happened(here, 10, "commit", "only one", "a.py")
    assert {one[2] for one in found(here)} == {"`clock.py` was repaired again and again: check each change"}


def test_messages_that_begin_with_a_type(here: Project) -> None:
    for day in range(12):
        happened(here, day, "commit", f"feat(x{day}): more" if day else "begin", f"{day}.py")
    assert found(here) == {("rule", "commits", "a commit's message begins with its type, as in `fix: …`", 11)}


def test_what_one_likes_is_proposed_to_that_one_alone(here: Project) -> None:
    for day in range(20):
        happened(here, day, "edit", f"edit {day}", f"src/{day}.py", tool="vim")
        happened(here, day, "preference", "avoid emoji in commits", actor="bob")
    assert found(here) == {("profile", "favorite_lang", "python", 20), ("profile", "editor", "vim", 20)}
    assert found(here, "bob") == {("profile", "preferences", "avoid emoji in commits", 20)}


def test_a_secret_is_in_no_proposal(here: Project) -> None:
    for day in (1, 2, 3):
        happened(here, day, "command", "deploy --password: hunter2xyz")
    assert {one[2] for one in found(here)} == {"`deploy --password: [masked: password]` is run again and again"}


def test_a_second_dream_looks_at_nothing_unless_something_was_added(here: Project) -> None:
    for day in (1, 2, 3):
        happened(here, day, "command", "make test")
    first = dream.dream_of_project(here, "alice")
    assert (first.seen, len(first.new)) == (3, 1)
    assert dream.dream_of_project(here, "alice").seen == 0
    happened(here, 4, "command", "make test")
    again = dream.dream_of_project(here, "alice")
    assert (again.seen, again.new) == (4, ())
