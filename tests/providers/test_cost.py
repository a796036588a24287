"""What an answer costs: what its provider tells, or its tokens by the prices of settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from loopback import Server, stream
from support import make_home
from working import keys, placed, serve

from dotagent.providers import Usage
from dotagent.providers.server import cost
from dotagent.providers.server.worker import Worker
from dotagent.store.home import Home


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    yield make_home(tmp_path / "home")


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
