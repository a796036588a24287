"""A person's chat program while somebody saves the room in an editor: nothing is shown twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from roomed import HEADING, add, said, save
from support import make_home, until

from dotagent.terminal.talk import Talk


@pytest.mark.parametrize("left", [0, 14, 60])
def test_a_room_that_is_cut_for_a_moment_is_not_shown_again(tmp_path: Path, left: int) -> None:
    here = Talk(make_home(tmp_path / "home"), "dev", "ana")
    texts = [said(f"number {number}") for number in range(5)]
    here.path.write_bytes(HEADING)
    here.begin(0)
    add(here.path, b"".join(texts))
    assert [one.raw for one in here.news()] == texts
    whole = here.path.read_bytes() + said("new")
    here.path.write_bytes(whole[:left])
    assert here.news() == []
    assert here.unsettled
    here.path.write_bytes(whole)
    assert [one.raw for one in here.news()] == [said("new")]
    assert not here.unsettled


def test_a_room_that_is_away_for_a_moment_is_not_shown_again(tmp_path: Path) -> None:
    here = Talk(make_home(tmp_path / "home"), "dev", "ana")
    here.path.write_bytes(HEADING + said("one"))
    here.begin(0)
    whole = here.path.read_bytes() + said("new")
    here.path.rename(here.path.with_name("dev.md~"))
    assert here.news() == []
    here.path.write_bytes(whole)
    assert [one.raw for one in here.news()] == [said("new")]


def test_a_room_that_was_edited_and_stands_still_is_shown_from_the_place(tmp_path: Path) -> None:
    here = Talk(make_home(tmp_path / "home"), "dev", "ana")
    here.path.write_bytes(HEADING + said("one") + said("two"))
    here.begin(0)
    save(here.path, HEADING + said("corrected") + said("two") + said("new"))
    assert [one.raw for one in until(here.news, here.path.parent)] == [said("new")]
    assert not here.unsettled
