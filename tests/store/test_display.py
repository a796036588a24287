"""Names and faces: which source goes before which, what can be shown, and who is meant by a name."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import make_home
from world import world

from dotagent.errors import Misuse
from dotagent.store import agent_search, bootstrap, display, home, named_agents, rooms
from dotagent.store.home import Home

IDENTITY = "# IDENTITY\n\n- **Name:** Aria\n- **Creature:** fox: red\n- **Emoji:** 🌿\n- **Avatar:** avatars/a.png\n"


@pytest.fixture
def born(tmp_path: Path) -> tuple[Home, str]:
    with world(tmp_path / "home", lambda messages, call: "WAIT") as here:
        return here.where, here.session.id


def shown(born: tuple[Home, str], settings: str = "") -> tuple[str, str]:
    where, self_id = born
    (where.root / "dotagent.toml").write_text(settings.replace("SELF", self_id[:8]))
    found = display.find_face(where, home.settings(where), self_id)
    return found.name, found.avatar


def test_the_nearest_source_goes_before_the_others(born: tuple[Home, str]) -> None:
    where, self_id = born
    assert shown(born) == ("Assistant", "A")
    path = where.agent(self_id) / "IDENTITY.md"
    path.write_text(IDENTITY)
    assert shown(born) == ("Aria", "🌿"), "there is no such picture"
    (path.parent / "avatars").mkdir()
    (path.parent / "avatars" / "a.png").write_bytes(b"x")
    assert shown(born) == ("Aria", "avatars/a.png")
    own = '[agents.SELF.identity]\nname = "Bea"\nemoji = "🐝"\n'
    assert shown(born, own) == ("Bea", "avatars/a.png")
    assert shown(born, own + 'avatar = "https://example.org/b.png"\n') == ("Bea", "https://example.org/b.png")
    assert shown(born, own + '[ui.assistant]\nname = "Cleo"\navatar = "C"\n') == ("Cleo", "C")
    path.unlink()
    assert shown(born, own) == ("Bea", "🐝")
    assert shown(born, '[ui.assistant]\nnmae = "Cleo"\n')[0] != "Cleo", "an invalid table is left out"


@pytest.mark.parametrize(
    "avatar", ["../SOUL.png", "/etc/hostname", "/etc/x.png", "link.png", "long word", "javascript:x", "toolong", "a b"]
)
def test_what_leads_out_of_the_directory_or_shows_nothing_is_no_avatar(born: tuple[Home, str], avatar: str) -> None:
    where, self_id = born
    folder = where.agent(self_id)
    (folder.parent / "SOUL.png").write_bytes(b"x")
    (folder / "link.png").symlink_to(folder.parent / "SOUL.png")
    (folder / "IDENTITY.md").write_text(f"- **Avatar:** {avatar}\n")
    assert shown(born)[1] == "A"


def test_the_fields_of_a_template_are_empty_and_others_are_read_however_they_are_marked() -> None:
    assert display.fields(bootstrap.template("IDENTITY.md").decode()) == {}
    text = "Name: x\n* **Name**: _Aria_\n- **Vibe:** calm: very\n- *Emoji:* 🌿\nno field\n- **Theme:** dark\n"
    assert display.fields(text) == {"name": "Aria", "vibe": "calm: very", "emoji": "🌿"}


def test_a_name_is_one_short_line_whatever_it_holds(born: tuple[Home, str]) -> None:
    where, self_id = born
    (where.agent(self_id) / "IDENTITY.md").write_text("- **Name:** \x1b[31m\u202eana" + "x" * 100 + "\n")
    name = shown(born)[0]
    assert len(name) <= 50 and "\x1b" not in name and "\u202e" not in name
    told = display.find_label(where, self_id[:12])
    assert told == f"{name} {self_id[:12]}" and display.find_label(where, "0" * 12) == "0" * 12


def test_an_agent_that_settings_list_has_that_name_while_it_has_no_other_and_is_meant_by_it(
    born: tuple[Home, str],
) -> None:
    where, self_id = born
    named_agents.keep(where.root, "club", self_id)
    assert shown(born, "[agents.club]\n") == ("club", "A") and agent_search.find_agent(where, "club") == self_id
    (where.agent(self_id) / "IDENTITY.md").write_text(IDENTITY)
    assert shown(born, "[agents.club]\n") == ("Aria", "🌿") and agent_search.find_agent(where, "club") == self_id
    assert named_agents.life(where.root, "../names/club") == named_agents.life(where.root, "\0") == ""


def test_who_is_meant_by_a_name(tmp_path: Path, born: tuple[Home, str]) -> None:
    where, self_id = born
    (where.agent(self_id) / "IDENTITY.md").write_text(IDENTITY)
    with world(tmp_path / "home", lambda messages, call: "WAIT", fresh=True) as other:
        assert agent_search.find_agent(where, "aria") == self_id
        (other.session.path / "IDENTITY.md").write_text(IDENTITY)
        with pytest.raises(Misuse, match=r"2 agents are called Aria \(.*\); give the id of one instead"):
            agent_search.find_agent(where, "Aria")
        (other.session.path / "IDENTITY.md").write_text("- **Name:** ops\n")
        make_home(tmp_path / "home")
        rooms.create(where.room("ops"), "private")
        assert (
            agent_search.find_agent(where, "Aria") == self_id
            and agent_search.find_agent(where, "ops") == other.session.id
        )
    with pytest.raises(Misuse):
        agent_search.find_agent(where, "Nobody")
    (where.agent(self_id) / "IDENTITY.md").unlink()
    with pytest.raises(Misuse):
        agent_search.find_agent(where, "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("- **Name:**\n  Aria\n- **Vibe:** calm", "Aria"),
        ("Name:\n\tAria", "Aria"),
        ("- **Name:** Aria _(chosen on the first day)_", "Aria"),
        ("- **Name:** Ana Maria *as ever*", "Ana Maria"),
        ("- **Name:**\n  _(pick something you like)_", None),
        ("- **Name:** _(none yet)_", None),
        ("- **Name:** *TBD*", None),
        ("- **Name:** <your agent's name>", None),
        ("- **Name:** {{name}}", None),
        ("- 名前：（未定）", None),
        ("- **Name:** _(todo)_", None),
        ("- **Name:**\n  - **Vibe:** calm", None),
        ("- **Name:**\nAria is here", None),
        ("- **名前**：クロ", "クロ"),
        ("名字：小白", "小白"),
        ("- **Имя:** Лис", "Лис"),
        ('Name: "Fig"', "Fig"),
        ("* Name : `Fig`", "Fig"),
        ("- **Name:** Fig — *since May*", "Fig"),
        ('- **Name:** Fig\'s "cat"', 'Fig\'s "cat"'),
        ("- **Fullname:** Fig", None),
        ("Name: a：b", "a：b"),
        ("**Name:**\nFig\n**Vibe:**\ncalm", "Fig"),
        ("# Identity\n\n## Name\n\nFig\n\n## Vibe\n\ncalm", "Fig"),
        ("| Field | Value |\n|---|---|\n| **Name** | Fig |", "Fig"),
        ("| Name | Emoji |\n|---|---|\n| Fig | 🌱 |", None),
        ("**Name** — Fig", "Fig"),
        ("- **Name** - Fig", "Fig"),
        ("1. **Name:** Fig", "Fig"),
        ("> **Name:** Fig", "Fig"),
        ("Name:\nCreature: fox", None),
        ("Name:\nWho I am is still open, and I will say it later, when we have met.", None),
        ("## Name\n\n- to be chosen", None),
        ("## Name\n\n_(none yet)_", None),
        ("**Name:**\n<!-- pick one -->", None),
        ("Name:\nI have not picked one yet.", None),
        ("Name:\n(pick something you like)", None),
        ("Name:\n  I have not picked one yet", None),
        ("## Name\n\nStill to be found!", None),
        ("- **Name:** I have not picked one yet.", None),
        ("- 名字：还没有选好。", None),
        ("Name:\nDr. Evil Jr.", "Dr. Evil Jr."),
        ("Name:\nJ.A.R.V.I.S.", "J.A.R.V.I.S."),
        ("Name:\nYahoo!", "Yahoo!"),
        ("Name:\nAna Maria de Sousa", "Ana Maria de Sousa"),
        ("- **Name:** Sir Reginald of the Third House of York", "Sir Reginald of the Third House of York"),
    ],
)
def test_a_name_is_read_as_people_write_it(text: str, name: str | None) -> None:
    assert display.fields(text).get("name") == name
