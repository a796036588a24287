"""Markdown as a terminal shows it: nothing hidden, nothing obeyed, no row too long."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT
from unkind import KIND, TERMINAL, obeyed
from wcwidth import wcswidth

from dotagent.terminal import appearance, markdown
from dotagent.text import escape

STYLE = re.compile(r"\x1b\[[0-9;]*m")
PIECES = st.sampled_from(
    [
        *("# ", "- ", "1. ", "> ", "```\n", "`", "**", "*", "_", "~~", "[a](b)", "![c](d)", "<b>", "&#x202e;", "&lt;"),
        *("\n", "\n\n", "    ", "| a | b |\n|---|---|\n", "| ", "word ", "日本 ", "👩‍👩‍👧", "\\", "](", "[", "---\n"),
    ]
)


MARKUP = set("*_~`#<>-+|:![]()\\")  # what of the source may vanish as markup, or look otherwise


def plain(text: str, columns: int = 40) -> str:
    """The text as a terminal shows it, without styles."""
    laid_out = markdown.render("me", text, columns, True) or appearance.wrapped(f"me: {text}", columns)
    return STYLE.sub("", laid_out)


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        ("**bold** and `code`", "me: bold and code"),
        ("one\ntwo", "me: one\ntwo"),
        ("# Title\n\ntext", "me:\nTitle\n\ntext"),
        ("- a\n  - b\n- c", "me:\n • a\n    • b\n • c"),
        ("1. a\n2. b", "me:\n 1. a\n 2. b"),
        ("```py\nif x:\n    y\n```", "me:\n  if x:\n      y"),
        ("[words](http://a.b/c)", "me: words (http://a.b/c)"),
        ("<http://a.b/c> and [http://a.b/c](http://a.b/c)", "me: <http://a.b/c> and http://a.b/c"),
        ("![a cat](cat.png)", "me: a cat (cat.png)"),
        ("List<String> and <b>x</b>", "me: List<String> and <b>x</b>"),
        ("<div>\nhidden?\n</div>", "me: <div>\nhidden?\n</div>"),
        ("a &lt; b &#x202e;evil", "me: a &lt; b &#x202e;evil"),
        ("__init__, __main__, 2*3*4, a_b_c", "me: __init__, __main__, 2*3*4, a_b_c"),
        ("/*no*/ C:\\_x \\*y\\*", "me: /*no*/ C:\\_x \\*y\\*"),
        ("这是**重点**内容", "me: 这是重点内容"),
        ("7. a\n9. b", "me:\n 7. a\n 9. b"),
        ("- [ ] a\n- [x] b", "me:\n • [ ] a\n • [x] b"),
        ("run \\\n  it", "me: run \\\nit"),
        ("a[^1]\n\n[^1]: note", "me: a[^1]\n\n[^1]: note"),
        ("[a][b]\n\n[b]: http://c", "me: [a][b]\n\n[b]: http://c"),
        ('[a](b "t") List<std::string>', 'me: a (b "t") List<std::string>'),
        ("```diff a.py\nx\n```", "me:\n  diff a.py\n  x"),
        ("text\n---\nmore", "me: text\n\n" + "-" * 40 + "\n\nmore"),
        ("", "me:\n"),
        ("-", "me: -"),
        ("*", "me: *"),
        ("*.* and **/*.py, not !*@$%^&* or **✓**", "me: *.* and **/*.py, not !*@$%^&* or ✓"),
    ],
)
def test_what_it_looks_like(text: str, shows: str) -> None:
    assert plain(text) == shows


def test_a_table_stands_in_columns_and_long_lines_break_at_words() -> None:
    rows = plain("| a | b |\n|---|--:|\n| 日本語 | 1 |\n| x | 22 |").split("\n")
    assert {wcswidth(row) for row in rows if re.search(r"\d", row)} == {11}
    assert plain("a sentence that is somewhat longer than forty columns").split("\n") == [
        "me: a sentence that is somewhat longer",
        "than forty columns",
    ]


@pytest.mark.parametrize("colour", [True, False])
def test_colours_are_left_out_where_none_are_wanted(colour: bool) -> None:
    shown = markdown.render("me", "`code` and **bold**", 40, colour)
    assert ("\x1b[36m" in shown) is colour and "\x1b[1m" in shown


@given(st.lists(PIECES | ANY_TEXT, max_size=30).map("".join), st.integers(20, 100))
def test_whatever_is_written_is_laid_out_and_only_styles_are_obeyed(text: str, columns: int) -> None:
    shown = plain(escape.printable(text), columns)
    assert escape.printable(shown) == shown
    assert max(map(wcswidth, shown.split("\n"))) <= columns + 12  # a table that is too wide, a name


@given(st.lists(PIECES | ANY_TEXT, max_size=30).map("".join), st.integers(20, 100))
def test_whatever_is_no_markup_is_on_the_screen(text: str, columns: int) -> None:
    text = escape.printable(text)
    languages = "".join(re.findall(r"(?:```|~~~)[`~ \t]*([a-zA-Z][\w+#-]*)", text))
    lost = Counter("".join(text.split())) - Counter(plain(text, columns)) - Counter(languages)
    assert set(lost) <= MARKUP, lost


@given(st.lists(st.sampled_from(["__init__", "2*3*4", "a_b", "x|y", "<b>", "&amp;", "\\d", "f(*a, **b)", "word", "5"])))
def test_what_only_looks_like_markup_stays_in_order(words: list[str]) -> None:
    text = " ".join(["say", *words])
    assert "".join(plain(text).split()) == "".join(f"me: {text}".split())


def test_a_pipe_in_code_ends_no_cell() -> None:
    shown = plain("| how | what |\n|---|---|\n| pipe | run `ls | wc` and read it | 3 |\n| `a \\| b` |", 80)
    assert "run ls | wc and read it | 3" in shown and "a | b" in shown


@pytest.mark.parametrize("text", TERMINAL.values())
def test_unkind_words(text: str) -> None:
    words = escape.printable(text)
    assert not obeyed(plain(f"**{words}**\n\n- {words}\n\n```\n{words}\n```"))


@pytest.mark.parametrize("text", KIND)
def test_other_scripts_stay_whole(text: str) -> None:
    assert plain(f"**{text}**\n\n- {text}\n\n```\n{text}\n```", 80).count(text) == 3
