"""The prompts that the program brings: nobody's edit is renewed, and a person's is left alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dotagent.store import home, prompts
from dotagent.store.blobs import content_id
from dotagent.store.home import Home

FORMER = Path(__file__).parent.parent / "homes" / "prompts-0f9e00d"


@pytest.mark.parametrize("name", ["SEGMENT.md", "SUMMARISE.md"])
def test_a_copy_that_nobody_edited_becomes_todays_and_an_edited_one_stays(tmp_path: Path, name: str) -> None:
    former = (FORMER / name).read_bytes()
    assert prompts.is_former(name, former) and not prompts.is_edited(name, former)
    (tmp_path / name).write_bytes(former)
    home.prepare(Home(tmp_path))
    assert (tmp_path / name).read_bytes() == prompts.brought(name) != former
    for mine in (former + b"Be brief.\n", b"As a haiku.\n", b""):
        (tmp_path / name).write_bytes(mine)
        home.prepare(Home(tmp_path))
        assert (tmp_path / name).read_bytes() == mine
        assert prompts.is_edited(name, mine)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    home.prepare(Home(tmp_path))  # what cannot be read is told of by who reads it
    assert not prompts.is_edited(name, prompts.brought(name).strip())


def test_the_present_prompts_are_known_by_their_hash() -> None:
    for name, id in prompts.PRESENT.items():
        assert content_id(prompts.brought(name)) == id, f"put the new hash of {name} into PRESENT, the old into FORMER"


def test_every_version_that_was_brought_is_known() -> None:
    """Whoever changes a prompt names the text it had: `git log` of a clone knows them all."""
    log = ["git", "-C", str(prompts.CODE), "log", "--format=%H", "--"]
    for name in prompts.FORMER:
        done = subprocess.run([*log, name], capture_output=True, text=True)
        if done.returncode or not done.stdout:
            pytest.skip("this is no clone")
        for commit in done.stdout.split():
            shown = subprocess.run(["git", "-C", str(prompts.CODE), "show", f"{commit}:{name}"], capture_output=True)
            assert not prompts.is_edited(name, shown.stdout), f"{name} of {commit[:8]}"
