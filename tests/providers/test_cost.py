"""What an answer costs: what its provider tells, or its tokens by the prices of settings."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from loopback import CUT, DONE, Answer, Server, data, event, refusal, stream
from messaging import stream as messaging
from working import keys, placed, serve, text_of, told

from dotagent.providers import Usage
from dotagent.providers.server import cost
from dotagent.providers.server.worker import Worker
from dotagent.store.home import Home

PRICES = {
    "deepseek-": {"input": 9.0, "output": 9.0},
    "deepseek-v4-pro": {"input": 0.27, "cached": 0.03, "output": 1.1},
    "deepseek-v4-pro-max": {"input": 99.0, "output": 99.0},
}


@pytest.mark.parametrize(
    ("model", "used", "paid"),
    [
        ("deepseek-v4-pro", {"input": 1_000_000, "cached": 900_000, "output": 10_000}, 27_000 + 27_000 + 11_000),
        ("deepseek-v4-pro-0711", {"input": 100}, 27),
        ("deepseek-chat", {"input": 10, "cached": 5, "output": 10}, 180),
        ("deepseek-chat", {"input": 10, "cached": 50}, 90),
        ("gpt-5", {"input": 10}, None),
    ],
)
def test_the_longest_beginning_of_a_models_name_prices_it(
    model: str, used: Mapping[str, int], paid: int | None
) -> None:
    assert cost.cost(PRICES, model, used) == paid


def test_what_the_provider_tells_goes_before_prices() -> None:
    assert cost.record(Usage(input=100, cost=7), PRICES, "deepseek-chat") == {"input": 100, "cost": 7}
    assert cost.record(Usage(input=100, cost=0), PRICES, "deepseek-chat")["cost"] == 0
    assert cost.record(Usage(input=100), PRICES, "other") == {"input": 100}
    assert cost.record(Usage(), PRICES, "deepseek-chat") == {}


def test_an_answer_is_written_with_what_it_used_and_cost(where: Home) -> None:
    (where.root / "dotagent.toml").write_text(
        '[prices."deepseek-v4"]\ninput = 10\ncached = 1\noutput = 100\npeak = 1\n'
    )
    with Server(stream("hi")) as server:
        (outcome,) = serve(Worker(where, ["deepseek"], keys(server)), placed(where))
    assert outcome.usage == {"input": 100, "cached": 64, "output": 9, "reasoning": 4, "cost": 360 + 64 + 900}


TOLD = {"prompt_tokens": 600, "completion_tokens": 20}
UNTOLD = Answer((event({"content": "Good day."}, "stop"), DONE))


@pytest.mark.slow
def test_a_server_that_tells_nothing_is_counted_by_an_estimate_that_is_told(where: Home) -> None:
    """Else a budget in tokens would never be reached by it."""
    with Server(UNTOLD) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        (outcome,) = serve(worker, placed(where, "word " * 400))
        assert 380 < outcome.usage["input"] < 480 and 1 <= outcome.usage["output"] <= 4
        assert outcome.usage["estimated"] == 1 and outcome.usage["cost"] > 0
        assert "does not report the tokens" in str(told(where, "deepseek")["warning"])


@pytest.mark.night
def test_attempts_that_brought_nothing_are_told_beside_the_answer(where: Home) -> None:
    """As their server told, or, of one that broke off, about what had come."""
    broken = Answer((event({"content": "word " * 100}), CUT))
    with Server(broken, refusal(503, "busy"), stream("hi")) as server:
        (outcome,) = serve(Worker(where, ["deepseek"], keys(server)), placed(where, "word " * 400))
    assert text_of(where, outcome) == "hi" and outcome.usage["input"] == 100 and "estimated" not in outcome.usage
    assert 380 < outcome.lost["input"] < 480 and 90 < outcome.lost["output"] < 120 and outcome.lost["estimated"] == 1


@pytest.mark.parametrize(
    ("reason", "text", "kind"), [("content_filter", "hello", "bad_request"), ("length", "word " * 9000, "cut")]
)
def test_an_answer_that_is_none_is_told_with_what_it_took(where: Home, reason: str, text: str, kind: str) -> None:
    ended = Answer((event({"content": "Te"}, reason), data({"choices": [], "usage": TOLD}), DONE))
    with Server(ended) as server:
        (outcome,) = serve(Worker(where, ["deepseek"], keys(server)), placed(where, text))
    assert (outcome.kind, outcome.model) == (kind, "deepseek-v4-pro")
    assert (outcome.lost["input"], outcome.lost["output"], "estimated" in outcome.lost) == (600, 20, False)


def test_a_refusal_takes_nothing(where: Home) -> None:
    with Server(refusal(401, "no")) as server:
        (outcome,) = serve(Worker(where, ["deepseek"], keys(server)), placed(where))
    assert outcome.kind == "auth" and outcome.lost == {}


@pytest.mark.slow
def test_anthropic_tells_what_an_answer_took_that_broke_off(where: Home) -> None:
    begun = messaging("Yes", ".").pieces[:3]
    with Server(Answer((*begun, CUT))) as server:
        call = placed(where, provider="anthropic")
        (outcome,) = serve(Worker(where, ["anthropic"], keys(server, "anthropic")), call)
    assert outcome.kind == "network" and outcome.lost["input"] > 0 and "estimated" not in outcome.lost
