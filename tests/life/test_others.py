"""The texts of others in an agent's turns: each with the name of its source, by the calls of the last reply."""

from __future__ import annotations

import pytest

from dotagent.life.events import Hear, Reply, Result
from dotagent.life.others import TextsOfOthers

CALLS = "READ_FILE notes/a.txt\nFETCH http://a.example:8000/tea?x=1\nREAD_FILE notes/b.txt\nSEARCH_WEB tea [in] May"


@pytest.mark.parametrize("tools, name", [
    (["READ_FILE"], "notes/a.txt"),
    (["READ_FILE", "FETCH", "READ_FILE"], "notes/b.txt"),
    (["READ_FILE", "READ_FILE", "READ_FILE"], "notes/b.txt"),
    (["READ_FILE", "FETCH"], "a.example:8000"),
    (["SEARCH_WEB"], "SEARCH_WEB tea in May"),
    (["RUN"], "RUN"),
])  # fmt: skip
def test_a_result_has_the_name_of_its_call(tools: list[str], name: str) -> None:
    others = TextsOfOthers()
    others.mark(Reply(), "READ_FILE notes/earlier.txt", "")
    others.mark(Result("READ_FILE"), "no", "no")
    others.mark(Reply(), CALLS, "")
    for tool in tools:
        told = others.mark(Result(tool), "tea at three", "tea at three")
    assert told == f"[from {name}] tea at three"


def test_a_message_between_a_call_and_its_result_does_not_take_the_name_away() -> None:
    others = TextsOfOthers()
    others.mark(Reply(), "READ_FILE notes/a.txt", "")
    others.mark(Hear("dev", 1, "x", who="USER:ana"), "[USER:ana 2026-11-21T20:17:20Z] and quickly", "and quickly")
    assert others.mark(Result("READ_FILE"), "tea at three", "tea at three") == "[from notes/a.txt] tea at three"
