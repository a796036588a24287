"""An answer as Telegram shows it: entities that fit the text, and no letter lost."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.bridges.pattern.split import utf16
from dotagent.bridges.telegram_side.entities import render

PIECES = st.sampled_from(
    [*("# ", "- ", "7. ", "> ", "```py\n", "```\n", "`", "**", "*", "_", "__", "~~", "[a](http://b)", "![c](d)", "<b>"),
     *("__x__ ", "\n\n", "    ", "| a | b |\n|---|---|\n", "| ", "word ", "日本 ", "😀", "\\", "](", "[", "---\n")]
)  # fmt: skip


def parts(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The text, and the words of each entity."""
    shown, entities = render(text, 4096)
    units = shown.encode("utf-16-le", "surrogatepass")
    spots = [(one["type"], one["offset"], one["offset"] + one["length"]) for one in entities]
    return shown, [(kind, units[2 * a : 2 * b].decode("utf-16-le", "surrogatepass")) for kind, a, b in spots]


@pytest.mark.parametrize(
    ("text", "shown", "entities"),
    [
        ("The **train** at `3`", "The train at 3", [("bold", "train"), ("code", "3")]),
        ("😀 *so* ~~no~~", "😀 so no", [("italic", "so"), ("strikethrough", "no")]),
        ("**a `b` c**", "a b c", [("bold", "a "), ("code", "b"), ("bold", " c")]),
        ("**a *b* c**", "a b c", [("bold", "a b c"), ("italic", "b")]),
        ("#### Title\n\ntext", "Title\n\ntext", [("bold", "Title")]),
        ("- a\n  - b\n- c", "• a\n    • b\n• c", []),
        ("7. a\n8. b", "7. a\n8. b", []),
        ("> q\n> **r**\n\nx", "q\nr\n\nx", [("bold", "r"), ("blockquote", "q\nr")]),
        ("```py\nif x:\n    y\n```", "if x:\n    y", [("pre", "if x:\n    y")]),
        ("[the plan](https://a.b/c) [x](y)", "the plan x (y)", [("text_link", "the plan")]),
        ("![cat](http://a/b.png)", "cat (http://a/b.png)", []),
        ("|a|b|\n|-|-|\n|日本|`x|y`|", "a     b\n----  ---\n日本  x|y", [("pre", "a     b\n----  ---\n日本  x|y")]),
        ("__init__ 2*3*4 <b> &lt; a\\_b", "__init__ 2*3*4 <b> &lt; a\\_b", []),
        ("one\ntwo", "one\ntwo", []),
        ("**/*.py and *x*", "**/*.py and x", [("italic", "x")]),
        ("/* a */ and /* b */", "/* a */ and /* b */", []),
        ("**... and then** *& more*", "... and then & more", [("bold", "... and then"), ("italic", "& more")]),
        ("带*号的为必填项，*为选填", "带*号的为必填项，*为选填", []),
        ("用*.txt和*.md", "用*.txt和*.md", []),
        ('"*" and "*"; (**), (**)', '"*" and "*"; (**), (**)', []),
        ("**注意：**请带伞", "注意：请带伞", [("bold", "注意：")]),
        ("**「重要」**です", "「重要」です", [("bold", "「重要」")]),
        ("**a**和**《b》**", "a和《b》", [("bold", "a"), ("bold", "《b》")]),
    ],
)
def test_what_it_looks_like(text: str, shown: str, entities: list[tuple[str, str]]) -> None:
    assert parts(text) == (shown, entities)


@given(st.lists(PIECES | ANY_TEXT, max_size=30).map("".join))
def test_entities_fit_and_no_letter_is_lost(text: str) -> None:
    shown, entities = render(text, 4096)
    ends = [(one["offset"], one["offset"] + one["length"], one["type"]) for one in entities]
    assert all(0 <= begin < end <= utf16(shown) for begin, end, _ in ends)
    codes = [(begin, end) for begin, end, kind in ends if kind in ("code", "pre")]
    for begin, end, kind in ends:  # nothing is in code, and two entities never cross
        inside = [(a, b) for a, b in codes if kind not in ("code", "pre", "blockquote") and a < end and begin < b]
        assert not inside
        assert not [1 for a, b, _ in ends if a < begin < b < end]
    told = shown + "".join(str(one.get("url", "")) + str(one.get("language", "")) for one in entities)
    assert not Counter(filter(str.isalnum, text)) - Counter(filter(str.isalnum, told))


def test_what_would_not_fit_is_sent_as_it_is_written() -> None:
    text = "|a|b|\n|-|-|\n" + "|x|\n" * 20 + "|" + "y" * 300 + "|"
    assert render(text, 400) == (text, [])
