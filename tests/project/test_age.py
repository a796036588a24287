"""What is too old in a project goes where its settings say so: shown before, one's own alone, without a conflict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from happened_here import happened, project
from teams import Person, team

from dotagent.capabilities.learning import dream, entries, review
from dotagent.errors import Misuse
from dotagent.project import age, episodes, index
from dotagent.project.index import Wanted
from dotagent.project.place import Project

NOW = datetime(2026, 9, 15, tzinfo=UTC)


def kinds(found: list[age.Old]) -> list[str]:
    return [one.what for one in found]


@pytest.fixture
def here(tmp_path: Path) -> Project:
    """June's events of Alice and Bob; Alice let a rule be learned, and took it back."""
    one = project(tmp_path)
    for day in (1, 2, 3):
        for actor in ("alice", "bob"):
            happened(one, day, "decision", "we use pytest", actor=actor)
    happened(one, 90, "edit", "new", "a.py", actor="alice")
    where = dream.memories(one, "alice")
    (rule,) = dream.dream_of_project(one, "alice").new
    review.graduate(where, rule, "fixtures")
    review.retire(where, entries.list_entries(where)[0].id, "we do not")
    return one


def test_by_their_age_and_of_one_actor(here: Project) -> None:
    found = age.old(here, {"episodes": 90}, NOW, "alice")
    assert kinds(found) == [f"1 event of alice, 2026-06-0{day}" for day in (2, 3, 4)]
    assert kinds(age.old(here, {"episodes": 104}, NOW, "alice")) == ["1 event of alice, 2026-06-02"]
    assert len(age.old(here, {"episodes": 90}, NOW, "")) == 6 and age.old(here, {}, NOW, "") == []
    with index.open_index(here) as db:
        assert index.size(db) == 7
    gone = age.let_go(here, (one.path for one in found))
    assert gone == [f".agent/memory/episodic/2026/06/0{day}/alice__s{day - 1}.jsonl" for day in (2, 3, 4)]
    assert not list(here.episodic.glob("index.sqlite*")) and age.let_go(here, gone) == []
    with index.open_index(here) as db:
        assert [one.actor for one in index.events(db, Wanted(), 9)] == ["alice", "bob", "bob", "bob"]
    age.let_go(here, (one.path for one in age.old(here, {"episodes": 90}, NOW, "")))
    assert not (here.episodic / "2026" / "06").exists() and len(episodes.list_files(here)) == 1


def test_the_audit_is_decisions_and_what_was_retired(here: Project) -> None:
    decision, at = next((here.memory / "dreams").glob("retired-*.json")), datetime.now(UTC)
    assert age.old(here, {"audit": 30}, at, "alice") == []
    later = at + timedelta(days=31)
    assert age.old(here, {"audit": 30}, later, "bob") == []
    assert [one.what.partition(",")[0] for one in age.old(here, {"audit": 30}, later, "alice")] == [
        "retired by alice",
        "retired by alice",
    ]
    told = json.loads(decision.read_text())
    decision.write_text(json.dumps({**told, "entry": "semantic/../../../../a.py"}))
    assert len(age.old(here, {"audit": 30}, later, "alice")) == 1
    decision.write_text(json.dumps(told))
    found = age.old(here, {"audit": 30}, later, "alice")
    assert len(age.let_go(here, (one.path for one in found))) == 2
    assert json.loads(decision.read_text()).keys() == {"decision", "id"} and not entries.list_entries(
        dream.memories(here, "alice"), retired=True
    )
    happened(here, 91, "decision", "we use pytest", actor="alice")
    assert dream.dream_of_project(here, "alice").new == () and not age.old(here, {"audit": 30}, later, "alice")


