"""EDIT_FILE: passages that stand there exactly once, all of them or none."""

from __future__ import annotations

import pytest
from hands import Hands
from hypothesis import given
from hypothesis import strategies as st

from dotagent import extensions
from dotagent.tools import ToolError, edit_file


def edit(name: str, *blocks: tuple[str, str]) -> str:
    parts = [f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE" for old, new in blocks]
    return "\n".join([f"EDIT_FILE {name} <<END", *parts, "END"])


def test_replacing_what_is_there_once(hands: Hands) -> None:
    path = hands.path / "a.md"
    path.write_bytes(b"one\ntwo\r\nthree\nlast")
    assert hands.shows(edit("a.md", ("two\r\n", "2\n"), ("one\n", ""))) == "edited a.md: 2 replacements"
    assert path.read_bytes() == b"2\nthree\nlast"
    hands.shows(edit("a.md", ("last\n", "the end\n")))  # a last line without its end
    assert path.read_bytes() == b"2\nthree\nthe end"
    hands.shows(edit("a.md", ("hre\n", "HRE\n")))  # a passage within a line
    assert path.read_bytes() == b"2\ntHREe\nthe end"


def test_a_replacement_may_hold_what_it_replaces(hands: Hands) -> None:
    (hands.path / "a.md").write_text("x = 1\n")
    for count in range(1, 4):
        hands.shows(edit("a.md", ("x = 1\n", "x = 1\ny = 1\n")))
        assert (hands.path / "a.md").read_text() == "x = 1\n" + "y = 1\n" * count


@pytest.mark.parametrize(
    ("old", "why"),
    [("two\n", "is there 2 times"), ("four\n", "is not there"), ("ONE\n", "is not there")],
)
def test_what_is_not_there_exactly_once_changes_nothing(hands: Hands, old: str, why: str) -> None:
    (hands.path / "a.md").write_text("one\ntwo\nthree\ntwo\n")
    hands.fails(edit("a.md", ("one\n", "1\n"), (old, "x\n")), why, "nothing was changed")
    assert (hands.path / "a.md").read_text() == "one\ntwo\nthree\ntwo\n"
    assert not hands.events("EFFECT")


def test_a_new_or_empty_file_is_written_by_searching_for_nothing(hands: Hands) -> None:
    hands.shows(edit("MEMORY.md", ("", "first note\n")))
    assert (hands.path / "MEMORY.md").read_text() == "first note\n"
    hands.shows(edit("new.md", ("", "new\n")))
    hands.shows(edit("blank.md", ("\n", "new\n"), ("w\n", "xt\n")))
    assert (hands.path / "new.md").read_text() == "new\n"
    assert (hands.path / "blank.md").read_text() == "next\n"
    hands.fails(edit("other.md", ("x\n", "y\n")), "is not there")


@pytest.mark.parametrize(
    "body",
    ["", "new text\n", "<<<<<<< SEARCH\na\n=======\nb\n", "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
     "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nand more\n"],
)  # fmt: skip
def test_another_form_is_answered_with_the_right_one(hands: Hands, body: str) -> None:
    (hands.path / "a.md").write_text("a\n")
    assert "\n".join(edit_file.USAGE) in hands.fails(f"EDIT_FILE a.md <<END\n{body}END", "the form of an edit is")
    assert "\n".join(edit_file.USAGE) in hands.fails("EDIT_FILE a.md", "the form of an edit is")
    assert (hands.path / "a.md").read_text() == "a\n"


def test_an_interrupted_edit_is_made_once(hands: Hands) -> None:
    """Announced and not made: it is made. Made and not told of: it is told of, and not made again."""
    from dotagent.text import grammar

    text = edit("a.md", ("x = 1\n", "x = 1\ny = 1\n"))
    (call,) = grammar.read(text, extensions.tools()).calls
    (hands.path / "a.md").write_text("x = 1\n")
    hands.shows(text)
    what = hands.effects("EDIT_FILE")[-1]
    assert edit_file.recover(hands.session, call, what) == b"edited a.md: 1 replacement"
    assert (hands.path / "a.md").read_text() == "x = 1\ny = 1\n"
    (hands.path / "a.md").write_text("x = 1\n")
    assert edit_file.recover(hands.session, call, what) == b"edited a.md: 1 replacement"
    assert (hands.path / "a.md").read_text() == "x = 1\ny = 1\n"
    (hands.path / "a.md").unlink()
    with pytest.raises(ToolError, match="neither"):
        edit_file.recover(hands.session, call, what)


@given(st.text("ab\n", max_size=12), st.text("ab\n", min_size=1, max_size=4), st.text("ab\n", max_size=4))
def test_it_does_what_replacing_the_only_occurrence_does(before: str, old: str, new: str) -> None:
    try:
        after = edit_file._edit("x", before.encode(), [(old, new)]).decode()
    except ToolError:
        whole, bare = before.count(old), before.count(old.removesuffix("\n"))
        assert whole > 1 or (whole == 0 and bare != 1)
        return
    found = [(old, new), (old.removesuffix("\n"), new.removesuffix("\n"))]
    if not old.strip() and not before.strip():
        assert after == new
        return
    if not old:
        assert after == before.rstrip("\n") + "\n" * max(1, len(before) - len(before.rstrip("\n"))) + new
        return
    assert after in [before.replace(one, other) for one, other in found if one and before.count(one) == 1]


def test_nothing_searched_for_adds_at_the_end(hands: Hands) -> None:
    (hands.path / "a.md").write_text("one")
    hands.shows(edit("a.md", ("", "two\n")))
    hands.shows(edit("a.md", ("", "three\n"), ("one\n", "1\n")))
    assert (hands.path / "a.md").read_text() == "1\ntwo\nthree\n"
    hands.shows(edit("b.md", ("", "new\n")))
    assert (hands.path / "b.md").read_text() == "new\n"
