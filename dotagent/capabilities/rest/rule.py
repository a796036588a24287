"""Whether a compaction at rest pays, and how long a provider's cache really keeps a prompt. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dotagent.text.lazy import dataclass

BURST = 10  # requests that a person's return leads to, before the next pause
ASKING = 700  # new tokens of a request for summaries, and tokens that one look-up brings back
CALL = 60  # tokens of an answer that only looks something up
FEW = 3  # replies that contradict a lifetime until it is no longer believed


@dataclass(frozen=True)
class Price:
    """What a token of a model costs, in millionths of a US dollar, and for how many seconds its cache keeps a
    prompt."""

    cached: float
    written: float
    output: float
    lasts: float


def read(told: Mapping[str, object]) -> Price | None:
    """Return the price that a provider's process publishes, or None if a part is unknown."""
    fields = [told.get(name, told.get("input") if name == "written" else None) for name in Price.__annotations__]
    numbers = [float(one) for one in fields if isinstance(one, int | float)]
    return Price(*numbers) if len(numbers) == len(fields) else None


def saving(size: int, left: int, summary: int, price: Price, by_model: bool = True) -> float:
    """Return what a compaction at rest saves, in millionths of a US dollar; less than 0 if it costs more.

    A prompt of `size` tokens shrinks to `left` tokens; `summary` of these are new. After the pause, the next request
    writes the prompt into the cache again, and the requests after it read it. The request for the summaries reads the
    prompt while the cache still has it. After every second rest, the agent must look something up once more.
    """
    gain = (size - left) * (price.written + BURST * price.cached)
    asking = size * price.cached + ASKING * price.written + summary * price.output if by_model else 0.0
    look_up = left * price.cached + ASKING * price.written + CALL * price.output
    return gain - asking - look_up / 2


def lifetime(told: float, seen: Sequence[tuple[float, bool]]) -> float:
    """Return for how long the cache keeps a prompt: as `told`, unless most replies show otherwise, and FEW of them.
    `seen` has the seconds between two requests, and whether the second one found the first one's prompt in the
    cache."""
    cold = sorted(pause for pause, warm in seen if pause < told and not warm)
    if len(cold) >= FEW and 2 * len(cold) > sum(cold[0] <= pause < told for pause, _ in seen):
        return cold[0]
    kept = sorted(pause for pause, warm in seen if pause > told and warm)[-FEW:]
    longer = [warm for pause, warm in seen if told < pause <= kept[0]] if len(kept) == FEW else []
    return kept[0] if 2 * sum(longer) > len(longer) else told
