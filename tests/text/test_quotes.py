"""Words in a message that its sender did not write, and when a quote is one of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import quote_match, quotes

FIRST = "[10] Before I do this: I have read notes/mail.txt, which you did not write."
ASKED = f"{FIRST}\n\n    1. JOIN third\n\nAnswer yes / no."


@pytest.mark.parametrize("quote, counts", [
    (ASKED, True),
    (FIRST, True),
    (FIRST.upper(), False),
    (f"{FIRST} 1. JOIN", True),
    (FIRST.replace(" ", "\u00a0").replace(".", "*"), True),
    (FIRST[:-12], False),
    ("[10] Before I do this:", False),
    (f"{FIRST} Coffee?", False),
    (f"{ASKED} And tea.", False),
    ("", False),
    ("!", False),
])  # fmt: skip
def test_a_quote_is_the_text_as_far_as_it_goes(quote: str, counts: bool) -> None:
    marked = "\n".join(f"> {line}" for line in quote.split("\n"))
    assert quote_match.repeats(f"{marked}\nyes", ASKED) == counts
    assert quote_match.repeats(f"(in reply to Dot)\n{marked}\nyes", ASKED) == (quote == ASKED)
    assert not quote_match.repeats("yes", ASKED)


def test_a_text_without_words_is_not_quoted() -> None:
    assert not quote_match.repeats("", "") and not quote_match.repeats("", "...")


LINES = st.lists(st.text('ab> ()"\u2028\r', max_size=8), max_size=6)


@given(LINES)
def test_no_quoted_line_is_the_senders_own(rows: list[str]) -> None:
    text = "\n".join(f"> {row}z" for row in rows)
    assert "z" not in quotes.own_text(text) and quotes.quoted_words(text).count("z") == len(rows)
    assert "own" in quotes.own_text(f"own\n{text}\nown") and "z" not in quotes.own_text(f"own\n{text}\nown")
