"""The cost of an answer, by the prices in dotagent.toml: `[prices."deepseek-v4-pro"] input = 0.27, cached = 0.03,
output = 1.10`, in US dollars per million tokens. A cost that the provider reports has precedence. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from dotagent import providers
from dotagent.providers import Prompt, ProviderError, Usage
from dotagent.store import options
from dotagent.text import exact

TOKENS = ("input", "cached", "output", "reasoning")
PREFIX = ("input", "cached", "written", "output", "lasts")
"""The facts about the cache in a price: see models.toml."""
Prices = Mapping[str, Mapping[str, Any]]
UNTOLD = "this provider does not report the tokens of an answer, so dotagent estimates them"


def cost(
    prices: Prices, model: str, used: Mapping[str, int], provider: str = "", now: datetime | None = None
) -> int | None:
    """Return the cost of these tokens (input, cached, output) in millionths of a US dollar, or None without a price.

    Without `cached` or `written`, such tokens cost the same as others, and without `hour`, tokens that the cache keeps
    for an hour cost as other written ones. If a prompt has more tokens than `above` states,
    the prices there apply to the whole call.
    """
    price = find_price(prices, model, provider, now)
    if not price:
        return None
    above: Mapping[str, Any] = price.get("above", {})
    if above and used.get("input", 0) > above["tokens"]:
        price |= above
    cached = min(used.get("cached", 0), used.get("input", 0))
    written = min(used.get("written", 0), used.get("input", 0) - cached)
    hour = min(used.get("hour", 0), written)
    paid = (used.get("input", 0) - cached - written) * price["input"] + used.get("output", 0) * price["output"]
    short = price.get("written", price["input"])
    paid += cached * price.get("cached", price["input"]) + (written - hour) * short + hour * price.get("hour", short)
    return round(float(paid) * (price.get("peak", 1) if _busy(str(price.get("hours", "")), now) else 1))


def find_price(prices: Prices, model: str, provider: str, now: datetime | None = None) -> dict[str, Any]:
    """Return the price of the longest prefix of the model in `prices`, completed by models.toml, or {} if it is
    unknown."""
    known: Mapping[str, Any] = options.longest(providers.models(provider).get("models", {}), model)
    own = options.longest(prices, model)
    then: Mapping[str, Any] = known.get("then", {})
    later = then if then and (now or datetime.now(UTC)).date() >= then["from"] else {}
    price: dict[str, Any] = {**known, **later, **({"above": {}} if own else {}), **own}
    return price if {"input", "output"} <= price.keys() else {}


def cold(prices: Prices, model: str, provider: str, tokens: int, warm: bool = True) -> float:
    """Return what these tokens of prompts cost, in millionths of a US dollar, because the cache did not have them; 0
    without a price. Without `warm`, return what it costs to write them into the cache at all."""
    price = find_price(prices, model, provider)
    read = price.get("cached", price["input"]) if price and warm else 0.0
    return tokens * float(price.get("written", price["input"]) - read) if price else 0.0


def _busy(hours: str, now: datetime | None) -> bool:
    """Return True during one of these hours, such as "1-4 6-10", on a weekday (UTC)."""
    now = now or datetime.now(UTC)
    spans = (span.split("-") for span in hours.split())
    return now.weekday() < 5 and any(int(first) <= now.hour < int(last) for first, last in spans)


def record(usage: Usage, prices: Prices, model: str, provider: str = "") -> dict[str, int]:
    """Return a reply's usage in the form of the queue and LIFE, with the reported or calculated cost."""
    counts = {"input": usage.input, "cached": usage.cached, "output": usage.output, "reasoning": usage.reasoning}
    told = {name: count for name, count in counts.items() if count}
    priced = {**told, "written": usage.written, "hour": usage.hour}
    paid = usage.cost if usage.cost is not None else cost(prices, model, priced, provider) if told else None
    told |= {"estimated": 1} if usage.guess and told else {}
    return told if paid is None else {**told, "cost": paid}


def guess(request: Prompt, said: str) -> Usage:
    """Estimate the tokens of a request and its answer, if no server reports them."""
    shown = sum(one.tokens for many in request.shown.values() for one in many)
    size = sum(exact.count(message["content"]) for message in request.messages)
    return Usage(size + shown, output=exact.count(said) if said else 0, guess=True)


def usage_of_lost(error: ProviderError, request: Prompt, said: str) -> Usage:
    """Return the usage of an attempt without an answer: as reported, or an estimate if part of an answer had come."""
    return error.usage if error.usage.input or error.usage.output else guess(request, said) if said else Usage()


def usage_of_answer(told: Mapping[str, str], model: str, prices: Prices) -> Mapping[str, int]:
    """Return the usage of one answer, from the words of its line in LIFE: TOKENS, `calls`, and `cost` in millionths of
    a US dollar. `computed` is the part of the cost that comes from today's prices. `unpriced` counts calls without a
    known cost, `estimated` calls with estimated tokens."""
    found = {name: int(told[name]) for name in (*TOKENS, "cost") if name in told and told[name].isdecimal()}
    if found and "cost" not in found:
        computed = cost(prices, model, found) if prices else None  # without a provider, only these have prices
        found |= {"unpriced": 1} if computed is None else {"cost": computed, "computed": computed}
    found["calls"] = 1
    if "estimated" in told:
        found["estimated"] = 1
    return found
