"""Chat completions against a real server on loopback: the request, streams, their borders and their ends."""

from __future__ import annotations

import gzip
import json

import pytest
from caller import ASKED, KEY, PLACE, USED, ask, failure
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import CUT, DONE, KEEP_ALIVE, STALL, USAGE, Answer, Server, data, event, stream, whole

from dotagent.providers import Completion, Config, ProviderError, Usage
from dotagent.providers.formats import chat


def test_the_request_is_what_the_documentation_asks_for() -> None:
    with Server(stream("x")) as server:
        ask(server)
    received = server.received[0]
    assert received.path == "/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["content-type"] == "application/json"
    assert received.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "be"}, {"role": "user", "content": "hi ◱ é"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 7,
    }


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_no_part_of_the_address_is_doubled(end: str) -> None:
    with Server(stream("x")) as server:
        ask(server.base + end)
    version = "/v1" if "v1" in end else ""
    assert server.received[0].path == f"{version}/chat/completions"


def test_reasoning_text_usage_and_end_are_read_as_they_come() -> None:
    seen = list[tuple[str, str]]()
    with Server(stream("Good ", "day", reasoning=("I ", "think"))) as server:
        reply = ask(server, seen=seen)
    assert reply == Completion("Good day", "I think", "stop", USED)
    assert seen == [("reasoning", "I "), ("reasoning", "think"), ("text", "Good "), ("text", "day")]


def test_a_piece_is_handed_on_before_the_next_is_there() -> None:
    seen = list[tuple[str, str]]()
    with Server(Answer((event({"content": "first"}), STALL))) as server, pytest.raises(ProviderError):
        ask(server, seen=seen, stop=lambda: bool(seen))
    assert seen == [("text", "first")]


def test_a_reply_that_a_limit_cut_off_says_so() -> None:
    with Server(stream("half", finish="length")) as server:
        assert ask(server).finish == "length"


def test_cached_tokens_are_read_under_both_names() -> None:
    assert chat.usage({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}) == Usage(5, 3)
    assert chat.usage({"prompt_tokens": 5, "prompt_cache_hit_tokens": 2, "completion_tokens": None}) == Usage(5, 2)
    assert chat.usage("many") == Usage()


def test_thoughts_that_only_the_total_counts_are_part_of_the_answer() -> None:
    told = {"prompt_tokens": 16, "completion_tokens": 9, "total_tokens": 627}
    assert chat.usage(told) == Usage(16, 0, 611, 602)
    assert chat.usage(told | {"completion_tokens_details": {"reasoning_tokens": 600}}) == Usage(16, 0, 611, 600)
    assert chat.usage({"prompt_tokens": 16, "completion_tokens": 9, "total_tokens": 3}) == Usage(16, 0, 9)


@pytest.mark.parametrize(
    ("told", "cost"),
    [
        ({}, None),
        ({"cost": None}, None),
        ({"cost": "1"}, None),
        ({"cost": float("nan")}, None),
        ({"cost": 0}, 0),
        ({"cost": 0.00014}, 140),
        ({"cost": 0.95, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.95}}, 950_000),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}}, 210_000),
    ],
)
def test_a_cost_is_in_millionths_of_a_dollar(told: dict[str, object], cost: int | None) -> None:
    assert chat.usage({"prompt_tokens": 5, **told}) == Usage(5, cost=cost)


def test_groq_tells_the_usage_and_what_broke_off_in_a_place_of_its_own() -> None:
    told = data({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "x_groq": {"usage": USAGE}})
    with Server(Answer((event({"content": "Tea"}), told, DONE))) as server:
        assert ask(server).usage == chat.usage(USAGE)
    broke = data({"choices": [], "x_groq": {"id": "req_1", "error": "over capacity"}})
    with Server(Answer((event({"content": "Te"}), broke, DONE))) as server:
        error = failure(server)
    assert error.kind == "server" and "over capacity" in error.hint


def test_keep_alive_comments_are_not_text_and_keep_a_call_alive() -> None:
    parts = (KEEP_ALIVE, b":\n\n", event({"content": "a"}), KEEP_ALIVE, event({"content": "b"}, "stop"), DONE)
    with Server(Answer(parts)) as server:
        assert ask(server).text == "ab"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 2000), max_size=12))
def test_borders_between_pieces_never_matter(cuts: list[int]) -> None:
    raw = b"".join(piece for piece in stream("é😀", "‹ü›", reasoning=("ø",)).pieces if isinstance(piece, bytes))
    at = sorted({min(cut, len(raw)) for cut in cuts})
    pieces = tuple(raw[start:end] for start, end in zip([0, *at], [*at, len(raw)], strict=True))
    with Server(Answer(pieces)) as server:
        assert ask(server) == Completion("é😀‹ü›", "ø", "stop", USED)


