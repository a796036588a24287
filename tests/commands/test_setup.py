"""setup: puts back what lacks, touches nothing, and makes a home where there is none."""

from __future__ import annotations

from pathlib import Path

from looking import told
from support import run
from world import world

from dotagent.store import bootstrap
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


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
        assert shown.split("\n")[:2] == [f"created {folder}/SOUL.md", f"created {folder}/IDENTITY.md"]
        assert "unchanged: AGENTS.md, USER.md" in shown
        assert (folder / "SOUL.md").read_text() == "You are a pirate.\n" and (folder / "USER.md").read_text() == "Ana\n"
        assert "created" not in told(here, "setup")


def test_in_a_directory_without_anything_it_makes_a_home(tmp_path: Path) -> None:
    done = run(Home(tmp_path / "new"), "-m", "dotagent", "setup")
    assert done.returncode == 0 and "is now a data directory" in done.stdout
    names = ("SOUL.md", *bootstrap.DRAFTS)
    assert all((tmp_path / "new" / name).read_text().strip() for name in names) and len(names) == 6
    assert done.stdout.count("created ") == 5
    (tmp_path / "new" / "USER.md").write_text("Ana\n")
    assert "created " not in run(Home(tmp_path / "new"), "-m", "dotagent", "setup").stdout
    assert (tmp_path / "new" / "USER.md").read_text() == "Ana\n"
    assert run(Home(tmp_path / "new"), "-m", "dotagent", "setup", "0123456789ab").returncode == 2


def test_a_new_agent_gets_what_was_written_before_and_only_the_owners_gets_user_md(tmp_path: Path) -> None:
    root = tmp_path / "home"
    assert run(Home(root), "-m", "dotagent", "setup").returncode == 0
    written = {name: f"- {name} as I want it\n" for name in bootstrap.DRAFTS}
    for name, text in written.items():
        (root / name).write_text(text)
    shown = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        shown.append(messages[0]["content"])
        return "WAIT"

    with world(root, model) as here:
        here.say("hello")
        here.run()
        for name, text in written.items():
            assert (here.session.path / name).read_text() == text
    assert "USER.md as I want it" in shown[0] and "IDENTITY.md as I want it" in shown[0]
    with world(root, model, "--audience", "group", "--room", "club", fresh=True) as here:
        assert (here.session.path / "AGENTS.md").read_text() == written["AGENTS.md"]
        assert not (here.session.path / "USER.md").exists()
    with world(root, model, "--audience", "private ben", "--room", "ben", fresh=True) as here:
        assert (here.session.path / "USER.md").read_bytes() == bootstrap.template("USER.md")
        assert (here.session.path / "TOOLS.md").read_text() == written["TOOLS.md"]


def test_a_backup_has_what_was_written_before(tmp_path: Path) -> None:
    where, other = Home(tmp_path / "home"), Home(tmp_path / "other")
    assert run(where, "-m", "dotagent", "setup").returncode == 0
    (where.root / "IDENTITY.md").write_text("- **Name:** Bea\n")
    assert run(where, "-m", "dotagent", "backup", str(tmp_path / "x.tar.zst")).returncode == 0
    done = run(other, "-m", "dotagent", "restore", str(tmp_path / "x.tar.zst"))
    assert done.returncode == 0 and (other.root / "IDENTITY.md").read_text() == "- **Name:** Bea\n", done
