"""Dying at every change to the disk of a life that starts a command which outlives its turn, writes to it, reads it and
hears of its end: the command begins once, and its end is told once."""

from __future__ import annotations

import os
from pathlib import Path

import crash
import deaths
import pytest
from deaths import Death, Disk

import agent
from dotagent.life.patience import Patience
from dotagent.loop import boot
from dotagent.store import disk, home, log, queue, rooms, supervised
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.text import times
from dotagent.tools import UNKNOWN

COMMAND = "echo x >> ran; read word; echo $word >> heard"
REPLIES = [f"PROCESS start {COMMAND}\nPROCESS write 1 yes", "it runs", "it has ended"]


def serve(where: Home) -> bool:
    """Be the model: start it, say so, and say that it ended once told."""
    call = queue.take(where, "scripted")
    if call is None:
        return False
    lines = list(log.lines(where.agent(call.agent) / "LIFE.md"))
    number = 2 if any(line.event == "ENDED" for line in lines) else sum(1 for line in lines if line.event == "REPLY")
    queue.answer(where, where.store(), call, REPLIES[min(number, 2)], Outcome(finish="stop"))
    return True


def live(where: Home) -> None:
    """Boot, or resume what was booted, and go on until its command has ended and nothing is left to do."""
    room, born = where.room("dev"), home.lives(where)
    with boot.life_of(["--home", str(where.root), "--provider", "scripted", *born[:1]], Patience(look=0.02)) as me:
        folder = me.session.path / "processes/1"
        while True:
            if not agent.step(me) and not serve(where):
                if b"[USER:" not in room.read_bytes():
                    Disk.mortal = False
                    rooms.append(room, rooms.line_of("USER", "ana", times.now(), "begin"))
                    Disk.mortal = True
                elif not me.session.state.turn.call and me.session.state.heard.ended:
                    agent.rest(me)
                    return
                elif not me.session.state.turn.call and folder.exists() and not supervised.ended(folder):
                    if UNKNOWN in told(where):  # nobody knows whether it was written: a person looks
                        with_hand(folder)
                    me.watch.wait(0.05)
                else:
                    me.watch.wait(0.02)


def with_hand(folder: Path) -> None:
    """Write to it past the agent."""
    try:
        pipe = disk.open_pipe(folder / "in")
    except OSError:
        return
    os.write(pipe, b"yes\n")
    os.close(pipe)


def told(where: Home) -> str:
    """What the results of the life say."""
    (self_id,) = home.lives(where)
    lines = log.lines(where.agent(self_id) / "LIFE.md")
    return "\n".join(where.store().get(line.id).body.decode() for line in lines if line.event == "TOOL")


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of the life, and tell what is wrong after any of them."""
    where = crash.fresh(base / "home")
    live(where)
    crash.fresh(where.root)
    found = deaths.of(where.root, power, list, lambda disk: live(where))
    assert verdict(where) == []
    assert len(found) > 30
    return [problem for death in found[::3] for problem in one(death, where)]  # each resumes real processes


def one(death: Death, where: Home) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    status = deaths.child(lambda: live(where))
    problems = [f"resuming ended with {status}"] if status else verdict(where)
    return [f"{death.name}: {problem}" for problem in problems]


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which the command has come to its end."""
    (self_id,) = home.lives(where)
    path, wrong = where.agent(self_id), []
    ends = [line.detail for line in log.lines(path / "LIFE.md") if line.event == "ENDED"]
    if len(ends) != 1 or not ends[0].startswith("1 dev "):
        wrong.append(f"its end was told by {ends}")
    ran = (path / "ran").read_text() if (path / "ran").exists() else ""
    if ends == ["1 dev exit status 0"] and ran != "x\n":
        wrong.append(f"it ran as {ran!r}")
    if len(ran) > 2:
        wrong.append(f"it began more than once: {ran!r}")
    return wrong


@pytest.mark.slow
def test_a_command_that_outlives_its_turn_begins_once_and_its_end_is_told_once() -> None:
    crash.survives(everywhere, "crash-processes", "")
