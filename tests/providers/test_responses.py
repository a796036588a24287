"""The Responses format against a real server on loopback: the request, its events, their borders and their ends."""

from __future__ import annotations

import json

import pytest
from caller import ASKED, KEY, PLACE, never
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import CUT, DONE, KEEP_ALIVE, STALL, Answer, Server, data, refusal
from responding import SPENT, USED, begun, ended, failed, responding, response, said, text, thought

from dotagent.providers import Completion, Config, Prompt, ProviderError
from dotagent.providers.formats import responses

TALK = Prompt(
    "m",
    (
        {"role": "system", "content": "be"},
        {"role": "user", "content": "hi ◱ é"},
        {"role": "assistant", "content": "ho"},
        {"role": "user", "content": "and?"},
    ),
    {"max_tokens": 7, "temperature": 0},
    "ab",
)


def ask(server: Server, asked: Prompt = ASKED, seen: list[tuple[str, str]] | None = None, **more: object) -> Completion:
    kept = list[tuple[str, str]]() if seen is None else seen
    post = responses.request(asked, Config(KEY, server.base, None, {"stall": 5, **more}), PLACE)
    return responses.ask(post, lambda channel, delta: kept.append((channel, delta)), never)


def failure(*script: Answer) -> ProviderError:
    with Server(*script) as server, pytest.raises(ProviderError) as caught:
        ask(server)
    assert KEY not in caught.value.hint
    return caught.value


def test_the_request_is_what_the_documentation_asks_for() -> None:
    with Server(responding("x")) as server:
        ask(server, TALK)
    received = server.received[0]
    assert received.path == "/responses"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "m",
        "instructions": "be",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi ◱ é"}]},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "ho", "annotations": []}],
                "id": "msg_2",
                "status": "completed",
            },
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "and?"}]},
        ],
        "stream": True,
        "store": False,
        "max_output_tokens": 7,
        "temperature": 0,
    }


def test_settings_may_ask_for_reasoning_and_no_instructions_are_none() -> None:
    with Server(responding("x")) as server:
        ask(server, Prompt("m", TALK.messages[1:2]), effort="low", summary="auto")
    assert server.received[0].body["reasoning"] == {"effort": "low", "summary": "auto"}
    assert "instructions" not in server.received[0].body


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/v1/responses"])
def test_no_part_of_the_address_is_doubled(end: str) -> None:
    with Server(responding("x")) as server:
        post = responses.request(ASKED, Config(KEY, server.base + end), PLACE)
        responses.ask(post, lambda *_: None, never)
    assert server.received[0].path == ("/v1" if "v1" in end else "") + "/responses"


def test_reasoning_text_usage_and_end_are_read_as_they_come() -> None:
    seen = list[tuple[str, str]]()
    with Server(responding("Good ", "day", reasoning=("I ", "think"))) as server:
        assert ask(server, seen=seen) == Completion("Good day", "I think", "stop", USED)
    assert seen == [("reasoning", "I "), ("reasoning", "think"), ("text", "Good "), ("text", "day")]


def test_a_piece_is_handed_on_before_the_next_is_there() -> None:
    seen = list[tuple[str, str]]()
    with Server(Answer((text("first"), STALL))) as server, pytest.raises(ProviderError):
        post = responses.request(ASKED, Config(KEY, server.base), PLACE)
        responses.ask(post, lambda channel, delta: seen.append((channel, delta)), lambda: bool(seen))
    assert seen == [("text", "first")]


def test_an_answer_is_whole_with_its_last_event_whatever_the_server_does_then() -> None:
    with Server(Answer((text("x"), ended(), STALL))) as server:
        assert ask(server) == Completion("x", "", "stop", USED)


