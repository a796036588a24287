"""The home: which one is meant, how it is made and seeded once, and who lived there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support import ROOT, barred, make_home, noted, run

from dotagent import errors
from dotagent.errors import Misuse, Trouble
from dotagent.store import agent_search, credentials, home
from dotagent.store.home import Home


def test_which_home_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.find(None).root == ROOT
    monkeypatch.setenv("DOTAGENT_HOME", str(tmp_path))
    assert home.find(None).root == tmp_path
    assert home.find(str(tmp_path / "other")).root == tmp_path / "other"
    monkeypatch.chdir(tmp_path)
    assert home.find("relative").root == tmp_path / "relative"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home.find("~/mine").root == tmp_path / "mine"
    assert home.find("~nobody-of-this-name/x").root == tmp_path / "~nobody-of-this-name" / "x"


def test_a_home_is_made_and_seeded_for_its_owner_only(tmp_path: Path) -> None:
    where = make_home(tmp_path / "deep" / "er")
    for path in (where.root.parent, where.root, where.blobs, where.chats, where.calls, where.agents):
        assert path.stat().st_mode & 0o777 == 0o700
    for name in home.PROMPTS:
        assert (where.root / name).read_bytes() == (ROOT / name).read_bytes()
        assert (where.root / name).stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(where.root)) == sorted([*home.PROMPTS, "blobs", "chats", "calls", "agents"])


def test_what_is_there_stays(tmp_path: Path) -> None:
    make_home(tmp_path)
    (tmp_path / "SOUL.md").write_text("mine")
    (tmp_path / "SEGMENT.md").write_text("")
    (tmp_path / "SUMMARISE.md").unlink()
    with noted("os.mkdir", "os.rename") as done:
        home.prepare(Home(tmp_path))
    assert len(done) == 1
    assert (tmp_path / "SOUL.md").read_text() == "mine"
    assert (tmp_path / "SEGMENT.md").read_text() == ""  # a person's own
    assert (tmp_path / "SUMMARISE.md").read_bytes() == (ROOT / "SUMMARISE.md").read_bytes()


@pytest.mark.parametrize("name", ["", "blobs", "chats", "calls", "agents"])
def test_a_file_where_a_directory_should_be_is_said_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "home" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("a file")
    with pytest.raises(OSError) as refused:
        home.prepare(Home(tmp_path / "home"))
    assert errors.line(refused.value).startswith(f"{path}: ")
    assert "move it away" in errors.line(refused.value)
    assert path.read_text() == "a file"


@pytest.mark.parametrize("name", ["dev", "0", "a" * 64, "a-b_c"])
def test_rooms_of_every_name(tmp_path: Path, name: str) -> None:
    assert Home(tmp_path).room(name) == tmp_path / "chats" / f"{name}.md"


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "../x", "a/b", ".a", "-a", "_a", "a" * 65, "é", "a\n", "a.md", "\0", "٣"]
)
def test_what_cannot_be_a_room(tmp_path: Path, name: str) -> None:
    with pytest.raises(Misuse, match="cannot be a room"):
        Home(tmp_path).room(name)


def test_a_life_is_found_by_a_prefix_of_its_id(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    ids = ["0123456789abcdef" * 2, "01234567" + "f" * 24, "f" * 32]
    assert home.lives(where) == []
    with pytest.raises(Misuse, match="no agents yet"):
        agent_search.find_life(where, "01234567")
    for id in ids:
        where.agent(id).mkdir()
        (where.agent(id) / "LIFE.md").touch()
    (where.agents / ("e" * 32)).mkdir()
    for stray in ("notes", "ffffffff", "F" * 32):
        (where.agents / stray).mkdir()
        (where.agents / stray / "LIFE.md").touch()
    assert home.lives(where) == sorted(ids)
    assert agent_search.find_life(where, "f" * 8) == agent_search.find_life(where, "f") == "f" * 32
    assert agent_search.find_life(where, ids[0]) == ids[0]
    assert agent_search.find_life(where, "0123456789") == ids[0]
    for prefix, told in {
        "01234567": f"{ids[0][:12]}, {ids[1][:12]}", "e" * 8: "LIFE.md", "abcdef01": "the agents are 0123456789ab",
        "F" * 8: "an id is the first few", "": "an id is the first few", "x\n" * 30: "an id is the first few",
        "0": f"{ids[0][:12]}, {ids[1][:12]}\\); give more digits of the id",
    }.items():  # fmt: skip
        with pytest.raises(Misuse, match=told):
            agent_search.find_life(where, prefix)


def test_an_agent_whom_nobody_may_look_at_is_not_unborn(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    for folder in (where.root, where.agents):
        folder.chmod(0o755)
    (where.agents / ("a" * 32)).write_text("no directory")
    (where.agents / ("b" * 32)).symlink_to("nowhere")
    where.agent("c" * 32).mkdir()
    assert home.lives(where) == []
    with barred(where.agent("c" * 32)), pytest.raises(PermissionError):
        home.lives(where)


def test_a_home_that_was_never_made(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=f"there is no dotagent data in {tmp_path}"):
        home.require(Home(tmp_path))
    assert home.lives(Home(tmp_path / "nowhere")) == []
    home.require(make_home(tmp_path))


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Misuse, match=r"/file is a file, not a directory for dotagent's data"):
        home.find(str(tmp_path / "file"))


@pytest.mark.slow
def test_a_checkouts_prompts_are_templates_and_a_persons_own_stand_beside_them(tmp_path: Path) -> None:
    """Under version control: `git status` tells of none of them."""
    code = tmp_path / "code"
    for name in ("dotagent", "agent.py", *home.PROMPTS):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, code / name)
    (code / "own").mkdir()
    (code / "own" / "SOUL.md").write_text("You are Bea's.\n")
    told = run(
        Home(code), str(code / "agent.py"), "--until-idle", "--provider", "offline", env={"PYTHONPATH": str(code)}
    )
    assert told.returncode == 0, told
    born = Home(code).store().get(told.stdout.split("\n")[0])
    assert b"You are Bea's." in born.body
    assert (code / "SOUL.md").read_bytes() == (ROOT / "SOUL.md").read_bytes()
    ignored = subprocess.run(["git", "check-ignore", "-q", "own/SOUL.md"], cwd=ROOT, check=False)
    assert ignored.returncode == 0 or not (ROOT / ".git").exists()


def test_directories_where_files_should_be(tmp_path: Path) -> None:
    for name in ("dotagent.toml", ".env"):
        (tmp_path / name).mkdir()
    for ask in (home.settings, credentials.env_file):
        with pytest.raises(Misuse, match=r"Is a directory \(expected a file but found a directory"):
            ask(Home(tmp_path))
    shutil.rmtree(tmp_path / ".env")


def test_settings_are_parsed_again_only_when_something_changed(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    file = where.root / home.SETTINGS
    file.write_text('model = "one"\n')
    before = home.settings(where)
    assert home.settings(where) is before
    file.write_text('model = "two"\n')
    assert home.settings(where).model == "two"
    monkeypatch.setenv("DOTAGENT_MODEL", "three")
    assert home.settings(where).model == "three"


def test_the_agents_of_a_room_are_those_with_a_link_to_it(where: Home) -> None:
    joined, other, without = "a" * 32, "b" * 32, "c" * 32
    for self_id in (joined, other, without):
        (where.agent(self_id) / "subs").mkdir(parents=True)
    for self_id in (joined, other):
        (where.agent(self_id) / "LIFE.md").touch()
    for self_id, room in ((joined, "dev"), (without, "dev"), (other, "ops")):
        (where.agent(self_id) / "subs" / f"{room}.md").symlink_to(where.room(room))
    (where.agent(other) / "subs" / "dev.md").touch()  # no link
    assert home.lives(where) == [joined, other]
    assert home.lives(where, "dev") == [joined]
