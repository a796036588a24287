"""Odd files beside good ones: each odd one is named, and hides or stops none of the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from alive import Alive
from support import PATIENCE, run, until

from dotagent.store.home import Home

GOOD_JOB = 'every = "1h"\nroom = "dev"\ntext = "fine"\n'
GOOD_SKILL = "---\nname: good\ndescription: does good\n---\nDo good.\n"
HOOKS = """[hooks.mine]
on = ["boot", "message"]
run = "cat >> events.jsonl"
[hooks.broken]
on = ["boot", "message"]
run = "no-such-command-here"
"""


def spoil(folder: Path, ending: str) -> None:
    """Put odd things into a folder: bytes, an empty file, a directory, a pipe, a link to nowhere and one to itself."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"bytes{ending}").write_bytes(b"\xff\xfe\x00\x01")
    (folder / f"empty{ending}").write_bytes(b"")
    (folder / f"folder{ending}").mkdir()
    os.mkfifo(folder / f"pipe{ending}")
    (folder / f"nowhere{ending}").symlink_to("/nonexistent/file")
    (folder / f"loop{ending}").symlink_to(f"loop{ending}")


@pytest.mark.slow
def test_odd_files_spoil_no_good_ones(where: Home) -> None:
    (where.root / "dotagent.toml").write_text(HOOKS)
    spoil(where.root / "jobs", ".toml")
    spoil(where.root / "skills", "")
    spoil(where.root / "skills/odd", "")
    (where.root / "skills/folder/SKILL.md").mkdir()
    (where.root / "jobs/fine.toml").write_text(GOOD_JOB)
    (where.root / "skills/good").mkdir()
    (where.root / "skills/good/SKILL.md").write_text(GOOD_SKILL)
    alive = Alive(where, "--provider", "offline")
    spoil(where.chats, ".md")
    spoil(where.root / "agents", "")
    spoil(where.calls / "new" / "offline", "")
    spoil(where.calls / "done" / alive.id, "")
    said = run(where, "chat.py", "-m", "hello", "--wait", f"{PATIENCE:g}")
    assert (said.returncode, said.stdout.partition("\n")[0]) == (0, "Hello, ana!")
    shown = {name: run(where, "-m", "dotagent", *name.split()) for name in ("status", "cron list", "skills", "agents")}
    assert all(one.returncode == 0 and "Traceback" not in one.stderr for one in shown.values()), shown
    jobs = {line.split()[0]: line.split()[1] for line in shown["cron list"].stdout.split("\n") if len(line.split()) > 1}
    assert jobs["fine"] == "every" and {jobs[name] for name in ("bytes", "folder", "pipe")} == {"wrong"}
    assert "good " in shown["skills"].stdout and alive.id[:12] in shown["agents"].stdout
    assert "\ndev " in shown["status"].stdout
    alive.end()
    events = where.agent(alive.id) / "files/events.jsonl"
    until(
        lambda: '"boot"' in events.read_text() and '"message"' in events.read_text(), events
    )  # hooks end on their own
