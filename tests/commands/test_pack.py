"""pack: an agent whose blobs are packed is the same agent; forgetting, doctor, backups and clean reach into packs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from a_lived_home import look
from forked import prompted
from lives import chat, good, lines, living, setting, talking
from looking import LIMIT, SEAT, printed
from support import run
from unforgotten import forget, traces
from world import world

from dotagent.compaction.check import reach
from dotagent.erasure import ledger, matches, sweep
from dotagent.errors import Misuse, Trouble
from dotagent.life.replay import derive
from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.store.pack_files import LENGTH, MAGIC, PackFile, names


def grown(path: Path) -> tuple[Home, str]:
    """A home with an agent that has forgotten some of its life, and its id."""
    with living(path, talking(), LIMIT) as lived:
        lived.say(SEAT)
        chat(lived, 30)
        assert lines(lived, "SWAP")
        return lived.where, lived.session.id


def pack(where: Home) -> str:
    """What `pack` says, once it has packed all blobs."""
    return printed(where, "pack", "--older-than", "0")


@pytest.mark.slow
def test_an_agent_of_packed_blobs_is_the_same_agent(tmp_path: Path) -> None:
    where, self_id = grown(tmp_path)
    before, ids = prompted(where, self_id), [id for shard in where.blobs.iterdir() for id in os.listdir(shard)]
    bodies = {id: where.store().raw(id) for id in ids}
    assert pack(where).startswith(f"packed {len(ids)} blobs of ")
    assert names(where.blobs / "packs") == ["000001.pack"]
    assert not list(where.blobs.glob("??/*"))
    assert prompted(where, self_id) == before
    assert {id: where.store().raw(id) for id in ids} == bodies
    assert not reach(where.store(), derive(where, self_id, setting(LIMIT))).problems
    found = look(where, "--deep")[1]
    assert not [one for one in found if one["level"] == "damage" or one["where"].startswith("blobs/")]
    with world(tmp_path, talking(good), self_id, fresh=True) as lived:
        chat(lived, 3)
        lived.say("UNCOMPACT 1")
        lived.run()
    assert printed(where, "blob", ids[0][:9]).encode() == bodies[ids[0]]
    printed(where, "pack", "--undo")
    assert {id: where.store().path(id).read_bytes() for id in ids} == bodies


@pytest.mark.slow
def test_what_is_forgotten_for_good_is_in_no_pack(tmp_path: Path) -> None:
    where, _ = grown(tmp_path)
    pack(where)
    forget(where, f"forget that {SEAT}")
    assert not traces(where.root, "Okonkwo")
    there = [PackFile(where.blobs / "packs" / name) for name in names(where.blobs / "packs")]
    assert there and all(len(one) > 30 for one in there)
    assert not [one for one in there if b"Okonkwo" in one.words + b"".join(one.get(id) or b"" for id in one.ids())]


@pytest.mark.night
def test_a_backup_has_the_packs_and_clean_takes_them_away(tmp_path: Path) -> None:
    where, self_id = grown(tmp_path / "home")
    pack(where)
    before = prompted(where, self_id)
    assert run(where, "-m", "dotagent", "backup", str(tmp_path / "all")).returncode == 0
    other = Home(tmp_path / "other")
    told = run(other, "-m", "dotagent", "restore", str(tmp_path / "all"), "--yes")
    assert told.returncode == 0, told.stderr
    assert prompted(other, self_id) == before
    told = run(other, "clean.py", "--yes")
    assert told.returncode == 0 and "kept" not in told.stdout, told.stdout
    assert not other.blobs.exists()


@pytest.mark.night
def test_a_damaged_pack_is_told_by_doctor_and_is_no_traceback(tmp_path: Path) -> None:
    where, self_id = grown(tmp_path)
    pack(where)
    (path,) = (where.blobs / "packs").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    found = [one["where"] for one in look(where, "--deep")[1] if "pack file" in one["what"]]
    assert found == [f"blobs/packs/{path.name}"]
    path.write_bytes(whole)
    shutil.copy(path, path.with_name("000002.pack"))
    os.chmod(path, 0o600)
    assert prompted(where, self_id)  # twice is no harm


@pytest.mark.night
def test_it_refuses_what_makes_no_sense_and_does_not_race_with_a_deletion(tmp_path: Path) -> None:
    where, _ = grown(tmp_path)
    for words in (["--older-than", "-1"], ["--older-than", "nan"], ["--undo", "--older-than", "3"]):
        with pytest.raises(Misuse):
            printed(where, "pack", *words)
    disk.make_dir(where.root / "forgotten")
    (where.root / "forgotten" / "announced.json").write_text("{}")
    with pytest.raises(Trouble, match="not finished"):
        pack(where)


@pytest.mark.night
def test_what_is_forgotten_for_good_is_in_no_pack_of_an_earlier_backup(tmp_path: Path) -> None:
    where, _ = grown(tmp_path / "home")
    pack(where)
    assert run(where, "-m", "dotagent", "backup", "--git").returncode == 0
    assert b"Okonkwo" in b"".join(packed_versions(where, tmp_path / "one"))
    forget(where, f"forget that {SEAT}")
    there = list(packed_versions(where, tmp_path / "two"))
    assert len(there) > 30 and b"Okonkwo" not in b"".join(there)


def packed_versions(where: Home, aside: Path) -> Iterator[bytes]:
    """The blobs in the pack files of every version in the backup's history."""
    git = ("git", "--git-dir", str(where.root / "backup.git"))
    listed = subprocess.run([*git, "rev-list", "--all", "--objects"], capture_output=True, check=True, text=True).stdout
    for line in listed.split("\n"):
        if line.endswith(".pack"):
            done = subprocess.run([*git, "cat-file", "blob", line.split()[0]], capture_output=True, check=True)
            aside.write_bytes(done.stdout)
            opened = PackFile(aside)
            yield from (opened.words, *(opened.get(id) or b"" for id in opened.ids()))


@pytest.mark.night
def test_forgetting_with_a_damaged_pack_says_so_and_goes_on_once_it_is_mended(tmp_path: Path) -> None:
    where, _ = grown(tmp_path)
    pack(where)
    (path,) = (where.blobs / "packs").iterdir()
    whole = path.read_bytes()
    first = len(MAGIC) + LENGTH.size + len(PackFile(path).words)
    sentences = [one.words for one in matches.find(where, f"forget that {SEAT}")]
    path.write_bytes(whole[:first] + bytes(400) + whole[first + 400 :])
    sweep.announce(where, sentences, "ana")
    with pytest.raises(Trouble, match="is damaged; restore this file"):
        sweep.finish(where)
    assert ledger.is_unfinished(where)
    path.write_bytes(whole)
    assert sweep.finish(where) and not traces(where.root, "Okonkwo")
