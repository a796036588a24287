"""What a program sheds at its start: all that an agent may not have, through a pipe, before anything is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from support import ROOT, environment

SHOWS = """
import json, os, sys
before = set(sys.modules)
from dotagent.store import variables
variables.shed()
named = [name for name in sys.modules if name.startswith("dotagent") and name not in before]
initial = open("/proc/self/environ", "rb").read().decode("utf-8", "surrogateescape")
pipe = variables.pipe()
got = {} if pipe is None else variables.received(pipe)
print(json.dumps({"named": named, "environ": dict(os.environ), "initial": initial, "got": got}))
"""


def shown(**more: str) -> dict[str, dict[str, str]]:
    """What a program that sheds its environment knows after that."""
    env = {**environment(), "PYTHONPATH": str(ROOT), **more}
    done = subprocess.run([sys.executable, "-c", SHOWS], env=env, capture_output=True, text=True, check=True, cwd=ROOT)
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="a process's environment is read through /proc")
def test_all_that_an_agent_may_not_have_arrives_by_the_pipe_alone() -> None:
    secret = {
        "DEEPSEEK_API_KEY": "sk-0123456789abcdef",
        "WITH_LINES": "a=b\nc=d",
        "NOT_UTF8": os.fsdecode(b"\xff\xfe"),
        "EMPTY": "",
        **{f"LARGE_{number}": "x" * 100_000 for number in range(5)},  # more than a pipe holds
    }
    told = shown(**secret, TZ="UTC")
    assert told["got"] == secret
    assert not secret.keys() & told["environ"].keys()
    assert not any(name in told["initial"] for name in secret)
    assert told["environ"]["TZ"] == "UTC"
    assert set(told["named"]) == {"dotagent", "dotagent.store", "dotagent.store.variables"}


def test_little_is_loaded_before_a_program_sheds() -> None:
    """A start with a key runs twice up to there."""
    code = """import sys; before = set(sys.modules); from dotagent.store import variables
print(*sorted(set(sys.modules) - before))"""
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True,
                          cwd=ROOT)  # fmt: skip
    assert {"__future__", "dotagent", "dotagent.store", "dotagent.store.variables"} >= set(done.stdout.split())


def test_nothing_is_shed_where_there_is_nothing() -> None:
    told = shown(TZ="UTC")
    assert told["got"] == {}
    assert "DOTAGENT_SHED" not in told["environ"]


def test_a_pipe_that_another_process_names_is_not_read() -> None:
    told = shown(DOTAGENT_SHED="1 0")
    assert told["got"] == {"DOTAGENT_SHED": "1 0"}
    assert "DOTAGENT_SHED" not in told["environ"]
