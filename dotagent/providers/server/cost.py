"""What an answer costs, by the prices in dotagent.toml: `[prices."deepseek-v4-pro"] input = 0.27, cached = 0.03,
output = 1.10`, in US dollars a million tokens. What a provider tells itself goes before.
"""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.providers import Usage

Prices = Mapping[str, Mapping[str, float]]


def cost(prices: Prices, model: str, used: Mapping[str, int]) -> int | None:
    """Millionths of a US dollar for these tokens (input, cached, output), None for a model without a price.

    The price is that of the longest name in `prices` with which the model's begins; one without `cached` takes cached
    tokens for any others.
    """
    name = max((name for name in prices if model.startswith(name)), key=len, default=None)
    if name is None:
        return None
    price, cached = prices[name], min(used.get("cached", 0), used.get("input", 0))
    new = used.get("input", 0) - cached
    old = price.get("cached", price["input"])
    return round(new * price["input"] + cached * old + used.get("output", 0) * price["output"])


def record(usage: Usage, prices: Prices, model: str) -> dict[str, int]:
    """A reply's usage as the spool and LIFE keep it: what is there, and the cost as told, else by the prices."""
    counts = {"input": usage.input, "cached": usage.cached, "output": usage.output, "reasoning": usage.reasoning}
    told = {name: count for name, count in counts.items() if count}
    paid = usage.cost if usage.cost is not None else cost(prices, model, told) if told else None
    return told if paid is None else {**told, "cost": paid}
