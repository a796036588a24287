"""Whether a compaction at rest pays, and how long a provider's cache really keeps a prompt. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dotagent.text.lazy import dataclass

BURST = 10  # requests that a person's return leads to, before the next pause
GROWTH = 500  # tokens that one of these adds to the prompt
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


@dataclass(frozen=True)
class Sizes:
    """The tokens of a prompt before and after a rest, of the model's answer with the summaries, and of what follows the
    beginning that both prompts share."""

    before: int
    after: int
    answer: int
    new: int = 0

    def prevents(self, limit: int) -> bool:
        """Return True if the next messages would make the prompt larger than this limit, but not after a rest."""
        return self.after <= limit - BURST * GROWTH < self.before


def saving(sizes: Sizes, price: Price, by_model: bool = True) -> float:
    """Return what a compaction at rest saves, in millionths of a US dollar; less than 0 if it costs more.

    After the pause, the next request writes the smaller prompt into the cache, and the requests after it read it. The
    request for the summaries reads the larger prompt while the cache still has it. After every second rest, the agent
    must look something up once more.
    """
    gain = (sizes.before - sizes.after) * (price.written + BURST * price.cached)
    return gain - _asking(sizes, price, by_model) - _looking_up(sizes, price) / 2


def saving_early(sizes: Sizes, price: Price, limit: int = 0, by_model: bool = True) -> float:
    """Return what a rest saves although the cache still has the prompt.

    The next request writes only what is new, and the requests after it read the smaller prompt. If the next messages
    would reach a limit, the rest replaces the compaction there, which asks for summaries too, and after which half of
    the prompt is new; 0 is no limit.
    """
    gain = (limit / 2 - sizes.new) * price.written + (sizes.before - sizes.after) * BURST * price.cached
    asking = 0.0 if limit else _asking(sizes, price, by_model)
    return gain - asking - _looking_up(sizes, price) / 2


def _asking(sizes: Sizes, price: Price, by_model: bool) -> float:
    asking = sizes.before * price.cached + ASKING * price.written + sizes.answer * price.output
    return asking if by_model else 0.0


def _looking_up(sizes: Sizes, price: Price) -> float:
    return sizes.after * price.cached + ASKING * price.written + CALL * price.output


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
