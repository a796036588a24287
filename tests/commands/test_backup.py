"""backup: a whole home in one file or one commit, cut where it is consistent, while agents run; no secrets."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, say
from support import ROOT, environment, make_home, run

from dotagent.capabilities.backup import archive
from dotagent.store import disk, home, rooms, zstd
from dotagent.store.home import Home
from dotagent.text import times


def members(path: Path) -> dict[str, bytes]:
    """What an archive holds: each member's bytes, or its link's goal."""
    with (
        path.open("rb") as file,
        zstd.load().ZstdFile(file) as raw,
        tarfile.open(fileobj=raw, mode="r|") as tar,
    ):
        found = {}
        for one in tar:
            data = None if one.issym() else tar.extractfile(one)
            found[one.name] = data.read() if data else one.linkname.encode()
        return found


@pytest.mark.slow
def test_a_home_comes_back_as_it_was_and_its_agent_goes_on(tmp_path: Path) -> None:
    """The real programs, with the offline provider; the backup is made while the agent runs."""
    with a_home() as where:
        (where.root / ".env").write_text("UNUSED_API_KEY=sk-secret\n")
        (where.root / ".env").chmod(0o600)
        alive = Alive(where, provider="offline")
        say(where, "remember that my bicycle is green")
        hears(where, "Noted")
        path = where.agent(alive.id)
        (path / "notes").mkdir()
        (path / "notes/a.md").write_text("a note\n")
        os.mkfifo(path / "notes/pipe")
        (path / "away").symlink_to("/etc/passwd")
        file = tmp_path / "all.tar.zst"
        told = run(where, "-m", "dotagent", "backup", str(file))
        assert told.returncode == 0, told.stderr
        assert "left out, because it is not a regular file: agents/" in told.stdout
        alive.end()
        assert oct(file.stat().st_mode & 0o777) == "0o600"
        found = members(file)
        assert not [name for name in found if "calls" in name or ".env" in name or "recall.db" in name]
        assert b"sk-secret" not in b"".join(found.values())
        assert found[f"agents/{alive.id}/notes/a.md"] == b"a note\n"
        assert found[f"agents/{alive.id}/subs/dev.md"] == b"../../../chats/dev.md"
        again = run(where, "-m", "dotagent", "backup", str(file))
        assert (again.returncode, "already exists" in again.stderr) == (2, True)
    back = make_home(tmp_path / "back")
    for folder in (back.agents, back.blobs, back.chats):
        folder.rmdir()
    told = run(back, "-m", "dotagent", "restore", str(file))
    assert told.returncode == 0, told.stderr
    assert f"agent {alive.id[:12]}: python agent.py" in told.stdout
    looked = run(back, "-m", "dotagent", "doctor", "--deep")
    assert looked.returncode == 0, looked.stdout
    say(back, "what colour is my bicycle?")
    lived = run(back, "agent.py", alive.id, "--until-idle")
    assert lived.returncode == 0, lived.stderr
    assert b"my bicycle is green" in back.room("dev").read_bytes().rpartition(b"[AGENT:")[2]


def test_the_cut_has_of_what_grows_only_what_was_there_when_nobody_could_write(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    room = where.room("dev")
    rooms.create(room, "private ana")
    rooms.append(room, rooms.line_of("USER", "ana", times.now(), "one"))
    with disk.open_regular(room, os.O_WRONLY | os.O_APPEND) as fd:
        os.write(fd, b"torn")
    pieces = archive.cut(where)
    first = next(pieces)
    assert (first.path, first.size) == ("chats/dev.md", room.stat().st_size - 4)
    rooms.append(room, rooms.line_of("USER", "ana", times.now(), "two"))  # nobody is held up while the rest is read
    assert archive.Portion("chats/dev.md") not in list(pieces)
    out = io.BytesIO()
    archive.write(where, out)
    assert not disk.is_locked(room)


def test_blobs_that_the_cut_names_are_there_though_agents_go_on(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    rooms.create(where.room("dev"), "private ana")
    blob = where.store().put(b"first", at=times.now(), gist="x")
    pieces = archive.cut(where)
    assert next(pieces).path == "chats/dev.md"
    later = where.store().put(b"second", at=times.now(), gist="x")
    names = {Path(piece.path).name for piece in pieces}
    assert {blob, later} <= names


def test_where_it_cannot_write_it_names_the_file_that_it_writes(tmp_path: Path) -> None:
    where, file, there = make_home(tmp_path / "home"), tmp_path / "all", tmp_path / "new"
    env = environment(where, PYTHONDONTWRITEBYTECODE="1")  # or half a file of bytecode would stay
    for words, told in (
        (["backup", str(file)], f"{file}: File too large"),
        (["restore", str(file), "--home", str(there)], f"{there}/.restoring/"),
    ):
        small = ["bash", "-c", 'ulimit -f 1; exec "$0" -m dotagent "$@"', sys.executable, *words]
        done = subprocess.run(small, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stderr.startswith(f"dotagent: {told}") and done.stderr.count("\n") == 1
        assert run(where, "-m", "dotagent", *words).returncode == 0


def broken(path: Path, change: dict[str, bytes | None]) -> Path:
    """The archive with some members changed, added or left out."""
    found: dict[str, bytes | None] = {**members(path), **change}
    out = path.with_name("broken.tar.zst")
    with (
        out.open("wb") as file,
        zstd.load().ZstdFile(file, "w") as packed,
        tarfile.open(fileobj=packed, mode="w|") as tar,
    ):
        for name, data in found.items():
            if data is not None:
                member = tarfile.TarInfo(name)
                member.size = len(data)
                if "subs/" in name:
                    member.type, member.linkname, member.size = tarfile.SYMTYPE, data.decode(), 0
                tar.addfile(member, io.BytesIO(data))
    return out


@pytest.fixture(scope="module")
def backed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backed")
    where = make_home(folder / "home")
    born = run(where, "agent.py", "--provider", "offline", "--until-idle")
    assert born.returncode == 0, born.stderr
    assert run(where, "-m", "dotagent", "backup", str(folder / "all.tar.zst")).returncode == 0
    return folder / "all.tar.zst"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chats/dev.md": b"# dev private\n[USER:eve 2026-01-01T00:00:00Z] forged\n"}, "the first is chats/dev.md"),
        ({"chats/dev.md": None}, "the first is chats/dev.md"),
        ({"chats/more.md": b"# more private\n"}, "the first is chats/more.md"),
        ({archive.LIST: None}, "the list of files is missing"),
        ({archive.LIST: b"rubbish\n"}, "not a complete backup"),
        ({"../outside": b"x"}, "it contains '../outside'"),
        ({"/etc/cron.d/x": b"x"}, "it contains"),
        ({"agents/../../x": b"x"}, "it contains"),
        ({".env": b"KEY=x"}, "it contains"),
        ({f"agents/{'0' * 32}/subs/x.md": b"/etc/passwd"}, "it contains"),
    ],
)
def test_what_is_no_whole_backup_of_ours_restores_nothing(
    backed: Path, tmp_path: Path, change: dict[str, bytes | None], words: str
) -> None:
    target = tmp_path / "new"
    told = run(Home(target), "-m", "dotagent", "restore", str(broken(backed, change)))
    assert told.returncode == 1
    assert words in told.stderr
    assert told.stderr.endswith("nothing was restored\n")
    assert not list(target.iterdir())
    assert not (tmp_path / "outside").exists()


@pytest.mark.slow
def test_half_a_file_and_no_file_and_a_full_home(backed: Path, tmp_path: Path) -> None:
    half = tmp_path / "half"
    half.write_bytes(backed.read_bytes()[:-100])
    target = Home(tmp_path / "new")
    told = run(target, "-m", "dotagent", "restore", str(half))
    assert (told.returncode, "nothing was restored" in told.stderr) == (1, True), told.stderr
    told = run(target, "-m", "dotagent", "restore", str(tmp_path / "none"))
    assert (told.returncode, "there is no file" in told.stderr) == (2, True), told.stderr
    told = run(Home(backed.parent / "home"), "-m", "dotagent", "restore", str(backed))
    assert (told.returncode, "already contains agents, blobs, chats" in told.stderr) == (2, True)
    told = run(Home(backed.parent / "home"), "-m", "dotagent", "backup")
    assert (told.returncode, "no destination" in told.stderr) == (2, True)
    told = run(Home(backed.parent / "home"), "-m", "dotagent", "backup", "--git", "there")
    assert (told.returncode, "leave out --git or there" in told.stderr) == (2, True)


@pytest.mark.slow
def test_git_keeps_a_version_each_time_and_only_what_a_backup_has(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    subprocess.run(["git", "init", "-q", str(where.root)], check=True)  # a checkout's own history is left alone
    (where.root / ".gitignore").write_text("*\n")
    (where.root / ".env").write_text("KEY=sk-secret\n")
    (where.root / ".env").chmod(0o600)
    (where.root / "backup.git").mkdir()  # as a full disk leaves it
    born = run(where, "agent.py", "--provider", "offline", "--until-idle")
    assert born.returncode == 0, born.stderr
    hook = {"GIT_INDEX_FILE": str(tmp_path / "index"), "GIT_OBJECT_DIRECTORY": str(tmp_path)}  # as git's own have
    told = run(where, "-m", "dotagent", "backup", "--git", env=hook)
    assert told.returncode == 0, told.stderr
    assert os.listdir(tmp_path) == ["home"]
    git = ["git", "--git-dir", str(where.root / "backup.git")]

    def listed() -> list[str]:
        done = subprocess.run(
            [*git, "ls-tree", "-r", "--name-only", "HEAD"], capture_output=True, text=True, check=True
        )
        return done.stdout.split("\n")[:-1]

    (self_id,) = home.lives(where)
    assert f"agents/{self_id}/LIFE.md" in listed()
    assert not [name for name in listed() if "calls" in name or ".env" in name or "backup.git" in name]
    same = run(where, "-m", "dotagent", "backup", "--git")
    assert same.stdout.endswith("nothing has changed since the last backup\n"), same.stdout
    note = where.agent(self_id) / "note.md"
    note.write_text("one\r\n")
    run(where, "-m", "dotagent", "backup", "--git")
    assert f"agents/{self_id}/note.md" in listed()
    shown = subprocess.run([*git, "show", f"HEAD:agents/{self_id}/note.md"], capture_output=True, check=True).stdout
    assert shown == b"one\r\n"
    note.unlink()
    run(where, "-m", "dotagent", "backup", "--git")
    assert f"agents/{self_id}/note.md" not in listed()
    count = subprocess.run([*git, "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=True).stdout
    assert int(count) == 3


def test_what_the_list_says_is_what_the_files_are(backed: Path) -> None:
    found = members(backed)
    first, *rows = [json.loads(line) for line in found[archive.LIST].decode().split("\n") if line]
    assert first["format"] == archive.FORMAT
    assert {row["path"]: row["size"] for row in rows} == {
        name: len(data) for name, data in found.items() if name != archive.LIST and "subs/" not in name
    }


def test_git_can_leave_daily_notes_out_and_nothing_else(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    memory = where.agent("a" * 32) / "memory"
    memory.mkdir(parents=True)
    for name in ("2026-11-24.md", "2026-11-25.md", "older.md", "trip 2026-11-25.md"):
        (memory / name).write_text("- 10:00 a doctor's appointment\n")
    git = ["git", "--git-dir", str(where.root / "backup.git"), "ls-tree", "-r", "-z", "--name-only", "HEAD"]

    def notes() -> set[str]:
        done = subprocess.run(git, capture_output=True, text=True, check=True)
        return {Path(name).name for name in done.stdout.split("\0") if "/memory/" in name}

    assert run(where, "-m", "dotagent", "backup", "--git").returncode == 0
    assert len(notes()) == 4  # by default everything
    done = run(where, "-m", "dotagent", "backup", "--git", "--no-daily-logs")
    assert done.returncode == 0 and notes() == {"older.md", "trip 2026-11-25.md"}, done
    wrong = run(where, "-m", "dotagent", "backup", str(tmp_path / "x.tar.zst"), "--no-daily-logs")
    assert wrong.returncode == 2 and "--git" in wrong.stderr and not (tmp_path / "x.tar.zst").exists()


@pytest.mark.parametrize("left", ["index", "index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_git_goes_on_after_a_killed_backup(tmp_path: Path, left: str) -> None:
    """git itself refuses a cut index, and a lock that a killed git left."""
    where = make_home(tmp_path)
    assert run(where, "-m", "dotagent", "backup", "--git").returncode == 0
    (head,) = (where.root / "backup.git" / "refs" / "heads").iterdir()
    place = where.root / "backup.git" / left.replace("main", head.name)
    place.write_bytes(place.read_bytes()[:40] if left == "index" else b"")
    (where.root / "USER.md").write_text("- ana\n")
    told = run(where, "-m", "dotagent", "backup", "--git")
    assert (told.returncode, told.stderr) == (0, ""), told
    git = ["git", "--git-dir", str(where.root / "backup.git"), "show", "HEAD:USER.md"]
    assert subprocess.run(git, capture_output=True, check=True).stdout == b"- ana\n"


def test_a_damaged_repository_is_told_with_what_to_do(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    assert run(where, "-m", "dotagent", "backup", "--git").returncode == 0
    (where.root / "backup.git" / "HEAD").write_bytes(b"")
    told = run(where, "-m", "dotagent", "backup", "--git")
    assert (told.returncode, told.stderr.count("\n")) == (1, 1)
    assert "git: fatal: not a git repository" in told.stderr and "move" in told.stderr and "away" in told.stderr
