"""doctor as a whole: a sound home has nothing to tell but ok, and nothing is ever changed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from a_lived_home import blob, converse, living, look, snapshot
from support import ROOT, run

from dotagent.store import home
from dotagent.store.home import Home


@pytest.mark.parametrize("words", [(), ("--deep",)])
def test_a_sound_home_is_sound_and_nothing_is_touched(where: Home, words: tuple[str, ...]) -> None:
    before = snapshot(where.root)
    assert look(where, *words) == (0, [])
    assert snapshot(where.root) == before


@pytest.mark.night
def test_while_an_agent_runs_it_is_sound_too(where: Home) -> None:
    with living(where, home.lives(where)[0]):
        converse(where, ["help"])
        assert look(where, "--deep") == (0, [])


def test_a_line_for_people(where: Home) -> None:
    blob(where, "HEAR").unlink()
    done = run(where, "-m", "dotagent", "doctor", home.lives(where)[0][:8])
    *lines, blank, summary, end = done.stdout.split("\n")
    assert done.returncode == 1 and blank == end == "" and summary.startswith("1 damaged, ")
    assert all(line.startswith("  ") or line.split(":")[0] in ("ok", "warning", "damage") for line in lines)
    assert sum(line.startswith("damage: agent ") and ": blob " in line and "is missing" in line for line in lines) == 1


def test_a_home_without_bridges_loads_no_bridge_and_no_rules_of_offline(where: Home) -> None:
    words = [sys.executable, "-X", "importtime", "-m", "dotagent", "doctor", "--home", str(where.root)]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, text=True).stderr
    loaded = {line.rpartition("|")[2].strip() for line in told.split("\n")}
    assert "dotagent.doctor" in loaded
    assert not loaded & {"dotagent.bridges", "dotagent.providers.offline_rules", "dataclasses", "html", "secrets"}


def test_an_unknown_agent_is_wrong_use(where: Home) -> None:
    done = run(where, "-m", "dotagent", "doctor", "0" * 12)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
