"""The README and the pages agree with the code, and their links lead to files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import world
from support import ROOT


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


def test_every_page_is_two_clicks_from_the_readme() -> None:
    """Each page is listed in docs/README.md, and each recipe in the list of recipes, which it links to."""
    docs = ROOT / "docs"
    listed = re.findall(r"^- \[[^]]+\]\(([\w/-]+\.md)\)", (docs / "README.md").read_text("utf-8"), re.MULTILINE)
    pages = {str(path.relative_to(docs)) for path in [*docs.glob("*.md"), *docs.glob("reference/*.md")]}
    assert pages - {"README.md"} == {*listed} - {"how-to/README.md", "how-to/troubleshooting.md"}
    recipes = re.findall(r"\]\(([\w-]+\.md)\)", (docs / "how-to" / "README.md").read_text("utf-8"))
    assert sorted(recipes) == sorted(path.name for path in docs.glob("how-to/*.md") if path.name != "README.md")
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "(docs/README.md)" in readme and "(docs/how-to/README.md)" in readme and len(recipes) >= 25


def test_the_readmes_commands_make_a_venv_and_are_those_of_ci() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    venv = "python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt"
    assert f"    {venv}\n    python agent.py\n" in text
    assert "    python chat.py\n" in text
    command = "pip install -r requirements-dev.txt && python -m pytest"
    assert f"    {command}\n" in text
    assert f"\n{command}\n" in (ROOT / ".ci/run").read_text("utf-8")


def test_the_readme_fits_on_two_screens() -> None:
    assert (ROOT / "README.md").read_text("utf-8").count("\n") <= 100


def test_the_architecture_page_names_files_and_functions_that_exist() -> None:
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    way = page.partition("\n## One message\n")[2].partition("\n## ")[0]
    named = re.findall(r"`((?:\w+/)*\w+\.py)`", way)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []
    for name, where in re.findall(r"`(\w+)` in\s+`((?:\w+/)*\w+\.py)`", way):
        assert f"def {name}(" in (ROOT / where).read_text("utf-8"), f"{where} has no {name}"
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
    assert len(answers) == 2


@pytest.mark.night
def test_the_recording_shows_what_a_terminal_shows_today() -> None:
    """`python bench/pictures.py` records it again."""
    words = [sys.executable, "bench/pictures.py", "--check"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
