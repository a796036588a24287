"""ADD_TO_FILE: lines below what is there, whatever its end; one that is not there; never twice."""

from __future__ import annotations

import pytest
from hands import Hands

from dotagent import tools
from dotagent.life.events import Effect
from dotagent.text.grammar import ToolCall


@pytest.mark.parametrize(
    ("before", "after"),
    [(None, "two\n"), ("", "two\n"), ("one", "one\ntwo\n"), ("one\n", "one\ntwo\n"), ("one\n\n", "one\n\ntwo\n")],
)
def test_lines_are_added_below_all(hands: Hands, before: str | None, after: str) -> None:
    if before is not None:
        (hands.path / "files/a.md").write_text(before)
    assert hands.shows("ADD_TO_FILE a.md <<END\ntwo\nEND") == "added 1 line to a.md"
    assert (hands.path / "files/a.md").read_text() == after


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("ADD_TO_FILE a.md", "the lines to add are missing"),
        ("ADD_TO_FILE a.md <<END\nEND", "the lines to add are missing"),
        ("ADD_TO_FILE a.md <<END\nx", "the line END is missing"),
        ("ADD_TO_FILE a.md <<END\n<<<<<<< SEARCH\none\n=======\nsix\n>>>>>>> REPLACE\nEND", "EDIT_FILE a.md"),
        ("ADD_TO_FILE <<END\nx\nEND", "the file's path is missing"),
        ("ADD_TO_FILE LIFE.md <<END\nx\nEND", "only dotagent itself writes it"),
        ("ADD_TO_FILE ../x <<END\nx\nEND", "../x"),
    ],
    ids=lambda text: text[:24],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(hands: Hands, call: str, why: str) -> None:
    (hands.path / "files/a.md").write_bytes(b"one\ntwo")
    hands.fails(call, why)
    assert (hands.path / "files/a.md").read_bytes() == b"one\ntwo"


def test_what_was_under_way_is_done_once(hands: Hands) -> None:
    (hands.path / "files/a.md").write_text("one\n")
    call = ToolCall("ADD_TO_FILE", "a.md", "two\n")
    hands.shows("ADD_TO_FILE a.md <<END\ntwo\nEND")
    what = hands.effects("ADD_TO_FILE")[-1]
    for text in ("one\ntwo\n", "one\n"):  # it had happened; it had not
        (hands.path / "files/a.md").write_text(text)
        assert tools.recover(hands.session, call, Effect("ADD_TO_FILE", what)) == b"added 1 line to a.md"
        assert (hands.path / "files/a.md").read_text() == "one\ntwo\n"
