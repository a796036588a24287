"""What an answer costs, by the prices in dotagent.toml: `[prices."deepseek-v4-pro"] input = 0.27, cached = 0.03,
output = 1.10`, in US dollars a million tokens. What a provider tells itself goes before.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from dotagent import providers
from dotagent.providers import Prompt, ProviderError, Usage
from dotagent.store import options
from dotagent.text import tokens

Prices = Mapping[str, Mapping[str, Any]]
UNTOLD = "it does not tell how many tokens an answer took: they are estimated"


def cost(
    prices: Prices, model: str, used: Mapping[str, int], provider: str = "", now: datetime | None = None
) -> int | None:
    """Millionths of a US dollar for these tokens (input, cached, output), None for a model without a price.

    The price is that of the longest name in `prices` with which the model's begins, and beside it what models.toml
    knows of the provider's; one without `cached` or `written` takes such tokens for any others. Of a prompt with more
    tokens than `above` says all is paid by the prices there.
    """
    known: Mapping[str, Any] = options.longest(providers.models(provider).get("models", {}), model)
    own = options.longest(prices, model)
    then: Mapping[str, Any] = known.get("then", {})
    later = then if then and (now or datetime.now(UTC)).date() >= then["from"] else {}
    price: dict[str, Any] = {**known, **later, **({"above": {}} if own else {}), **own}
    if not {"input", "output"} <= price.keys():
        return None
    above: Mapping[str, Any] = price.get("above", {})
    if above and used.get("input", 0) > above["tokens"]:
        price |= above
    cached = min(used.get("cached", 0), used.get("input", 0))
    written = min(used.get("written", 0), used.get("input", 0) - cached)
    paid = (used.get("input", 0) - cached - written) * price["input"] + used.get("output", 0) * price["output"]
    paid += cached * price.get("cached", price["input"]) + written * price.get("written", price["input"])
    return round(float(paid) * (price.get("peak", 1) if _busy(str(price.get("hours", "")), now) else 1))


def _busy(hours: str, now: datetime | None) -> bool:
    """Whether it is one of these hours, as "1-4 6-10", of a weekday (UTC)."""
    now = now or datetime.now(UTC)
    spans = (span.split("-") for span in hours.split())
    return now.weekday() < 5 and any(int(first) <= now.hour < int(last) for first, last in spans)


def record(usage: Usage, prices: Prices, model: str, provider: str = "") -> dict[str, int]:
    """A reply's usage as the spool and LIFE keep it: what is there, and the cost as told, else by the prices."""
    counts = {"input": usage.input, "cached": usage.cached, "output": usage.output, "reasoning": usage.reasoning}
    told = {name: count for name, count in counts.items() if count}
    priced = {**told, "written": usage.written}
    paid = usage.cost if usage.cost is not None else cost(prices, model, priced, provider) if told else None
    told |= {"estimated": 1} if usage.guess and told else {}
    return told if paid is None else {**told, "cost": paid}


def guess(request: Prompt, said: str) -> Usage:
    """About how many tokens a request and its answer are, where no server tells."""
    shown = sum(one.tokens for many in request.shown.values() for one in many)
    size = sum(tokens.estimate(message["content"]) for message in request.messages)
    return Usage(size + shown, output=tokens.estimate(said) if said else 0, guess=True)


def lost(error: ProviderError, request: Prompt, said: str) -> Usage:
    """What an attempt took that brought no answer: as its server told, or about, where `said` had come of one."""
    return error.usage if error.usage.input or error.usage.output else guess(request, said) if said else Usage()
