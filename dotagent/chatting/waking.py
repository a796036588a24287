"""Waking the agent that sleeps in a room, or letting one be born there, when a person who comes there wishes it.

Owns the `agent.log` of a newborn, until that one has a directory.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from dotagent import errors
from dotagent.chatting.talk import Talk
from dotagent.errors import Trouble
from dotagent.store import disk, launch, lives
from dotagent.text.reference import short

PATIENCE = 20.0  # seconds in which an agent that is started takes up its life


def offer(talk: Talk, here: list[str]) -> None:
    """Ask the person whether the one of these that lived last shall wake; what is no answer, since it was typed before
    the question stood there, is a message, and wakes it. Raises Trouble when it does not."""
    last = lives.newest(talk.home, here)
    try:
        said = input(f"{short(last)} sleeps in {talk.room}. Wake it? [Y/n] ").strip()
    except EOFError:
        said = "no"
        print()
    if said.lower() in ("n", "no") or said.startswith("/"):  # a command is for the chat, which is not there yet
        return
    if said.lower() not in ("", "y", "yes"):
        talk.say(said)
        errors.tell(f"that is no answer, so it is said in {talk.room}")
    wake(talk, last)


def wake(talk: Talk, last: str) -> None:
    """Let this one wake, in the background. Raises Trouble when it does not."""
    log = talk.home.agent(last) / "agent.log"
    agent = launch.agent(talk.home, [last], log)
    if not _waits(agent, lambda: lives.runs(talk.home, last)):
        raise Trouble(f"{short(last)} did not wake: the end of {log} says why")
    _tell(f"{short(last)} wakes", agent, log)


def born(talk: Talk, audience: str = "private") -> None:
    """Let an agent be born in the room, in the background. Raises Trouble with what it said when none is."""
    log = Path(disk.write_aside(talk.home.agents, b""))
    try:
        agent = launch.agent(talk.home, ["--room", talk.room, "--audience", audience], log)
        there = _waits(agent, lambda: bool(_first(log)))
    except KeyboardInterrupt:
        disk.remove(log)
        raise
    if not there:
        said = disk.read(log).decode("utf-8", "replace").strip().rpartition("\n")[2]
        disk.remove(log)
        raise Trouble(said.removeprefix("dotagent: ") or f"no agent was born within {PATIENCE:.0f} s")
    self_id = _first(log)
    disk.move(log, talk.home.agent(self_id) / "agent.log")
    _tell(f"{short(self_id)} is born in {talk.room}", agent, talk.home.agent(self_id) / "agent.log")


def _first(log: Path) -> str:
    """The id that an agent prints first, once it hears; "" before."""
    found = re.match(rb"([0-9a-f]{32})\n", disk.read(log))
    return found[1].decode() if found else ""


def _waits(agent: subprocess.Popen[bytes], ready: Callable[[], bool]) -> bool:
    """Wait until the agent that was started is there; False when it ends, or takes too long, and is ended."""
    end = time.monotonic() + PATIENCE
    try:
        while not ready():
            if agent.poll() is not None:
                return False
            if time.monotonic() > end:
                agent.terminate()
                return False
            time.sleep(0.02)
    except KeyboardInterrupt:  # nobody lives on of whom the person was not told
        agent.terminate()
        raise
    return True


def _tell(what: str, agent: subprocess.Popen[bytes], log: Path) -> None:
    errors.tell(f"{what} and lives on in the background (`kill {agent.pid}` ends it); what it prints goes to {log}")
