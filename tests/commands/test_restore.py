"""restore: see test_backup.py, which has both ends; here, a home that has prompts of its own keeps them."""

from __future__ import annotations

from pathlib import Path

from support import make_home, run

from dotagent.store.home import Home


def test_what_stands_in_an_empty_home_gives_way_to_the_backup_and_other_files_stay(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    (where.root / "SOUL.md").write_text("# A soul of one's own\n")
    assert run(where, "agent.py", "--provider", "offline", "--until-idle").returncode == 0
    assert run(where, "-m", "dotagent", "backup", str(tmp_path / "all")).returncode == 0
    target = Home(tmp_path / "new")
    target.root.mkdir()
    (target.root / "SOUL.md").write_text("# A template\n")
    (target.root / "letter.txt").write_text("mine")
    told = run(target, "-m", "dotagent", "restore", str(tmp_path / "all"))
    assert told.returncode == 0, told.stderr
    assert (target.root / "SOUL.md").read_text() == "# A soul of one's own\n"
    assert (target.root / "letter.txt").read_text() == "mine"
    assert not (target.root / ".restoring").exists()
