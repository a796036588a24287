"""What stands, listed and changed by its person."""

from __future__ import annotations

import json

import pytest
from lives import chat, lines
from looking import rows, told
from world import World

from dotagent import commands


@pytest.mark.slow
def test_it_is_listed_changed_and_its_trail_is_shown(lived: World) -> None:
    assert told(lived, "standing").startswith("no standing instructions yet")
    lived.say("You must never call me before 9.")
    while not lines(lived, "STANDING"):  # until it has faded, and the block was said
        chat(lived, 1, seed=len(lived.session.entries))
    heads, line = told(lived, "standing").removesuffix("\n").split("\n")
    assert heads.split() == ["number", "at", "who", "entry", "words"]
    assert line.endswith("You must never call me before 9.")
    assert told(lived, "standing", "--add", "Call me before 9.", "--instead", "1").endswith(" change now\n")
    assert told(lived, "standing", "--add", "Always answer in Danish.").endswith(" change now\n")
    assert json.loads((lived.session.path / "run/standing").read_text().split("\n")[0]) == {
        "add": "Call me before 9.",
        "instead": 1,
    }
    lived.run()
    assert [one["words"] for one in rows(told(lived, "standing", "--json"))] == [
        "Call me before 9.", "Always answer in Danish.",
    ]  # fmt: skip
    assert told(lived, "standing", "--drop", "3").endswith(" change now\n")
    lived.run()
    trail = rows(told(lived, "standing", "--all", "--json"))
    assert [(one["number"], one["over"]) for one in trail] == [(1, "2"), (2, None), (3, "taken away")]
    assert "taken away" in told(lived, "standing", "--all")


@pytest.mark.slow
def test_what_is_no_change_is_said(lived: World) -> None:
    for words, why in (
        (["--drop", "7"], "no standing instruction has number 7; the numbers are: none"),
        (["--add", "x", "--instead", "7"], "no standing instruction has number 7"),
        (["--instead", "7"], "needs --add WORDS"),
        (["--add", " "], "is empty"),
    ):
        with pytest.raises(commands.Misuse, match=why):
            told(lived, "standing", *words)
