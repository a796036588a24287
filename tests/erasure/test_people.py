"""Who has several names by a file is forgotten under each of them; nobody else is, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from unforgotten import traces
from world import offline, world

from dotagent.erasure import matches, people, sweep
from dotagent.project import erasure, place, working

PAGE = "# Ana Kovač\n\nAliases: Ani, Аня, @anak\n\nShe plays the cello.\n"
SAID = (
    "Ana Kovač moved to Porto.",
    "Ani keeps bees in the attic.",
    "Аня is afraid of geese.",
    "the boat of anak is green.",
    "Anita sings in a choir.",
    "Bo knows nothing about boats.",
)
HERS = {*SAID[:4]}


@pytest.mark.parametrize("name", ["Ana Kovač", "Ana", "ani", "Аня", "anak", "Ana Kovač."])
def test_everything_about_somebody_is_what_was_said_under_each_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "bank/entities").mkdir(parents=True)
    (tmp_path / "bank/entities/ana.md").write_text(PAGE)
    known = people.find_people(tmp_path, ["bank/entities/ana.md"])
    found = {
        one.words
        for one in matches.match_sentences([("x", "\n\n".join(SAID))], f"forget everything about {name}", known)
    }
    assert found == HERS


def test_information_about_somebody_is_all_of_it_and_a_call_on_them_is_not() -> None:
    told = [("x", "David manages the sales team.\n\nDavid drives a Tesla.\n\nEve had a call on David, the statue.")]
    for asked in ("forget information about David the manager", "vergiss alle Angaben zu David"):
        found = {one.words for one in matches.match_sentences(told, asked)}
        assert {"David manages the sales team.", "David drives a Tesla."} <= found
    assert "David drives a Tesla." not in {
        one.words for one in matches.match_sentences(told, "forget the call on David")
    }


def test_a_short_sentence_beside_a_title_is_found_and_gone() -> None:
    told = [("page", "# Peter\n\nPeter keeps bees.\n\nPeter swims."), ("gist", "ana: Peter keeps bees.")]
    found = [one.words for one in matches.match_sentences(told, "forget everything about Peter")]
    assert sorted(found) == ["# Peter", "Peter keeps bees.", "Peter swims."]


def test_a_name_of_two_people_is_nobodys_other_names(tmp_path: Path) -> None:
    for name in ("Ana Kovač", "Ana Silva"):
        (tmp_path / f"people/{name}").parent.mkdir(exist_ok=True)
        (tmp_path / f"people/{name}.md").write_text(f"# {name}\naka: {name[4:6]}i\n")
    known = people.find_people(tmp_path, ["people/Ana Kovač.md", "people/Ana Silva.md"])
    assert people.find_names(known, "Ana") == frozenset() and people.find_names(known, "ana silva") == {
        "Ana Silva",
        "Sii",
    }
    assert {
        one.words for one in matches.match_sentences([("x", "Ana is in Rome.\n\nKoi is not.")], "all about Ana", known)
    } == {"Ana is in Rome."}


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("agents/x/USER.md", "- **Name:** Ana Kovač\n- **What to call them:** Ani\n", {"Ana Kovač", "Ani"}),
        ("agents/x/USER.md", "- **Name:** Ana\n- **What to call them:**\n- **Pronouns:** she\n", set()),
        ("x/personal/ana/profile.yaml", "editor: vim\naliases: [Ani, 'Аня']  # hers\n", {"ana", "Ani", "Аня"}),
        ("x/personal/ana/profile.yaml", "nickname:\n  - Ani\n  - anak\neditor: vim\n", {"ana", "Ani", "anak"}),
        ("x/personal/ana/profile.yaml", "editor: vim\n", set()),
        ("bank/entities/bo-li.md", "# Bo Li\n- Also called: Bobby or “B. Li”\n", {"bo li", "Bo Li", "Bobby", "B. Li"}),
        ("notes/bo.md", "# Bo Li\nAliases: Bobby\n", set()),
    ],
)
def test_what_files_tell_names(tmp_path: Path, name: str, text: str, names: set[str]) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text)
    assert people.find_people(tmp_path, [name, "people/gone.md"]) == ([frozenset(names)] if names else [])


def test_a_fact_told_under_another_name_is_found_and_gone(tmp_path: Path) -> None:
    with world(tmp_path, offline, "--audience", "private ana") as it:
        (it.session.path / "memory/people").mkdir(parents=True)
        (it.session.path / "memory/people/robert.md").write_text("# Robert\n\nNickname: Bobby\n")
        for text in ("Bobby pays 4200 a month.", "Clara pays 900 a month.", "Bobby has a dog."):
            it.say(text)
            it.run()
        where = it.where
    found = [one.words for one in matches.find(where, "forget that Robert pays 4200 a month")]
    assert found == ["Bobby pays 4200 a month."]
    sweep.announce(where, found, "ana")
    sweep.finish(where)
    assert not traces(where.root, "pays 4200") and traces(where.root, "Clara pays 900")
    found = [one.words for one in matches.find(where, "everything about robert")]
    assert {"Bobby has a dog.", "# Robert"} <= {*found}
    sweep.announce(where, found, "ana")
    sweep.finish(where)
    assert not traces(where.root, "Bobby") and not traces(where.root, "Robert") and traces(where.root, "Clara pays 900")


def test_a_projects_people_have_names_too(tmp_path: Path) -> None:
    project = place.make(str(tmp_path))
    working.observe(project, {"kind": "decision", "summary": "Ani reviews the parser", "actor": "bo"})
    project.profile("ana").parent.mkdir(parents=True)
    project.profile("ana").write_text("aliases: [Ani]\n")
    known = people.find_people(project.root, erasure.names(project))
    found = [one.words for one in matches.match_sentences(erasure.texts(project), "everything about ana", known)]
    assert "Ani reviews the parser" in found
