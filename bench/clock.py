"""How late a run is in LIFE: from the time at which it was due to the agent's WAKE, with real processes.

python bench/clock.py --runs 20
"""

from __future__ import annotations

import argparse
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dotagent.store import home, jobs, log
from dotagent.store.home import Home
from dotagent.text import times

CODE, LIMIT = Path(__file__).resolve().parent.parent, 50.0  # milliseconds


def measure(where: Home, runs: int) -> list[float]:
    """Of so many runs, a second apart, how late each was, in milliseconds."""
    first = datetime.now(UTC) + timedelta(seconds=3)
    for number in range(runs):
        at = times.of(first + timedelta(seconds=number))
        jobs.add(where, f"b{number}", jobs.render({"at": at, "room": "dev", "text": "x"}))
    (self_id,) = home.lives(where)
    end = time.monotonic() + runs + 20
    while time.monotonic() < end:
        time.sleep(0.5)
        woken = [line for line in log.lines(where.agent(self_id) / "LIFE.md") if line.event == "WAKE"]
        if len(woken) == runs:
            late = [times.parse(line.at) - times.parse(line.detail.split(" ")[2]) for line in woken]
            return [one.total_seconds() * 1000 for one in late]
    raise SystemExit("some runs never came")


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--dir", default=None)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.dir) as folder:
        where = Home(Path(folder) / "home")
        home.prepare(where)
        named = ["--home", str(where.root)]
        agent = [sys.executable, "agent.py", "--provider", "offline", *named]
        with (
            subprocess.Popen(agent, cwd=CODE, stdout=subprocess.PIPE, text=True) as life,
            subprocess.Popen(
                [sys.executable, "-m", "dotagent", "clock", *named], cwd=CODE, stdout=subprocess.PIPE, text=True
            ) as clock,
        ):
            assert life.stdout and clock.stdout
            life.stdout.readline()
            clock.stdout.readline()
            try:
                late = sorted(measure(where, asked.runs))
            finally:
                for one in (clock, life):
                    one.send_signal(signal.SIGTERM)
    middle, most = statistics.median(late), late[-1]
    print(f"{len(late)} runs: WAKE in LIFE {middle:.1f} ms after its time, {most:.1f} ms at most; limit {LIMIT:.0f} ms")
    return int(most > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
