"""doctor's report and its exit status; tests/doctor holds what each check finds."""

from __future__ import annotations

import re
from pathlib import Path

from looking import printed, rows
from support import run
from world import offline, world


def test_a_sound_home_is_a_line_a_finding(tmp_path: Path) -> None:
    with world(tmp_path, offline) as lived:
        lived.say("Hello!")
        lived.run()
    *plain, blank, summary, end = printed(lived.where, "doctor").split("\n")
    assert all(line.startswith(("ok: ", "  ")) for line in plain) and blank == end == ""
    looked = sum(line.startswith("ok: ") for line in plain)
    assert summary == f"no problems found in {looked} checks"
    found = rows(printed(lived.where, "doctor", "--json"))
    assert [(one["level"], one["where"]) for one in found if "SOUL.md" in one["where"]] == [("ok", "SOUL.md")]
    alone = rows(printed(lived.where, "doctor", lived.session.id[:8], "--json"))
    assert alone and all(one["where"].startswith(("agents/", "chats/")) for one in alone)


def test_damage_is_exit_status_1(tmp_path: Path) -> None:
    with world(tmp_path, offline) as lived:
        lived.run()
    lived.where.store().path(lived.session.id).unlink()
    done = run(lived.where, "-m", "dotagent", "doctor")
    assert done.returncode == 1 and "the agent's character (SOUL) cannot be read" in done.stdout
    assert re.fullmatch(r"\d damaged, \d warnings?, \d+ fine; the fix .*", done.stdout.split("\n")[-2])
