"""Tables and copied chats in any text: what is found has whole rows, and prose has none. Forms: tests/hostile."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import copied, quotes

ROWS = st.lists(st.text('aB1 ,;|\t":.>小', max_size=12) | st.sampled_from(["Eve 15:14", "15:10 Bo: x", "a;b", "a,b"]))
WORD = st.sampled_from(["tea", "Vienna", "15:14", "is", "I", "7,5"])
PROSE = st.lists(st.lists(WORD, min_size=3).map(lambda row: " ".join([*row, "again"])))


@given(ROWS)
def test_whole_rows_are_found_and_nothing_is_lost(rows: list[str]) -> None:
    text = "\n".join(rows)
    for begin, end in copied.spans(text):
        assert 0 <= begin < end <= len(text)
        assert text[:begin].endswith("\n") or begin == 0
        assert text[end:].startswith("\n") or end == len(text)
    own, theirs = quotes.own_text(text), quotes.passed_on(text)
    assert sorted((own + theirs).replace("\n", "")) == sorted(text.replace("\n", ""))


@given(PROSE)
def test_prose_is_no_table_and_no_chat(rows: list[str]) -> None:
    assert copied.spans("\n".join(rows)) == []
