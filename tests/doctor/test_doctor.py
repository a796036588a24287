"""doctor: a sound home has nothing to tell but ok; every kind of harm is named with its place; nothing is changed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from support import make_home, run, served, spawn

from dotagent import commands
from dotagent.store import disk, home, log, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call

Finding = dict[str, str]


@contextmanager
def living(where: Home, *words: str) -> Iterator[None]:
    """An agent that runs there, and its provider."""
    with served(where):
        agent = spawn(where, "agent.py", "--provider", "offline", *words)
        try:
            assert agent.stdout and len(agent.stdout.readline()) == 33
            yield
        finally:
            agent.terminate()
            agent.communicate(timeout=20)


def converse(where: Home, texts: Sequence[str]) -> None:
    for text in texts:
        done = run(where, "chat.py", "-m", text, "--wait", "20")
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which somebody has lived."""
    where = make_home(tmp_path_factory.mktemp("lived") / "home")
    with living(where):
        converse(where, ["help", "remember that my seat is 14A"])
    return where


@pytest.fixture
def where(lived: Home, tmp_path: Path) -> Iterator[Home]:
    """A copy of it to be harmed."""
    shutil.copytree(lived.root, tmp_path / "home", symlinks=True)
    yield Home(tmp_path / "home")


def look(where: Home, *words: str) -> tuple[int, list[Finding]]:
    """The exit status, and what was found that is not ok."""
    with redirect_stdout(StringIO()) as out:
        status = commands.run("doctor", ["--home", str(where.root), "--json", *words])
    found = [json.loads(line) for line in out.getvalue().split("\n")[:-1]]
    return status, [one for one in found if one["level"] != "ok"]


def snapshot(root: Path) -> dict[str, object]:
    """Everything of a home that a change would change."""
    paths = [root, *root.rglob("*")]
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino, path.lstat().st_size) for path in paths}


def folder(where: Home) -> Path:
    return where.agent(home.lives(where)[0])


def blob(where: Home, event: str) -> Path:
    """The blob that the last event of this name names."""
    found = [line.id for line in log.lines(folder(where) / "LIFE.md") if line.event == event]
    return where.store().path(found[-1])


@pytest.mark.parametrize("words", [(), ("--deep",)])
def test_a_sound_home_is_sound_and_nothing_is_touched(where: Home, words: tuple[str, ...]) -> None:
    before = snapshot(where.root)
    assert look(where, *words) == (0, [])
    assert snapshot(where.root) == before


def test_while_an_agent_runs_it_is_sound_too(where: Home) -> None:
    with living(where, home.lives(where)[0]):
        converse(where, ["help"])
        assert look(where, "--deep") == (0, [])


def test_a_line_for_people(where: Home) -> None:
    blob(where, "HEAR").unlink()
    done = run(where, "-m", "dotagent", "doctor", home.lives(where)[0][:8])
    lines = done.stdout.split("\n")[:-1]
    assert done.returncode == 1
    assert all(line.split(":")[0] in ("ok", "warning", "damage") for line in lines)
    assert sum(line.startswith("damage: blob ") and "is missing" in line for line in lines) == 1


@pytest.mark.parametrize("event", ["HEAR", "REPLY", "TOOL", "PAPER"])
@pytest.mark.parametrize("harm", ["missing", "corrupt"])
def test_a_lost_or_corrupt_blob_is_damage(where: Home, event: str, harm: str) -> None:
    path = blob(where, event)
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes().replace(b"---\n", b"--- \n", 1))
    status, found = look(where)
    damage = [one for one in found if one["level"] == "damage"]
    assert status == 1 and len(damage) == 1
    assert path.name[:12] in damage[0]["what"] and harm in damage[0]["what"] and event in damage[0]["where"]


def test_a_lost_soul_is_damage(where: Home) -> None:
    where.store().path(home.lives(where)[0]).unlink()
    status, found = look(where)
    assert status == 1 and any("SOUL" in one["what"] for one in found)


def test_a_lost_request_is_a_warning_and_deep_tells_which_prompts_are_gone(where: Home) -> None:
    blob(where, "ASK").unlink()
    status, found = look(where)
    assert status == 0 and [one["where"] for one in found] == ["a request"]
    status, found = look(where, "--deep")
    assert status == 0 and any("cannot be rebuilt" in one["what"] for one in found)


def test_only_deep_reads_what_no_recent_event_names(where: Home) -> None:
    stray = where.store().put(b"nobody names this", at="2026-11-21T20:17:20Z", gist="")
    path = where.store().path(stray)
    path.write_bytes(b"rot")
    (where.blobs / ".new-1-2").touch(mode=0o600)
    assert look(where) == (0, [])
    status, found = look(where, "--deep")
    assert status == 1 and {one["where"] for one in found} == {f"blobs/{stray[:2]}/{stray}", "blobs/.new-1-2"}


