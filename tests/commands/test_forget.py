"""forget: it shows what tells of it, removes what a person says, and nothing else; what it cannot do it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import run
from world import offline, world

from dotagent.forgetting import ledger, sweep
from dotagent.store.home import Home


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    """A home in which two things were said that have words in common."""
    with world(tmp_path, offline) as it:
        it.say("The gate code of the allotment is 9152.")
        it.run()
        it.say("The gate of the allotment is green.")
        it.run()
        made = it.where
    yield made


@pytest.mark.slow
def test_it_lists_and_asks_before_it_forgets(where: Home) -> None:
    listed = run(where, "-m", "dotagent", "forget", "that", "the", "gate", "code", "is", "9152", "--json")
    rows = [json.loads(line) for line in listed.stdout.split("\n")[:-1]]
    assert rows[0]["sentence"] == "The gate code of the allotment is 9152."
    assert "chats/dev.md" in rows[0]["places"]
    assert not (where.root / "forgotten").exists()
    done = run(where, "-m", "dotagent", "forget", "that the gate code is 9152", "--only", "1")
    assert (done.returncode, "forgotten for good: 1 sentence" in done.stdout) == (0, True)
    room = (where.chats / "dev.md").read_text()
    assert "code of the allotment" not in room and "The gate of the allotment is green." in room
    assert ledger.read(where.root)[0].items == 1
    told = run(where, "-m", "dotagent", "doctor", "--deep")
    assert (told.returncode, "1 sentence forgotten for good" in told.stdout) == (0, True), told.stdout
    again = run(where, "-m", "dotagent", "forget", '"gate code of the allotment"', "--yes")
    assert "nothing tells of that" in again.stdout


def test_what_is_misused_is_said_in_a_line(where: Home) -> None:
    for words, wrong in ((), "forget what?"), (("the gate code", "--only", "7"), "numbers of the list"):
        done = run(where, "-m", "dotagent", "forget", *words)
        assert (done.returncode, wrong in done.stderr, "Traceback" in done.stderr) == (2, True, False)


def test_it_waits_for_no_agent_that_runs_and_the_next_start_does_it(where: Home) -> None:
    with world(where.root, offline):
        done = run(where, "-m", "dotagent", "forget", '"gate code of the allotment"', "--yes", "--wait", "0")
        assert (done.returncode, "runs: end it" in done.stderr) == (1, True)
        assert sweep.due(where)
        assert "is not gone yet" in run(where, "-m", "dotagent", "status").stdout
    with world(where.root, offline):
        assert not sweep.due(where)
    assert "code of the allotment" not in (where.chats / "dev.md").read_text()


@pytest.mark.slow
def test_what_is_old_goes_at_once_when_settings_say_so(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say("The tea is green.")
        it.run()
    refused = run(it.where, "-m", "dotagent", "forget", "--old")
    assert refused.returncode == 2 and "all is kept: [retention]" in refused.stderr
    (tmp_path / "dotagent.toml").write_text("[retention]\nepisodes = 1\n")
    done = run(it.where, "-m", "dotagent", "forget", "--old")
    assert (done.returncode, done.stdout) == (0, "nothing is older than 1 days (episodes)\n")
    assert "nothing goes by its age" in run(it.where, "-m", "dotagent", "status").stdout
    for wrong in ("retention = true", "[retention]\nepisodes = -1", "[retention]\nnotes = 3"):
        (tmp_path / "dotagent.toml").write_text(wrong)
        assert "must be a table of days" in run(it.where, "-m", "dotagent", "status").stdout
