"""What settings say to models: which of several tables counts, and which servers are spoken to like a provider."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dotagent.store import credentials, home, launch, options
from dotagent.store.home import Home, Settings

LIFE = "9f8e7d6c" + "0" * 24
SAID = """
[providers.openai]
temperature = 0.5
effort = "low"
wire = "chat"
[providers.openai.models."gpt-6"]
effort = "high"
[providers.openai.models."gpt-6.2"]
effort = "max"
[agents.9f8e7d6c]
temperature = 1.5
think = "low"
[background]
provider = "deepseek"
model = "deepseek-flash"
max_tokens = 900
"""


@pytest.fixture
def said(tmp_path: Path) -> Settings:
    (tmp_path / "dotagent.toml").write_text(SAID)
    return home.settings(Home(tmp_path))


@pytest.mark.parametrize(
    ("provider", "model", "life", "live", "asked"),
    [
        ("openai", "gpt-5", "a" * 32, True, {"temperature": 0.5, "effort": "low"}),
        ("openai", "gpt-6-sol", "a" * 32, True, {"temperature": 0.5, "effort": "high"}),
        ("openai", "gpt-6.2-sol", "a" * 32, True, {"temperature": 0.5, "effort": "max"}),
        ("openai", "gpt-5", LIFE, True, {"temperature": 1.5, "effort": "low"}),
        ("openai", "gpt-5", LIFE, False, {"temperature": 1.5, "effort": "low", "max_tokens": 900}),
        ("anthropic", "m", LIFE, True, {}),  # it knows neither
        ("ollama", "m", LIFE, True, {"temperature": 1.5, "think": "low"}),
        ("deepseek", "m", LIFE, False, {"temperature": 1.5, "max_tokens": 900}),
        ("offline", "", LIFE, False, {}),
        ("shell", "", LIFE, False, {"temperature": 1.5, "think": "low", "max_tokens": 900}),
    ],
)
def test_the_nearest_counts(
    said: Settings, provider: str, model: str, life: str, live: bool, asked: Mapping[str, object]
) -> None:
    assert said.options(provider, model, life, live) == asked


def test_what_a_provider_does_not_take_is_told(said: Settings) -> None:
    table = said.agents["9f8e7d6c"]
    assert options.untaken("anthropic", table) == ["temperature", "think"]
    assert options.untaken("openai", table) == ["think"] and options.untaken("", table) == []


def test_an_option_of_an_earlier_version_is_taken_and_has_no_effect(tmp_path: Path) -> None:
    (tmp_path / "dotagent.toml").write_text(
        'provider = "local"\n[providers.local]\nexamples = 2\n[providers.local.models.m]\nexamples = 1\n'
        "[agents.9f8e7d6c]\nexamples = 0\n[background]\nexamples = 0\n"
    )
    said = home.settings(Home(tmp_path))
    assert said.options("local", "m", LIFE, live=False) == {}
    assert options.former(said.table("local")) == ["examples"] and options.former({"models": {"m": {}}}) == []


@pytest.mark.parametrize(
    ("kinds", "good", "bad"),
    [
        ("number 0 2", [0, 2, 0.5], [-0.1, 2.1, True, "1", float("nan"), float("inf")]),
        ("int 1 9", [1, 9], [0, 10, 1.5, True]),
        ("bool str", [True, "low"], [1, 0.5, None, {}]),
        ("text|native", ["text", "native"], ["", "text|native", True]),
        ("table", [{}, {"order": ["a"]}], [[], "a"]),
        ("number", [1, 1e99], [float("nan")]),
    ],
)
def test_kinds_of_values(kinds: str, good: list[object], bad: list[object]) -> None:
    assert all(options.fits(kinds, one) for one in good)
    assert not any(options.fits(kinds, one) for one in bad)


def test_a_server_is_known_by_its_table_and_some_without_one(tmp_path: Path) -> None:
    where = Home(tmp_path)
    (tmp_path / "dotagent.toml").write_text(
        '[providers.work]\nlike = "openai"\nbase = "https://llm.work/v1"\nkey = "WORK_TOKEN"\n'
        '[providers.groq]\nlike = "local"\n[providers.own]\nkey = "anything"\n'
    )
    (tmp_path / "calls/new/own").mkdir(parents=True)  # a program of one's own
    said = home.settings(where)
    assert [said.kind(name) for name in ("work", "groq", "xai", "openai", "own", "nobody")] == [
        "openai", "local", "openai", "openai", "", ""]  # fmt: skip
    assert said.table("groq")["base"] == "https://api.groq.com/openai/v1" and said.names()[-2:] == ("work", "groq")
    assert launch.choose(where, "work", {}) == "work" and launch.choose(where, "xai", {}) == "xai"
    secrets = {"WORK_TOKEN": "w", "GROQ_API_KEY": "g", "OPENAI_API_KEY": "o", "GITHUB_TOKEN": "x"}
    for name, mine in (("work", {"WORK_TOKEN"}), ("groq", {"GROQ_API_KEY"}), ("openai", {"OPENAI_API_KEY"})):
        assert set(credentials.credentials(name, secrets, credentials.key_of(where, name) or "")) == mine
    assert credentials.key_of(where, "own") is None
    assert launch.choose(where, None, secrets) == "openai"  # a server of this kind is named, never chosen by itself


@pytest.mark.parametrize("name", options.presets())
def test_each_server_that_is_known_already_is_sound(name: str, tmp_path: Path) -> None:
    table = {"like": "openai", **options.presets()[name]}
    assert not list(options.flaws({name: table}, {}, {}))
    assert str(table["page"]).startswith("https://")
    page = (home.CODE / "docs" / "providers.md").read_text()
    assert f"`{name}`" in page
