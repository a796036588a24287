"""bench/follow.py and the checks of its held-out sets, asked of a server on loopback with replies written before."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import followed
import followed_fifth
import followed_fifth_rest
import followed_sixth
import followed_sixth_rest
import pytest
from followed import Case
from loopback import Server, whole
from support import ROOT, environment

SETS = {"fourth": followed.CASES, "fifth": [*followed_fifth.CASES, *followed_fifth_rest.CASES]}
SETS["sixth"] = [*followed_sixth.CASES, *followed_sixth_rest.CASES]


def judged(half: str, replies: Sequence[Sequence[str]], path: Path) -> list[tuple[str, str, str]]:
    """Each reply with its task's name and what the bench says of it; a task with fewer replies is told them again."""
    times = max(map(len, replies))
    asked = [mine[n % len(mine)] for mine in replies for n in range(times)]
    with Server(*map(whole, asked)) as server:
        words = ["bench/follow.py", f"{server.base}/v1", "--half", half, "--times", str(times), "--show"]
        done = subprocess.run(
            [sys.executable, *words, "--dir", str(path)],
            cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(server.received) == len(asked)
    found = re.findall(rf"^  {half} (.+?): (.*)$", done.stdout, re.MULTILINE)
    names = [name for name, _ in found]
    assert names == [name for name in names[::times] for _ in range(times)]
    return [(name, reply, why) for (name, why), reply in zip(found, asked, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("half", SETS)
def test_every_way_to_do_a_task_is_right(tmp_path: Path, half: str) -> None:
    cases: Sequence[Case] = SETS[half]
    found = judged(half, [case.right for case in cases], tmp_path)
    assert [name for name, *_ in found[:: len(found) // len(cases)]] == [case.name for case in cases]
    assert [one for one in found if one[2] != "right"] == []


@pytest.mark.slow
@pytest.mark.parametrize("half", SETS)
def test_no_plausible_reply_that_does_something_else_is_right(tmp_path: Path, half: str) -> None:
    found = judged(half, [case.wrong for case in SETS[half]], tmp_path)
    faults = ("break the form", "parrot", "form", "head", "leak")
    assert [one for one in found if one[2] == "right" or one[2].startswith(faults)] == []