def test_messages_and_summaries_stand_apart() -> None:
    """A tool call begins a line: the second message must not go on in the first one's last."""
    part = said("response.reasoning_summary_part.added", summary_index=1, part={"type": "summary_text", "text": ""})
    pieces = (part, thought("one"), part, thought("two"), begun("message"), text("I look"), begun("reasoning"))
    rest = (part, begun("message"), begun("message"), text("RUN ls"), ended())
    with Server(Answer((*pieces, *rest))) as server:
        assert ask(server) == Completion("I look\n\nRUN ls", "one\n\ntwo", "stop", USED)


def test_raw_reasoning_and_refusals_are_read_too() -> None:
    raw = said("response.reasoning_text.delta", delta="hm", content_index=0)
    with Server(Answer((raw, said("response.refusal.delta", delta="I will not."), ended()))) as server:
        assert ask(server) == Completion("I will not.", "hm", "stop", USED)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 6000), max_size=12))
def test_borders_between_pieces_never_matter(cuts: list[int]) -> None:
    raw = b"".join(piece for piece in responding("é😀", "‹ü›", reasoning=("ø",)).pieces if isinstance(piece, bytes))
    at = sorted({min(cut, len(raw)) for cut in cuts})
    pieces = tuple(raw[start:end] for start, end in zip([0, *at], [*at, len(raw)], strict=True))
    with Server(Answer(pieces)) as server:
        assert ask(server) == Completion("é😀‹ü›", "ø", "stop", USED)


def test_lines_may_end_in_crlf_and_comments_keep_a_call_alive() -> None:
    pieces = (KEEP_ALIVE, *(p.replace(b"\n", b"\r\n") for p in responding("x").pieces if isinstance(p, bytes)))
    with Server(Answer(pieces)) as server:
        assert ask(server) == Completion("x", "", "stop", USED)


def test_an_answer_that_a_limit_cut_off_says_so() -> None:
    more = {"incomplete_details": {"reason": "max_output_tokens"}}
    with Server(responding("half", kind="incomplete", **more), Answer((text("x"), ended("incomplete")))) as server:
        assert ask(server) == Completion("half", "", "length", USED)
        assert ask(server).finish == "length"


def test_an_answer_that_is_withheld() -> None:
    error = failure(responding("half", kind="incomplete", incomplete_details={"reason": "content_filter"}))
    assert (error.kind, error.retryable) == ("bad_request", False)


@pytest.mark.parametrize(("status", "kind"), [("failed", "server"), ("cancelled", "server"), ("incomplete", "")])
def test_what_the_last_event_is_called_is_not_how_the_response_ended(status: str, kind: str) -> None:
    """Servers in front of others say `response.completed` to whatever came of it."""
    answer = Answer((text("half"), said("response.completed", response=response(status, usage=SPENT))))
    if kind:
        assert failure(answer).kind == kind
        return
    with Server(answer) as server:
        assert ask(server) == Completion("half", "", "length", USED)


def test_an_answer_that_is_not_streamed_is_taken_too() -> None:
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I think"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Good"}, {"type": "output_text", "text": "!"}]},
        {"type": "message", "content": [{"type": "refusal", "refusal": "No more."}]},
        {"type": "web_search_call", "content": "?"},
    ]
    whole = json.dumps(response("completed", output, usage=SPENT)).encode()
    with Server(Answer((whole,), headers={"content-type": "application/json; charset=utf-8"})) as server:
        assert ask(server) == Completion("Good!\n\nNo more.", "I think", "stop", USED)


def test_a_text_that_comes_with_the_end_only_is_taken_once() -> None:
    output = [{"type": "reasoning", "summary": [{"text": "hm"}]}, {"type": "message", "content": [{"text": "late"}]}]
    with Server(Answer((thought("hm"), ended(output=output)))) as server:
        assert ask(server) == Completion("late", "hm", "stop", USED)


@pytest.mark.parametrize("output", [None, 3, "x", [3], [{"type": "message"}], [{"type": "message", "content": 3}]])
def test_whatever_stands_in_a_last_event_is_survived(output: object) -> None:
    odd = said("response.completed", response={"output": output, "usage": 3, "incomplete_details": "x"})
    with Server(Answer((odd,)), Answer((said("response.completed"),))) as server:
        assert ask(server) == ask(server) == Completion("")


