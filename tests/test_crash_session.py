"""Dying at every change to the disk of a life that tells its helper more, and of the helper: it is told once, does it
once, and what comes of it is told once."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import crash
import pytest
from crash import Tale
from deaths import POWER

from dotagent.store import home, lives, log
from dotagent.store.call import Call
from dotagent.store.home import Home
from dotagent.store.log import Line

REPLIES = {  # after so many words of its person, and results of its helper
    (1, 0): ["SPAWN count\nSAY dev asked", "WAIT"],
    (1, 1): ["it counted"],
    (2, 1): ["SESSION send {helper} count on\nSAY dev told", "WAIT"],
    (2, 2): ["it counted on"],
}


def model(where: Home, call: Call, lines: Sequence[Line]) -> str:
    """What the maker says, or the helper."""
    if call.room.startswith("helper-"):
        return ["seven", "eight"][crash.replies(lines)]
    words = [line.event for line in lines]
    last = max(at for at, word in enumerate(words) if word in ("HEAR", "RETURNED"))
    there = REPLIES[words.count("HEAR"), words.count("RETURNED")]
    made = [one for one in home.lives(where) if lives.is_made(where, one)]
    return there[min(crash.replies(lines[last:]), len(there) - 1)].format(helper="".join(made)[:12])


def live(where: Home, *texts: str) -> None:
    """Live until both results are known and nothing is left to do."""
    crash.lived(
        where,
        lambda me: crash.with_helpers(me, partial(model, where)),
        lambda me: crash.waits(me) or crash.says(where, *(texts or ("begin", "more"))),
    )


def fresh(path: Path) -> Home:
    """A home in which a helper was made yesterday and has done its task; its own process is none."""
    sys.executable = shutil.which("true") or "true"
    where = crash.fresh(path)
    with crash.yesterday():
        live(where, "begin")
    return where


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which the helper did both."""
    wrong, made = [], {lives.is_made(where, one): one for one in home.lives(where)}
    lines = list(log.lines(where.agent(made[False]) / "LIFE.md"))
    told = [line.detail.split(" ")[:3] for line in lines if line.event == "RETURNED"]
    if told != [[made[True], "dev", "done"]] * 2:
        wrong.append(f"its results were told by {told}")
    sent = [line.detail for line in lines if line.event in ("TOOL", "DID") and line.detail.startswith("SESSION")]
    if len(sent) != 1 or not sent[0].startswith("SESSION ok"):
        wrong.append(f"what came of sending was told by {sent}")
    for room, said in {
        "dev": ["asked", "it counted", "told", "it counted on"],
        f"helper-{made[False][:12]}-1": ["count", "seven", "count on", "eight"],
    }.items():
        if (there := crash.said(where, room)) != said:
            wrong.append(f"in {room} was said {there}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER[:2])
def test_a_helper_is_told_more_once_and_what_comes_of_it_is_told_once(power: str) -> None:
    crash.survives(Tale(live, verdict, 30, 3, fresh).everywhere, "crash-session", power)