@pytest.mark.parametrize(
    "said", ["[retention]\nepisodes = -1", "[retention]\ndays = 3", "retention = 90", "[other]", "["]
)
def test_settings_that_say_something_else_are_no_settings(here: Project, said: str) -> None:
    assert age.retention_days(here) == {}
    (here.agent / "settings.toml").write_text(said + "\n")
    with pytest.raises(Misuse, match=r"settings\.toml: "):
        age.retention_days(here)
    (here.agent / "settings.toml").write_text("[retention]\nepisodes = 90\naudit = 0\n")
    assert age.retention_days(here) == {"episodes": 90}
    for codec in ("utf-8-sig", "utf-16"):
        (here.agent / "settings.toml").write_bytes("[retention]\r\naudit = 30\r\n".encode(codec))
        assert age.retention_days(here) == {"audit": 30}


@pytest.fixture
def people(tmp_path: Path) -> Iterator[tuple[Person, Person]]:
    """Alice and Bob have each other's events, old ones and new ones, and one setting."""
    alice, bob = team(tmp_path)
    alice.commit(".gitignore", "CLAUDE.md\nAGENTS.md\n", "rendered by each")
    alice.commit(".agent/settings.toml", "[retention]\nepisodes = 90\n", "what we keep")
    for one in (alice, bob):
        if one is bob:
            share(alice, bob)
        happened(Project(one.root), 1, "edit", f"old of {one.name}", "a.py", actor=one.name)
        one.do("observe", "edit", f"new of {one.name}", "--file", "a.py")
        one.commit(f"{one.name}.txt", "work\n", "work")
        one.do("render")
    share(bob, alice)
    yield alice, bob


def share(giver: Person, taker: Person) -> None:
    giver.git("push", "-q", "origin", "main")
    taker.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")


@pytest.mark.night
def test_two_people_let_go_what_is_theirs_and_git_merges_it(people: tuple[Person, Person]) -> None:
    alice, bob = people
    shown = alice.do("forget", "--old", "--json", "--project")
    assert "1 event of alice, 2026-06-02" in shown and "bob" not in shown
    assert "no terminal on which to ask you" in alice.do("forget", "--old", "--project", status=2)
    assert "old of alice" in (alice.root / "CLAUDE.md").read_text()  # nothing goes before a yes
    done = alice.do("forget", "--old", "--yes", "--project")
    assert "permanently removed the text from 3 files" in done and "CLAUDE.md" in done
    assert "old of alice" not in (alice.root / "CLAUDE.md").read_text() + alice.do("timeline")
    assert "new of alice" in alice.do("timeline") and "old of bob" in alice.do("timeline")
    assert "no event of alice is older than 90 days" in alice.do("forget", "--old", "--yes", "--project")
    bob.do("forget", "--old", "--yes", "--project")
    for one in (alice, bob):
        one.commit(f"{one.name}2.txt", "work\n", "let go")
    share(alice, bob)
    share(bob, alice)
    for one in (alice, bob):
        assert "old of" not in one.do("timeline") and "new of bob" in one.do("timeline")


@pytest.mark.night
def test_all_actors_files_go_when_that_is_said(people: tuple[Person, Person]) -> None:
    alice, _ = people
    assert "works only as" in alice.do("forget", "x", "--everyone", status=2)
    rows = [
        json.loads(row) for row in alice.do("forget", "--old", "--everyone", "--json", "--project").split("\n")[:-1]
    ]
    assert [one["sentence"] for one in rows] == ["1 event of alice, 2026-06-02", "1 event of bob, 2026-06-02"]
    assert "from 3 files" in alice.do("forget", "--old", "--everyone", "--only", "2", "--project")
    assert "old of alice" in alice.do("timeline") and "old of bob" not in alice.do("timeline")
    (alice.root / ".agent/settings.toml").unlink()
    assert "`audit = 365` (decisions and retired rules)" in alice.do("forget", "--old", "--project", status=2)


@pytest.mark.night
def test_the_nearest_project_is_meant_where_none_is_named(people: tuple[Person, Person]) -> None:
    alice, _ = people
    assert "new of alice" in alice.do("forget", "that", "new of alice", "--json", "--project")
    assert "permanently removed" in alice.do("forget", '"new of alice"', "--yes", "--project")
    assert "new of alice" not in alice.do("timeline")
