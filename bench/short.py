"""How many tokens 3,000 short messages are in a prompt: what their heads add to their words.

A person and the agent take turns in one room, a minute apart, with messages of 50 tokens on the mean. The real loop
lives it at a limit that is never reached; tokens are exact (cl100k).
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import common
import exact
from forget_cost import prose

from dotagent.store import requests
from dotagent.text import times

MOST = 170_000  # tokens
EACH = 47  # tokens of a message, to which its last sentence adds some


def main() -> None:
    """Live it, count, print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--messages", type=int, default=3000)
    asked = parser.parse_args()
    draw, now, at, words = random.Random(3), times.now, datetime.now(UTC), 0

    def later() -> str:
        nonlocal at
        at += timedelta(milliseconds=1)
        return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    with common.scratch(asked.dir) as path:
        where = common.make_home(path / "home")
        self_id = common.born(where)
        times.now = later
        try:
            with common.living(where, self_id) as life:
                for _ in range(asked.messages // 2):
                    at += timedelta(minutes=1)
                    said, answered = prose(EACH, draw), prose(EACH, draw)
                    words += exact.count(said) + exact.count(answered)
                    life.turn(said, answered)
                last = requests.plain(requests.Rebuilder(where.store()).request(life.requests[-1]).parts).decode()
        finally:
            times.now = now
    life_only = exact.count(last.partition("\n#1 ")[2]) + exact.count(answered)
    rows = [["their words alone", f"{words:,}"], ["in the prompt", f"{life_only:,}"]]
    common.table(f"{asked.messages:,} short messages, tokens", ["", ""], rows)
    print(f"\n  {common.verdict(life_only * 3000 / asked.messages, MOST, ' tokens for 3,000')}")


if __name__ == "__main__":
    main()
