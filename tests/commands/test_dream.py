"""`dream`: what repeats is proposed and decided by command; two people's decisions merge by real git."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from happened_here import happened, project
from teams import Person, team

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.project import working
from dotagent.project.place import Project


@pytest.fixture
def here(tmp_path: Path) -> Project:
    one = project(tmp_path)
    for day in (1, 2, 3):
        happened(one, day, "command", "make test")
        happened(one, day, "decision", "we use pytest")
    return one


def asked(here: Project, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert commands.run("dream", [*words, "--project", str(here.root), "--actor", "alice"]) == 0
    return capsys.readouterr().out


def test_it_proposes_shows_and_lets_graduate(here: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(here, capsys, "list").startswith("no proposed rules")
    assert asked(here, capsys).startswith("read 6 new events; 2 new proposals, 2 wait")
    assert asked(here, capsys).startswith("no new events since the last review (dream); 0 new proposals, 2 wait")
    rows = [json.loads(line) for line in asked(here, capsys, "list", "--json").split("\n")[:-1]]
    assert [(one["kind"], one["title"], one["seen"]) for one in rows] == [
        ("rule", "we use pytest", 3), ("pattern", "`make test` is run again and again", 3),
    ]  # fmt: skip
    assert asked(here, capsys, "list").startswith("id        kind")
    shown = asked(here, capsys, "show", rows[0]["id"])
    assert "alice__s1.jsonl:2 2026-06-02T10:00 alice: decision: we use pytest\n" in shown
    with pytest.raises(Misuse, match="the reason for your decision is missing"):
        asked(here, capsys, "graduate", rows[0]["id"])
    path = json.loads(asked(here, capsys, "graduate", rows[0]["id"][:6], "--rationale", "quick", "--json"))["graduated"]
    assert "\n## Rationale\n\nquick\n" in (here.memory / path).read_text()
    assert "not propose it again" in asked(here, capsys, "reject", rows[1]["id"])
    assert asked(here, capsys, "list").startswith("no proposed rules")
    told = asked(here, capsys, "retire", Path(path).name[:8])
    assert (
        "is withdrawn; its file is now semantic/retired/rules/decisions/" in told and not (here.memory / path).exists()
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [(["show"], "needs an id"), (["list", "0123abcd"], "does not take an id"), (["show", "0123abcd"], "no proposal"),
     (["retire", "0123abcd"], "is not the id of one proposal")],
)  # fmt: skip
def test_what_it_cannot_mean_is_misuse(
    here: Project, capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    with pytest.raises(Misuse, match=why):
        asked(here, capsys, *words)


def decide(person: Person, days: int) -> list[str]:
    """What this person observes, lets graduate, rejects and retires; then it is committed."""
    for day in range(days):
        for kind, words in (("decision", "we use pytest"), ("command", "make test"), ("failure", "it times out")):
            told = {"actor": person.name, "kind": kind, "summary": words, "session": f"s{day}"}
            working.observe(Project(person.root), told)
    person.do("dream")
    rows = {row["title"]: row["id"] for row in map(json.loads, person.do("dream", "list", "--json").split("\n")[:-1])}
    said = person.do("dream", "graduate", rows["we use pytest"], "--rationale", f"{person.name} says so", "--json")
    person.do("dream", "reject", rows["it fails again and again: it times out"], "--rationale", person.name)
    person.do("render")
    person.git("add", "-A")
    person.git("commit", "-qm", "what was learned")
    return [json.loads(said)["graduated"]]


@pytest.mark.night
def test_two_people_s_decisions_merge_without_a_conflict(tmp_path: Path) -> None:
    alice, bob = team(tmp_path)
    for person in (alice, bob):
        (person.root / ".gitignore").write_text("CLAUDE.md\nAGENTS.md\n")
    (mine,), (theirs,) = decide(alice, 3), decide(bob, 4)
    alice.git("push", "-q", "origin", "main")
    bob.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    memory = Project(bob.root).memory
    assert mine != theirs and (memory / mine).exists() and (memory / theirs).exists()
    assert len(list((memory / "dreams").glob("rejected-*.json"))) == 2
    assert not bob.git("ls-files", ".agent/memory/working")
    bob.git("push", "-q", "origin", "main")
    alice.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    for person in (alice, bob):  # both retire the same entry
        person.do("dream", "retire", Path(mine).name[:8], "--rationale", person.name)
        person.git("add", "-A")
        person.git("commit", "-qm", "retired")
    alice.git("push", "-q", "origin", "main")
    bob.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert not (memory / mine).exists() and len(list((memory / "semantic/retired").rglob("*.md"))) == 1
    assert "0 new proposals, 1 wait" in bob.do("dream")
