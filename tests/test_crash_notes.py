"""Dying at every change to the disk of a life that notes, remembers, has itself reminded and asks for a page: each is
there once, and what came of each call is told once."""

from __future__ import annotations

from pathlib import Path

import crash
import deaths
import pytest
from deaths import Death, Disk

import agent
from dotagent.life.patience import Patience
from dotagent.loop import boot
from dotagent.store import home, jobs, log, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.text import times

REPLIES = [
    "NOTE the train is late\nNOTE it came at last\nREMEMBER the key is under the mat\nREMIND in 10 hours: tea\n"
    "REMIND every monday 8:30: bins\nREMIND cancel 2\nFETCH notanaddress\nSAY dev noted",
    "WAIT",
]


def serve(where: Home) -> bool:
    """Be the model."""
    call = queue.take(where, "scripted")
    if call is None:
        return False
    lines = log.lines(where.agent(call.agent) / "LIFE.md")
    number = sum(1 for line in lines if line.event == "REPLY")
    queue.answer(where, where.store(), call, REPLIES[min(number, 1)], Outcome(finish="stop"))
    return True


def live(where: Home) -> None:
    """Boot, or resume what was booted, and go on until nothing is left to do."""
    room, born = where.room("dev"), home.lives(where)
    words = ["--home", str(where.root), "--provider", "scripted", *born[:1]]
    with boot.life_of(words, Patience(look=0.02, unsigned=0.02)) as me:
        while True:
            if agent.step(me) or serve(where):
                continue
            if me.session.state.turn.call:
                me.watch.wait(0.01)
            elif b"[USER:" not in room.read_bytes():
                Disk.mortal = False
                rooms.append(room, rooms.line_of("USER", "ana", times.now(), "note it"))
                Disk.mortal = True
            else:
                agent.rest(me)
                return


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of the life, and tell what is wrong after any of them."""
    where = crash.fresh(base / "home")
    live(where)
    crash.fresh(where.root)
    found = deaths.of(where.root, power, list, lambda disk: live(where))
    assert verdict(where) == []
    assert len(found) > 40
    return [problem for death in found[::2] for problem in one(death, where)]


def one(death: Death, where: Home) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    status = deaths.child(lambda: live(where))
    problems = [f"resuming ended with {status}"] if status else verdict(where)
    return [f"{death.name}: {problem}" for problem in problems]


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which all of it is done."""
    (self_id,) = home.lives(where)
    path, wrong = where.agent(self_id), []
    notes = "".join(one.read_text() for one in sorted((path / "memory").glob("*.md")))
    for words in ("the train is late", "it came at last", "the key is under the mat"):
        if (found := notes.count(words)) != 1:
            wrong.append(f"{words!r} was noted {found} times")
    lasting = (path / "MEMORY.md").read_text().count("- the key is under the mat (added ")
    if lasting != 1:
        wrong.append(f"MEMORY.md has it {lasting} times")
    if (due := list(jobs.listed(where))) != ["remind-1"]:
        wrong.append(f"it is to be reminded by {due}")
    told = [line.detail for line in log.lines(path / "LIFE.md") if line.event in ("TOOL", "DID")]
    if sum("FETCH error" in one for one in told) != 1:
        wrong.append(f"what came of its calls was told by {told}")
    if (said := where.room("dev").read_text().count("] noted\n")) != 1:
        wrong.append(f"it said so {said} times")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", deaths.POWER[:2])
def test_what_is_noted_remembered_and_to_be_reminded_of_is_there_once(power: str) -> None:
    crash.survives(everywhere, "crash-notes", power)
