"""`dotagent clock`, a real process: it hands over what is due, ends cleanly, and is alone."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from alive import Alive, a_home, hears, say
from support import run, spawn, until

from dotagent.store import disk, jobs
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
        process.communicate(timeout=20)


@pytest.mark.slow
def test_a_reminder_comes_to_the_room_and_the_clock_ends_cleanly() -> None:
    with a_home() as where, clock(where) as process:
        alive = Alive(where, "--provider", "offline")
        say(where, "remind me in 1 second to stretch")
        hears(where, "I will remind you")
        hears(where, "Reminder: stretch")
        assert len(alive.lines("WAKE")) == 1
        again = run(where, "-m", "dotagent", "clock")
        assert again.returncode == 1 and "runs already, as process" in again.stderr and again.stderr.count("\n") == 1
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, err) == (0, "") and "the clock runs" in out
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
            first.wait(timeout=20)
            with clock(where):
                hears(where, "Reminder: tea")
                until(lambda: jobs.is_done(where, "tea"), where.jobs)
        assert len(alive.lines("WAKE")) == 1
        assert alive.end()[0] == 0
