"""A home that a program copied: without its links, or without the newest blobs. The agent says so when it starts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from listening import heard
from lives import lines
from world import World, offline, world

from dotagent import commands
from dotagent.store.home import Home
from dotagent.text import times


def lived(home: Path) -> World:
    with world(home, offline) as here:
        for text in ("hello", "remember that my seat is 14A"):
            here.say(text)
            here.run()
        return here


def test_an_agent_whose_links_were_not_copied_says_so_and_doctor_makes_them_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subs = lived(tmp_path).session.path / "subs"
    shutil.rmtree(subs)
    with world(tmp_path, offline):
        assert "reads no room, because its links to dev are missing" in capsys.readouterr().out
    shutil.rmtree(subs)
    commands.run("doctor", ["--home", str(tmp_path), "--fix"])
    assert "reads the room dev again" in capsys.readouterr().out
    with world(tmp_path, offline) as here:
        assert "are missing" not in capsys.readouterr().out
        here.say("are you there?")
        here.run()
        assert heard(here)[-1] == "are you there?"


def test_a_copy_that_lacks_blobs_says_once_how_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = lived(tmp_path)
    gone = [line.id for line in lines(here, "HEAR")]
    for id in gone:
        Home(tmp_path).store().path(id).unlink()
    capsys.readouterr()
    with world(tmp_path, offline):
        told = capsys.readouterr().out
    (lost,) = [row for row in told.split("\n") if row.startswith("  lost ")]
    assert f"  lost   {len(gone)} of the " in lost and "doctor --deep" in lost


def test_what_was_forgotten_is_not_called_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a permanent deletion the start said that 0 of the texts are missing."""
    here = lived(tmp_path)
    for line in lines(here, "HEAR"):
        Home(tmp_path).store().forget(line.id, times.now())
    capsys.readouterr()
    with world(tmp_path, offline) as here:
        assert any(one.lost for one in here.session.entries)
    assert "are missing" not in capsys.readouterr().out
