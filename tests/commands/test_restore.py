"""restore: see test_backup.py, which has both ends; here, a home that has prompts of its own keeps them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support import make_home, run

from dotagent import commands
from dotagent.capabilities.backup import restore_review
from dotagent.errors import Misuse
from dotagent.store.home import Home


@pytest.mark.slow
def test_what_stands_in_an_empty_home_is_named_and_gives_way_on_request(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    (where.root / "SOUL.md").write_text("# A soul of one's own\n")
    assert run(where, "agent.py", "--provider", "offline", "--until-idle").returncode == 0
    assert run(where, "-m", "dotagent", "backup", str(tmp_path / "all")).returncode == 0
    target = Home(tmp_path / "new")
    target.root.mkdir()
    (target.root / "SOUL.md").write_text("# A template\n")
    (target.root / "letter.txt").write_text("mine")
    told = run(target, "-m", "dotagent", "restore", str(tmp_path / "all"))
    assert (told.returncode, "1 file with other content: SOUL.md; add --existing keep" in told.stderr) == (1, True)
    assert (target.root / "SOUL.md").read_text() == "# A template\n" and not target.agents.exists()
    told = run(target, "-m", "dotagent", "restore", str(tmp_path / "all"), "--existing", "replace")
    assert told.returncode == 0, told.stderr
    assert "replaced: SOUL.md" in told.stdout
    assert (target.root / "SOUL.md").read_text() == "# A soul of one's own\n"
    assert (target.root / "letter.txt").read_text() == "mine"
    assert not (target.root / ".restoring").exists()


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_what_a_restore_brings_is_shown_whatever_its_encoding(tmp_path: Path, codec: str) -> None:
    where = make_home(tmp_path)
    (tmp_path / "dotagent.toml").write_bytes('sandbox = "off"\r\n'.encode(codec))
    where.jobs.mkdir(exist_ok=True)
    (where.jobs / "nightly.toml").write_bytes('run = "touch ran"\r\n'.encode(codec))
    told = ["setting sandbox = 'off'", "job jobs/nightly.toml: run = 'touch ran'"]
    assert list(restore_review.inactive_parts(where)) == told


BROUGHT = {
    "dotagent.toml": 'owner = "ana"\n[hooks.greet]\non = ["boot"]\nrun = "touch hooked"\n',
    "jobs/nightly.toml": 'schedule = "0 3 * * *"\nrun = "touch ran"\n',
    "tools/steal.py": 'FOR = "x"\nUSAGE = ("STEAL",)\n',
    "packs/shop/pack.toml": "[openapi]\n",
    "skills/mine/SKILL.md": "---\nname: mine\ndescription: d\n---\n",
}


@pytest.fixture
def backed(tmp_path: Path) -> Path:
    """A backup of a home with something of each kind."""
    where = make_home(tmp_path / "home")
    assert run(where, "agent.py", "--provider", "offline", "--until-idle").returncode == 0
    for name, text in BROUGHT.items():
        (where.root / name).parent.mkdir(exist_ok=True, parents=True)
        (where.root / name).write_text(text)
    own = next(where.agents.iterdir()) / "skills/own"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("x")
    assert run(where, "-m", "dotagent", "backup", str(tmp_path / "all")).returncode == 0
    return tmp_path / "all"


def live(root: Path) -> list[str]:
    """Which of them are in their places."""
    return [name for name in BROUGHT if (root / name).exists()]


@pytest.mark.slow
def test_without_a_terminal_what_acts_by_itself_is_set_aside_and_said(backed: Path, tmp_path: Path) -> None:
    target = Home(tmp_path / "new")
    told = run(target, "-m", "dotagent", "restore", str(backed))
    assert told.returncode == 1, told.stderr
    assert not live(target.root)
    assert all((target.root / "set-aside" / name).read_text() == text for name, text in BROUGHT.items())
    shown = ("touch hooked", "jobs/nightly.toml", "touch ran", "plug-in tools/steal.py", "tool pack packs/shop")
    for words in ("setting owner", "skill skills/mine", "skills/own", *shown):
        assert words in told.stdout, (words, told.stdout)
    assert [
        line
        for line in told.stdout.split("\n")
        if line.startswith("dotagent does not use these yet: dotagent.toml, jobs, ")
    ]
    assert not list(target.agents.glob("*/skills/*"))
    assert run(target, "-m", "dotagent", "status").returncode == 0


@pytest.mark.slow
def test_with_yes_it_is_live(backed: Path, tmp_path: Path) -> None:
    target = Home(tmp_path / "new")
    assert run(target, "-m", "dotagent", "restore", str(backed), "--yes").returncode == 0
    assert live(target.root) == list(BROUGHT) and not (target.root / "set-aside").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("said", "many"), [("y\n", len(BROUGHT)), ("\n", 0), ("n\n", 0)])
def test_at_a_terminal_its_person_is_asked_first(backed: Path, tmp_path: Path, said: str, many: int) -> None:
    target = tmp_path / "new"
    ours, theirs = pty.openpty()
    os.write(ours, said.encode())
    words = [sys.executable, "-m", "dotagent", "restore", str(backed), "--home", str(target)]
    told = subprocess.run(words, stdin=theirs, capture_output=True, text=True, check=True)
    os.close(ours)
    os.close(theirs)
    assert "Use these parts in" in told.stdout and len(live(target)) == many


@pytest.mark.parametrize("name", ["", "/dev/null"])
def test_what_is_no_file_is_named_as_a_mistake_and_not_moved_away(tmp_path: Path, name: str) -> None:
    with pytest.raises(Misuse, match=r"^\S+: [^;()]+; name a file that `backup` wrote$"):
        commands.run("restore", [name or str(tmp_path), "--home", str(tmp_path / "home")])


@pytest.mark.slow
def test_a_plain_home_asks_nothing(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    assert run(where, "agent.py", "--provider", "offline", "--until-idle").returncode == 0
    assert run(where, "-m", "dotagent", "backup", str(tmp_path / "all")).returncode == 0
    told = run(Home(tmp_path / "new"), "-m", "dotagent", "restore", str(tmp_path / "all"))
    assert "act without asking you" not in told.stdout and "set aside" not in told.stdout