def test_lines_may_end_in_crlf() -> None:
    pieces = tuple(piece.replace(b"\n", b"\r\n") for piece in stream("x").pieces if isinstance(piece, bytes))
    with Server(Answer(pieces)) as server:
        assert ask(server) == Completion("x", "", "stop", USED)


def test_a_character_that_json_cut_in_two_is_joined_and_a_lone_half_replaced() -> None:
    def half(escape: str, finish: str = "null") -> bytes:
        return f'data: {{"choices":[{{"delta":{{"content":"{escape}"}},"finish_reason":{finish}}}]}}\n\n'.encode()

    seen = list[tuple[str, str]]()
    with Server(Answer((half("a\\ud83d"), half("\\ude00b"), half("\\ude00", '"stop"')))) as server:
        assert ask(server, seen=seen).text == "a😀b�"
    assert "".join(delta for _, delta in seen) == "a😀b�"


def test_an_answer_that_is_not_streamed_is_taken_too() -> None:
    seen = list[tuple[str, str]]()
    whole_answer = whole("Good day", "I think", "length")
    with Server(Answer((b"\n\n\n", *whole_answer.pieces), headers=whole_answer.headers)) as server:
        assert ask(server, seen=seen) == Completion("Good day", "I think", "length", USED)
    assert seen == [("reasoning", "I think"), ("text", "Good day")]


def test_a_refusal_in_its_own_field_is_the_answer() -> None:
    seen = list[tuple[str, str]]()
    pieces = *(event({"content": None, "refusal": one}) for one in ("I cannot ", "help.")), event({}, "stop"), DONE
    with Server(Answer(pieces)) as server:
        assert ask(server, seen=seen).text == "I cannot help."
    assert seen == [("text", "I cannot "), ("text", "help.")]


def test_an_end_is_known_by_done_or_by_a_reason() -> None:
    with Server(Answer((event({"content": "x"}), DONE)), Answer((event({"content": "y"}, "stop"),))) as server:
        assert ask(server).text == "x"
        assert ask(server).text == "y"


@pytest.mark.parametrize(
    "pieces",
    [
        (event({"content": "x"}),),
        (event({"content": "x"}), CUT),
        (event({"content": "x"})[:20], CUT),
        (CUT,),
        (),
        (b"data: {not json\n\n", DONE),
        (b"data: [1]\n\n", DONE),
    ],
)
def test_a_stream_without_an_end_is_broken_and_may_be_tried_again(pieces: tuple[bytes | str, ...]) -> None:
    with Server(Answer(pieces)) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == ("network", True)


def test_an_answer_that_never_began_is_told_from_one_that_broke_off() -> None:
    with Server(Answer(()), Answer((KEEP_ALIVE,)), Answer((event({"content": ""}),))) as server:
        kinds = [type(failure(server)) for _ in range(3)]
    assert kinds == [chat.Nothing, chat.Nothing, ProviderError]


def test_usage_that_the_end_cuts_off_does_not_break_a_whole_answer() -> None:
    with Server(Answer((event({"content": "x"}, "stop"), b'data: {"usage"'))) as server:
        assert ask(server) == Completion("x")


@pytest.mark.parametrize(
    ("reason", "kind", "retryable"),
    [
        ("insufficient_system_resource", "server", True),
        ("error", "server", True),
        ("content_filter", "bad_request", False),
    ],
)
def test_reasons_that_are_no_answer(reason: str, kind: str, retryable: bool) -> None:
    with Server(stream("half", finish=reason)) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == (kind, retryable)


def test_an_error_inside_a_stream_is_an_error() -> None:
    inside = data({"error": {"message": f"overloaded, key {KEY}", "code": 502}})
    rate = data({"error": {"message": "slow down", "code": 429}, "choices": [{"delta": {}, "finish_reason": "error"}]})
    with Server(
        Answer((event({"content": "x"}), inside, DONE)), Answer((rate,)), Answer((data({"error": "no"}),))
    ) as server:
        assert failure(server).kind == "server"
        assert failure(server).kind == "rate"
        assert failure(server).retryable


def test_a_web_page_means_a_wrong_address() -> None:
    with Server(Answer((b"<html>welcome</html>",), headers={"content-type": "text/html; charset=utf-8"})) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == ("missing", False)
    assert "LOOP_API_BASE" in error.hint


