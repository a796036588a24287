"""Keep a home running: its bridges, the clock, and each agent while it has something to do; -d: in the background.

What dies is started again, the later the oftener it dies. An agent that was silent for `linger` seconds (a setting)
leaves, and a message, a job or an answer starts it again, so that sleeping ones cost no process. `ps` shows what runs,
`logs -f` what it prints, `restart` starts it anew, `down` ends it. Settings are read again when they change.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time

from dotagent.bridges.pattern import rules
from dotagent.errors import Trouble
from dotagent.host import report, serve
from dotagent.store import credentials, disk, home, process
from dotagent.store.home import Home
from dotagent.store.watch import Watcher

PATIENCE = 20.0  # seconds in which it must be ready


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where it runs."""
    parser.add_argument(
        "-d", "--detach", action="store_true", help="in the background; what it prints goes to up/up.log"
    )
    credentials.option(parser)


def run(asked: argparse.Namespace) -> int:
    """Keep it running until told to end."""
    where = home.find(asked.home)
    home.prepare(where)
    rules.check(home.settings(where))
    if pid := report.runs(where):
        raise Trouble(f"{where.root} is kept running already, by process {pid}: `down` ends it")
    if asked.detach:
        return _detach(where)
    serve.run(where, credentials.take_over(where, asked.keys_on_stdin))
    return 0


def _detach(where: Home) -> int:
    """Start it on its own, and wait until it is ready. Raises Trouble with what it said when it is not."""
    disk.make_dir(where.up)
    path = where.up / "up.log"
    with disk.opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as log:
        begin = os.fstat(log).st_size
        words = [sys.executable, "-m", "dotagent", "up", "--home", str(where.root)]
        child = process.start(words, log)
        watcher, end = Watcher(), time.monotonic() + PATIENCE
        watcher.content(path)
        while True:
            said = os.pread(log, 1 << 16, begin).decode("utf-8", "replace")
            if re.search(r"is kept running, by process \d+\n", said):
                break
            if child.poll() is not None or time.monotonic() > end:
                last = said.strip().rpartition("\n")[2].removeprefix("dotagent: ")
                raise Trouble(last or f"it was not ready within {PATIENCE:.0f} s: see {path}")
            watcher.wait(0.1)
    print(said.strip().rpartition("\n")[2])
    return 0
