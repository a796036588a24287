"""What is proposed waits for a person: it graduates with a rationale, is rejected for good, or an entry is retired."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from happened_here import happened, project

from dotagent import context
from dotagent.capabilities.learning import dream, entries, profile, review
from dotagent.capabilities.learning.proposal import Memories, Proposal
from dotagent.errors import Misuse, Trouble
from dotagent.project import render
from dotagent.project.place import Project


@pytest.fixture
def here(tmp_path: Path) -> Project:
    one = project(tmp_path)
    for day in (1, 2, 3):
        happened(one, day, "command", "make test")
        happened(one, day, "decision", "we use pytest")
        happened(one, day, "preference", "avoid emoji in commits")
    return one


def dreamt(here: Project, actor: str = "alice") -> tuple[Memories, dict[str, Proposal]]:
    dream.dream_of_project(here, actor)
    where = dream.memories(here, actor)
    return where, {one.kind: one for one in review.waiting(where)}


def test_nothing_graduates_without_a_rationale(here: Project) -> None:
    where, waiting = dreamt(here)
    assert sorted(waiting) == ["pattern", "profile", "rule"]
    with pytest.raises(Misuse, match="the reason for your decision is missing"):
        review.graduate(where, waiting["rule"], "  ")
    assert entries.list_entries(where) == [] and not (where.memory / "semantic").exists()


def test_what_graduates_says_why_what_showed_it_and_who_let_it(here: Project) -> None:
    where, waiting = dreamt(here)
    path = review.graduate(where, waiting["rule"], "fixtures; the password: hunter2xyz is in none")
    text = (where.memory / path).read_text()
    assert re.fullmatch(r"semantic/rules/decisions/[0-9a-f]{8}-we-use-pytest\.md", path)
    heads = [line for line in text.split("\n") if line.startswith("#")]
    assert heads == ["# we use pytest", "## Rationale", "## Evidence", "## Provenance", "## Graduated by"]
    assert "- episodic/2026/06/02/alice__s1.jsonl:2 2026-06-02T10:00 alice\n" in text and "hunter2" not in text
    assert f"- dream: {waiting['rule'].id}\n" in text and re.search(r"\n- alice, 20\S+Z\n$", text)
    (entry,) = entries.list_entries(where)
    assert (entry.path, entry.dream, entry.id) == (path, waiting["rule"].id, Path(path).name[:8])
    happened(here, 4, "decision", "we use pytest")
    assert "rule" not in dreamt(here)[1] and "rule" not in dreamt(here, "bob")[1]


def test_what_graduates_is_rendered_the_same_twice(here: Project) -> None:
    where, waiting = dreamt(here)
    rule = review.graduate(where, waiting["rule"], "fixtures")
    pattern = review.graduate(where, waiting["pattern"], "it is quick")
    review.graduate(where, waiting["profile"], "she said so")
    list(render.write(here.root, context.build(str(here.root), "alice")))
    text = (here.root / "CLAUDE.md").read_text()
    assert f"## Rules\n\n- we use pytest (.agent/memory/{rule})" in text
    assert f"- `make test` is run again and again (.agent/memory/{pattern})" in text
    assert "- preferences: avoid emoji in commits" in text
    assert list(render.write(here.root, context.build(str(here.root), "alice"))) == []


def test_what_two_people_let_graduate_are_two_files_and_one_line(here: Project) -> None:
    _, waiting = dreamt(here)
    for actor in ("alice", "bob"):
        where = dream.memories(here, actor)
        review.graduate(where, waiting["rule"], f"{actor} says so")
    assert len(entries.list_entries(where)) == 2
    rules = context.build(str(here.root), "alice").rules
    assert len(rules) == 1 and rules[0].startswith("- we use pytest (")


def test_rejected_stays_rejected_for_everybody(here: Project) -> None:
    where, waiting = dreamt(here)
    review.reject(where, waiting["pattern"], "of course it is")
    (path,) = (where.memory / "dreams").glob("*.json")
    told = json.loads(path.read_text())
    assert (told["decision"], told["by"], told["why"]) == ("rejected", "alice", "of course it is")
    happened(here, 4, "command", "make test")
    assert "pattern" not in dreamt(here)[1] and "pattern" not in dreamt(here, "bob")[1]
    with pytest.raises(Misuse, match="is not a proposal"):
        review.find_proposal(where, waiting["pattern"].id)


def test_a_rule_that_is_contradicted_is_put_up_for_retirement(here: Project) -> None:
    where, waiting = dreamt(here)
    path = review.graduate(where, waiting["rule"], "fixtures")
    text = (where.memory / path).read_text()
    (where.memory / path).write_text(re.sub(r"(?<=\n- alice, )\S+", "2026-06-10T10:00:00Z", text))
    happened(here, 20, "decision", "use pytest for all of it")
    assert "retire" not in dreamt(here)[1]
    happened(here, 21, "decision", "we do not use pytest any more")
    asked = dreamt(here)[1]["retire"]
    assert asked.title == "contradicted: we use pytest" and "s21.jsonl:1" in asked.evidence[0]
    with pytest.raises(Misuse, match="dream retire"):
        review.graduate(where, asked, "yes")
    entry = review.retire(where, asked.id, "")
    assert entries.list_entries(where) == [] and not (where.memory / path).exists()
    moved = where.memory / path.replace("semantic/", "semantic/retired/")
    assert moved.read_text().startswith("# we use pytest\n") and entry.path == path
    assert context.build(str(here.root), "alice").rules == ()
    assert not {"retire", "rule"} & dreamt(here)[1].keys()


def test_a_pattern_that_nothing_touched_upon_is_put_up_and_may_stay(here: Project) -> None:
    where, waiting = dreamt(here)
    path = review.graduate(where, waiting["pattern"], "it is quick")
    text = (where.memory / path).read_text()
    (where.memory / path).write_text(re.sub(r"(?<=\n- alice, )\S+", "2026-06-10T10:00:00Z", text))
    happened(here, 60, "command", "make test")
    happened(here, 120, "edit", "elsewhere")
    assert "retire" not in dreamt(here)[1]
    happened(here, 160, "edit", "elsewhere")
    asked = dreamt(here)[1]["retire"]
    assert asked.title == "no message about it for 90 days: `make test` is run again and again"
    review.reject(where, asked, "it is still so")
    happened(here, 161, "edit", "elsewhere")
    assert "retire" not in dreamt(here)[1] and len(entries.list_entries(where)) == 1


def test_an_entry_is_retired_by_its_own_id(here: Project) -> None:
    where, waiting = dreamt(here)
    review.graduate(where, waiting["rule"], "fixtures")
    (entry,) = entries.list_entries(where)
    with pytest.raises(Misuse, match="is not the id of one proposal"):
        review.retire(where, "zz", "")
    assert review.retire(where, entry.id, "no more").path == entry.path


def test_of_a_kind_those_seen_most_often_are_proposed_and_the_others_after_them(here: Project) -> None:
    for day in (1, 2, 3):
        for number in range(30):
            happened(here, day, "failure", f"failure {number}")
    where, _ = dreamt(here)
    first = [one for one in review.waiting(where) if one.category == "failures"]
    assert len(first) == review.AT_ONCE
    for one in first:
        review.reject(where, one, "")
    happened(here, 4, "edit", "more")
    dreamt(here)
    assert len([one for one in review.waiting(where) if one.category == "failures"]) == 10


def test_what_is_no_proposal_is_passed_over(here: Project) -> None:
    where, _ = dreamt(here)
    for name, text in {"aa": "{", "bb": "[]", "cc": '{"kind": "rule"}', "00000000": "{}"}.items():
        (where.dreams / f"{name}.json").write_text(text)
    assert len(review.waiting(where)) == 3


PROFILE = "# mine\neditor: vim  # always\npreferences:\n    - tests first\n\n# the end\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "preferences:\n  - avoid emoji in commits\n"),
        (PROFILE, PROFILE.replace("first\n", "first\n    - avoid emoji in commits\n")),
        ("editor: vim", "editor: vim\npreferences:\n  - avoid emoji in commits\n"),
        ("preferences:\n- a\nx: 1\n", "preferences:\n- a\n- avoid emoji in commits\nx: 1\n"),
    ],
)
def test_a_line_is_added_to_a_profile_and_all_else_stays(here: Project, before: str, after: str) -> None:
    where, waiting = dreamt(here)
    where.profile().parent.mkdir(parents=True)
    where.profile().write_text(before)
    assert review.graduate(where, waiting["profile"], "she said so") == "personal/alice/profile.yaml"
    assert where.profile().read_text() == after and "profile" not in dreamt(here)[1]
    assert not (here.memory / "personal/bob").exists()


@pytest.mark.parametrize(
    "text", ["preferences: [a, b]\n", "preferences: none\n", "- a list\n", "{", "a: 1\n---\nb: 2\n"]
)
def test_a_profile_that_cannot_be_added_to_is_left_as_it_is(here: Project, text: str) -> None:
    where, waiting = dreamt(here)
    where.profile().parent.mkdir(parents=True)
    where.profile().write_text(text)
    with pytest.raises(Trouble, match=r"profile\.yaml"):
        review.graduate(where, waiting["profile"], "she said so")
    assert where.profile().read_text() == text and "profile" in dreamt(here)[1]


@pytest.mark.parametrize("codec", ["utf-16", "utf-8-sig", "cp1252"])
def test_a_profile_gets_its_line_in_its_own_encoding_and_with_its_line_ends(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "profile.yaml"
    path.write_bytes("# für Ana\r\neditor: vim\r\n".encode(codec))
    assert profile.add(path, "shell", "fish", 0o600)
    assert path.read_bytes() == "# für Ana\r\neditor: vim\r\nshell: fish\r\n".encode(codec)
