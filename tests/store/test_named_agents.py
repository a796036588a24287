"""Agents that settings list by name: what they may say, whose a room is, and which life a name means."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import make_home

from dotagent.errors import Misuse
from dotagent.life import budget
from dotagent.store import home, named_agents

TABLES = {"aria": {"rooms": ["dev", "work-*"]}, "bob": {"rooms": ["work-a*", "*"]}, "9f8e7d6c": {"rooms": ["work-ab"]}}
LIFE = "9f8e7d6c" * 4


@pytest.mark.parametrize(
    ("room", "name"),
    [("dev", "aria"), ("work-x", "aria"), ("work-axe", "bob"), ("work-ab", "9f8e7d6c"), ("club", "bob")],
)
def test_the_most_specific_wins(room: str, name: str) -> None:
    assert named_agents.find_table(room, TABLES) == name


@given(st.lists(st.text("ab*?-", min_size=1, max_size=5), max_size=5), st.text("ab-", min_size=1, max_size=5))
def test_an_exact_name_goes_before_any_pattern(patterns: list[str], room: str) -> None:
    tables = {"other": {"rooms": patterns}, "mine": {"rooms": [room]}}
    assert named_agents.find_table(room, tables) == ("other" if room in patterns else "mine")
    assert named_agents.find_table(room, {}) == ""


def test_a_name_means_its_life_once_that_is_born(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    (tmp_path / "dotagent.toml").write_text("[agents.aria]\nmodel = 'm'\n[agents.aria.budget]\ndollars_a_day = 1\n")
    assert list(home.settings(where).agents) == ["aria"]
    named_agents.keep(tmp_path, "aria", LIFE)
    assert list(home.settings(where).agents) == ["aria"]  # nobody of that id is here
    where.agent(LIFE).mkdir()
    (where.agent(LIFE) / "LIFE.md").touch()
    found = home.settings(where)
    assert found.of_agent(LIFE)["model"] == "m"
    (limit,) = budget.find_limits(found.budget, found.agents, LIFE)
    assert (limit.name, limit.most) == ("dollars_a_day", 1.0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rooms = 'dev'", "rooms must be a list of rooms"), ("rooms = []", "rooms must be a list of rooms"),
        ("audience = 'everybody'", "audience must be private or group"), ("soul = 1", "soul must be the path of"),
        ("budget = {dollars = 1}", "budget must be a table of tokens_a_day, tokens_a_month, dollars_a_day"),
        ("fallback = 'openai'", "fallback must be a list of providers"),
        ("identity = {nick = 'a'}", "identity must be a table of name, avatar and emoji"),
        ("temprature = 1", "did you mean temperature"), ("[agents.'A B']", "agents must be one table for each agent"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "dotagent.toml").write_text(f"[agents.aria]\n{text}\n")
    with pytest.raises(Misuse, match=why):
        home.settings(make_home(tmp_path))
