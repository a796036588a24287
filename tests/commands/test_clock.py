"""`dotagent clock`, a real process: it hands over what is due, ends cleanly, and is alone. An agent starts it, too."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from alive import Alive, a_home, hears, say
from support import PATIENCE, run, spawn, until

from dotagent.capabilities.scheduler import clock_process, due, jobs
from dotagent.capabilities.scheduler.due import Due
from dotagent.store import disk, process
from dotagent.store.home import Home


@contextmanager
def clock(where: Home) -> Iterator[subprocess.Popen[str]]:
    """The clock's process, once it runs."""
    process = spawn(where, "-m", "dotagent", "clock")
    try:
        until(lambda: disk.is_locked(where.clock / "pid"), where.root)
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


@pytest.mark.night
def test_a_reminder_comes_to_the_room_and_the_clock_ends_cleanly() -> None:
    with a_home() as where, clock(where) as process:
        alive = Alive(where, "--provider", "offline")
        say(where, "remind me in 1 second to stretch")
        hears(where, "I will remind you")
        hears(where, "Reminder: stretch")
        assert len(alive.lines("WAKE")) == 1
        again = run(where, "-m", "dotagent", "clock")
        assert (
            again.returncode == 1 and "is already running, as process" in again.stderr and again.stderr.count("\n") == 1
        )
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "") and "the scheduler is running" in out
        assert alive.end()[0] == 0


@pytest.mark.slow
def test_a_job_that_is_written_while_it_runs_is_seen_and_two_clocks_and_a_kill_give_each_run_once() -> None:
    with a_home() as where:
        alive = Alive(where, "--provider", "offline")
        with clock(where) as first:
            soon = (datetime.now(UTC) + timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
            told: dict[str, str | bool] = {"at": soon, "room": "dev", "text": "tea"}
            assert jobs.add(where, "tea", jobs.render(told))
            first.kill()
            first.wait(PATIENCE)
            with clock(where):
                hears(where, "Reminder: tea")
                until(lambda: jobs.is_done(where, "tea"), where.jobs)
        assert len(alive.lines("WAKE")) == 1
        assert alive.end()[0] == 0


# --- the clock that an agent starts


def clock_of(where: Home) -> int:
    """The pid of the clock, once it runs."""
    return until(lambda: process.read_process(where.clock / "pid")[0] if clock_process.runs(where) else 0, where.root)


def ended(where: Home) -> None:
    """Wait until no clock runs; a file that appears in jobs/ lets it look now."""
    (where.jobs / "look").touch()
    until(lambda: not clock_process.runs(where), where.root)


@pytest.mark.night
def test_an_agent_starts_the_clock_that_rings_and_exits_with_the_last_job_and_comes_back() -> None:
    with a_home() as where:
        alive = Alive(where, "--provider", "offline")
        say(where, "hello")
        hears(where, "Hello")
        assert not clock_process.runs(where)
        say(where, "remind me in 1 second to stretch")
        hears(where, "Reminder: stretch")
        until(lambda: jobs.list_names(where) == [], where.jobs)
        ended(where)
        say(where, "remind me in 2 hours to eat")
        hears(where, "I will remind you", 2)
        pid = clock_of(where)
        shown = run(where, "-m", "dotagent", "ps", "--json").stdout.strip().split("\n")
        told = next(row for row in map(json.loads, shown) if row["kind"] == "clock")
        assert (told["pid"], told["state"]) == (pid, "runs by itself")
        assert "the scheduler (`clock`) is stopped" not in run(where, "-m", "dotagent", "status").stdout
        assert "nothing was removed" in run(where, "clean.py", "--yes").stderr
        os.kill(pid, signal.SIGKILL)
        until(lambda: not process.start_time(pid), where.root)
        say(where, "hello again")
        assert clock_of(where) != pid
        assert alive.end()[0] == 0
        ended(where)
        assert "the scheduler (`clock`) is stopped" in run(where, "-m", "dotagent", "status").stdout


def test_an_idle_agent_starts_the_clock_when_somebody_else_writes_a_job() -> None:
    with a_home() as where:
        alive = Alive(where, "--provider", "offline")
        say(where, "hello")
        hears(where, "Hello")
        assert not where.jobs.exists()
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        jobs.add(where, "tea", jobs.render({"at": now, "room": "dev", "text": "tea"}))
        hears(where, "Reminder: tea")
        until(lambda: jobs.list_names(where) == [], where.jobs)
        ended(where)
        disk.replace(
            where.jobs / "milk.toml", b"enabled = false\n" + f'at = "{now}"\nroom = "dev"\ntext = "milk"\n'.encode()
        )
        say(where, "hello again")
        hears(where, "Hello", 2)
        with (where.jobs / "milk.toml").open("r+b") as file:  # an editor that writes in place
            file.write(b"enabled = true \n")
        hears(where, "Reminder: milk")
        assert alive.end()[0] == 0


@pytest.mark.night
def test_what_was_missed_is_told_at_the_next_start_with_when_it_was_due() -> None:
    with a_home() as where:
        first = Alive(where, "--provider", "offline")
        first.end()
        then = datetime.now(UTC) - timedelta(hours=2)
        told: dict[str, str | bool] = {"zone": "UTC", "room": "dev", "agent": first.id[:12]}
        jobs.add(where, "remind-1", jobs.render({**told, "at": then.strftime("%Y-%m-%dT%H:%M"), "text": "call mum"}))
        at = then - timedelta(hours=1)
        handed = Due("remind-2", at.strftime("%Y-%m-%dT%H:%M:%SZ"), "dev", "", "Sat 09:00 UTC", "drink")
        due.hand(where, first.id, handed)  # by a clock that outlived the agent
        again = Alive(where, first.id)
        assert hears(where, "call mum") == f"Reminder (it was due {then:%a %Y-%m-%d %H:%M} UTC): call mum"
        assert hears(where, "drink") == "Reminder (it was due Sat 09:00 UTC): drink"
        assert again.end()[0] == 0
        ended(where)


@pytest.mark.slow
def test_the_clock_of_an_agent_exits_when_the_home_is_gone() -> None:
    with a_home() as where:
        alive = Alive(where, "--provider", "offline")
        say(where, "remind me in 2 hours to eat")
        hears(where, "I will remind you")
        pid = clock_of(where)
        alive.end()
        shutil.rmtree(where.root)
        until(lambda: not process.start_time(pid), where.root.parent)
