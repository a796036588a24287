"""An answer as Discord shows it: its own Markdown, no letter lost, nothing hidden, nobody pinged by accident."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.bridges.discord_side.dialect import render
from dotagent.bridges.pattern.split import split

PIECES = st.sampled_from(
    [*("# ", "##### ", "- ", "7. ", "> ", "```py\n", "~~~\n", "```\n", "`", "**", "*", "_", "__", "~~", "||", "-# "),
     *("[a](http://b)", "![c](d)", "<b>", "<@7>", "__x__ ", "\n\n", "\n", "    ", "| a | b |\n|---|---|\n", "| "),
     *("word ", "日本 ", "😀", "\\", "](", "[", "---\n", "https://a.b/_c_ ", "@ana ")]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The **train** at `3` is *late*, ~~no~~ [see](https://a.b/c)", None),
        ("# One\n## Two\n### Three\ntext", None),
        ("#### Four\ntext", "**Four**\ntext"),
        ("###### Six with **bold** and *more*", "**Six with bold and *more***"),
        ("- a\n  - b\n- c\n\n7. x\n8. y", None),
        ("* a\n* b", "- a\n- b"),
        ("> q\n> **r**\n\nx", None),
        (">>> print(1)\n\nand more", "> print(1)\n\nand more"),
        ("```py\nif x:\n    y ** 2 || z\n```", None),
        ("~~~py\nx\n~~~", "```py\nx\n```"),
        ("````md\n```\nx\n```\n````", "```md\n`\u200b`\u200b`\nx\n`\u200b`\u200b`\n```"),
        ("words\n\n    code", "words\n\n```\ncode\n```"),
        ("|a|b|\n|-|-|\n|日本|`x\\|y`|", "```\na     b\n----  ---\n日本  x|y\n```"),
        ("one\n\n---\n\ntwo", "one\n\n———\n\ntwo"),
        ("![cat](http://a/b.png) [x](y)", "cat (http://a/b.png) x (y)"),
        ("if a || b || c: `a || b`", r"if a \|\| b \|\| c: `a || b`"),
        ("__init__ is not snake_case_name", r"\_\_init\_\_ is not snake_case_name"),
        ("2*3*4 ~~ and `` ` ``", r"2\*3\*4 \~\~ and `` ` ``"),
        ("one ` tick\n\nand ` another", "one \\` tick\n\nand \\` another"),
        ("-# small", r"\-# small"),
        ("<@123> <#4> <@&5> <:e:6> <t:7> a < b <b>", r"\<@123> \<#4> \<@&5> \<:e:6> \<t:7> a < b <b>"),
        ("https://a.b/__c__/*d* <https://a.b/_c_>", None),
        (r"\*as it is\* C:\new", None),
        ("one\ntwo", None),
    ],
)
def test_what_is_sent(text: str, shown: str | None) -> None:
    assert render(text, {}) == (text if shown is None else shown)


def test_people_are_mentioned_and_nobody_else() -> None:
    people = {"ana": "1", "under_score": "2"}
    assert render("**@ana**, @under_score: not `@ana` or @bob_", people) == r"**<@1>**, <@2>: not `@ana` or @bob\_"
    assert render("| who |\n|---|\n| @ana |", people) == "```\nwho\n----\n@ana\n```"


def letters(text: str) -> Counter[str]:
    return Counter(filter(str.isalnum, text))


@given(st.lists(PIECES | ANY_TEXT, max_size=30).map("".join))
def test_no_letter_is_lost_and_it_fits_in_parts_whose_fences_are_whole(text: str) -> None:
    shown = render(text, {})
    assert not letters(text) - letters(shown)
    parts = split(shown, 2000, len)
    assert all(len(part) <= 2000 for part in parts)


@given(st.text(alphabet="ab |_*~`<@#>-\\\n", max_size=60))
def test_nothing_is_a_spoiler_and_nobody_is_pinged(text: str) -> None:
    shown = render(text, {})
    plain = re.sub(r"\\[^\w\s]|```.*?```|(`+)(?!`).*?(?<!`)\1(?!`)", " ", shown, flags=re.DOTALL)
    assert "||" not in plain and "<@" not in plain and "<#" not in plain


def test_a_long_table_and_a_long_fence_are_whole_in_each_part() -> None:
    table = "| n | what |\n|---|---|\n" + "".join(f"| {n} | row {n} of the table |\n" for n in range(200))
    fence = "```py\n" + "".join(f"x{n} = {n} ** 2\n" for n in range(300)) + "```"
    for text in (table, f"words\n\n{fence}\n\nmore"):
        parts = split(render(text, {}), 2000, len)
        assert len(parts) > 1 and all(part.count("```") % 2 == 0 for part in parts)