def harm(path: Path, line: bytes) -> int:
    """Put a line before the log's last one; returns the byte at which it stands."""
    data = path.read_bytes()
    at = data.rindex(b"\n", 0, len(data) - 1) + 1
    path.write_bytes(data[:at] + line + data[at:])
    return at


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"no event\n", "is no event"),
        (b"\0\xff\n", "is no event"),
        (b"2020-01-01T00:00:00.000000Z SLEEP\n", "not later"),
        (b"2020-01-01T00:00:00.000000Z HEAR\n", "not later"),
    ],
)
def test_a_line_of_life_that_is_wrong_is_named_by_its_byte(where: Home, line: bytes, what: str) -> None:
    at = harm(folder(where) / "LIFE.md", line)
    status, found = look(where)
    assert status == 1 and found[0]["level"] == "damage"
    assert what in found[0]["what"] and f"byte {at:,} " in found[0]["what"] and found[0]["where"].endswith("LIFE.md")


def test_an_event_with_a_detail_that_cannot_be_read_is_damage(where: Home) -> None:
    path = folder(where) / "LIFE.md"
    path.write_bytes(path.read_bytes().replace(b" HEAR dev ", b" HEAR dev x", 1))
    status, found = look(where)
    assert status == 1 and any("HEAR at byte" in one["what"] and "cannot be read" in one["what"] for one in found)


def test_many_wrong_lines_are_told_briefly(where: Home) -> None:
    harm(folder(where) / "LIFE.md", b"x\n" * 5000)
    status, found = look(where)
    assert status == 1 and len(found) < 20


def test_a_torn_tail_is_a_warning(where: Home) -> None:
    with open(folder(where) / "LIFE.md", "ab") as file:
        file.write(b"2026-11-21T20:17:20.1")
    status, found = look(where)
    assert status == 0 and ["torn line of 21 bytes" in one["what"] for one in found] == [True]
    fd = disk.open_append(folder(where) / "LIFE.md")
    with disk.locked(fd):  # somebody lives, and may be writing just that line
        assert look(where) == (0, [])
    os.close(fd)


@pytest.mark.parametrize(
    ("data", "what"), [(None, "is not there"), (b"", "is behind"), (b"#1 forged\n", "is not what")]
)
def test_a_stale_context_is_a_warning(where: Home, data: bytes | None, what: str) -> None:
    path = folder(where) / "context.md"
    path.unlink()
    if data is not None:
        os.close(disk.open_append(path))
        path.write_bytes(data)
    status, found = look(where)
    assert status == 0 and len(found) == 1 and what in found[0]["what"]


def test_rooms_and_subscriptions(where: Home) -> None:
    subs = folder(where) / "subs"
    os.symlink("../../../chats/gone.md", subs / "gone.md")
    os.symlink("../../../chats/dev.md", subs / "other.md")
    (subs / "plain.md").touch(mode=0o600)
    (where.chats / "Notes.txt").touch(mode=0o600)
    where.room("dev").write_text("# dev private\nwritten anew, and torn")
    status, found = look(where)
    assert status == 0
    assert {one["where"].rpartition("/")[2] for one in found} == {
        "gone.md",
        "other.md",
        "plain.md",
        "Notes.txt",
        "dev.md",
    }
    assert sum("written anew" in one["what"] for one in found) == 1
    where.room("dev").unlink()
    assert any(one["what"] == "is gone, and the life is in it" for one in look(where)[1])


def test_the_spool(where: Home) -> None:
    agent = home.lives(where)[0]
    for id in ("a" * 32, "b" * 32):
        queue.place(where, Call(id, agent, "own", "live", "dev"))
    queue.take(where, "own", taker=(1, "another start time"))
    taken = where.calls / "taken" / ("a" * 32)
    (where.calls / "new" / "own" / ("c" * 32)).write_text("{")
    (where.calls / "new" / "own" / ("c" * 32)).chmod(0o600)
    queue.stream(where, "d" * 32)
    disk.make_dir(where.calls / "done" / agent)
    (where.calls / "done" / agent / ("e" * 32)).write_text("[]")
    status, found = look(where)
    named = {one["where"]: one["what"] for one in found}
    assert status == 0 and named[f"calls/new/own/{'c' * 32}"] == "cannot be read"
    assert named[f"calls/stream/{'d' * 32}.1"] == "belongs to no call"
    assert named[f"calls/done/{agent}/{'e' * 32}"] == "is no answer"
    assert taken.exists() and (where.calls / "new" / "own" / ("c" * 32)).exists()


def test_settings_secrets_prompts_and_modes(where: Home) -> None:
    (where.root / ".env").write_text("DEEPSEEK_API_KEY=hush\n")
    (where.root / ".env").chmod(0o644)
    (where.root / "SOUL.md").unlink()
    where.room("dev").chmod(0o644)
    status, found = look(where)
    assert status == 0 and {one["where"] for one in found} == {".env", "SOUL.md", "chats"}
    assert "hush" not in str(found)
    (where.root / "dotagent.toml").write_text("nonsense = 1\n")
    status, found = look(where)
    assert status == 1 and [one["where"] for one in found if one["level"] == "damage"] == ["dotagent.toml"]


def test_a_directory_where_a_file_should_be_is_one_line(where: Home) -> None:
    path = folder(where) / "context.md"
    path.unlink()
    path.mkdir(mode=0o700)
    status, found = look(where)
    assert status == 1 and len(found) == 1 and "context.md" in found[0]["what"]


def test_an_unknown_agent_is_wrong_use(where: Home) -> None:
    done = run(where, "-m", "dotagent", "doctor", "0" * 12)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
