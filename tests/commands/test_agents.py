"""The agents of a home: who runs, whom each hears, how old it is."""

from __future__ import annotations

from pathlib import Path

from lives import lines
from looking import printed, rows
from support import make_home, run
from world import offline, world

from dotagent.store.home import Home


def test_each_agent_is_a_line_with_its_rooms(tmp_path: Path) -> None:
    with world(tmp_path, offline) as lived:
        lived.say("Hello!")
        lived.run()
        (row,) = rows(printed(lived.where, "agents", "--json"))
        (boot,) = lines(lived, "BOOT")
        assert (row["id"], row["state"], row["audience"]) == (lived.session.id, "runs", "private ana")
        assert (row["rooms"], row["born"]) == (["dev"], boot.at)
    with world(tmp_path, offline, "--room", "other", fresh=True) as other:
        born = other.session.id
    found = {row["id"]: row for row in rows(printed(other.where, "agents", "--json"))}
    assert len(found) == 2 and found[born]["state"] == "sleeps" and found[born]["event"] == "SLEEP"
    plain = printed(other.where, "agents").split("\n")
    assert [line[:12].rstrip() for line in plain] == ["agent", *(id[:12] for id in sorted(found)), ""]
    assert any("private ana" in line and line.endswith("SLEEP  other") for line in plain)


def test_broken_settings_are_told_at_once(where: Home) -> None:
    (where.root / "dotagent.toml").write_text("owner = 3\n")
    done = run(where, "-m", "dotagent", "agents")
    assert done.returncode == 2 and "owner" in done.stderr and not done.stdout


def test_a_home_without_agents_says_so(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    assert printed(where, "agents") == f"no agents yet; create one with `python agent.py --home {where.root}`\n"
    assert printed(where, "agents", "--json") == ""
