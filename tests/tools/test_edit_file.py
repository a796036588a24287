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
    path = hands.path / "files/a.md"
    path.write_bytes(b"one\ntwo\r\nthree\nlast")
    assert hands.shows(edit("a.md", ("two\r\n", "2\n"), ("one\n", ""))) == "edited a.md: 2 replacements"
    assert path.read_bytes() == b"2\r\nthree\nlast"
    hands.shows(edit("a.md", ("last\n", "the end\n")))  # a last line without its end
    assert path.read_bytes() == b"2\r\nthree\nthe end"
    hands.shows(edit("a.md", ("hre\n", "HRE\n")))  # a passage within a line
    assert path.read_bytes() == b"2\r\ntHREe\nthe end"


def test_a_replacement_may_hold_what_it_replaces(hands: Hands) -> None:
    (hands.path / "files/a.md").write_text("x = 1\n")
    for count in range(1, 4):
        hands.shows(edit("a.md", ("x = 1\n", "x = 1\ny = 1\n")))
        assert (hands.path / "files/a.md").read_text() == "x = 1\n" + "y = 1\n" * count


@pytest.mark.parametrize(
    ("old", "why"),
    [("two\n", "occurs more than once"), ("four\n", "was not found"), ("ONE\n", "was not found")],
)
def test_what_is_not_there_exactly_once_changes_nothing(hands: Hands, old: str, why: str) -> None:
    (hands.path / "files/a.md").write_text("one\ntwo\nthree\ntwo\n")
    hands.fails(edit("a.md", ("one\n", "1\n"), (old, "x\n")), why, "nothing was changed")
    assert (hands.path / "files/a.md").read_text() == "one\ntwo\nthree\ntwo\n"
    assert not hands.events("EFFECT")


def test_a_new_or_empty_file_is_written_by_searching_for_nothing(hands: Hands) -> None:
    hands.shows(edit("MEMORY.md", ("", "first note\n")))
    assert (hands.path / "MEMORY.md").read_text() == "first note\n"
    hands.shows(edit("new.md", ("", "new\n")))
    hands.shows(edit("blank.md", ("\n", "new\n"), ("w\n", "xt\n")))
    assert (hands.path / "files/new.md").read_text() == "new\n"
    assert (hands.path / "files/blank.md").read_text() == "next\n"
    hands.fails(edit("other.md", ("x\n", "y\n")), "there is no file other.md")


@pytest.mark.parametrize(
    "body",
    ["", "new text\n", "<<<<<<< SEARCH\na\n=======\nb\n", "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
     "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nand more\n"],
)  # fmt: skip
def test_another_form_is_answered_with_the_right_one(hands: Hands, body: str) -> None:
    (hands.path / "files/a.md").write_text("a\n")
    assert "\n".join(edit_file.USAGE) in hands.fails(f"EDIT_FILE a.md <<END\n{body}END", "the form of an edit is")
    assert "\n".join(edit_file.USAGE) in hands.fails("EDIT_FILE a.md", "the form of an edit is")
    assert (hands.path / "files/a.md").read_text() == "a\n"


def test_an_interrupted_edit_is_made_once(hands: Hands) -> None:
    """Announced and not made: it is made. Made and not told of: it is told of, and not made again."""
    from dotagent.text import grammar

    text = edit("a.md", ("x = 1\n", "x = 1\ny = 1\n"))
    (call,) = grammar.read(text, extensions.tools()).calls
    (hands.path / "files/a.md").write_text("x = 1\n")
    hands.shows(text)
    what = hands.effects("EDIT_FILE")[-1]
    assert edit_file.recover(hands.session, call, what) == b"edited a.md: 1 replacement"
    assert (hands.path / "files/a.md").read_text() == "x = 1\ny = 1\n"
    (hands.path / "files/a.md").write_text("x = 1\n")
    assert edit_file.recover(hands.session, call, what) == b"edited a.md: 1 replacement"
    assert (hands.path / "files/a.md").read_text() == "x = 1\ny = 1\n"
    (hands.path / "files/a.md").unlink()
    with pytest.raises(ToolError, match="neither"):
        edit_file.recover(hands.session, call, what)


