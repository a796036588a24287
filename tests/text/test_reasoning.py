"""The reasoning block: written before a reply, and taken off it again."""

from __future__ import annotations

import pytest
from hypothesis import given
from support import ANY_TEXT

from dotagent.text.reasoning import strip, wrap


@given(ANY_TEXT, ANY_TEXT)
def test_what_is_wrapped_is_stripped_again(reasoning: str, text: str) -> None:
    if "</reasoning>" not in reasoning:
        assert strip(wrap(reasoning, text)) == (text.lstrip() if reasoning else strip(text))


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("", ""),
        ("yes", "yes"),
        ("\n <reasoning>hm</reasoning>yes", "yes"),
        ("<reasoning>\nhm", "<reasoning>\nhm"),  # it broke off: there is no answer behind it
        ("<reasoning>hm</reasoning>\n\nI said </reasoning>", "I said </reasoning>"),
        ("yes <reasoning>hm</reasoning> no", "yes <reasoning>hm</reasoning> no"),
    ],
)
def test_only_a_closed_block_at_the_beginning_is_one(reply: str, text: str) -> None:
    assert strip(reply) == text


def test_a_reply_without_reasoning_has_no_block() -> None:
    assert wrap("", "yes") == "yes"
    assert wrap("hm", "yes") == "<reasoning>\nhm\n</reasoning>\n\nyes"
