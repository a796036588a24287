"""What doctor and status say of the clock and its jobs."""

from __future__ import annotations

import os
import re
from pathlib import Path

from clocked import hours, look, write
from support import make_home
from world import world

from dotagent.capabilities.scheduler import checks, due
from dotagent.capabilities.scheduler.due import Due
from dotagent.text import times

DAILY = 'cron = "0 9 * * *"\nzone = "UTC"\nroom = "dev"\ntext = "stand up"\n'


def test_jobs_that_are_none_and_a_clock_that_does_not_run_are_told(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    assert list(checks.clock(where)) == []
    write(where, "stand", DAILY)
    write(where, "odd", "cron = ")
    write(where, "Heartbeat", DAILY)
    told = [str(one) for one in checks.clock(where)]
    assert len([one for one in told if one.startswith("warning")]) == 5, told
    assert any("but the scheduler (`clock`) is stopped, so jobs run late, jobs, start an agent" in one for one in told)
    assert any("odd.toml" in one for one in told) and any("no agent has joined room dev" in one for one in told)
    assert any("Heartbeat.toml" in one for one in told) and any("other users" in one for one in told)


def test_what_was_missed_and_what_nobody_hears_is_told(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as here:
        write(here.where, "once", 'at = "2026-11-23T09:00Z"\nroom = "ops"\ntext = "x"\n')
        look(here.where, hours(2))
        assert any("no agent has joined room ops" in str(one) for one in checks.clock(here.where))
        due.hand(here.where, here.session.id, Due("tea", "2001-01-01T09:00:00Z", "dev", "", "x", "y"))
        (here.session.path / "due" / "a@20261123T090000Z.json").write_text("{")
        told = [str(one) for one in checks.waiting(here.where)]
        assert len(told) == 2 and "has not run it" in told[0] and "is unreadable" in told[1]
        assert os.listdir(here.where.jobs) == ["once.toml"]


def test_the_zone_and_the_table_of_its_rules_are_named(tmp_path: Path) -> None:
    (told,) = checks.zone(make_home(tmp_path))
    assert told.level == "ok" and f"the time zone is {times.zone()}; its rules are from " in told.what
    assert re.search(r"(?:tzdata|system) \(tzdata \d{4}[a-z]+, system (?:\d{4}[a-z]+|unknown)\)", told.what)
