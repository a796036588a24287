"""A process that is kept running: how it is started, and when again after it died."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from support import PATIENCE

from dotagent.capabilities.supervisor.child import LATEST, LOG, Child


def ran(child: Child, code: str, secrets: dict[str, str] | None = None) -> int | None:
    child.start([sys.executable, "-c", code], {"PATH": os.environ["PATH"]}, secrets)
    assert child.process
    child.process.wait(PATIENCE)
    return child.died()


def test_one_that_dies_again_and_again_is_started_later_and_later(tmp_path: Path) -> None:
    child = Child("bridge", "x", tmp_path / "x.log")
    pauses = []
    for _ in range(12):
        assert ran(child, "raise SystemExit(3)") == 3 and child.why == "exit status 3" and not child.runs
        pauses.append(round(child.wait(), 2))
    assert pauses[0] == 0.0 and 0.3 < pauses[1] <= 0.5 and pauses == sorted(pauses) and 50 < pauses[-1] <= LATEST
    child.again()
    assert child.wait() == 0.0 and child.died() is None  # told once


def test_one_that_ends_well_has_no_cause(tmp_path: Path) -> None:
    child = Child("life", "x", tmp_path / "x.log")
    assert ran(child, "print('hello')") == 0
    assert (child.why, child.deaths, child.wait()) == ("", 0, 0.0)
    assert (tmp_path / "x.log").read_text() == "hello\n" and (tmp_path / "x.log").stat().st_mode & 0o777 == 0o600


def test_a_signal_is_told_by_its_name(tmp_path: Path) -> None:
    child = Child("life", "x", tmp_path / "x.log")
    child.start([sys.executable, "-c", "import signal; signal.pause()"], {})
    told = child.told()
    assert told["pid"] == child.pid and told["started"]
    child.signal(signal.SIGKILL, print)
    assert child.process
    child.process.wait(PATIENCE)
    assert child.died() == -9 and child.why == "killed by SIGKILL" and child.told()["pid"] == 0


def test_secrets_come_by_a_pipe_and_a_log_does_not_grow_for_ever(tmp_path: Path) -> None:
    child = Child("bridge", "x", tmp_path / "x.log")
    (tmp_path / "x.log").write_bytes(b"x" * (LOG + 1))
    code = "import json, os, sys; print(json.load(sys.stdin)['TOKEN'], 'TOKEN' in os.environ)"
    assert ran(child, code, {"TOKEN": "hush"}) == 0
    assert (tmp_path / "x.log").read_text() == "hush False\n" and (tmp_path / "x.log.1").stat().st_size > LOG
