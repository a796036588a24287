"""clean.py wipes what dotagent made and nothing else, asks first, and finishes what was interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import PATIENCE, ROOT, environment, make_home, run

import clean
from dotagent.store import disk, launch, log, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.text import times

DYING = """
import os, sys, clean
left = int(sys.argv.pop(1))
def counted(real):
    def change(path, *more, **named):
        global left
        left -= 1
        if left < 0:
            os._exit(77)
        return real(path, *more, **named)
    return change
os.unlink, os.rmdir = counted(os.unlink), counted(os.rmdir)
sys.exit(clean.main())
"""


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    """A home with a little of everything in it."""
    made = make_home(tmp_path / "home")
    rooms.create(made.room("dev"), "private")
    store = made.store()
    self_id = store.put(b"audience: private ana\n\nI am.", at=times.now(), gist="SOUL")
    folder = made.agent(self_id)
    disk.make_dir(folder / "subs")
    os.symlink("../../../chats/dev.md", folder / "subs" / "dev.md")
    life = log.Log(folder / "LIFE.md")
    life.append("BOOT", "private ana", self_id, "SOUL")
    life.close()
    disk.make_dir(folder / "notes")
    (folder / "notes" / "plan.md").write_text("mine")
    os.symlink(made.root, folder / "notes" / "a link out")
    for id in ("e" * 32, "f" * 32):
        queue.place(made, Call(id, self_id, "own", "live", "dev"))
    taken = queue.take(made, "own")
    assert taken
    queue.stream(made, taken.id)
    queue.answer(made, store, taken, "hello", Outcome())
    (made.calls / "own.log").write_text("a log")
    (made.calls / "providers.json").write_text("{}")
    (made.blobs / ".new-1-0").write_text("unfinished")
    (made.root / ".env").write_text("DEEPSEEK_API_KEY=secret")
    yield made


def names(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


KEPT = {"SOUL.md", "EXAMPLE.md", "SEGMENT.md", "SUMMARISE.md", ".env"}


def test_it_wipes_the_runtime_state_and_leaves_papers_and_secrets(where: Home) -> None:
    done = run(where, "clean.py", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert names(where.root) == KEPT
    assert (
        "1 agent" in done.stdout and "1 room" in done.stdout and "2 calls" in done.stdout and "2 blobs" in done.stdout
    )


def test_without_yes_and_without_a_terminal_it_shows_and_removes_nothing(where: Home) -> None:
    before = names(where.root)
    done = run(where, "clean.py", stdin="y\n")
    assert done.returncode == 2 and "--yes" in done.stderr and done.stderr.count("\n") == 1
    assert "1 room" in done.stdout and names(where.root) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "gone"), [(b"y\n", True), (b"yes\n", True), (b"\n", False), (b"n\n", False), (b"\x04", False)]
)
def test_at_a_terminal_it_asks(where: Home, typed: bytes, gone: bool) -> None:
    master, slave = os.openpty()
    with subprocess.Popen(
        [sys.executable, "clean.py"],
        cwd=ROOT,
        env=environment(where),
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        os.write(master, typed)
        out, _ = child.communicate(timeout=PATIENCE)
    os.close(master)
    os.close(slave)
    assert child.returncode == 0
    assert (b"nothing was removed" not in out, where.agents.exists()) == (gone, not gone)


@pytest.mark.parametrize("what", ["agent", "provider own"])
def test_it_refuses_while_something_runs_and_says_what(where: Home, what: str) -> None:
    self_id = next(where.agents.iterdir()).name
    path = where.agent(self_id) / "LIFE.md" if what == "agent" else where.calls / "own.pid"
    before = names(where.root)
    fd = disk.open_append(path)
    with disk.locked(fd):
        done = run(where, "clean.py", "--yes")
    os.close(fd)
    assert done.returncode == 2 and done.stdout == ""
    assert (f"agent {self_id[:12]}" if what == "agent" else what) in done.stderr
    assert before <= names(where.root)


@pytest.mark.slow
def test_it_ends_what_is_idle_and_wipes_at_once(tmp_path: Path) -> None:
    """An agent starts its provider, which would run for another minute."""
    where = make_home(tmp_path / "home")
    assert run(where, "agent.py", "--provider", "offline", "--until-idle").returncode == 0
    assert launch.served(where, "offline")
    done = run(where, "clean.py", "--yes")
    assert done.returncode == 0 and done.stderr == "" and "stopped idle processes: provider offline" in done.stdout
    assert names(where.root) == KEPT - {".env"} and not launch.served(where, "offline")


@pytest.mark.slow
def test_it_refuses_a_home_that_up_keeps(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    assert run(where, "-m", "dotagent", "up", "-d").returncode == 0
    try:
        done = run(where, "clean.py", "--yes")
        assert done.returncode == 2 and "`up`" in done.stderr and done.stdout == ""
    finally:
        run(where, "-m", "dotagent", "down")


def test_what_is_not_dotagents_is_left_and_named(where: Home, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ("a" * 32)).write_text("precious")
    foreign = [
        "chats/notes.txt",
        "chats/Dev.md",
        "blobs/README",
        "calls/my/thing",
        "agents/todo.md",
        f"blobs/ab/{'c' * 32}",
    ]
    for name in foreign:
        (where.root / name).parent.mkdir(exist_ok=True, parents=True)
        (where.root / name).write_text("theirs")
    free = next(one for one in ("aa", "ac", "ad", "ae") if not (where.blobs / one).exists())  # ids are as chance has it
    os.symlink(outside, where.blobs / free)
    os.symlink(outside / ("a" * 32), where.chats / "linked.md")
    os.symlink(outside, where.agents / ("d" * 32))
    done = run(where, "clean.py", "--yes")
    assert done.returncode == 0
    left = {
        *foreign,
        f"blobs/{free}",
        "chats/linked.md",
        f"agents/{'d' * 32}",
        "calls/my",
        "blobs/ab",
        "chats",
        "blobs",
        "calls",
        "agents",
    }
    assert names(where.root) == KEPT | left
    assert (outside / ("a" * 32)).read_text() == "precious"
    for name in ["calls/my", *foreign[:3], f"blobs/{free}", "chats/linked.md"]:
        assert f"kept, because dotagent did not create it: {name}\n" in done.stdout


def test_a_part_that_is_a_link_is_not_followed(where: Home, tmp_path: Path) -> None:
    where.chats.rename(tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", where.chats)
    done = run(where, "clean.py", "--yes")
    assert done.returncode == 0 and (tmp_path / "elsewhere" / "dev.md").exists()
    assert "kept, because dotagent did not create it: chats\n" in done.stdout


def test_a_directory_that_is_no_home_is_refused(tmp_path: Path) -> None:
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "dev.md").write_text("somebody's")
    done = run(Home(tmp_path), "clean.py", "--yes")
    assert done.returncode == 2 and "has no data of dotagent" in done.stderr
    assert (tmp_path / "chats" / "dev.md").exists()


@pytest.mark.slow
def test_killed_at_any_change_and_run_again_it_finishes(where: Home, tmp_path: Path) -> None:
    points = 0
    while True:
        copy = Home(tmp_path / f"copy{points}")
        subprocess.run(["cp", "-a", where.root, copy.root], check=True)
        words = [sys.executable, "-c", DYING, str(points * 5), "--yes"]
        died = subprocess.run(words, cwd=ROOT, env=environment(copy), capture_output=True, check=False)
        assert died.returncode in (0, 77), died.stderr
        if died.returncode == 0:
            break
        points += 1
        done = run(copy, "clean.py", "--yes")
        assert done.returncode == 0, done.stderr
        assert names(copy.root) == KEPT
    assert points > 2


def test_git_ignores_what_a_checkout_that_is_a_home_holds() -> None:
    """So that nobody commits their talk: all that clean.py knows, settings, secrets and backups."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    places = [f"{area.name}/x" for area in clean.AREAS] + ["dotagent.toml", ".env", "backup.git/x", "own/SOUL.md"]
    told = subprocess.run(["git", "check-ignore", *places], cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.stdout.split() == places
