"""What a chat costs at each limit, and where the tokens go; and what it writes to the disk: `python bench/price.py`.

    python bench/price.py [--limits 8000 16000 …] [--turns 300]

The chat of bench/forget_cost.py, its prices, its cache. Bytes are those of every write that this process makes in a
turn, the model's part of the spool among them. What others cost is measured elsewhere: nanobot 0.3.5 took 817,000 for
such a chat with prompts of at most 18,200 tokens.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import common
import forget_cost as cost
import forget_lives as lives
from tables import markdown

HEADS = ("limit", "cost", "largest prompt", "swaps", "calls", "new", "cached", "written", "compaction", "KiB a turn")


def written() -> int:
    """Bytes that this process has written."""
    told = Path("/proc/self/io").read_text().split("\n")
    return next(int(line.partition(": ")[2]) for line in told if line.startswith("wchar"))


def row(path: Path, limit: int, turns: int) -> list[str]:
    """The chat at one limit: what is new, cached and written of live requests, and compaction, all by cost."""
    before = written()
    trace, swaps = cost.lived(path, limit, turns)
    size = (written() - before) / turns / 1024
    live, calls = cost.billed(trace, ["live"]), cost.billed(trace, ["background"])
    parts = (
        cost.FRESH * (live.prompts - live.cached),
        cost.CACHED * live.cached,
        cost.WRITTEN * live.written,
        calls.cost(calls.cached),
    )
    most = max(asked.size for asked in trace if asked.kind == "live")
    figures = [f"{limit:,}", f"{sum(parts):,.0f}", f"{most:,}", swaps.partition(" ")[0], str(calls.requests)]
    return [*figures, *(f"{part:,.0f}" for part in parts), f"{size:.1f}"]


def main() -> None:
    """Live the chats, print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limits", type=int, nargs="+", default=[8000, 16_000, 32_000, 64_000, 128_000])
    parser.add_argument("--turns", type=int, default=cost.TURNS)
    asked = parser.parse_args()
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        markdown(HEADS, [row(scratch / str(limit), limit, asked.turns) for limit in asked.limits])


if __name__ == "__main__":
    main()