@pytest.mark.parametrize(
    "pieces",
    [
        (text("x"),),
        (text("x"), CUT),
        (text("x")[:20], CUT),
        (CUT,),
        (),
        (text("x"), DONE),
        (b"data: {not json\n\n", ended()),
        (b"data: [1]\n\n",),
        (text("x"), ended()[:-5]),
    ],
)
def test_a_stream_without_an_end_is_broken_and_may_be_tried_again(pieces: tuple[bytes | str, ...]) -> None:
    error = failure(Answer(pieces))
    assert (error.kind, error.retryable) == ("network", True)


def test_a_response_that_is_not_done_is_no_answer() -> None:
    whole = json.dumps(response("in_progress")).encode()
    assert failure(Answer((whole,), headers={"content-type": "application/json"})).kind == "network"


@pytest.mark.parametrize(
    ("code", "message", "kind", "retryable"),
    [
        ("server_error", "oops", "server", True),
        ("rate_limit_exceeded", "Rate limit reached. Please try again in 1.5s.", "rate", True),
        ("context_length_exceeded", "Your input exceeds the context window of this model.", "too_long", False),
        ("insufficient_quota", "You exceeded your current quota", "credit", False),
        ("invalid_prompt", "against the policy", "bad_request", False),
        ("server_is_overloaded", "busy", "server", True),
        ("some_new_thing", "?", "bad_request", False),
    ],
)
def test_what_goes_wrong_in_a_stream(code: str, message: str, kind: str, retryable: bool) -> None:
    """By response.failed, and by an error event in its documented form and in the nested one that servers send."""
    flat, nested = said("error", code=code, message=message), said("error", error={"code": code, "message": message})
    for last in (failed(code, message), flat, nested):
        error = failure(Answer((text("x"), last)))
        assert (error.kind, error.retryable) == (kind, retryable)
        assert error.after == (1.5 if kind == "rate" else None)
    late = data({"error": {"code": code, "message": f"{message} {KEY}"}})
    assert failure(Answer((late,))).kind == kind


def test_a_failure_without_a_reason_is_the_servers() -> None:
    assert failure(Answer((ended("failed"),))).kind == "server"


@pytest.mark.parametrize(
    ("fields", "retryable", "after", "says"),
    [
        ({"resets_in_seconds": 40}, True, 40, "in about 1 min"),
        ({"resets_in_seconds": 13872}, False, 13872, "in about 231 min"),
        ({"resets_at": 1}, True, 0, "in about 1 min"),
        ({}, False, None, "later"),
        ({"resets_in_seconds": float("nan")}, False, None, "later"),
        ({"resets_in_seconds": "soon"}, False, None, "later"),
    ],
)
def test_a_plan_that_is_used_up(fields: dict[str, object], retryable: bool, after: float | None, says: str) -> None:
    more = {"type": "usage_limit_reached", "code": None, "plan_type": "plus", **fields}
    inside = said("error", error={"message": "The usage limit has been reached", **more})
    for answer in (refusal(429, "The usage limit has been reached", **more), Answer((inside,))):
        error = failure(answer)
        assert (error.kind, error.retryable, error.after) == ("rate", retryable, after)
        assert says in error.hint
        assert "https://loop/credit" in error.hint


def test_a_web_page_means_a_wrong_address() -> None:
    error = failure(Answer((b"<html>welcome</html>",), headers={"content-type": "text/html; charset=utf-8"}))
    assert (error.kind, error.retryable) == ("missing", False)
    assert "LOOP_API_BASE" in error.hint


def test_without_a_key_nothing_is_sent() -> None:
    with pytest.raises(ProviderError, match="LOOP_API_KEY") as caught:
        responses.request(ASKED, Config(None, "http://127.0.0.1:1"), PLACE)
    assert caught.value.kind == "unconfigured"
    assert KEY not in repr(responses.request(ASKED, Config(KEY, "http://127.0.0.1:1"), PLACE))
