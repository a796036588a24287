"""A page of docs/ has a pointer card: where it stands, what it is about, no copy; the same bytes when indexed again."""

from __future__ import annotations

from pathlib import Path

import pytest
from happened_here import project
from teams import team

from dotagent import context
from dotagent.project import render, sources
from dotagent.project.place import Project

PAGES = {
    "docs/clock.md": "# The clock\n\nJobs are *files*, see [jobs](jobs.md).\nThey wait.\n\nMore of it.\n",
    "docs/deep/a-b.md": "# Deep\n",
    "docs/deep-a/b.md": "No heading: password: hunter2xyz\n\n# Later\n",
    "docs/table.md": "# Table\n\n| a |\n|---|\n\n```\ncode\n```\n\n- what it says\n",
    "docs/x.txt": "no page",
    "README.md": "# no page either\n",
}


@pytest.fixture
def here(tmp_path: Path) -> Project:
    one = project(tmp_path)
    for name, text in PAGES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return one


def cards(here: Project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (here.memory / "semantic/sources").glob("*")}


def test_each_page_has_a_card_that_points_to_it(here: Project) -> None:
    assert list(sources.index(here)) == ["docs/clock.md", "docs/deep-a/b.md", "docs/deep/a-b.md", "docs/table.md"]
    told = {one.path: one.summary for one in sources.list_cards(here)}
    assert told == {
        "docs/clock.md": "Jobs are files, see jobs. They wait.",
        "docs/deep-a/b.md": "No heading: password: [masked: password]",
        "docs/deep/a-b.md": "Deep",
        "docs/table.md": "what it says",
    }
    assert all(b"More of it" not in text and b"\n- last-indexed: 20" in text for text in cards(here).values())


def test_only_what_changed_is_written_again_and_a_page_that_is_gone_has_none(here: Project) -> None:
    list(sources.index(here))
    before = cards(here)
    assert list(sources.index(here)) == [] and cards(here) == before
    for path in (here.memory / "semantic/sources").glob("*.md"):
        path.write_text(path.read_text().replace("last-indexed: 2", "last-indexed: 1"))
    assert list(sources.index(here)) == []
    (here.root / "docs/clock.md").write_text("# The clock\n\nIt stands.\n")
    (here.root / "docs/table.md").unlink()
    assert list(sources.index(here)) == ["docs/clock.md", "docs/table.md"]
    (name,) = (name for name in cards(here) if name.startswith("docs-clock-"))
    assert b"It stands." in cards(here)[name] and b"last-indexed: 2" in cards(here)[name] and len(cards(here)) == 3


def test_the_cards_are_rendered_the_same_twice(here: Project) -> None:
    list(sources.index(here))
    list(render.write(here.root, context.build(str(here.root), "alice")))
    text = (here.root / "AGENTS.md").read_text()
    assert "## Sources — where more is written\n\n- docs/clock.md: Jobs are files" in text
    assert list(render.write(here.root, context.build(str(here.root), "alice"))) == []


@pytest.mark.night
def test_two_people_s_cards_merge_and_are_mended_by_the_next_indexing(tmp_path: Path) -> None:
    alice, bob = team(tmp_path)
    page = "# Clock\n\nIt ticks.\n\nFirst.\n" + "\n" * 20 + "Last.\n"
    for person in (alice, bob):  # both begin the page, and index it: the same bytes
        (person.root / "docs").mkdir()
        (person.root / "docs/clock.md").write_text(page)
        person.do("reindex")
        person.commit("x.txt", "x\n", "docs")
    alice.git("push", "-q", "origin", "main")
    bob.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    bob.git("push", "-q", "origin", "main")
    alice.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    for person, old, new in ((alice, "It ticks", "It ticks loudly"), (bob, "Last", "The last")):
        (person.root / "docs/clock.md").write_text(page.replace(old, new))
        person.do("reindex")
        person.commit("x.txt", "x\n", "docs again")
    alice.git("push", "-q", "origin", "main")
    bob.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert bob.do("reindex").startswith("indexed docs/clock.md\nread 1 page of docs/ (1 changed)")
    (card,) = cards(Project(bob.root)).values()
    assert card.count(b"\n- summary: It ticks loudly.\n") == 1 and card.count(b"\n- ") == 4
