"""Dying at every change to the disk of a fork: there is no fork, or a whole one. It knows what its agent knew, even
what that agent had not yet made durable."""

from __future__ import annotations

import os
from pathlib import Path

import crash
import pytest
from crash import Tale
from deaths import POWER

from dotagent import commands
from dotagent.life import log_repair
from dotagent.life.context import render
from dotagent.life.replay import derive
from dotagent.store import home, lineage, lives, log, rooms
from dotagent.store.home import Home
from dotagent.store.log import Log
from dotagent.text import times


def live(where: Home) -> None:
    """Let the agent learn something that is not durable yet, and fork it, unless there is a fork."""
    old, forks = of(where)
    if forks:
        return
    opened, store = Log(where.agent(old) / "LIFE.md"), where.store()
    log_repair.cut(opened, store)  # as at each start of an agent
    opened.append("NOTE", "dev told", store.put(b"it rains\n", at=times.now(), gist="", agent=old), "it rains")
    opened.close()
    assert commands.run("fork", ["--home", str(where.root), old]) == 0


def of(where: Home) -> tuple[str, list[str]]:
    """The agent, and its forks."""
    store, there = where.store(), home.lives(where)
    forks = [one for one in there if lineage.origin(store, one)]
    return next(one for one in there if one not in forks), forks


def fresh(path: Path) -> Home:
    """A home with an agent that has talked yesterday."""
    where = crash.fresh(path)
    with crash.yesterday():
        crash.lived(where, lambda _: crash.answers(where, lambda *_: "well"), lambda _: crash.says(where, "hello"))
    return where


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which there is one fork."""
    old, forks = of(where)
    if len(forks) != 1:
        return [f"there are {len(forks)} forks"]
    path, folder = where.agent(old) / "LIFE.md", where.agent(forks[0])
    opened = Log(path)
    log_repair.cut(opened, where.store())
    opened.close()
    before = derive(where, old, 64_000, until=lineage.find_origins(where.store(), forks[0])[0].end).entries
    wrong = [] if before == derive(where, forks[0], 64_000).entries else ["it has another context"]
    if b"it rains" not in b"".join(map(render, before)):
        wrong.append("it lost what was not durable")
    wrong += [f"{name} is missing" for name in ("SOUL.md", "MEMORY.md", "AGENTS.md") if not (folder / name).is_file()]
    for room in lives.subscribed(folder) or ["(none)"]:
        if not os.path.exists(folder / "subs" / f"{room}.md"):
            wrong.append(f"it hears no room {room}")
        elif rooms.audience(where.room(room), "ana") != "private ana":
            wrong.append(f"room {room} is for others")
    if [line.event for line in log.lines(folder / "LIFE.md")] != ["BOOT"]:
        wrong.append("its LIFE.md is not that of a new agent")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_a_death_leaves_no_fork_or_a_whole_one(power: str) -> None:
    crash.survives(Tale(live, verdict, 10, 1, fresh).everywhere, "crash-fork", power)
