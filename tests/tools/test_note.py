"""NOTE writes a dated line once, whatever dies, and no secret."""

from __future__ import annotations

import re

import pytest
from hands import Hands

from dotagent import tools
from dotagent.life.events import Effect
from dotagent.text import times
from dotagent.text.grammar import ToolCall


def noted(hands: Hands) -> list[str]:
    return (hands.path / "memory" / f"{times.local_day(times.now())}.md").read_text().split("\n")


def test_a_line_with_its_time_under_notes(hands: Hands) -> None:
    shown = hands.shows("NOTE we take\tthe train")
    assert shown == f"noted in memory/{times.local_day(times.now())}.md"
    hands.shows("NOTE <<END\nand\nthe boat\nEND")
    written = noted(hands)
    assert written[2] == "## Notes" and re.fullmatch(r"- \d\d:\d\d we take the train", written[3])
    assert re.fullmatch(r"- \d\d:\d\d and the boat", written[4])


def test_one_that_died_over_it_writes_it_once(hands: Hands) -> None:
    hands.shows("NOTE tea")
    (at,) = hands.effects("NOTE")
    for _ in range(2):
        tools.recover(hands.session, ToolCall("NOTE", "tea", None), Effect("NOTE", at))
    assert len([line for line in noted(hands) if line.endswith("tea")]) == 1


def test_a_secret_is_not_written_and_that_is_told(hands: Hands) -> None:
    assert "without the password" in hands.shows("NOTE ana's password: hunter2xyz")
    assert noted(hands)[3].endswith("ana's password: [masked: password]")


@pytest.mark.parametrize(
    ("reply", "why"), [("NOTE", "the words are missing: write NOTE"), ("NOTE " + "x" * 1001, "but a note has at most")]
)
def test_what_is_no_note_is_told(hands: Hands, reply: str, why: str) -> None:
    hands.fails(reply, why)
    assert not (hands.path / "memory").exists()
