"""Dying at every change to the disk of a turn to which its person adds something, or which its person stops: its task
and its plan stay before the model through swaps, what is added is heard once, and a stop is told once and begins
nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import crash
import pytest
from crash import Tale, said, yesterday
from deaths import POWER, Disk
from lives import setting
from support import handed

from dotagent.life import stop_requests, stops
from dotagent.loop import boot
from dotagent.loop.boot import Agent
from dotagent.store import home, log, request_rebuilding, rooms
from dotagent.store.call import Call
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import times

TASK, ADDED = "Read the logs and send nobody a mail.", "Leave out zulu-7."
READS = 4
UNBEGUN = "And mow the lawn."
STOPPED = ["(no answer: stopped by ana)", f"(no answer: stopped by ana; not answered: “{UNBEGUN}”)"]


def answer(where: Home, call: Call, lines: Sequence[Line]) -> str:
    """Be the model: read a log a step, and say what is not in sight."""
    if call.kind != "live":
        return "this model writes no summaries"
    step = crash.replies(lines)
    told = "\n".join(part.text for part in request_rebuilding.Rebuilder(where.store()).request(call.id).parts)
    wanted = (TASK, ADDED) if step > 1 else (TASK,)
    if lost := [one for one in wanted if one not in told]:
        return f"I forgot: {lost}"
    if step and not told.endswith(f"{step} of {READS} logs are read"):
        return "I forgot my plan"
    return f"UPDATE_PLAN {step + 1} of {READS} logs are read\nREAD_FILE log-{step}.txt" if step < READS else "done"


def serve(way: str, me: Agent) -> bool:
    """Be the model, and during its second request the person, who adds something or stops the turn."""
    where = me.session.home
    if me.session.state.turn.call and crash.replies(list(log.lines(me.session.path / "LIFE.md"))) == 1:
        Disk.mortal = False
        if way == "stopped":
            if UNBEGUN not in where.room("dev").read_text():
                rooms.append(where.room("dev"), rooms.line_of("USER", "ana", times.now(), UNBEGUN))
            stop_requests.ask(where, "dev", "ana")
        elif ADDED not in where.room("dev").read_text():
            rooms.append(where.room("dev"), rooms.line_of("USER", "ana", times.now(), ADDED))
        Disk.mortal = True
        if way == "stopped":
            return False
    return crash.answers(where, partial(answer, where))


def live(way: str, where: Home) -> None:
    """Live to the end of it."""
    crash.lived(where, partial(serve, way), lambda _: crash.says(where, TASK))


def fresh(path: Path) -> Home:
    """A home with an agent and logs that are too long for its context."""
    os.environ["DOTAGENT_CONTEXT_LIMIT"] = str(setting(700))
    where = crash.fresh(path)
    with yesterday(), handed(where), boot.life_of(["--home", str(path), "--provider", "scripted"]) as me:
        for step in range(READS):
            (me.session.path / "files" / f"log-{step}.txt").write_text(f"host-{step} is full, nobody came\n" * 30)
    return where


def verdict(way: str, where: Home) -> list[str]:
    """What is wrong with a home in which the turn is over."""
    (self_id,) = home.lives(where)
    events = [line.event for line in log.lines(where.agent(self_id) / "LIFE.md")]
    wrong = []
    if (told := said(where)) != (STOPPED if way == "stopped" else ["done"]):
        wrong.append(f"it said {told}")
    if events.count("HEAR") != 2:
        wrong.append(f"it heard {events.count('HEAR')} messages")
    if events.count("REPLY") != (1 if way == "stopped" else READS + 1):
        wrong.append(f"the model answered {events.count('REPLY')} times")
    if events.count("EFFECT") != events.count("DID"):
        wrong.append("what was announced is not done")
    if way == "added" and "SWAP" not in events:
        wrong.append("nothing faded in the turn")
    if (where.agent(self_id) / stops.PLACE).exists():
        wrong.append("the wish is still there")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER[:2])
@pytest.mark.parametrize(("way", "each"), [("added", 6), ("stopped", 1)])
def test_a_turn_survives_death_anywhere(way: str, each: int, power: str) -> None:
    tale = Tale(partial(live, way), partial(verdict, way), 15, each, fresh)
    crash.survives(tale.everywhere, f"crash-turn-{way}", power)
