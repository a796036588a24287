"""A backup brings nothing back that was forgotten since it was made, and all else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support import run
from unforgotten import forget, traces
from world import offline, said, world

from dotagent.erasure import ledger
from dotagent.store.home import Home

SECRET = "My code for the cellar is 5529 and nobody else has it"
TWIN = "The code for the attic is 8813"


def lived(root: Path) -> Home:
    with world(root, offline) as it:
        for words in (f"{SECRET}.", f"{TWIN}.", f"remember that {SECRET}"):
            it.say(words)
            it.run()
        return it.where


def restored(where: Home, file: Path, *words: str) -> str:
    done = run(where, "-m", "dotagent", "restore", str(file), *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_backup_from_before_does_not_bring_it_back(tmp_path: Path) -> None:
    where, before, after = lived(tmp_path / "a"), tmp_path / "before.tar.zst", tmp_path / "after.tar.zst"
    assert run(where, "-m", "dotagent", "backup", str(before)).returncode == 0
    forget(where, "my code for the cellar is 5529")
    assert run(where, "-m", "dotagent", "backup", str(after)).returncode == 0
    record = (where.root / ledger.FILE).read_bytes()
    assert b"cellar" not in record and b"is 5529" not in record

    other = Home(tmp_path / "b")  # a home that was emptied, and knows
    (other.root / "forgotten").mkdir(parents=True)
    (other.root / ledger.FILE).write_bytes(record)
    assert "had permanently deleted them" in restored(other, before)
    assert not traces(other.root, SECRET) and traces(other.root, TWIN)
    with world(other.root, offline) as it:
        it.say("What is the code for the attic?")
        it.run()
    assert "8813" in said(other)[-1]
    assert not traces(other.root, SECRET)

    new = Home(tmp_path / "c")  # one that is told what another forgot
    assert "had permanently deleted them" in restored(new, before, "--forgotten", str(where.root / ledger.FILE))
    assert not traces(new.root, SECRET) and traces(new.root, TWIN)

    last = Home(tmp_path / "d")  # what was made afterwards needs nothing
    assert "had permanently deleted it" not in restored(last, after)
    assert not traces(last.root, SECRET) and traces(last.root, TWIN)
    assert (last.root / ledger.FILE).read_bytes() == record
    assert run(last, "-m", "dotagent", "doctor", "--deep").returncode == 0


@pytest.mark.slow
def test_what_is_said_again_later_is_new(tmp_path: Path) -> None:
    where, file = lived(tmp_path / "a"), tmp_path / "all.tar.zst"
    forget(where, "my code for the cellar is 5529")
    with world(where.root, offline) as it:
        it.say(f"{SECRET}.")
        it.run()
    assert run(where, "-m", "dotagent", "backup", str(file)).returncode == 0
    assert "had permanently deleted it" not in restored(Home(tmp_path / "b"), file)
    assert traces(tmp_path / "b", SECRET)


@pytest.mark.slow
def test_the_history_of_versions_is_without_it_and_goes_on(tmp_path: Path) -> None:
    where = lived(tmp_path)
    assert run(where, "-m", "dotagent", "backup", "--git").returncode == 0
    with world(where.root, offline) as it:
        it.say("The kettle is on.")
        it.run()
    assert run(where, "-m", "dotagent", "backup", "--git").returncode == 0
    git("remote", "add", "away", "/nowhere", where=where)
    dates = git("log", "--format=%cI %s", where=where)
    assert "forgotten" not in git("show", "HEAD~1:chats/dev.md", where=where)
    forget(where, "my code for the cellar is 5529")
    assert not traces(where.root, SECRET)
    for version in ("HEAD", "HEAD~1"):
        shown = git("grep", "--name-only", "-I", "-e", "cellar", version, where=where)
        assert shown == "" and TWIN in git("show", f"{version}:chats/dev.md", where=where)
    assert git("log", "--format=%cI %s", where=where) == dates
    assert git("remote", where=where) == "away"
    assert sorted(path.name for path in where.root.glob(".*")) == []
    assert "file" in run(where, "-m", "dotagent", "backup", "--git").stdout
    assert not traces(where.root, SECRET)


def git(*words: str, where: Home) -> str:
    place = ("git", "--git-dir", str(where.root / "backup.git"))
    done = subprocess.run([*place, *words], capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.stdout.strip()
