"""What a command makes in its agent's directory itself, where a directory of its own stands in that place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cages import caged
from hands import Hands
from support import until

from dotagent.store import supervised


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with caged(tmp_path, "bubblewrap") as life:
        yield life


def test_a_command_makes_changes_moves_and_removes(hands: Hands) -> None:
    for name in ("plan.txt", "old.txt", "draft.txt"):
        hands.shows(f"WRITE_FILE {name} <<EOF\n{name} is one\nEOF")
    hands.shows("RUN sed -i s/one/two/ plan.txt && rm old.txt && mv draft.txt final.txt && mkdir out && echo x > out/x")
    assert "plan.txt is two" in hands.shows("READ_FILE plan.txt")
    assert "draft.txt is one" in hands.shows("READ_FILE final.txt")
    assert (hands.path / "out/x").read_text() == "x\n"
    assert not [name for name in ("old.txt", "draft.txt") if (hands.path / name).exists()]
    assert sorted(os.listdir(hands.path / "run/now")) == ["out", "pid", "status"]


def test_what_a_failed_command_made_is_there_and_the_next_one_sees_it(hands: Hands) -> None:
    hands.shows("RUN echo half > part.txt; exit 3")
    assert "half" in hands.shows("RUN cat part.txt && echo more >> part.txt")
    assert (hands.path / "part.txt").read_text() == "half\nmore\n"


def test_of_a_process_it_is_there_once_it_has_ended(hands: Hands) -> None:
    """And what it writes into a file that it found is there at once, as in a folder."""
    (hands.path / "log").write_text("")
    hands.shows("PROCESS start echo begun >> log; echo x > new.txt; until [ -e files/stop ]; do sleep 0.01; done")
    folder = hands.path / "processes/1"
    until(lambda: (hands.path / "log").read_text() == "begun\n", folder)
    assert not (hands.path / "new.txt").exists()
    (hands.path / "files/stop").touch()
    until(lambda: supervised.ended(folder), folder)
    assert (hands.path / "new.txt").read_text() == "x\n"
    hands.shows("PROCESS clear")
    assert not folder.exists()


def test_of_one_that_is_killed_it_is_there_too(hands: Hands) -> None:
    hands.shows("PROCESS start echo x > new.txt; touch files/on; sleep 100")
    until((hands.path / "files/on").exists, hands.path)
    hands.shows("PROCESS kill 1")
    assert (hands.path / "new.txt").read_text() == "x\n"


def test_a_soul_or_a_person_that_it_makes_is_nobodys(hands: Hands) -> None:
    hands.shows("RUN echo mine > SOUL_EVIL.md; echo mine > fade; echo mine > .new-1; (echo mine > USER.md) 2>&1; true")
    assert not [name for name in ("SOUL_EVIL.md", "fade", ".new-1") if (hands.path / name).exists()]
    assert "mine" not in (hands.path / "USER.md").read_text()
