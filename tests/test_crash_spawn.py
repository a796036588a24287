"""Dying at every change to the disk of a life that makes a helper, and of the helper: there is one helper, it was asked
once, did its task once, and its result was told once.

Both are lived by this process, one inside the other, so each death is one of both; what SPAWN itself starts
ends at once.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import crash
import deaths
import pytest
from deaths import Death, Disk

import agent
from dotagent.life.patience import Patience
from dotagent.loop import boot, spawned
from dotagent.loop.boot import Agent
from dotagent.store import home, lives, log, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.store.rooms import Position
from dotagent.text import times

BRIEF = Patience(look=0.02, unsigned=0.02)
REPLIES = ["SPAWN count\nSAY dev asked", "WAIT", "it counted"]


def serve(where: Home) -> bool:
    """Be the model of both."""
    call = queue.take(where, "scripted")
    if call is None:
        return False
    if call.room.startswith("helper-"):
        text = "seven"
    else:
        lines = list(log.lines(where.agent(call.agent) / "LIFE.md"))
        told, number = any(line.event == "RETURNED" for line in lines), sum(line.event == "REPLY" for line in lines)
        text = REPLIES[2 if told else min(number, 1)]
    queue.answer(where, where.store(), call, text, Outcome(finish="stop"))
    return True


def live(where: Home) -> None:
    """Boot, or resume what was booted, and go on until its helper's result is known and nothing is left to do."""
    room, born = where.room("dev"), [one for one in home.lives(where) if not lives.is_made(where, one)]
    with boot.life_of(["--home", str(where.root), "--provider", "scripted", *born[:1]], BRIEF) as me:
        while True:
            for one in spawned.out(me.session):
                if not lives.runs(where, one):
                    help_out(where, one)
            if not agent.step(me) and not serve(where):
                if b"[USER:" not in room.read_bytes():
                    Disk.mortal = False
                    rooms.append(room, rooms.line_of("USER", "ana", times.now(), "begin"))
                    Disk.mortal = True
                elif not me.session.state.turn.call and not me.inbox.waits():
                    agent.rest(me)
                    return
                else:
                    me.watch.wait(0.01)


def help_out(where: Home, one: str) -> None:
    """Live the helper until it rests, as its process would."""
    with boot.life_of(["--home", str(where.root), "--provider", "scripted", one], BRIEF) as me:
        while agent.step(me) or serve(where) or calls(me):
            pass


def calls(me: Agent) -> bool:
    """Wait for what is out."""
    return me.calls.waits() and (me.watch.wait(0.01) or True)


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of both lives, and tell what is wrong after any of them."""
    sys.executable = shutil.which("true") or "true"
    where = crash.fresh(base / "home")
    live(where)
    crash.fresh(where.root)
    found = deaths.of(where.root, power, list, lambda disk: live(where))
    assert verdict(where) == []
    assert len(found) > 60
    return [problem for death in found[::4] for problem in one(death, where)]


def one(death: Death, where: Home) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    status = deaths.child(lambda: live(where))
    problems = [f"resuming ended with {status}"] if status else verdict(where)
    return [f"{death.name}: {problem}" for problem in problems]


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
        heard = rooms.read(where.room(room), Position())
        words = [message.text for message in heard[0] if message.kind == "AGENT"] if heard else []
        if words != said:
            wrong.append(f"in {room} was said {words}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", deaths.POWER[:2])
def test_a_helper_is_made_once_and_its_result_is_told_once(power: str) -> None:
    crash.survives(everywhere, "crash-spawn", power)
