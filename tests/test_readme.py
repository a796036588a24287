"""The README says what the code says, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import world
from support import ROOT, run

from dotagent.store.home import Home


@pytest.mark.slow
def test_the_generated_parts_are_fresh(tmp_path) -> None:  # type: ignore[no-untyped-def]
    done = run(Home(tmp_path), "-m", "dotagent", "readme", "--check")
    assert done.returncode == 0, done.stderr


def test_every_link_of_the_pages_leads_to_a_file() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


TAUGHT = ("acme", "postbox", "rooms", "shout")  # CONTRIBUTING.md has them written
THEIRS = ("bench/forgeteval/generate.py",)  # another project's


def test_every_file_of_the_code_that_a_page_names_is_there() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for named in re.findall(r"\b(?:dotagent|tests|bench)/[\w/]+\.py\b", page.read_text("utf-8")):
            taught = Path(named).stem.removeprefix("test_") in TAUGHT
            assert taught or named in THEIRS or (ROOT / named).exists(), f"{page.name} names {named}"


def test_every_page_is_listed_once() -> None:
    listed = re.findall(r"^\| \[([\w-]+\.md)\]", (ROOT / "docs/README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted([*listed, "README.md"]) == sorted(page.name for page in ROOT.glob("docs/*.md"))


def test_the_readmes_commands_make_a_venv_and_are_those_of_ci() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    venv = "python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt"
    assert f"    {venv}\n    python agent.py\n" in text
    assert "    python chat.py\n" in text
    command = "pip install -r requirements.txt && python -m pytest"
    assert f"    {command}\n" in text
    assert f"\n{command}\n" in (ROOT / ".ci/run").read_text("utf-8")


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.count("\n") <= 120
    drawing = text.partition("```text\n")[2].partition("```")[0]
    assert 0 < drawing.count("\n") <= 18


def test_the_way_of_a_message_goes_through_modules_that_there_are() -> None:
    """And each name that stands beside a module is one of its own."""
    way = (ROOT / "README.md").read_text("utf-8").partition("\n## The way of one message\n")[2].partition("\n## ")[0]
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", way)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / "dotagent" / name).exists()] == []
    for name, where in re.findall(r"`(\w+)` in `((?:\w+/)+\w+\.py)`", way):
        assert f"def {name}(" in (ROOT / "dotagent" / where).read_text("utf-8"), f"{where} has no {name}"
    loop = (ROOT / "agent.py").read_text("utf-8")
    for name in ("live", "step", "ask", "plan", "act"):
        assert f"`{name}`" in way and f"def {name}(" in loop


def test_the_talk_is_one_that_was_had(tmp_path: Path) -> None:
    """With the provider that answers without a model."""
    text = (ROOT / "README.md").read_text("utf-8")
    talk = re.findall(r"^    (?:(\w+): |  )(.*)$", text.partition("\n## ")[0], flags=re.MULTILINE)
    with world.world(tmp_path, world.offline, provider="offline-here") as here:
        for who, words in talk:
            if who == "ana":
                here.say(words, at="2026-11-22T08:58:56Z")
                here.run()
        answers = [line for said in world.said(here.where) for line in said.split("\n")]
    assert [words for who, words in talk if who != "ana"] == [line.removeprefix("  ") for line in answers]
    assert len(answers) == 3
