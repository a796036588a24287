"""The provider anthropic: what it reads of a stream of events, and of an answer that is none."""

from __future__ import annotations

import pytest
from claude import USED, ask, failure
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import STALL, Answer, Server, page
from messaging import START_USAGE, STOP, delta, end, named, start, stream

from dotagent.providers import (
    Completion,
    Usage,
)


def test_thinking_text_usage_and_end_are_read_as_they_come() -> None:
    seen = list[tuple[str, str]]()
    with Server(stream("Good ", "day", thinking=("I ", "think"))) as server:
        reply = ask(server, seen=seen)
    assert reply == Completion("Good day", "I think", "stop", USED)
    assert seen == [("reasoning", "I "), ("reasoning", "think"), ("text", "Good "), ("text", "day")]


def test_a_piece_is_handed_on_before_the_next_is_there() -> None:
    seen = list[tuple[str, str]]()
    with Server(Answer((start(), delta(type="text_delta", text="first"), STALL))) as server:
        assert failure(server, seen=seen, stop=lambda: bool(seen)).kind == "cancelled"
    assert seen == [("text", "first")]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3000), max_size=12))
def test_borders_between_pieces_never_matter(cuts: list[int]) -> None:
    raw = b"".join(one for one in stream("é😀", "‹ü›", thinking=("ø",)).pieces if isinstance(one, bytes))
    at = sorted({min(cut, len(raw)) for cut in cuts})
    pieces = tuple(raw[first:last] for first, last in zip([0, *at], [*at, len(raw)], strict=True))
    with Server(Answer(pieces)) as server:
        assert ask(server) == Completion("é😀‹ü›", "ø", "stop", USED)


WHOLE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-5-5",
    "content": [
        {"type": "thinking", "thinking": "Hm", "signature": "EqQBCgIYAhIM"},
        {"type": "redacted_thinking", "data": "EmwKAhgB"},
        {"type": "text", "text": "Good", "citations": None},
        {"type": "text", "text": "!", "citations": None},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {**START_USAGE, "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}},
}


@pytest.mark.parametrize(
    ("changed", "finish", "kind"),
    [
        ({}, "stop", ""),
        ({"stop_reason": "max_tokens"}, "length", ""),
        ({"stop_reason": None}, "", "network"),
        ({"stop_reason": "refusal", "stop_details": {"type": "refusal", "category": "cyber"}}, "", "bad_request"),
        ({"content": 3, "usage": "x"}, "empty", ""),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "", "server"),
    ],
)
def test_an_answer_that_is_not_streamed_is_taken_too(changed: dict[str, object], finish: str, kind: str) -> None:
    with Server(page(WHOLE | changed)) as server:
        if kind:
            assert failure(server).kind == kind
        elif finish == "empty":
            assert ask(server) == Completion("")
        else:
            assert ask(server) == Completion("Good!", "Hm", finish, USED)


def test_it_waits_for_nothing_after_the_end() -> None:
    with Server(Answer((*stream("x").pieces, STALL))) as server:
        assert ask(server).text == "x"


def test_what_is_kept_for_an_hour_is_counted_apart() -> None:
    counts = {"input_tokens": 1, "cache_creation_input_tokens": 25, "output_tokens": 5,
              "cache_creation": {"ephemeral_5m_input_tokens": 15, "ephemeral_1h_input_tokens": 10}}  # fmt: skip
    with Server(Answer((start(counts), delta(type="text_delta", text="x"), end(), STOP))) as server:
        assert ask(server).usage == Usage(input=26, output=9, reasoning=4, written=25, hour=10)


def test_what_a_later_event_counts_is_the_whole() -> None:
    again = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    counts = {"input_tokens": 20, "cache_creation_input_tokens": None, "output_tokens": 5}
    with Server(Answer((start(), named({**again, "usage": counts}), STOP))) as server:
        assert ask(server).usage == Usage(input=20 + 25 + 64, cached=64, output=5, written=25)
    with Server(Answer((start({}), end(), STOP))) as server:
        assert ask(server).usage == Usage(output=9, reasoning=4)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "length"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
    ],
)
def test_why_it_stopped(reason: str, finish: str) -> None:
    with Server(stream("half", last=end(reason))) as server:
        assert ask(server) == Completion("half", "", finish, USED)
