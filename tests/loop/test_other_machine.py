"""One agent on two machines: it says so at the start, and stops when its log is no longer the one that it writes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from alive import say
from world import World, events, said, world

from dotagent.errors import Trouble
from dotagent.store.home import Home

FIRST, AGAIN = "hello", "and now?"


def talked(here: World, text: str) -> list[str]:
    here.say(text)
    here.run()
    return said(here.where)


def replaced(life: Path) -> None:
    """As a program does that syncs files."""
    shutil.copy(life, life.with_name("new"))
    os.replace(life.with_name("new"), life)


def longer(life: Path) -> None:
    """As another machine does that mounts the same folder."""
    with life.open("ab") as file:
        file.write(b"2036-01-01T00:00:00.000000Z SLEEP\n")


@pytest.mark.parametrize("change", [replaced, longer, os.unlink])
def test_an_agent_whose_log_another_machine_changed_says_so_and_stops(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    asked = list[str]()
    with world(tmp_path / "home", lambda messages, call: asked.append("") or "fine") as here:
        assert talked(here, FIRST) == ["fine"]
        change(here.session.path / "LIFE.md")
        with pytest.raises(Trouble, match="run it on one machine only"):
            talked(here, AGAIN)
        assert len(asked) == 1
        assert said(here.where)[1].startswith("(I stop here, because another machine or program changed my log")


def test_an_agent_whose_home_moves_while_it_runs_reads_at_its_next_start_what_waited(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "fine") as here:
        assert talked(here, FIRST) == ["fine"]
        os.rename(tmp_path / "home", tmp_path / "moved")
        with pytest.raises(Trouble, match="run it on one machine only"):
            here.run()
    say(Home(tmp_path / "moved"), AGAIN)
    with world(tmp_path / "moved", lambda messages, call: "here again") as there:
        there.run()
        assert said(there.where)[-1] == "here again" and not events(there, "LEAVE")


def moved(path: Path, name: str) -> World:
    """An agent that last ran on a machine of this name, and was killed there."""
    with world(path, lambda messages, call: "fine") as here:
        talked(here, FIRST)
    life = here.session.path / "LIFE.md"
    (here.session.path / "run/machine").write_text(name)
    whole = life.read_bytes().rstrip(b"\n").split(b"\n")
    assert b" SLEEP" in whole[-1]
    life.write_bytes(b"\n".join(whole[:-1]) + b"\n")
    return here


def test_an_agent_that_may_still_run_elsewhere_says_so_once(tmp_path: Path) -> None:
    moved(tmp_path / "home", "laptop 0123456789ab")
    for _ in range(2):
        with world(tmp_path / "home", lambda messages, call: "fine") as here:
            told = talked(here, AGAIN)
    assert next(one for one in told if "laptop" in one).startswith("(this agent last ran on laptop and did not stop")
    assert len(events(here, "TELL")) == 1 and told[-1] == "fine"


def test_an_agent_that_stopped_there_says_nothing(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "fine") as here:
        talked(here, FIRST)
    (here.session.path / "run/machine").write_text("laptop 0123456789ab")
    with world(tmp_path / "home", lambda messages, call: "fine") as here:
        assert talked(here, AGAIN) == ["fine", "fine"]


def test_an_agent_that_was_killed_on_this_machine_says_nothing(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "fine") as here:
        machine = (here.session.path / "run/machine").read_text()
    moved(tmp_path / "home", machine)
    with world(tmp_path / "home", lambda messages, call: "fine") as here:
        assert talked(here, AGAIN) == ["fine", "fine"]