@given(
    st.text("ab\n", max_size=12),
    st.text("ab\n", max_size=4).map(lambda old: old.rstrip("\n") + "\n"),
    st.text("ab\n", max_size=4),
)
def test_it_replaces_the_only_lines_or_the_only_passage(before: str, old: str, new: str) -> None:
    new, end = new and f"{new}\n", "" if before.endswith("\n") else "\n"
    try:
        after = edit_file.edited("x", before.encode(), f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE").decode()
    except ToolError:
        whole, bare = f"\n{before}{end}".count(f"\n{old}"), places(before, old[:-1])
        assert whole != 1 or places(f"\n{before}{end}", old[:-1]) > 1
        assert whole or bare != 1
        return
    if not old.strip() and not before.strip():
        assert after == new
        return
    lines = f"\n{before}{end}".replace(f"\n{old}", f"\n{new}", 1)[1:]
    assert after in (lines, lines.removesuffix("\n"), before.replace(old[:-1], new.removesuffix("\n"), 1))


def places(text: str, part: str) -> int:
    """How often the part stands in the text, also over itself."""
    return sum(text.startswith(part, at) for at in range(len(text) + 1))


MERGE = "bread\n<<<<<<< HEAD\nsoup\n=======\nsalad\n>>>>>>> guests\ncake\n"
HEADING = "Lamp\n====\n\nSummary\n=======\nA small lamp.\n"


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        (MERGE, MERGE[6:-5], "soup and salad\n"),
        (HEADING, "Summary\n=======\nA small lamp.\n", "Summary\n=======\nA bright lamp.\n"),
        (HEADING, "A small lamp.\n", "=======\nA bright lamp.\n"),
        ("a\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n", "b\n=======\nc\n", "d\n=======\ne\n"),
        ("<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n", "<<<<<<< SEARCH\nb\n", "<<<<<<< SEARCH\nd\n"),
    ],
)
def test_text_that_holds_the_marks_is_edited_right_or_refused(hands: Hands, before: str, old: str, new: str) -> None:
    path = hands.path / "files/a.md"
    path.write_text(before)
    told = hands.do(edit("a.md", (old, new)))[0]
    assert path.read_text() == (before.replace(old, new) if told.startswith("ok") else before)
    if not told.startswith("ok"):
        longer = f"EDIT_FILE a.md <<END\n<<<<<<<<< SEARCH\n{old}=========\n{new}>>>>>>>>> REPLACE\nEND"
        assert edit_file.AMBIGUOUS in told and hands.shows(longer) == "edited a.md: 1 replacement"
    assert path.read_text() == before.replace(old, new)


def test_a_divider_that_does_not_fit_the_file_is_none(hands: Hands) -> None:
    (hands.path / "files/a.md").write_text("one\ntwo\n")
    hands.shows(edit("a.md", ("two\n", "Two\n=======\n2\n")))
    assert (hands.path / "files/a.md").read_text() == "one\nTwo\n=======\n2\n"


@given(st.lists(st.sampled_from(["=======", "a", "<<<<<<< HEAD", ">>>>>>> b", "====="]), max_size=6), st.data())
def test_an_edit_is_what_was_meant_or_refused(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines)))
    old, new = ("".join(f"{line}\n" for line in part) for part in (lines[:at], lines[at:]))
    before = f"begin\n{old}end\n"
    try:
        after = edit_file.edited("x", before.encode(), f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n").decode()
    except ToolError:
        return
    assert after == (before.replace(old, new, 1) if old else before + new)


@pytest.mark.parametrize("before", ["=======\n=======\n", "a\n", "Title\n-----\n"])
def test_a_divider_as_the_text_to_replace_adds_nothing_at_the_end(before: str) -> None:
    with pytest.raises(ToolError):
        edit_file.edited("x", before.encode(), "<<<<<<< SEARCH\n=======\n=======\nx\n=======\n>>>>>>> REPLACE\n")


def test_nothing_searched_for_adds_at_the_end(hands: Hands) -> None:
    (hands.path / "files/a.md").write_text("one")
    hands.shows(edit("a.md", ("", "two\n")))
    hands.shows(edit("a.md", ("", "three\n"), ("one\n", "1\n")))
    assert (hands.path / "files/a.md").read_text() == "1\ntwo\nthree\n"
    hands.shows(edit("b.md", ("", "new\n")))
    assert (hands.path / "files/b.md").read_text() == "new\n"
