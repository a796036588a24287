"""Splitting: whatever is said arrives whole, in parts that fit and that a reader would have made."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.bridges.pattern.split import FENCE, LEAST, _follow, _Open, split, utf16

FENCES = ["```\n", "```py\n", "\n```\n", "\n```", "~~~\n", "\n~~~ ruby\n", "````md\n", "   ```\n", "``` \n", "```a`b\n"]
LONG = ["x" * 70, "y" * 230, " " * 150, "\n" * 120, "`" * 50, "```" + "x" * 60 + "\n"]
BREAKS = ["\n\n", "\n", " ", "\t", ". ", "! ", "word ", "\r\n", "words that go on for a while and end here.\n"]
PAIR = "\ud83d\ude00"
WHOLE = ["<@123456789012345678>", "<:smile:1234567890>", "</play now:123>", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "é", "👍🏽", PAIR]
PIECES = st.sampled_from(FENCES + LONG + BREAKS + WHOLE)
TEXTS = st.lists(PIECES | ANY_TEXT, max_size=60).map("".join)


UNITS = (len, utf16, lambda text: len(text.encode("utf-8", "surrogatepass")))
Measure = tuple[int, Callable[[str], int]]
MEASURES = st.tuples(st.integers(LEAST, 320), st.sampled_from(UNITS))


def join(parts: Sequence[str]) -> str:
    """The text that was split into these parts: what closes and opens fences again at their borders is left out."""
    text: list[str] = []
    fence, line = _Open(), ""
    for number, part in enumerate(parts, 1):
        body = part.removeprefix(fence.before)
        bare = body
        if number < len(parts):
            for marker in ("```", "~~~"):
                tail = re.search(rf"\n{marker[0]}{{3,}}\Z", body)
                if tail and after(line, body[: tail.start()], fence)[0].behind == tail.group():
                    bare = body[: tail.start()]
        fence, line = after(line, bare, fence)
        text.append(bare)
    return "".join(text)


def after(line: str, body: str, fence: _Open) -> tuple[_Open, str]:
    """What is open behind the body, and the unended line it ends with; `line` is the one it goes on with."""
    *whole, rest = (line + body).split("\n")
    for one in whole:
        fence = _follow(fence, one)
    return fence, rest[: FENCE + 1]


@given(TEXTS, MEASURES)
def test_joined_again_what_was_sent_is_what_was_said(text: str, measure: Measure) -> None:
    limit, units = measure
    parts = split(text, limit, units)
    assert join(parts) == text
    assert all(0 < units(part) <= limit for part in parts)


@given(TEXTS, TEXTS, MEASURES)
def test_a_text_that_grows_keeps_its_parts(text: str, more: str, measure: Measure) -> None:
    """All but the last: an answer that is shown as it is written edits one message only."""
    limit, units = measure
    parts = split(text, limit, units)
    assert split(text + more, limit, units)[: max(0, len(parts) - 1)] == parts[:-1]


@given(TEXTS)
def test_no_cut_halves_a_surrogate_pair_or_a_mention(text: str) -> None:
    for part in split(text.replace("y" * 230, "").replace("`", ""), LEAST, len)[:-1]:
        assert not "\ud800" <= part[-1] < "\udc00" or "\ud83d\ude00" not in text
        assert not re.search(r"<@\d*\Z|<:\w*(:\d*)?\Z", part)


def test_paragraphs_come_first_then_lines_sentences_words_and_letters() -> None:
    half = "a" * 120
    assert split(f"{half}\n\n{half}\n{half}", 300, len) == [f"{half}\n\n{half}\n", half]
    assert split(f"{half}\n{half}\n\n{half}", 300, len) == [f"{half}\n{half}\n\n", half]
    assert split(f"{half}\n\nb\n{half}\n{half}", 240, len)[0] == f"{half}\n\n"
    assert split(f"{half} {half}. {half} b", 362, len) == [f"{half} {half}. ", f"{half} b"]
    assert split(f"{half} {half} {half}", 300, len) == [f"{half} {half} ", half]
    assert split("c" * 700, 300, len) == ["c" * 300, "c" * 300, "c" * 100]


def test_a_short_text_is_one_part_and_none_is_none() -> None:
    assert split("hello\n", 200, len) == ["hello\n"]
    assert split("x" * 200, 200, len) == ["x" * 200]
    assert split("", 200, len) == []
    with pytest.raises(ValueError, match="200"):
        split("x", 199, len)


def test_a_long_word_is_kept_whole_where_a_part_can_hold_it() -> None:
    address = "https://example.org/" + "p" * 178
    assert split(f"see {address} now", 200, len) == ["see ", f"{address} ", "now"]


def test_code_fences_are_closed_and_opened_again_with_their_language() -> None:
    lines = [f"    print({number})\n" for number in range(80)]
    text = "Look:\n```py\n" + "".join(lines) + "```\nThat is all.\n"
    parts = split(text, 300, len)
    assert len(parts) > 2
    for part in parts:
        assert part.count("```") == 2, part
        assert len(part) <= 300
    assert parts[0].startswith("Look:\n```py\n    print(0)\n")
    assert all(part.startswith("```py\n    print(") for part in parts[1:])
    assert join(parts) == text


def test_tildes_and_longer_fences_hold_what_looks_like_a_fence() -> None:
    text = "~~~md\n" + "```py\nx\n```\n" * 30 + "~~~\n"
    parts = split(text, 200, len)
    assert all(part.startswith("~~~md\n") for part in parts)
    assert all(part.endswith("\n~~~") for part in parts[:-1])
    assert join(parts) == text


def test_a_fence_that_opens_at_the_end_of_a_part_begins_the_next_one() -> None:
    text = "w" * 150 + "\n```py\n" + "v" * 100 + "\n```\n"
    assert split(text, 200, len) == ["w" * 150 + "\n", "```py\n" + "v" * 100 + "\n```\n"]


def test_two_blocks_of_one_language_side_by_side_stay_two() -> None:
    block = "```py\n" + "x = 1\n" * 30 + "```\n"
    assert split(block + block, 200, len) == [block, block]
    assert join([block, block]) == block + block


def test_a_character_of_many_pieces_is_not_cut() -> None:
    family = "👩‍👩‍👧‍👦"
    for text in (family * 60, "🇩🇪" * 300, "👍🏽" * 300, "é" * 300, "\ud83d\ude00" * 300):
        unit = {"👩": 7, "🇩": 2, "👍": 2, "e": 2, "\ud83d": 2, "é": 1}[text[0]]
        assert all(len(part) % unit == 0 for part in split(text, 203, len)), text[:2]


def test_utf16_counts_what_telegram_counts() -> None:
    assert utf16("a😀é") == 4
    assert [utf16(part) for part in split("😀" * 300, 201, utf16)] == [200, 200, 200]


@pytest.mark.night
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 1_000_000, id="a word"),
        pytest.param("\n" * 1_000_000, id="blank lines"),
        pytest.param("```\n" * 250_000, id="fences"),
        pytest.param("`" * 1_000_000, id="ticks"),
        pytest.param("<" * 1_000_000, id="openings"),
        pytest.param("<@1" * 333_333, id="mentions"),
        pytest.param("." * 1_000_000, id="stops"),
        pytest.param('."' * 500_000, id="quotes"),
        pytest.param("a " * 500_000, id="words"),
        pytest.param("e" + "\u0301" * 999_999, id="marks"),
        pytest.param("🇩" * 1_000_000, id="flags"),
        pytest.param("\u200d" * 1_000_000, id="joiners"),
    ],
)  # fmt: skip
def test_a_hostile_megabyte_takes_the_time_of_a_megabyte(text: str) -> None:
    begin = time.process_time()
    parts = split(text, 2000, len)
    assert time.process_time() - begin < 8
    assert max(map(len, parts)) <= 2000
    assert join(parts) == text
