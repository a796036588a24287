"""The README says what the code says, and its links lead somewhere."""

from __future__ import annotations

import re

from support import ROOT, run

from dotagent.store.home import Home


def test_the_generated_parts_are_fresh(tmp_path) -> None:  # type: ignore[no-untyped-def]
    done = run(Home(tmp_path), "-m", "dotagent", "readme", "--check")
    assert done.returncode == 0, done.stderr


def test_every_link_of_the_pages_leads_to_a_file() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readmes_two_commands_are_those_of_ci() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "    pip install -r requirements.txt && python agent.py\n" in text
    command = "pip install -r requirements.txt && python -m pytest"
    assert f"    {command}\n" in text
    assert f"\n{command}\n" in (ROOT / ".ci/run").read_text("utf-8")
