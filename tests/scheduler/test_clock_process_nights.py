"""The nights in which clocks change, through the clock as a real process whose system clock a test holds.

A small library between the process and the C library tells the time that stands in a file. The test moves this time on,
and a job that is due at each look shows that the process looked.
"""

from __future__ import annotations

import mmap
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from alive import a_home
from clocked import write
from support import PATIENCE, spawn, until
from world import world

from dotagent.capabilities.scheduler import due, jobs
from dotagent.store.home import Home
from dotagent.text import times

LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
static volatile long *held(void) {
    static volatile long *at;
    if (!at) at = mmap(0, 8, PROT_READ, MAP_SHARED, open(getenv("HELD_CLOCK"), O_RDONLY | O_CLOEXEC), 0);
    return at;
}
int clock_gettime(clockid_t id, struct timespec *told) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    if (id != CLOCK_REALTIME) return real(id, told);
    told->tv_sec = *held();
    told->tv_nsec = 0;
    return 0;
}
int gettimeofday(struct timeval *told, void *zone) { told->tv_sec = *held(); told->tv_usec = 0; return 0; }
time_t time(time_t *told) { if (told) *told = *held(); return *held(); }
"""
BERLIN, LORD_HOWE, VANCOUVER = "Europe/Berlin", "Australia/Lord_Howe", "America/Vancouver"
STEP = timedelta(minutes=15)  # the time moves on by this
LOOKED = "looked"  # a job of each step

pytestmark = [
    pytest.mark.night,
    pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="needs Linux and a C compiler"),
]


class HeldClock:
    """The system clock of a process, which a test moves."""

    def __init__(self, folder: Path) -> None:
        source, self.library, self.path = folder / "held.c", folder / "held.so", folder / "held"
        source.write_text(LIBRARY)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, source, "-ldl"], check=True)
        self.path.write_bytes(bytes(8))
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 8)

    def set(self, now: datetime) -> None:
        self._map[:] = struct.pack("q", int(now.timestamp()))

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "HELD_CLOCK": str(self.path)}


@pytest.fixture
def held(tmp_path: Path) -> HeldClock:
    return HeldClock(tmp_path)


@contextmanager
def clock(where: Home, held: HeldClock) -> Iterator[None]:
    """The clock's process, to its clean end."""
    process = spawn(where, "-m", "dotagent", "clock", env=held.environment)
    try:
        yield
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "") and "the scheduler is running" in out
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize(
    ("zone", "begin", "runs"),
    [
        (BERLIN, "2026-03-28T23:30Z", {
            'cron = "30 2 * * *"': "03:00",
            'cron = "30 * * * *"': "01:30 03:30 04:30 05:30",
            'every = "1d from 2026-03-28T02:15"': "03:15",
            'at = "2026-03-29T03:15"': "03:15",
        }),
        (BERLIN, "2026-10-24T23:15Z", {
            'cron = "30 2 * * *"': "02:30",
            'cron = "*/30 2 * * *"': "02:00 02:30 02:00 02:30",
            'every = "1d from 2026-10-24T02:15"': "02:15",
            'at = "2026-10-25T02:30"': "02:30",
        }),
        (LORD_HOWE, "2026-10-03T14:15Z", {
            'cron = "30 * * * *"': "01:30 02:30 03:30 04:30 05:30",
            'cron = "15 2 * * *"': "02:30",
        }),
        (LORD_HOWE, "2026-04-04T13:45Z", {
            'cron = "30 * * * *"': "01:30 01:30 02:30 03:30 04:30",
            'cron = "45 1 * * *"': "01:45",
        }),
        (VANCOUVER, "2026-12-01T13:30Z", {'cron = "0 9 * * *"': "09:00", 'at = "2026-12-01T08:30"': "08:30"}),
    ],
)  # fmt: skip
def test_each_job_of_a_night_rings_once_at_its_time(
    zone: str, begin: str, runs: dict[str, str], held: HeldClock
) -> None:
    begun = now = datetime.fromisoformat(begin)
    with a_home() as where:
        with world(where.root, lambda messages, call: "WAIT") as here:
            here.run()
            folder = here.session.path / "due"
        (where.root / "dotagent.toml").write_text('[heartbeat]\nevery = "off"\n')
        for number, line in enumerate(runs):
            write(where, f"job-{number}", f'{line}\nzone = "{zone}"\nroom = "dev"\ntext = "x"\n', begun)
        write(where, LOOKED, 'every = "15m"\nroom = "dev"\ntext = "x"\n', begun)
        found = {line: list[str]() for line in runs}
        held.set(now)
        folder.mkdir(exist_ok=True)
        with clock(where, held):
            while now < begun + timedelta(hours=4, minutes=15):
                now += STEP
                held.set(now)
                (where.jobs / f"moved-{now:%H%M}").touch()  # the process looks at its clock
                until(lambda: due.is_waiting(where, here.session.id, LOOKED), folder)
                for path in due.waiting(folder):
                    run = due.read(path)
                    path.unlink()
                    if run.job == LOOKED:
                        continue
                    assert run.how == "" and datetime.fromisoformat(run.at) == now, run
                    found[list(runs)[int(run.job.removeprefix("job-"))]].append(
                        f"{now.astimezone(times.find_zone(zone)):%H:%M}"
                    )
        assert {line: " ".join(told) for line, told in found.items()} == runs
        assert jobs.list_names(where) == sorted(
            [LOOKED, *(f"job-{number}" for number, line in enumerate(runs) if not line.startswith("at"))]
        )
