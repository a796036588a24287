"""bench/follow.py, asked of a server on loopback: what is right is counted so, and what nobody asked for is not."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from loopback import Answer, Received, Server, whole
from support import ROOT, environment

TOLD = tomllib.loads((ROOT / "bench/data/follow.toml").read_text())


def judged(answer: Callable[[Received], Answer], path: Path) -> list[tuple[str, int, int]]:
    """The rows of the bench's table, and how many calls have a name of the example."""
    with Server(answer) as server:
        done = subprocess.run(
            [sys.executable, "bench/follow.py", f"{server.base}/v1", "--dir", str(path)],
            cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [
        (kind, int(right), int(of))
        for kind, right, of in re.findall(r"^  ([a-z ]+?) +(\d+) of (\d+) ", done.stdout, re.M)
    ]
    named = re.findall(r"names of the example in calls: (\d+) of (\d+)", done.stdout)
    return [*rows, *(("names", int(some), int(of)) for some, of in named)]


@pytest.mark.night
def test_a_reply_that_does_what_is_asked_is_right(tmp_path: Path) -> None:
    replies = iter([*(task["done"] for task in TOLD["task"]), *("I see." for _ in TOLD["statements"])])
    assert judged(lambda _: whole(next(replies)), tmp_path) == [
        ("order", 24, 24), ("edit", 8, 8), ("second thought", 8, 8), ("statement", 50, 50), ("names", 0, 90),
    ]  # fmt: skip


@pytest.mark.night
def test_an_act_that_nobody_asked_for_is_wrong_and_its_borrowed_name_is_counted(tmp_path: Path) -> None:
    assert judged(lambda _: whole("WRITE_FILE pot.txt <<END\nred\nEND"), tmp_path) == [
        ("order", 0, 24), ("edit", 0, 8), ("second thought", 0, 8), ("statement", 0, 50), ("names", 90, 90),
    ]  # fmt: skip


@pytest.mark.night
def test_words_alone_do_no_edit(tmp_path: Path) -> None:
    rows = {kind: right for kind, right, _ in judged(lambda _: whole("Done."), tmp_path)}
    assert rows["edit"] == 0 and rows["order"] == 0 and rows["statement"] == 50
