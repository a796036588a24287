"""forget: it shows what tells of it, removes what a person says, and nothing else; what it cannot do it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_home, run
from terminals import Terminal
from world import offline, world

from dotagent.erasure import ledger
from dotagent.project import place
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
    unsure = run(where, "-m", "dotagent", "forget", "that the gate code is 9152")
    assert (
        unsure.returncode == 2
        and "nothing was deleted, because there is no terminal on which to ask you; add --yes" in unsure.stderr
    )
    assert not (where.root / "forgotten").exists()
    done = run(where, "-m", "dotagent", "forget", "that the gate code is 9152", "--only", "1")
    assert (done.returncode, "permanently deleted 1 sentence" in done.stdout) == (0, True)
    room = (where.chats / "dev.md").read_text()
    assert "code of the allotment" not in room and "The gate of the allotment is green." in room
    assert ledger.read(where.root)[0].items == 1
    told = run(where, "-m", "dotagent", "doctor", "--deep")
    assert (told.returncode, "1 sentence permanently deleted" in told.stdout) == (0, True), told.stdout
    again = run(where, "-m", "dotagent", "forget", '"gate code of the allotment"', "--yes")
    assert "no sentence matches" in again.stdout


def test_what_is_misused_is_said_in_a_line(where: Home) -> None:
    for words, wrong in (
        ((), "say what to forget"),
        (("the gate code", "--only", "7"), "give numbers from 1"),
        (("☎",), "give a word of the sentence"),
    ):
        done = run(where, "-m", "dotagent", "forget", *words)
        assert (done.returncode, wrong in done.stderr, "Traceback" in done.stderr) == (2, True, False)


@pytest.mark.slow
def test_it_waits_for_no_agent_that_runs_and_the_next_start_does_it(where: Home) -> None:
    with world(where.root, offline):
        done = run(where, "-m", "dotagent", "forget", '"gate code of the allotment"', "--yes", "--wait", "0")
        assert (done.returncode, "is still running. Stop this process" in done.stderr) == (1, True)
        assert ledger.is_unfinished(where)
        assert "a permanent deletion is not finished" in run(where, "-m", "dotagent", "status").stdout
    with world(where.root, offline):
        assert not ledger.is_unfinished(where)
    assert "code of the allotment" not in (where.chats / "dev.md").read_text()


@pytest.mark.slow
def test_what_is_old_goes_at_once_when_settings_say_so(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say("The tea is green.")
        it.run()
    refused = run(it.where, "-m", "dotagent", "forget", "--old")
    assert refused.returncode == 2 and "dotagent.toml does not say for how many days to keep things" in refused.stderr
    (tmp_path / "dotagent.toml").write_text("[retention]\nepisodes = 1\n")
    done = run(it.where, "-m", "dotagent", "forget", "--old")
    assert (done.returncode, done.stdout) == (0, "nothing is older than 1 day (episodes)\n")
    assert "old data is not removed" in run(it.where, "-m", "dotagent", "status").stdout
    for wrong in ("retention = true", "[retention]\nepisodes = -1", "[retention]\nnotes = 3"):
        (tmp_path / "dotagent.toml").write_text(wrong)
        told = run(it.where, "-m", "dotagent", "status").stdout
        assert "must be a table of numbers of days" in " ".join(told.split())


def test_what_is_left_in_another_spelling_is_named_and_no_success_is_claimed(where: Home) -> None:
    """The same sentence in full-width letters is one that the removal does not recognise, but the search after it."""
    wide = "".join(
        chr(ord(sign) + 0xFEE0) if sign.isalnum() else sign for sign in "The gate code of the allotment is 9152."
    )
    (where.root / "bank").mkdir()
    (where.root / "bank" / "wide.md").write_text(f"{wide}\n")
    done = run(where, "-m", "dotagent", "forget", "that the gate code is 9152", "--only", "1")
    assert (done.returncode, "permanently deleted" in done.stdout) == (1, False)
    assert "not removed from bank/wide.md" in done.stdout and "1 file still contains text that you chose" in done.stderr
    assert ledger.read(where.root)[0].remains == ("bank/wide.md",)


def test_the_receipt_counts_what_changed(where: Home) -> None:
    room = (where.chats / "dev.md").read_bytes()
    done = run(where, "-m", "dotagent", "forget", "that the gate code is 9152", "--only", "1")
    (made,) = ledger.read(where.root)
    assert f"{len(made.blobs)} blobs and {made.changed} other files changed" in done.stdout
    assert made.blobs and made.changed == 2 and (where.chats / "dev.md").read_bytes() != room  # the room and LIFE


@pytest.mark.slow
def test_a_sentence_with_the_same_code_is_listed_and_a_number_leaves_it(where: Home) -> None:
    with world(where.root, offline, "--last") as it:
        it.say("Meet me at 9152 Mill Lane.")
        it.run()
    asked = ("-m", "dotagent", "forget", "the gate code of the allotment")
    assert "Meet me at 9152 Mill Lane." in run(where, *asked).stdout
    done = run(where, *asked, "--only", "1")
    assert "permanently deleted 1 sentence" in done.stdout
    room = (where.chats / "dev.md").read_text()
    assert "code of the allotment" not in room and "Meet me at 9152 Mill Lane." in room


@pytest.mark.slow
def test_what_may_not_be_meant_goes_only_by_its_number(where: Home) -> None:
    doubtful = run(where, "-m", "dotagent", "forget", "what I told you about my allotment medication is", "--yes")
    assert (doubtful.returncode, "match only partly" in doubtful.stderr) == (1, True), doubtful
    assert "The gate of the allotment is green." in (where.chats / "dev.md").read_text()


def test_a_project_keeps_what_nobody_agreed_to_forget_and_the_command_says_so(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    project = str(tmp_path / "app")
    place.make(project)
    assert (
        run(home, "-m", "dotagent", "observe", "decision", "we test with pytest", "--project", project).returncode == 0
    )
    words = ("-m", "dotagent", "forget", "that we test with pytest", "--project", project)
    unsure = run(home, *words)
    assert (unsure.returncode, "nothing was deleted, because there is no terminal" in unsure.stderr) == (2, True)
    with Terminal(home, *words, width=120) as screen:
        screen.sees("Permanently forget")
        screen.type("no\r")
        screen.sees("nothing was deleted")
    assert "we test with pytest" in run(home, "-m", "dotagent", "feed", "--project", project).stdout
