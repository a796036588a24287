"""models.toml: what is known of hosted models, where from and since when; and what calls cost by it and by settings."""

from __future__ import annotations

import tomllib
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from loopback import Server

from dotagent import extensions, providers
from dotagent.providers import Config, ProviderError, Seen
from dotagent.providers.server import cost, media_input
from dotagent.store import options
from dotagent.text import media
from dotagent.text.senses import Senses, make_senses

FILE = Path(providers.__file__).parent / "models.toml"
KNOWN = tomllib.loads(FILE.read_text())
PRICES = {"input", "cached", "written", "hour", "output"}
FIELDS = {"window", "sees", *PRICES, "lasts", "above", "then", "peak", "hours", "at", "source"}
MONDAY = datetime(2026, 11, 23, 7, tzinfo=UTC)
NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC)  # until then Google asks half
USED = {"input": 1_000_000, "cached": 500_000, "written": 100_000, "output": 10_000}


@pytest.mark.parametrize("name", KNOWN)
def test_each_row_says_since_when_and_where_from(name: str) -> None:
    default, rows = KNOWN[name]["default"], KNOWN[name]["models"]
    if name in extensions.names("providers"):
        assert default == providers.load(name).MODEL
    assert not providers.find_window(providers.model_and_window(name)[1], default).guess
    for beginning, row in rows.items():
        assert {"window", "at", "source"} <= row.keys() <= FIELDS, beginning
        assert row["window"] >= 8_192 and isinstance(row["at"], date) and "https://" in row["source"]
        assert {*row.get("sees", "").split()} <= {*media.KINDS}
        assert ("input" in row) == ("output" in row) and ("peak" in row) == ("hours" in row)
        above = row.get("above", {"tokens": 1, **row})
        assert above.keys() & PRICES == row.keys() & PRICES and above["tokens"] < row["window"], beginning
        assert all(above[one] >= row[one] for one in above.keys() & PRICES)
        then = row.get("then", {"from": row["at"], **row})
        assert then.keys() & PRICES == row.keys() & PRICES and isinstance(then["from"], date), beginning
    for beginning, rule in KNOWN[name].get("sight", {}).items():
        assert {"at", "source"} <= rule.keys() and make_senses(rule) != Senses(), beginning
    assert f"`{default}`" in (FILE.parent.parent.parent / "docs/providers.md").read_text()


def test_a_row_that_is_old_is_told_of() -> None:
    at = KNOWN["openai"]["models"]["gpt-6.2-sol"]["at"]
    assert providers.old("openai", "gpt-6.2-sol", at + timedelta(days=120)) == ""
    said = providers.old("openai", "gpt-6.2-sol-2026", at + timedelta(days=121))
    assert said.startswith("the data on gpt-6.2-sol-2026 is 121 days old; compare it with https://")
    assert providers.old("local", "m", date(2099, 1, 1)) == providers.old("gone", "m", date(2099, 1, 1)) == ""


def test_what_a_cache_keeps_for_an_hour_has_its_own_price() -> None:
    used = {"input": 1_000_000, "written": 500_000, "hour": 200_000, "output": 0}
    assert cost.cost({}, "claude-opus-5", used, "anthropic") == 2_500_000 + 300_000 * 6.25 + 200_000 * 10
    mine = {"claude-opus-5": {"input": 1.0, "written": 2.0, "output": 1.0, "hour": 3.0}}
    assert cost.cost(mine, "claude-opus-5", used, "anthropic") == 500_000 + 600_000 + 600_000
    assert cost.cost({"m": {"input": 1.0, "output": 1.0, "written": 2.0}}, "m", used) == 500_000 + 1_000_000


def test_a_long_prompt_costs_more_and_all_of_it() -> None:
    short, long = {"input": 272_000, "output": 1000}, {"input": 272_001, "cached": 72_001, "output": 1000}
    assert cost.cost({}, "gpt-6.2-sol", short, "openai") == 544_000 + 10_000
    assert cost.cost({}, "gpt-6.2-sol", long, "openai") == 800_000 + 14_400 + 15_000
    mine: dict[str, dict[str, object]] = {"gpt-6": {"input": 1.0, "output": 1.0}}
    assert cost.cost(mine, "gpt-6.2-sol", {"input": 300_000, "output": 0}, "openai") == 300_000
    mine["gpt-6"]["above"] = {"tokens": 200_000, "input": 3.0, "output": 3.0}
    assert cost.cost(mine, "gpt-6.2-sol", {"input": 300_000, "output": 0}, "openai") == 900_000


def test_a_model_that_is_not_listed_has_a_guessed_window_and_the_setting_ends_that() -> None:
    provider, config = providers.load("openai"), Config("k", "https://api.openai.com/v1")
    assert providers.describe(provider, config, "gpt-9", ask=False) == Seen("gpt-9", 128_000, guess=True)
    assert providers.describe(provider, config, "gpt-6.2-sol", ask=False) == Seen("gpt-6.2-sol", 922_000)
    mine = Config("k", config.base, None, {"window": 2_000_000})
    for model in ("gpt-9", "gpt-6.2-sol"):
        assert providers.describe(provider, mine, model, ask=False) == Seen(model, 2_000_000)


