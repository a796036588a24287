"""bench/follow.py and the checks of its fourth set, asked of a server on loopback whose replies are written before."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from followed import CASES
from loopback import Server, whole
from support import ROOT, environment

TIMES = 5


def judged(replies: Sequence[Sequence[str]], path: Path) -> list[tuple[str, str, str]]:
    """Each reply with its task's name and what the bench says of it."""
    asked = [mine[n % len(mine)] for mine in replies for n in range(TIMES)]
    with Server(*map(whole, asked)) as server:
        words = ["bench/follow.py", f"{server.base}/v1", "--half", "fourth", "--times", str(TIMES), "--show"]
        done = subprocess.run(
            [sys.executable, *words, "--dir", str(path)],
            cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(server.received) == len(asked)
    found = re.findall(r"^  fourth (.+?): (.*)$", done.stdout, re.MULTILINE)
    return [(name, reply, why) for (name, why), reply in zip(found, asked, strict=True)]


@pytest.mark.slow
def test_every_way_to_do_a_task_is_right(tmp_path: Path) -> None:
    found = judged([case.right for case in CASES], tmp_path)
    assert [name for name, *_ in found[::TIMES]] == [case.name for case in CASES]
    assert [one for one in found if one[2] != "right"] == []


@pytest.mark.slow
def test_no_plausible_reply_that_does_something_else_is_right(tmp_path: Path) -> None:
    found = judged([case.wrong for case in CASES], tmp_path)
    faults = ("break the form", "parrot", "form", "head", "leak")
    assert [one for one in found if one[2] == "right" or one[2].startswith(faults)] == []
