"""Root's commands run as nobody inside bubblewrap, and still do what they may with files/ and the roots; and nobody's
commands run whatever is closed to them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cages import OTHER, a_root, caged, run
from support import barred, make_home

from dotagent.sandbox import view
from dotagent.store import home

NOBODY = 65534


@pytest.mark.skipif(os.geteuid() != 0, reason="for root alone")
def test_root_is_nobody_inside(tmp_path: Path) -> None:
    with caged(tmp_path, "bubblewrap") as hands:
        root = a_root(hands, tmp_path)
        (root / "old").write_text("old\n")
        (root / "old").chmod(0o600)
        shown = run(
            hands, f"id -u; id -g; cat {root}/old; echo new > {root}/new; rm {root}/old; echo x > x; chmod 600 x"
        )
        assert shown == "exit status 0\n65534\n65534\nold\n"
        assert not (root / "old").exists()
        made = [(root / "new").stat(), (hands.path / "files/x").stat()]
        assert [(one.st_uid, one.st_gid) for one in made] == [(0, 0)] * 2


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("git"), reason="no git here")
def test_git_and_a_virtual_environment_work(tmp_path: Path) -> None:
    """Git compares the owner of a folder with the one who runs it: also that of a repository made outside."""
    with caged(tmp_path, "bubblewrap") as hands:
        root = a_root(hands, tmp_path)
        subprocess.run(["git", "init", "-q", root / "made"], check=True)
        shown = run(hands, f"git -C {root}/made status --short && git init -q mine && git -C mine status --short")
        assert shown == "exit status 0\n"
        assert run(hands, f"{sys.executable} -m venv v && v/bin/pip --version").startswith("exit status 0\npip ")


def test_a_folder_of_path_or_a_root_that_it_may_not_enter_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where `su` keeps root's PATH."""
    closed, where = tmp_path / "closed", make_home(tmp_path / "home")
    (closed / "bin").mkdir(parents=True)
    (where.agent(OTHER) / "run").mkdir(parents=True)
    tmp_path.chmod(0o755)
    for path in (where.root, *where.root.rglob("*")):
        os.chown(path, NOBODY if os.geteuid() == 0 else -1, -1)
    monkeypatch.setenv("PATH", f"{closed}/bin:/usr/bin")
    settings = replace(home.settings(where), roots={"private": (str(closed / "bin"),)})
    with barred(closed):
        seen = view.make_sight(where, settings, where.agent(OTHER), where.agent(OTHER) / "run", "private ana")
    assert not any(one.startswith(str(closed)) for one in (*seen.readable, *seen.writable))