def test_a_server_that_is_like_another_has_its_own_models() -> None:
    provider, settings = providers.load("openai"), options.presets()["xai"]
    config = providers.configure("xai", {"XAI_API_KEY": "k"}, settings)
    assert providers.describe(provider, config, ask=False) == Seen("grok-4.7", 500_000)
    assert providers.describe(provider, config, "grok-9", ask=False) == Seen("grok-9", 128_000, guess=True)
    with Server(pages={"/v1/models": {"data": [{"id": "grok-4.7"}]}}) as server:
        near = providers.configure("xai", {"XAI_API_KEY": "k"}, {**settings, "base": f"{server.base}/v1"})
        assert providers.describe(provider, near) == Seen("grok-4.7", 500_000)
    assert cost.cost({}, "grok-4.7", {"input": 200_000, "output": 0}, "xai") == 800_000
    assert media_input.find_senses("openai", config, Seen("grok-4.7", 500_000)).kinds == ("image",)


def test_a_list_of_models_alone_is_one_and_those_that_do_not_talk_are_not_named() -> None:
    """Together answers with the list itself (its SDK's ModelListResponse), and has pictures and more in it."""
    told = [{"id": "flux", "type": "image"}, {"id": "meta/llama", "type": "chat", "context_length": 131_072}]
    with Server(pages={"/v1/models": told}) as server:
        settings = {**options.presets()["together"], "base": f"{server.base}/v1"}
        config = providers.configure("together", {"TOGETHER_API_KEY": "k"}, settings)
        assert providers.describe(providers.load("openai"), config, "meta/llama") == Seen("meta/llama", 131_072)
        with pytest.raises(ProviderError, match=r"one of these models: meta/llama$"):
            providers.describe(providers.load("openai"), config)


@pytest.mark.parametrize("name", ["openai", "deepseek"])
def test_a_server_that_tells_a_window_is_believed_first_and_one_that_does_not_is_no_fault(name: str) -> None:
    told = {
        "data": [{"id": "new"}, {"id": "other", "max_input_tokens": 5_000}, {"id": "own", "context_window": 77_000}]
    }
    with Server(pages={"/v1/models": told}) as server:
        environ = {f"{name.upper()}_API_KEY": "sk-0123456789abcdef", f"{name.upper()}_API_BASE": f"{server.base}/v1"}
        config, provider = providers.configure(name, environ, {}), providers.load(name)
        assert providers.describe(provider, config, "own") == Seen("own", 77_000)
        assert providers.describe(provider, config, "new") == Seen("new", 128_000, guess=True)
        listed = providers.describe(provider, config)
        assert listed == providers.describe(provider, config, ask=False) and not listed.guess
        assert server.looked[0].headers["authorization"] == "Bearer sk-0123456789abcdef"
    with Server() as server:  # which has no list
        bare = providers.configure(name, {**environ, f"{name.upper()}_API_BASE": server.base}, {})
        assert providers.describe(provider, bare, "own") == Seen("own", 128_000, guess=True)
    with pytest.raises(ProviderError, match="cannot be reached"):  # so that who waits for it learns when it is back
        providers.describe(provider, bare, "own")


@pytest.mark.parametrize(
    ("provider", "model", "now", "paid"),
    [
        ("anthropic", "claude-sonnet-5-5", MONDAY, 400_000 * 2 + 500_000 * 0.1 + 100_000 * 2.5 + 10_000 * 10),
        ("deepseek", "deepseek-v4-pro", MONDAY, 2 * (500_000 * 0.66 + 500_000 * 0.022 + 10_000 * 1.98)),
        ("deepseek", "deepseek-v4-pro", MONDAY.replace(hour=4), 500_000 * 0.66 + 500_000 * 0.022 + 10_000 * 1.98),
        ("deepseek", "deepseek-v4-pro", MONDAY - timedelta(days=1), 500_000 * 0.66 + 500_000 * 0.022 + 10_000 * 1.98),
        ("gemini", "gemini-3.8-flash", MONDAY, 500_000 * 0.75 + 500_000 * 0.075 + 10_000 * 3.75),
        ("gemini", "gemini-3.8-flash", NEW_YEAR, 500_000 * 1.5 + 500_000 * 0.15 + 10_000 * 7.5),
        ("mistral", "mistral-medium-latest", MONDAY, 500_000 * 1.5 + 500_000 * 0.15 + 10_000 * 7.5),
        ("openai-codex", "gpt-6.1-sol", MONDAY, None),  # a plan
        ("local", "gpt-6.1-sol", MONDAY, None),
    ],
)
def test_what_a_call_costs(provider: str, model: str, now: datetime, paid: float | None) -> None:
    assert cost.cost({}, model, USED, provider, now) == (None if paid is None else round(paid))


def test_settings_go_before_the_file() -> None:
    mine = {"deepseek-": {"input": 1.0, "output": 1.0, "peak": 1}}
    assert cost.cost(mine, "deepseek-v4-pro", USED, "deepseek", MONDAY) == 500_000 + 500_000 * 0.022 + 10_000
