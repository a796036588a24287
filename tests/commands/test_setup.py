"""setup: puts back what lacks, touches nothing, and makes a home where there is none."""

from __future__ import annotations

from pathlib import Path

from looking import told
from support import run
from world import world

from dotagent.store.home import Home


def test_it_puts_back_what_lacks_and_touches_nothing(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "WAIT") as here:
        folder = here.session.path
        (folder / "SOUL.md").write_text("You are a pirate.\n")
        here.say("hello")
        here.run()
        (folder / "USER.md").write_text("Ana\n")
        for name in ("SOUL.md", "IDENTITY.md"):
            (folder / name).unlink()
        shown = told(here, "setup")
        assert shown.split("\n")[:2] == [f"made {folder}/SOUL.md", f"made {folder}/IDENTITY.md"]
        assert "there already: AGENTS.md, USER.md" in shown
        assert (folder / "SOUL.md").read_text() == "You are a pirate.\n" and (folder / "USER.md").read_text() == "Ana\n"
        assert "made" not in told(here, "setup")


def test_in_a_directory_without_anything_it_makes_a_home(tmp_path: Path) -> None:
    done = run(Home(tmp_path / "new"), "-m", "dotagent", "setup")
    assert done.returncode == 0 and "is a home" in done.stdout and (tmp_path / "new" / "SOUL.md").is_file()
    assert run(Home(tmp_path / "new"), "-m", "dotagent", "setup", "0123456789ab").returncode == 2
