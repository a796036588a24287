"""This checkout beside another one, in turns and in one run: `python bench/compare.py --with PATH`, or a commit.

Each checkout measures each row of rows.py in processes of its own, several times, in turns. The table shows the least
CPU time of each, which a busy machine blurs least, and their ratio. Without --with, only this checkout is measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import common
import histories

from dotagent.text import table

GROUPS = ("starts", "steps", "commands", "index", "resume", "many", "chat")
ONCE = ("resume", "chat")  # these take long, and the last one counts tokens
GOALS = {  # ms of CPU on our machine, or how many times as long as in a short context
    "import agent": 80.0,
    "start with a key": 200.0,
    "a chat turn": 15.0,
    "forgotten": 300.0,
    "usage": 300.0,
    "doctor": 300.0,
    "READ_FILE, long over short": 1.5,
    "RUN, long over short": 1.5,
    "NOTE, long over short": 1.5,
    "a message, long over short": 1.5,
    "an awake agent, MB": 8.0,
}
Found = dict[str, float]


def main() -> None:
    """Measure in turns and print one table."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--with", dest="other", default="", help="the other checkout, or a commit of this one")
    parser.add_argument("--turns", type=int, default=10_000, help="turns of the long life of commands and of the index")
    parser.add_argument("--messages", type=int, default=10_000, help="messages in the long context of steps")
    parser.add_argument("--rounds", type=int, default=2, help="how often each checkout measures each row")
    parser.add_argument("--only", choices=GROUPS, action="append", help="measure only these rows")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        checkouts = [common.ROOT, *([common.checkout(asked.other, path / "other")] if asked.other else [])]
        found: dict[Path, defaultdict[str, list[float]]] = {one: defaultdict(list) for one in checkouts}
        groups = asked.only or GROUPS
        if {"commands", "index"} & {*groups}:
            histories.long(path / "long", asked.turns)
        for number in range(asked.rounds):
            for group in groups if not number else [one for one in groups if one not in ONCE]:
                for one in checkouts[:: 1 if number % 2 else -1]:  # nobody is always the first
                    for row, value in _measured(one, group, path, asked.messages).items():
                        found[one][row].append(value)
    _print(*({row: min(values) for row, values in found[one].items()} for one in checkouts))


def _measured(checkout: Path, group: str, path: Path, messages: int) -> Found:
    """The rows of one group, measured by this checkout."""
    rows = Path(__file__).with_name("rows.py")  # with -P it imports nothing from beside it
    words = [sys.executable, "-P", str(rows), group, str(path), str(messages)]
    env = {**common.environment(), "PYTHONPATH": f"{checkout / 'bench'}{os.pathsep}{checkout}"}
    done = subprocess.run(words, cwd=checkout, env=env, stdout=subprocess.PIPE, check=True, text=True)
    return {str(row): float(value) for row, value in json.loads(done.stdout).items()}


def _print(ours: Found, theirs: Found | None = None) -> None:
    rows = []
    for name, value in ours.items():
        other = (theirs or {}).get(name)
        goal = GOALS.get(name)
        met = "" if goal is None else f"{goal:g}" if value <= goal else f"{goal:g}: not met"
        before = "" if other is None else f"{other:,.1f}"
        rows.append((name, before, f"{value:,.1f}", "" if not other else f"{value / other:.2f}", met))
    heads = ("CPU in ms, or what the row says", ">other", ">this", ">ratio", "goal")
    print("\n".join(table.table(heads, rows, width=100)))


if __name__ == "__main__":
    main()
