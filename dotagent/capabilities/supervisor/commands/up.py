"""Run agents, bridges and the scheduler, and restart them.

If a process crashes, `up` starts it again, and waits longer after each crash. An agent exits after it has had nothing
to do for some seconds (the setting `linger`). A message, a job or an answer starts the agent again, so an idle agent
needs no process. `ps` lists the processes, `logs -f` shows their output, `restart` restarts them, and `down` stops
them. If the settings change, `up` reads them again.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time

from dotagent.bridges.pattern import rules
from dotagent.capabilities.supervisor import report, serve
from dotagent.errors import Trouble
from dotagent.store import child_processes, disk, home, key_handover
from dotagent.store.home import Home
from dotagent.store.watch import Watcher

GROUP = "daily"

PATIENCE = 20.0  # seconds until it must be ready


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add --detach and the source of the keys."""
    parser.add_argument(
        "-d", "--detach", action="store_true", help="run in the background; the output goes to up/up.log"
    )
    key_handover.option(parser)


def run(asked: argparse.Namespace) -> int:
    """Run until stopped."""
    where = home.find(asked.home)
    home.prepare(where)
    rules.check(home.settings(where))
    if pid := report.runs(where):
        raise Trouble(f"`up` is already running for {where.root} as process {pid}; `down` stops it")
    if asked.detach:
        return _detach(where)
    serve.run(where, key_handover.take_over(where, asked.keys_on_stdin))
    return 0


def _detach(where: Home) -> int:
    """Start `up` in the background, wait until it is ready, and print its messages.

    Raise Trouble with its last message if it does not become ready.
    """
    disk.make_dir(where.up)
    path = where.up / "up.log"
    with disk.open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as log:
        begin = os.fstat(log).st_size
        words = [sys.executable, "-m", "dotagent", "up", "--home", str(where.root)]
        child = child_processes.start(words, log)
        watcher, end = Watcher(), time.monotonic() + PATIENCE
        watcher.content(path)
        while True:
            said = os.pread(log, 1 << 16, begin).decode("utf-8", "replace")
            if re.search(r"`up` runs as process \d+ and keeps .*\n", said):
                break
            if child.poll() is not None or time.monotonic() > end:
                last = said.strip().rpartition("\n")[2].removeprefix("dotagent: ")
                raise Trouble(last or f"`up` was not ready within {PATIENCE:.0f} s; see {path}")
            watcher.wait(0.1)
    *notes, last = said.strip().split("\n")
    for note in notes:
        print(note, file=sys.stderr)
    print(last)
    return 0
