"""Dying at every change to the disk of a life that makes a helper, and of the helper: there is one helper, it was asked
once, did its task once, and its result was told once.

Both are lived by this process, one inside the other, so each death is one of both; what SPAWN itself starts
ends at once.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import crash
import pytest
from crash import Tale
from deaths import POWER

from dotagent.store import home, lives, log
from dotagent.store.call import Call
from dotagent.store.home import Home
from dotagent.store.log import Line

REPLIES = ["SPAWN count\nSAY dev asked", "WAIT", "it counted"]


def model(call: Call, lines: Sequence[Line]) -> str:
    """What the maker says, or the helper."""
    if call.room.startswith("helper-"):
        return "seven"
    return REPLIES[2 if any(line.event == "RETURNED" for line in lines) else min(crash.replies(lines), 1)]


def live(where: Home) -> None:
    """Live until the helper's result is known and nothing is left to do."""
    crash.lived(
        where, lambda me: crash.with_helpers(me, model), lambda me: crash.says(where, "begin") or crash.waits(me)
    )


def fresh(path: Path) -> Home:
    """A home in which the helper's own process is none."""
    sys.executable = shutil.which("true") or "true"
    return crash.fresh(path)


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which the task is done."""
    wrong, found = [], {True: list[str](), False: list[str]()}
    for id in home.lives(where):
        found[lives.is_made(where, id)].append(id)
    if (len(found[False]), len(found[True])) != (1, 1):
        return [f"there are {len(found[False])} lives and {len(found[True])} helpers"]
    told = [line for line in log.lines(where.agent(found[False][0]) / "LIFE.md") if line.event == "RETURNED"]
    if [line.detail.split(" ")[:3] for line in told] != [[found[True][0], "dev", "done"]]:
        wrong.append(f"its result was told by {[line.detail for line in told]}")
    elif where.store().get(told[0].id).body != b"seven":
        wrong.append(f"its result is {where.store().get(told[0].id).body!r}")
    for room, said in {"dev": ["asked", "it counted"], f"helper-{found[False][0][:12]}-1": ["count", "seven"]}.items():
        words = crash.said(where, room)
        if words != said:
            wrong.append(f"in {room} was said {words}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER[:2])
def test_a_helper_is_made_once_and_its_result_is_told_once(power: str) -> None:
    crash.survives(Tale(live, verdict, 60, 4, fresh).everywhere, "crash-spawn", power)
