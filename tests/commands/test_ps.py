"""ps: what runs, held to what is; where nothing does it says so."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from alive import stop_providers
from support import make_home, run, spawn, until

from dotagent.capabilities.supervisor import report
from dotagent.store import disk, home, launch, lives, process
from dotagent.store.home import Home


@pytest.fixture
def where(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    disk.make_dir(made.up)
    return made


def test_where_nothing_ever_ran(where: Home) -> None:
    done = run(where, "-m", "dotagent", "ps")
    assert (
        done.returncode == 0
        and "has not run for " in done.stdout
        and "start it with `python -m dotagent up`" in done.stderr
    )


def test_what_is_told_is_held_to_what_is(where: Home) -> None:
    pid, started = process.own_mark()
    row = {"kind": "bridge", "name": "discord", "pid": pid, "started": started, "since": "", "deaths": 2, "why": ""}
    gone = {**row, "name": "telegram", "started": "1", "why": "exit status 2"}
    report.write(where, [row, gone])
    assert [one["runs"] for one in report.read(where)] == [True, False]
    lines = run(where, "-m", "dotagent", "ps").stdout.split("\n")
    assert lines[0].split() == ["kind", "name", "state", "pid", "since", "crashes", "why"]
    assert lines[1].split()[:4] == ["bridge", "discord", "running", str(os.getpid())]
    assert lines[2].split()[:3] == ["bridge", "telegram", "stopped"] and lines[2].endswith("exit status 2")


@pytest.mark.parametrize("told", [b"", b"{", b"{}", b"[1]", b'[{"pid": "x"}]', b"[" * 10_000])
def test_what_cannot_be_read_is_nothing(where: Home, told: bytes) -> None:
    (where.up / "state.json").write_bytes(told)
    assert [row for row in report.read(where) if row["runs"]] == [] and report.runs(where) == ""


def test_a_providers_process_is_a_number_as_everywhere(where: Home) -> None:
    with spawn(where, "-m", "dotagent", "provider", "offline") as child:
        while not launch.served(where, "offline") or launch.signed(where.calls / "offline.pid") == "?":
            os.sched_yield()
        told = json.loads(run(where, "-m", "dotagent", "ps", "--json").stdout)
        child.terminate()
    assert (told["name"], told["pid"]) == ("offline", child.pid)


@pytest.mark.slow
def test_an_agent_that_runs_by_itself_is_told_with_its_process(where: Home) -> None:
    with spawn(where, "agent.py", "--provider", "offline") as child:
        assert child.stdout
        self_id = child.stdout.readline().strip()
        until(lambda: lives.pid(where, self_id), where.root)
        told = [json.loads(row) for row in run(where, "-m", "dotagent", "ps", "--json").stdout.split("\n")[:-1]]
        assert {"kind": "life", "name": self_id, "pid": child.pid, "state": "runs by itself", "runs": True} in told
        child.terminate()
    stop_providers(where)
    assert self_id not in run(where, "-m", "dotagent", "ps", "--json").stdout


@pytest.mark.slow
def test_an_agent_that_up_created_is_not_said_to_run_by_itself(where: Home) -> None:
    (where.root / "dotagent.toml").write_text('provider = "offline"\n[agents.aria]\nrooms = ["aria"]\n')
    with spawn(where, "-m", "dotagent", "up"):
        until(lambda: any(lives.runs(where, one) and lives.pid(where, one) for one in home.lives(where)), where.root)
        told = [json.loads(row) for row in run(where, "-m", "dotagent", "ps", "--json").stdout.split("\n")[:-1]]
        assert run(where, "-m", "dotagent", "down").returncode == 0
    (life,) = [row for row in told if row["kind"] == "life"]
    assert life["state"] == "runs" and life["pid"] and not lives.runs(where, str(life["name"]))
