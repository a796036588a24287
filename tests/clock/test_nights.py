"""The nights in which clocks change, and zones whose rules changed in 2026: each run is handed over once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from clocked import look, write
from world import World, world

from dotagent.capabilities.scheduler import due
from dotagent.store.home import Settings

OFF = Settings(tables={"heartbeat": {"every": "off"}})
BERLIN, LORD_HOWE, VANCOUVER = "Europe/Berlin", "Australia/Lord_Howe", "America/Vancouver"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path, lambda messages, call: "WAIT") as one:
        one.run()
        yield one


@pytest.mark.parametrize(
    ("zone", "begin", "runs"),
    [
        (BERLIN, "2026-03-28T23:30Z", {
            'cron = "30 2 * * *"': "03:00",
            'cron = "0,30 2 * * *"': "03:00",
            'cron = "*/30 2 * * *"': "",
            'cron = "30 * * * *"': "01:30 03:30 04:30 05:30",
            'every = "30m"': "01:00 01:30 03:00 03:30 04:00 04:30 05:00 05:30",
        }),
        (BERLIN, "2026-10-24T23:30Z", {
            'cron = "30 2 * * *"': "02:30",
            'cron = "*/30 2 * * *"': "02:00 02:30 02:00 02:30",
            'cron = "30 * * * *"': "02:30 02:30 03:30 04:30",
            'every = "1h"': "02:30 02:30 03:30 04:30",
        }),
        (LORD_HOWE, "2026-10-03T14:15Z", {
            'cron = "30 * * * *"': "01:30 02:30 03:30 04:30",
            'cron = "15 2 * * *"': "02:30",
        }),
        (LORD_HOWE, "2026-04-04T13:50Z", {
            'cron = "30 * * * *"': "01:30 01:30 02:30 03:30 04:30",
            'cron = "45 1 * * *"': "01:45",
        }),
        (VANCOUVER, "2026-12-01T13:00Z", {'cron = "0 9 * * *"': "09:00"}),
    ],
)  # fmt: skip
def test_each_run_of_a_night_comes_once_at_its_time(here: World, zone: str, begin: str, runs: dict[str, str]) -> None:
    now = datetime.fromisoformat(begin)
    for number, line in enumerate(runs):
        write(here.where, f"job-{number}", f'{line}\nzone = "{zone}"\nroom = "dev"\ntext = "x"\n', now)
    found = {line: list[str]() for line in runs}
    end = now + timedelta(hours=4, minutes=10)
    while now <= end:
        following = look(here.where, now, settings=OFF)
        for path in due.waiting(here.session.path / "due"):
            run = due.read(path)
            at = datetime.fromisoformat(run.at).astimezone(ZoneInfo(zone))
            assert abs((now - at).total_seconds()) <= 1 and run.how == "", run
            found[list(runs)[int(run.job.removeprefix("job-"))]].append(f"{at:%H:%M}")
            path.unlink()
        now = min(following or end, now + timedelta(minutes=20)) if following != now else now + timedelta(seconds=1)
    assert {line: " ".join(times) for line, times in found.items()} == runs


def test_a_job_of_each_day_keeps_its_time_over_both_changes(here: World) -> None:
    for begin in (datetime(2026, 3, 28, 9, tzinfo=UTC), datetime(2026, 10, 24, 8, tzinfo=UTC)):
        write(here.where, "day", f'every = "1d"\nzone = "{BERLIN}"\nroom = "dev"\ntext = "x"\n', begin)
        wanted = begin.astimezone(ZoneInfo(BERLIN)).replace(tzinfo=None) + timedelta(days=1)
        assert look(here.where, begin, settings=OFF) == wanted.replace(tzinfo=ZoneInfo(BERLIN))
        (here.where.jobs / "day.toml").unlink()
        look(here.where, begin, settings=OFF)
