"""persona: what is shown, listed, compared and put back."""

from __future__ import annotations

from pathlib import Path

import pytest
from looking import printed, rows
from support import run
from world import world

from dotagent.processes.background import MARK


@pytest.mark.slow
def test_it_shows_lists_compares_and_puts_back(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "WAIT") as here:
        for text in ("one", "two"):
            (here.session.path / "USER.md").write_text(f"- **Name:** {text}\n")
            here.say("hello")
            here.run()
        where = here.where
        shown = printed(where, "persona")
        assert "SOUL.md:\n  # SOUL" in shown and "USER.md:\n  - **Name:** two" in shown and "TOOLS.md" not in shown
        listed = rows(printed(where, "persona", "revisions", "--json"))
        assert listed[0]["name"] == "SOUL.md" and listed[-1]["name"] == "USER.md"
        assert printed(where, "persona", "revisions").split()[:5] == ["n", "at", "file", "id", "characters"]
        assert "-- **Name:** one\n+- **Name:** two" in printed(where, "persona", "diff", str(listed[-1]["number"]))
        assert "restored USER.md from revision" in printed(where, "persona", "rollback")
        assert (here.session.path / "USER.md").read_text() == "- **Name:** one\n"
        done = run(where, "-m", "dotagent", "persona", "diff")
        assert done.returncode == 2 and "number is missing" in done.stderr
        done = run(where, "-m", "dotagent", "persona", "rollback", env={MARK: "x"})
        assert done.returncode == 2 and "only the owner" in done.stderr


@pytest.mark.slow
def test_candidates_are_listed_and_a_person_decides(tmp_path: Path) -> None:
    edit = "EDIT_FILE USER.md <<END\n<<<<<<< SEARCH\n=======\n- **Timezone:** UTC\n>>>>>>> REPLACE\nEND"
    replies = iter([edit, "Hello."])
    with world(tmp_path / "home", lambda messages, call: next(replies, "WAIT")) as here:
        where = here.where
        assert "no proposals" in printed(where, "persona", "candidates")
        here.say("hello")
        here.run()
        (one,) = rows(printed(where, "persona", "candidates", "pending", "--json"))
        assert (one["number"], one["told"], one["status"]) == (1, "Timezone: UTC", "pending")
        assert "Timezone: UTC" in printed(where, "persona", "candidates")
        for words, why in ((("candidates", "x"), "not a status"), (("apply", "7"), "waiting proposals: 1")):
            done = run(where, "-m", "dotagent", "persona", *words)
            assert done.returncode == 2 and why in done.stderr
        done = run(where, "-m", "dotagent", "persona", "apply", "1", env={MARK: "x"})
        assert done.returncode == 2 and "only the owner" in done.stderr
        assert "Timezone: UTC, in USER.md: applied" in printed(where, "persona", "apply", "1")
        here.run()
        assert "- **Timezone:** UTC" in (here.session.path / "USER.md").read_text()
        assert "no proposals" in printed(where, "persona", "candidates", "pending")
