"""The manual pages: one a command, made of what it understands, without a warning of those who show them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support import ROOT, run
from terminals import Terminal

from dotagent import commands
from dotagent.commands import man
from dotagent.store.home import Home

PAGES = ("", *commands.names())


def test_there_is_a_page_for_each_command_and_no_other() -> None:
    there = {path.name for path in (ROOT / "docs" / "man").iterdir()}
    assert there == {f"dotagent{name and f'-{name}'}.1" for name in PAGES}


def test_it_is_printed(tmp_path: Path) -> None:
    for words in ((), ("status",)):
        done = run(Home(tmp_path), "-m", "dotagent", "man", *words)
        assert done.stdout == man.page("".join(words)) and done.returncode == 0
    done = run(Home(tmp_path), "-m", "dotagent", "man", "stauts")
    assert done.returncode == 2 and done.stderr.count("\n") == 1


@pytest.mark.wide
@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_all_that_the_command_understands(name: str) -> None:
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-Kutf8", "-Tutf8", "-man", "-ww", "-rLL=100n", "-P-cbou"],
        input=man.page(name), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    shown = " ".join(done.stdout.replace("−", "-").split())
    if name:
        assert f"NAME dotagent-{name} - {commands.description(name)} SYNOPSIS dotagent {name} [" in shown
        for action in commands.parser(name)._actions:
            assert all(option in shown for option in action.option_strings)
            assert not action.help or action.help.replace("%%", "%") in shown
    else:
        assert all(f"dotagent-{one}(1) {commands.description(one)}" in shown for one in commands.names())


def test_text_is_never_a_request() -> None:
    assert man._roff(".so /etc/passwd") == "\\&.so /etc/passwd"
    assert man._roff("a\\b -c") == "a\\eb \\-c"


def test_at_a_terminal_it_is_told_what_shows_it(tmp_path: Path) -> None:
    with Terminal(Home(tmp_path), "-m", "dotagent", "man", "fade", width=120) as screen:
        screen.sees("this page is in the format of man(1); to read it, run `python -m dotagent man fade | man -l -`")
        assert screen.ends() == 0
