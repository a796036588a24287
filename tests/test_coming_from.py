"""docs/coming-from.md: who comes from another system finds a command here by its name there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from alive import end_all
from support import run

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.store.home import Home

PAGE = (Path(__file__).parents[1] / "docs" / "coming-from.md").read_text()
ROWS = [re.split(r"\s*\|\s*", row)[1:4] for row in PAGE.split("## Commands")[1].split("## Settings")[0].split("\n")[4:]]


def first_word(cell: str) -> str:
    """The first word of the first command that the cell names, without the program's name; "" for talk in a room."""
    named = re.findall(r"`(?:moltbot |dotagent )?([^`\s]+)", cell)
    return named[0] if named and not named[0].startswith("/") else ""


def test_each_command_of_theirs_is_one_here_or_is_answered_with_one() -> None:
    theirs = {first_word(cell) for row in ROWS if len(row) == 3 for cell in row[:2]} - {""}
    assert {"gateway", "runtime", "pairing", "onboard"} <= theirs
    unknown = theirs - {*commands.names(), *commands.ELSEWHERE}
    assert not unknown, f"docs/coming-from.md names {unknown}, which nothing answers"


@pytest.mark.parametrize("word", commands.ELSEWHERE)
def test_the_answer_names_commands_that_there_are(word: str) -> None:
    assert word not in commands.names()
    named = re.findall(r"\b[a-z]+\b", re.sub(r"--\w+|\band\b", "", commands.ELSEWHERE[word]))
    assert named and set(named) <= set(commands.names())
    with pytest.raises(Misuse, match=f"use {re.escape(commands.ELSEWHERE[word])} instead"):
        commands.parser(word)


@pytest.mark.slow
def test_one_question_in_their_words_is_answered_where_there_was_nothing(tmp_path: Path) -> None:
    where = Home(tmp_path / "home")
    try:
        done = run(where, "-m", "dotagent", "agent", "-m", "remember that the wifi is called Heron")
        assert done.returncode == 0 and "Heron" in done.stdout, done
        done = run(where, "-m", "dotagent", "agent", "--message", "what is the wifi called?")
        assert done.returncode == 0 and "Heron" in done.stdout, done
    finally:
        end_all(where)
