"""A home that `up` keeps running in the background, and is down when the block ends."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from alive import stop_providers
from support import run, until

from dotagent.capabilities.supervisor import report
from dotagent.store import lives
from dotagent.store.home import Home

Row = dict[str, object]


@contextmanager
def kept(where: Home, settings: str = "") -> Iterator[None]:
    """Up with these settings, then down."""
    (where.root / "dotagent.toml").write_text(f'provider = "offline"\n{settings}')
    done = run(where, "-m", "dotagent", "up", "-d")
    assert done.returncode == 0 and "keeps the agents and bridges of" in done.stdout, done.stderr
    try:
        for name in re.findall(r"^\[agents\.(\w+)\]", settings, re.MULTILINE):
            until(lambda name=name: (where.root / "names" / name).exists(), where.root / "names")  # type: ignore[misc]
        yield
    finally:
        if report.runs(where):
            done = run(where, "-m", "dotagent", "down")
            assert done.returncode == 0, done.stderr
        assert not [row for row in report.read(where) if row["runs"]]
        stop_providers(where)


def ps(where: Home) -> list[Row]:
    """What ps tells."""
    return [json.loads(line) for line in run(where, "-m", "dotagent", "ps", "--json").stdout.split("\n")[:-1]]


def becomes(where: Home, look: Callable[[list[Row]], object]) -> list[Row]:
    """What is told once `look` says yes to it."""
    return until(lambda: rows if look(rows := report.read(where)) else None, where.up)


def awake(where: Home, self_id: str) -> int:
    """The pid of the life's process, once it runs under `up`."""

    def pid(rows: list[Row]) -> int:
        mine = [row["pid"] for row in rows if row["name"] == self_id and row["runs"]]
        return int(str(mine[0])) if mine and lives.runs(where, self_id) else 0

    return pid(becomes(where, pid))


def kill(pid: int) -> None:
    """Kill -9."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