def test_without_a_key_nothing_is_sent() -> None:
    with pytest.raises(ProviderError) as caught:
        chat.request(ASKED, Config(None, "http://127.0.0.1:1"), PLACE)
    assert caught.value.kind == "unconfigured"
    assert "LOOP_API_KEY" in caught.value.hint
    assert KEY not in repr(chat.request(ASKED, Config(KEY, "http://127.0.0.1:1"), PLACE)) + repr(Config(KEY, ""))


SAID = "the model ran out of beans"
COMPLAINTS = {
    "event": b"event: error\ndata: " + data({"message": SAID}).removeprefix(b"data: "),
    "plain": b"event: error\ndata: " + SAID.encode() + b"\n\n",
    "vLLM": data({"object": "error", "message": SAID}),
    "FastAPI": data({"detail": SAID}),
    "a list": data({"errors": [{"message": SAID}]}),
    "MiniMax": data({"base_resp": {"status_code": 1013, "status_msg": SAID}}),
    "Baidu": data({"error_code": 336, "error_msg": SAID}),
}


@pytest.mark.parametrize("form", COMPLAINTS)
@pytest.mark.parametrize("before", [b"", event({"content": "half"})])
def test_an_error_inside_a_stream_is_told_in_the_servers_words(form: str, before: bytes) -> None:
    with Server(Answer((before, COMPLAINTS[form]))) as server:
        assert SAID in failure(server).hint


def test_words_beside_a_whole_answer_are_no_error() -> None:
    odd = data({"message": "the queue is long"}), b"data: still working on it\n\n"
    with Server(Answer((*odd, event({"content": "fine"}), event({}, "stop"), DONE))) as server:
        assert ask(server).text == "fine"


FINE = event({"content": "fine"}) + event({}, "stop") + DONE


@pytest.mark.parametrize(
    "label", [{}, {"content-encoding": "gzip"}, {"content-type": "text/html"}, {"content-encoding": "br"}]
)
@pytest.mark.parametrize("body", [FINE, gzip.compress(FINE)])
def test_what_an_answer_begins_with_decides_and_not_its_label(body: bytes, label: dict[str, str]) -> None:
    with Server(Answer((body[:1], body[1:]), headers=label)) as server:
        assert ask(server).text == "fine"


def test_a_refusal_is_unpacked_too() -> None:
    said = gzip.compress(b'{"error": {"message": "no beans here"}}')
    with Server(Answer((said,), 400, {"content-encoding": "gzip"})) as server:
        assert "no beans here" in failure(server).hint


@pytest.mark.parametrize(
    ("code", "said", "kind", "retryable"),
    [
        (1004, "login fail: Please carry the API secret key", "auth", False),
        (2049, "invalid api key", "auth", False),
        (1008, "insufficient balance", "credit", False),
        (1002, "rate limit", "rate", True),
        (2013, "invalid params", "bad_request", False),
        (1027, "sensitive", "bad_request", False),
        (1033, "error", "server", True),
    ],
)
def test_an_error_of_minimax_comes_as_a_success(code: int, said: str, kind: str, retryable: bool) -> None:
    told = {"choices": None, "base_resp": {"status_code": code, "status_msg": said}}
    with Server(Answer((json.dumps(told).encode(),), headers={"content-type": "application/json"})) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert said in error.hint or kind in ("auth", "credit")


def test_the_words_of_an_error_may_have_no_spaces() -> None:
    with Server(Answer((data({"code": 1001, "msg": "请确认令牌正确传递", "success": False}),))) as server:
        assert "请确认令牌正确传递" in failure(server).hint


WHOLE = {"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}], "base_resp": {"status_code": 0}}


@pytest.mark.parametrize(
    "body",
    [
        json.dumps([WHOLE]).encode(),
        b" [\n" + json.dumps(WHOLE, indent=1).encode() + b"\n]\n",
        b"data: [" + json.dumps(WHOLE).encode() + b"]\n\ndata: [DONE]\n\n",
        FINE.replace(b"data: ", b"data: data: "),
        FINE.replace(b"data: ", b"data:data: data:"),
    ],
)
def test_an_answer_in_a_list_or_with_a_doubled_label_is_read(body: bytes) -> None:
    with Server(Answer((body,))) as server:
        assert ask(server).text == "fine"


def test_an_error_in_a_list_is_told() -> None:
    with Server(Answer((json.dumps([{"error": {"message": SAID, "code": 401}}]).encode(),))) as server:
        assert failure(server).kind == "auth"
