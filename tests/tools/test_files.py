"""Where the file tools may reach: the agent's own directory and the roots of the settings, wherever a path may lead."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from hands import Hands, a_life
from support import make_home

from dotagent.store import rooms


def roots(path: Path, *given: str) -> None:
    where = make_home(path / "home")
    (where.root / "dotagent.toml").write_text(f"roots = {json.dumps(given)}\n")


OUT = (
    "/etc/hostname", "..", "../..", "../../SOUL.md", "../../.env", "../../dotagent.toml", "../../blobs", "../../calls",
    "../../chats", "../../agents", "../other/LIFE.md", "notes/../../x", "~/x", "link-out/x", "link-file", "/", "//etc",
    "subs/../../../chats/ops.md", "../../chats/ops.md", "proc/self/environ", "/proc/self/environ",
    "../../chats/dev.txt",
)  # fmt: skip


@pytest.mark.parametrize("name", OUT)
def test_what_lies_outside_is_out_of_reach(hands: Hands, name: str) -> None:
    (hands.where.root / ".env").write_text("KEY=secret\n")
    (hands.where.agents / "other").mkdir()
    (hands.where.agents / "other/LIFE.md").write_text("secret\n")
    rooms.create(hands.where.room("ops"), "private")
    (hands.where.chats / "dev.txt").write_text("secret\n")
    (hands.path / "link-out").symlink_to(hands.where.root.parent)
    (hands.path / "link-file").symlink_to(hands.where.root / ".env")
    (hands.path / "proc").symlink_to("/proc")
    before = {path: path.lstat() for path in hands.where.root.rglob("*") if "agents" not in path.parts}
    hands.fails(f"READ_FILE {name}", "out of reach")
    hands.fails(f"WRITE_FILE {name} <<END\nx\nEND", name)
    hands.fails(f"EDIT_FILE {name} <<END\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\nEND", name)
    assert not any(line.event == "EFFECT" for line in hands.events())
    after = {path: path.lstat() for path in hands.where.root.rglob("*") if "agents" not in path.parts}
    changed = {path for path in before if path.is_file() and after[path].st_mtime_ns != before[path].st_mtime_ns}
    assert not changed
    assert {path for path in set(after) - set(before) if "blobs" not in path.parts} == set()


OURS = (
    ".", "LIFE.md", "./LIFE.md", "notes/../LIFE.md", "context.md", "SOUL.md", "life.md", "subs", "subs/new.md", "run",
    "run/pid", "recall.db", "recall.db-wal", "fade", "LIFE.torn-1", "link-in",
)  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_the_record_is_the_harnesss_to_write(hands: Hands, name: str) -> None:
    (hands.path / "link-in").symlink_to("LIFE.md")
    hands.fails(f"WRITE_FILE {name} <<END\nx\nEND", name, "not yours to write")


def test_the_own_record_may_be_read(hands: Hands) -> None:
    assert " BOOT private ana" in hands.shows("READ_FILE LIFE.md 1-1")
    assert hands.shows("READ_FILE context.md").count("\n#1 ") == 1
    assert "MEMORY.md" in hands.shows("READ_FILE .").split("\n")


def test_a_subscribed_room_may_be_read_and_not_written(hands: Hands) -> None:
    hands.world.say("hello there")
    hands.world.me.inbox.hear()
    for name in ("subs/dev.md", "../../chats/dev.md", str(hands.where.room("dev"))):
        assert hands.shows(f"READ_FILE {name}").endswith("hello there")
        hands.fails(f"WRITE_FILE {name} <<END\nx\nEND", "out of reach")


def test_links_that_stay_inside_are_followed(hands: Hands) -> None:
    hands.shows("WRITE_FILE notes/a.md <<END\none\nEND")
    (hands.path / "short.md").symlink_to("notes/a.md")
    hands.shows("WRITE_FILE short.md <<END\ntwo\nEND")
    assert (hands.path / "short.md").is_symlink()
    assert (hands.path / "notes/a.md").read_text() == "two\n"
    assert hands.shows("READ_FILE notes/../short.md").endswith("\ntwo")
    assert hands.shows(f"READ_FILE {hands.path}/short.md").endswith("\ntwo")


HARD = {
    "a" * 300: "File name too long",
    "a/" * 2000: "which file?",
    "loop": "Too many levels",
    "loop/x": "Too many levels",
    "file/x": "Not a directory",
    "fifo": "not a plain file",
    "socket": "",
    "~nobody-of-this-name/x": "no such user",
    "dangling": "there is no file",
}


@pytest.mark.parametrize("name", HARD, ids=lambda name: name[:12])
def test_paths_that_are_no_files_are_told_of(hands: Hands, name: str) -> None:
    (hands.path / "loop").symlink_to("loop")
    (hands.path / "file").write_text("x")
    (hands.path / "dangling").symlink_to("nowhere")
    os.mkfifo(hands.path / "fifo")
    with socket.socket(socket.AF_UNIX) as plug:
        here = os.getcwd()
        os.chdir(hands.path)
        plug.bind("socket")
        os.chdir(here)
    hands.fails(f"READ_FILE {name}", HARD[name])
    if name not in ("dangling", "loop"):
        hands.fails(f"WRITE_FILE {name} <<END\nx\nEND")
    else:
        hands.shows(f"WRITE_FILE {name} <<END\nx\nEND")
        assert (hands.path / name).read_text() == "x\n"


def test_settings_open_further_roots_but_never_the_record(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/plan.md").write_text("the plan\n")
    roots(tmp_path, str(tmp_path), ".")
    with a_life(tmp_path) as hands:
        assert hands.shows(f"READ_FILE {tmp_path}/work/plan.md").endswith("the plan")
        hands.shows(f"WRITE_FILE {tmp_path}/work/new.md <<END\nx\nEND")
        root = hands.where.root
        (root / ".env").write_text("KEY=secret\n")
        for name in (
            ".env",
            "dotagent.toml",
            "blobs",
            "calls",
            "bridges/discord/journal.jsonl",
            f"blobs/{hands.session.id[:2]}/{hands.session.id}",
        ):
            hands.fails(f"READ_FILE {root}/{name}", "out of reach")
            hands.fails(f"WRITE_FILE {root}/{name} <<END\nx\nEND", "not yours")
        for name in ("SOUL.md", "SEGMENT.md", "SUMMARISE.md", "dotagent.toml", "chats/dev.md", "chats/new.md"):
            hands.fails(f"WRITE_FILE {root}/{name} <<END\nx\nEND", "not yours")
        assert "secret" not in hands.one("READ_FILE ../../.env")


def test_a_record_that_was_moved_away_behind_a_link_stays_the_record(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    (tmp_path / "disk").mkdir()
    (where.root / "chats").rename(tmp_path / "disk/chats")
    (where.root / "chats").symlink_to(tmp_path / "disk/chats")
    roots(tmp_path, str(tmp_path))
    with a_life(tmp_path) as hands:
        hands.fails(f"WRITE_FILE {tmp_path}/disk/chats/dev.md <<END\nx\nEND", "not yours")


def test_an_interrupted_change_that_somebody_changed_is_told_of(hands: Hands) -> None:
    """Neither as it was nor as it should be: then nobody knows, and nothing is written over it."""
    from dotagent.text.grammar import ToolCall
    from dotagent.tools import files

    hands.shows("WRITE_FILE a.md <<END\none\nEND")
    what = hands.effects("WRITE_FILE")[-1]
    (hands.path / "a.md").write_text("something else\n")
    with pytest.raises(files.ToolError, match="neither as it was nor as it should be"):
        files.recover(
            hands.session, ToolCall("WRITE_FILE", "a.md", "one\n"), what, lambda: b"again", lambda data: b"done"
        )
    assert (hands.path / "a.md").read_text() == "something else\n"


def test_roots_are_an_audiences_or_a_lifes(tmp_path: Path) -> None:
    """What a private life writes no group life reads, but where a person names that life."""
    for name in ("mine", "ours", "one"):
        (tmp_path / name).mkdir()
    text = f"""[roots]\nprivate = ["{tmp_path}/mine"]\ngroup = ["{tmp_path}/ours"]\n'private bea' = ["bea"]\n"""
    for folder in ("a", "b"):
        (make_home(tmp_path / folder / "home").root / "dotagent.toml").write_text(text)
    with a_life(tmp_path / "a") as hands:
        hands.shows(f"WRITE_FILE {tmp_path}/mine/a.md <<END\nprivate\nEND")
        hands.fails(f"WRITE_FILE {tmp_path}/ours/a.md <<END\nprivate\nEND", "out of reach", f"{tmp_path}/mine")
        hands.fails(f"WRITE_FILE {hands.where.root}/bea/a.md <<END\nx\nEND", "out of reach")
    with a_life(tmp_path / "b", "--audience", "group") as hands:
        hands.fails(f"READ_FILE {tmp_path}/mine/a.md", "out of reach", f"{tmp_path}/ours")
        hands.shows(f"WRITE_FILE {tmp_path}/ours/a.md <<END\nx\nEND")
        hands.fails(f"READ_FILE {tmp_path}/one/a.md", "out of reach")
        (hands.where.root / "dotagent.toml").write_text(f"{text}{hands.session.id[:8]} = ['{tmp_path}/one']\n")
    with a_life(tmp_path / "b") as hands:
        hands.shows(f"WRITE_FILE {tmp_path}/one/a.md <<END\nx\nEND")
        hands.shows(f"READ_FILE {tmp_path}/ours/a.md")


def test_roots_of_an_earlier_form_are_the_owners(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("x\n")
    for folder in ("a", "b"):
        roots(tmp_path / folder, str(tmp_path / "plan.md"))
    with a_life(tmp_path / "a") as hands:
        hands.shows(f"READ_FILE {tmp_path}/plan.md")
    with a_life(tmp_path / "b", "--audience", "group") as hands:
        hands.fails(f"READ_FILE {tmp_path}/plan.md", "out of reach")
