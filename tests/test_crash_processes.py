"""Dying at every change to the disk of a life that starts a command which outlives its turn, writes to it, reads it and
hears of its end: the command begins once, and its end is told once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import crash
import pytest
from crash import Tale
from support import pause

from dotagent import sandbox
from dotagent.loop.boot import Agent
from dotagent.processes import background
from dotagent.store import disk, home, log
from dotagent.store.call import Call
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.tools import UNKNOWN

COMMAND = "echo x >> ran; read word; echo $word >> heard"
REPLIES = [f"PROCESS start {COMMAND}\nPROCESS write 1 yes", "it runs", "it has ended"]


def model(call: Call, lines: Sequence[Line]) -> str:
    """Start it, say so, and say that it ended once told."""
    return REPLIES[2 if any(line.event == "ENDED" for line in lines) else min(crash.replies(lines), 2)]


def live(where: Home) -> None:
    """Live until the command has ended and nothing is left to do."""
    crash.lived(where, lambda _: crash.answers(where, model), lambda me: crash.says(where, "begin") or waits(me, where))


def waits(me: Agent, where: Home) -> bool:
    """Wait a moment for the command's end, unless LIFE has it."""
    (self_id,) = home.lives(where)
    folder = where.agent(self_id) / "processes/1"
    if any(line.event == "ENDED" for line in log.lines(where.agent(self_id) / "LIFE.md")):
        return False
    if UNKNOWN in told(where) and not background.describe_end(
        folder
    ):  # nobody knows whether it was written: a person looks
        with_hand(folder)
    pause(me.watch)
    return True


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


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which the command has come to its end."""
    (self_id,) = home.lives(where)
    path, wrong = where.agent(self_id), []
    ends = [line.detail for line in log.lines(path / "LIFE.md") if line.event == "ENDED"]
    if len(ends) != 1 or not ends[0].startswith("1 dev "):
        wrong.append(f"its end was told by {ends}")
    ran = (path / "files/ran").read_text() if (path / "files/ran").exists() else ""
    if ends == ["1 dev exit status 0"] and ran != "x\n":
        wrong.append(f"it ran as {ran!r}")
    if len(ran) > 2:
        wrong.append(f"it began more than once: {ran!r}")
    return wrong


def fresh(kind: str, path: Path) -> Home:
    """A home whose commands run in this kind of sandbox."""
    where = crash.fresh(path)
    (path / "dotagent.toml").write_text(f'sandbox = "{kind}"\n')
    return where


@pytest.mark.slow
@pytest.mark.parametrize("kind", sandbox.KINDS)
def test_a_command_that_outlives_its_turn_begins_once_and_its_end_is_told_once(kind: str) -> None:
    if why := sandbox.lacking(kind):
        pytest.skip(f"no {kind} here: {why}")
    tale = Tale(live, verdict, 30, 5, partial(fresh, kind))  # each resumes real processes
    crash.survives(tale.everywhere, f"crash-processes-{kind}", "")
