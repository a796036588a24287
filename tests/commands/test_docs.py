"""`docs` refreshes what is generated, finds what is wrong in the pages, and builds the site."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, environment, run

from dotagent import commands
from dotagent.commands import docs
from dotagent.documentation import reference
from dotagent.store.home import Home

STALE = {
    "docs/architecture.md": ("| [chat.py](../chat.py) |", "| [talk.py](../talk.py) |"),
    "docs/commands.md": ("  agents         List", "  agents"),
    "docs/man/dotagent-chat.1": ("Talk with the agents of a room", "Sing in a room"),
    "docs/reference/tools.md": ("READ_FILE path", "READ_FILE place"),
    "docs/reference/settings.md": ("one of strict", "one of strong"),
    "docs/reference/events.md": ("`REPLY`", "`ANSWER`"),
}
WRONG = {  # what somebody writes into a page, and what `check` says about it
    "[a page](nowhere.md)": "the link nowhere.md leads to no file",
    "[a place](clock.md#nowhere)": "clock.md has no heading #nowhere",
    "    python -m dotagent statos": "no command 'statos': did you mean status?",
    "    dotagent status --jsen": "unrecognized arguments: --jsen",
    "Run `dotagent up --quick` then.": "no option --quick",
    "    python chat.py --nome ana": "unrecognized arguments: --nome",
    "```sh\ndotagent agents \\\n  --none\n```": "unrecognized arguments: --none",
}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A checkout with pages of its own, without recipes."""
    for name in ("agent.py", "chat.py", "clean.py", "dotagent", "tests", "bench", "LICENSE", "deploy", "SOUL.md",
                 "EXAMPLE.md", "SEGMENT.md", "SUMMARISE.md"):  # fmt: skip
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=lambda _, names: {"how-to"} & {*names})
    for name in ("README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_reference_says_which_temperature_a_model_on_this_machine_is_asked_at() -> None:
    page = (ROOT / "docs/reference/settings.md").read_text("utf-8")
    for name in ("local", "ollama"):
        assert re.search(rf"\| `{name}` \| `temperature` \| [^|]+ \| a number from 0 to 2 \| `0` \|", page)
    assert re.search(r"\| `openai` \| `temperature` \| [^|]+ \| a number from 0 to 2 \|  \|", page)


@pytest.mark.night
def test_a_stale_page_is_reported_and_refreshed(code: Path) -> None:
    fresh = {page: (code / page).read_text("utf-8") for page in STALE}
    for page, text in fresh.items():
        (code / page).write_text(text.replace(*STALE[page]))
        assert (code / page).read_text("utf-8") != text
    told = [*docs.wrong(code)]
    assert [page for page in STALE if f"{page} is out of date: run `python -m dotagent docs refresh`" not in told] == []
    assert sorted(reference.refresh(code, docs.command_help())) == sorted(STALE)
    assert {page: (code / page).read_text("utf-8") for page in STALE} == fresh


@pytest.mark.night
def test_what_is_wrong_in_a_page_is_reported_with_its_place(code: Path) -> None:
    page, places = code / "docs" / "host.md", dict[int, str]()
    text = page.read_text("utf-8")
    for words, told in WRONG.items():
        text += "\n\nSo it is.\n\n"  # else what is indented would go on with the line before it
        places[text.count("\n") + 1 + words.startswith("```")] = told
        text += words
    page.write_text(f"{text}\n")
    found = [one for one in docs.wrong(code) if one.startswith("docs/host.md:")]
    lines = {int(one.split(":")[1]): one for one in found}
    assert [told for at, told in places.items() if told not in lines.get(at, "")] == [], lines


@pytest.mark.night
def test_a_recipe_that_fails_is_reported(code: Path) -> None:
    (code / "docs" / "how-to").mkdir()
    (code / "docs" / "how-to" / "good.md").write_text("# Say it\n\n```sh\ndotagent agent -m 'good day'\n```\n")
    (code / "docs" / "how-to" / "bad.md").write_text("# Say it\n\n```sh\ndotagent context nobody\necho after\n```\n")
    found = [one for one in docs.wrong(code) if "its commands" in one]
    assert len(found) == 1 and found[0].startswith("docs/how-to/bad.md: its commands end with ")


@pytest.mark.night
def test_the_documentation_of_this_checkout_is_as_it_should_be(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "dotagent", "docs", "check"]
    done = subprocess.run(words, cwd=ROOT, env=environment(Home(tmp_path)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.night
def test_the_site_has_every_page_and_replaces_only_a_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = tmp_path / "site"
    for _ in range(2):
        assert commands.run("docs", ["build", "--to", str(to)]) == 0
    assert "index.html" in capsys.readouterr().out
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix("")
        place = name.parent if name.name == "README" else name
        assert (to / place / "index.html").is_file(), page
    (to / ".dotagent-docs").unlink()
    assert run(Home(tmp_path / "home"), "-m", "dotagent", "docs", "build", "--to", str(to)).returncode == 1


def test_the_map_is_a_line_a_folder() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    for path in (ROOT / "dotagent").glob("*/__init__.py"):
        assert f"\n| [dotagent/{path.parent.name}](../dotagent/{path.parent.name}) | " in text
