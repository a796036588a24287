"""The make targets of memory: they run, and fail below the floor."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_evaluation_passes_by_make() -> None:
    done = subprocess.run(
        ["make", "-s", "memory-eval", f"PYTHON={sys.executable}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "found among the first 5; the floor is 90 %" in done.stdout) == (0, True), done.stderr


@pytest.mark.night
def test_the_canaries_pass_and_below_the_floor_it_fails() -> None:
    for words, status in ((["canary"], 0), (["eval", "--floor", "100"], 1)):
        done = subprocess.run([sys.executable, "bench/floors.py", *words], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == status, done.stdout


def test_every_target_names_what_exists() -> None:
    targets = (ROOT / "Makefile").read_text()
    paths = [word for word in targets.split() if "/" in word and word.endswith(".py")]
    assert paths and all((ROOT / path).is_file() for path in paths)


def test_without_the_tools_a_target_says_what_to_install() -> None:
    done = subprocess.run(
        ["make", "-s", "memory-canary", "PYTHON=false"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and done.stderr.startswith("first run: pip install -r requirements-dev.txt\n")
