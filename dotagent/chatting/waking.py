"""Waking the agent that sleeps in a room, when a person who comes there wishes it."""

from __future__ import annotations

import time

from dotagent.chatting.talk import Talk
from dotagent.errors import Trouble
from dotagent.store import launch, lives
from dotagent.text.reference import short

PATIENCE = 10.0  # seconds in which an agent that is woken takes up its life


def offer(talk: Talk, here: list[str]) -> None:
    """Ask the person whether the one of these that lived last shall wake. Raises Trouble when it does not."""
    last = lives.newest(talk.home, here)
    try:
        said = input(f"{short(last)} sleeps in {talk.room}. Wake it? [Y/n] ").strip().lower()
    except EOFError:
        said = "no"
        print()
    if said not in ("", "y", "yes"):
        return
    log = talk.home.agent(last) / "agent.log"
    agent, end = launch.wake(talk.home, last), time.monotonic() + PATIENCE
    while agent.poll() is None and not lives.runs(talk.home, last) and time.monotonic() < end:
        time.sleep(0.02)
    if agent.poll() is not None:
        raise Trouble(f"{short(last)} did not wake: the end of {log} says why")
    print(f"{short(last)} wakes; what it prints goes to {log}")
