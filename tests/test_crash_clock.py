"""Dying at every change to the disk of a clock, and of an agent that it wakes: each due run happens exactly once.

One process is both, at times that the test gives, and dies at each change in turn; it is taken up again a moment later,
as a clock and an agent that were killed are.
"""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import clocked
import crash
import deaths
import pytest
from deaths import Death, Disk
from support import handed

import agent
from dotagent.capabilities.scheduler import jobs
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.store import home, log, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.text import reminder_times, times

START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
LAST = 3  # hours
JOBS = {
    "hourly": 'cron = "0 * * * *"\nzone = "UTC"\nroom = "dev"\ntext = "look at the hour"\n',
    "once": 'at = "2026-01-05T09:00Z"\nroom = "dev"\ntext = "call mum"\n',
}
RUNS = {"hourly@2026-01-05T09:00:00Z", "hourly@2026-01-05T10:00:00Z", "hourly@2026-01-05T11:00:00Z",
        "once@2026-01-05T09:00:00Z"}  # fmt: skip
clocked.look(Home(Path("/nowhere")), START)  # what a look loads is loaded here, once for all the children
reminder_times.parse_request("at noon", START)
REMINDED = "remind me"


def serve(where: Home) -> bool:
    """Be the model: set a reminder when asked, say what was woken for, else be still."""
    call = queue.take(where, "scripted")
    if call is None:
        return False
    lines = log.lines(where.agent(call.agent) / "LIFE.md")
    last = [line for line in lines if line.event in ("HEAR", "WAKE", "TOOL")][-1]
    replies = {"HEAR": "REMIND 2126-01-05 12:00: stretch", "WAKE": f"it is due: {last.detail}", "TOOL": "I will"}
    queue.answer(where, where.store(), call, replies[last.event], Outcome(finish="stop"))
    return True


def live(where: Home) -> None:
    """Boot, or resume what was booted, and live through the hours with a clock."""
    born = home.lives(where) if where.agents.is_dir() else []
    with (
        handed(where),
        boot.life_of(["--home", str(where.root), "--provider", "scripted", *born[:1]], Patience(look=0.02)) as me,
    ):
        rest(me, where)
        if REMINDED.encode() not in where.room("dev").read_bytes():
            Disk.mortal = False
            rooms.append(where.room("dev"), rooms.line_of("USER", "ana", times.now(), REMINDED))
            Disk.mortal = True
        rest(me, where)
        for hour in range(LAST + 1):
            clocked.look(where, START + timedelta(hours=hour, seconds=1))
            rest(me, where)


def rest(me: boot.Agent, where: Home) -> None:
    """Live until nothing is left to do now."""
    while agent.step(me) or serve(where) or me.session.state.turn.call:
        pass
    agent.rest(me)


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of the life, and tell what is wrong after any of them."""
    where = fresh(base / "home")
    live(where)
    assert verdict(where) == []
    fresh(where.root)
    found = deaths.of(where.root, power, list, lambda disk: live(where))
    assert len(found) > 60
    return [problem for death in crash.later(found)[::3] for problem in one(death, where)]


def fresh(path: Path) -> Home:
    """A home that is only a directory yet, with a person's jobs."""
    where = crash.fresh(path)
    for name, text in JOBS.items():
        clocked.write(where, name, text, START)
    return where


def one(death: Death, where: Home) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    for name in JOBS:  # what is taken up has the times of its taking up
        path = where.jobs / f"{name}.toml"
        if path.exists():
            os.utime(path, (START.timestamp(),) * 2)
    status = deaths.child(lambda: live(where))
    problems = [f"resuming ended with {status}"] if status else verdict(where)
    return [f"{death.name}: {problem}" for problem in problems]


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which the hours were lived through."""
    (self_id,) = home.lives(where)
    woken = Counter("@".join(line.detail.split(" ")[0::2][:2]) for line in log.lines(where.agent(self_id) / "LIFE.md")
                    if line.event == "WAKE")  # fmt: skip
    wrong = [f"{run} happened {count} times" for run, count in woken.items() if count != 1]
    wrong += [f"{run} was never due" for run in woken.keys() - RUNS] + [f"{run} is lost" for run in RUNS - woken.keys()]
    said = Counter(line for line in where.room("dev").read_text().split("\n") if "it is due" in line)
    told = Counter(line.partition("it is due: ")[2] for line in said.elements())
    wrong += [f"{what!r} was said {count} times" for what, count in told.items() if count != 1]
    if len(told) != len(RUNS):
        wrong.append(f"{len(told)} were said")
    if jobs.list_names(where) != ["hourly", "remind-1"] or not jobs.is_done(where, "once"):
        wrong.append(f"there are the jobs {jobs.list_names(where)}")
    left = [name for name in os.listdir(where.agent(self_id) / "due") if not name.startswith(".new-")]
    if left:
        wrong.append(f"there is left {left}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", deaths.POWER)
def test_each_due_run_happens_exactly_once_whenever_the_clock_and_the_agent_die(power: str) -> None:
    crash.survives(everywhere, f"crash-clock-{power[:5].strip()}{len(power)}", power)
