"""Settings under the names of DotAgent's environment: each is understood, or refused by name with what is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import make_home, run

from dotagent.errors import Misuse
from dotagent.store import aliases, credentials, home, setting_rules, settings_edit, variables

SEED = """
DOTAGENT_PROVIDERS_OPENROUTER_API_KEY DOTAGENT_PROVIDERS_OPENROUTER_API_BASE DOTAGENT_PROVIDERS_OPENAI_API_KEY
DOTAGENT_PROVIDERS_OPENAI_OAUTH_ACCESS_TOKEN DOTAGENT_PROVIDERS_OPENAI_OAUTH_TOKEN_FILE
DOTAGENT_PROVIDERS_OPENAI_API_BASE DOTAGENT_PROVIDERS_OPENAI_ORGANIZATION DOTAGENT_PROVIDERS_OPENAI_PROJECT
DOTAGENT_PROVIDERS_OPENAI_CODEX_OAUTH_ACCESS_TOKEN DOTAGENT_PROVIDERS_OPENAI_CODEX_OAUTH_TOKEN_FILE
DOTAGENT_PROVIDERS_OPENAI_CODEX_API_BASE DOTAGENT_PROVIDERS_OPENAI_CODEX_PROXY DOTAGENT_AGENTS_DEFAULTS_PROVIDER
DOTAGENT_AGENTS_DEFAULTS_MODEL DOTAGENT_CHANNELS_DISCORD_TOKEN DOTAGENT_CHANNELS_DISCORD_ALLOW_FROM
DOTAGENT_MEMORY_MAX_RECALL_ITEMS DOTAGENT_MEMORY_CANDIDATE_LIMIT DOTAGENT_MEMORY_RETRIEVAL_CACHE_SECONDS
DOTAGENT_MEMORY_WORKER_POLL_MS DOTAGENT_MEMORY_WORKER_LEASE_SECONDS DOTAGENT_MEMORY_EMBEDDING_MODEL
DOTAGENT_MEMORY_EVENT_RETENTION_DAYS DOTAGENT_MEMORY_AUDIT_RETENTION_DAYS DOTAGENT_MEMORY_PERSONA_SYNC_APPLY
DOTAGENT_MEMORY_PERSONA_FILE_SYNC_MODE DOTAGENT_MEMORY_PERSONA_POLICY_MODE DOTAGENT_MEMORY_PERSONA_MIN_CONFIDENCE
""".split()
"""Every variable that DotAgent's README names."""
KEY = "sk-0123456789abcdef"


def test_the_profile_of_another_program_has_no_effect_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLAWDBOT_PROFILE", "aria")
    assert home.find(str(tmp_path)).root == tmp_path
    told = capsys.readouterr().err
    assert told == "dotagent: CLAWDBOT_PROFILE has no effect (dotagent reads DOTAGENT_PROFILE); unset it\n"


@pytest.mark.parametrize("name", SEED)
def test_each_is_understood_or_refused_by_its_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    environ = {name: "8123"}
    if name in aliases.HARMLESS:
        aliases.adopt(environ)
        assert not environ
        told = capsys.readouterr().err
        assert told.startswith(f"dotagent: {name} has no effect (") and told.count("\n") == 1
        return
    try:
        aliases.adopt(environ)
    except Misuse as refused:
        assert (
            name in str(refused) and "does not know the variable" in str(refused) and str(refused).endswith("unset it")
        )
        assert name.startswith("DOTAGENT_MEMORY_") and aliases.SETTINGS.get(name) not in setting_rules.rules()
        return
    (found,) = environ
    ours = {"DOTAGENT_PROVIDER", "DOTAGENT_MODEL", "DISCORD_BOT_TOKEN"}
    provider = re.match("OPENROUTER_|OPENAI_|OPENAI_CODEX_", found)
    assert found in ours or provider or list(aliases.settings(environ))


def test_all_that_mean_nothing_are_named_at_once() -> None:
    names = ["DOTAGENT_INSTANCE", "DOTAGENT_CONFIG", "DOTAGENT_GATEWAY_PORT"]
    with pytest.raises(Misuse, match="unset them") as refused:
        aliases.adopt(dict.fromkeys(names, "1"))
    assert all(name in str(refused.value) for name in names)


@pytest.mark.parametrize("name", ["DOTAGENT_PROVIDERS_NOBODY_API_KEY", "DOTAGENT_GATEWAY_PORT", "DOTAGENT_INSTANCE"])
def test_others_of_its_names_are_refused_too(name: str) -> None:
    with pytest.raises(Misuse, match=name):
        aliases.adopt({name: "x"})


def test_two_names_of_one_thing_with_two_values_are_refused() -> None:
    same = {"DOTAGENT_AGENTS_DEFAULTS_MODEL": "m", "DOTAGENT_MODEL": "m"}
    aliases.adopt(same)
    assert same == {"DOTAGENT_MODEL": "m"}
    with pytest.raises(Misuse, match="different values"):
        aliases.adopt({"DOTAGENT_AGENTS_DEFAULTS_MODEL": "m", "DOTAGENT_MODEL": "other"})


def test_who_is_let_in_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = make_home(tmp_path)
    (tmp_path / "dotagent.toml").write_text('[bridges.discord]\nusers = ["@ana"]\nanswer = "always"\n')
    monkeypatch.setenv(variables.ALLOWED, "8123, @bob")
    assert home.settings(where).bridges["discord"] == {"users": ["id:8123", "@bob"], "answer": "always"}
    kept, _ = variables.split({variables.ALLOWED: "8123"})
    assert kept  # a bridge that takes over its credentials runs itself anew, and still knows


@pytest.mark.parametrize("name", ["max_recall_items", "memory.max_recall_items", "memory.maxRecallItems"])
def test_a_setting_of_theirs_that_means_nothing_is_refused_with_what_there_is(tmp_path: Path, name: str) -> None:
    where = make_home(tmp_path)
    with pytest.raises(Misuse) as refused:
        settings_edit.require_known(name)
    assert (
        str(refused.value)
        == f"{name} is not a setting of dotagent: {aliases.INSTEAD['DOTAGENT_MEMORY_MAX_RECALL_ITEMS']}"
    )
    (tmp_path / "dotagent.toml").write_text(f"{name} = 5\n")
    with pytest.raises(Misuse, match=f"{name} is not a setting of dotagent: a search shows 8"):
        home.settings(where)


def test_the_keys_of_an_env_file_under_their_names(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    path = tmp_path / ".env"
    path.touch(0o600)
    path.write_text(f"DOTAGENT_PROVIDERS_OPENROUTER_API_KEY={KEY}\nDOTAGENT_CHANNELS_DISCORD_TOKEN=t\n")
    assert credentials.env_file(where) == {"OPENROUTER_API_KEY": KEY, "DISCORD_BOT_TOKEN": "t"}
    path.write_text("DOTAGENT_MEMORY_WORKER_POLL_MS=7\n")
    assert credentials.env_file(where) == {}
    path.write_text("DOTAGENT_AGENTS_DEFAULTS_MODEL=m\nDOTAGENT_INSTANCE=x\n")
    with pytest.raises(Misuse, match=r"config set model …`: remove them$") as refused:
        credentials.env_file(where)
    assert "does not know the variable DOTAGENT_INSTANCE" in str(refused.value)


def test_a_provider_may_have_their_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = make_home(tmp_path)
    for theirs, ours in (("openai_codex", "openai-codex"), ("deepseek", "deepseek"), ("my_own", "my_own")):
        (where.root / "dotagent.toml").write_text(f'provider = "{theirs}"\n')
        assert home.settings(where).provider == ours
    monkeypatch.setenv("DOTAGENT_PROVIDER", "openai_codex")
    assert home.settings(where).provider == "openai-codex"


@pytest.mark.slow
def test_a_program_that_starts_takes_them_over(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    env = {"DOTAGENT_PROVIDERS_DEEPSEEK_API_KEY": KEY, "DOTAGENT_AGENTS_DEFAULTS_MODEL": "m"}
    done = run(where, "-m", "dotagent", "providers", "deepseek", "--json", env=env)
    assert done.returncode == 0 and '"configured":true' in done.stdout.replace(" ", "")
    done = run(where, "-m", "dotagent", "status", env={"DOTAGENT_MEMORY_WORKER_POLL_MS": "7"})
    assert (
        done.returncode == 0 and "DOTAGENT_MEMORY_WORKER_POLL_MS has no effect (dotagent does not poll" in done.stderr
    )


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("providers.openrouter.api_key", "OPENROUTER_API_KEY"),
        ("provider.anthropic.apiKey", "ANTHROPIC_API_KEY"),
        ("providers.openai_codex.oauth_token_file", "OPENAI_CODEX_OAUTH_TOKEN_FILE"),
        ("providers.openai_codex.api_base", "providers.openai-codex.base"),
        ("agents.defaults.model", "model"),
        ("channels.discord.token", "DISCORD_BOT_TOKEN"),
        ("channels.telegram.botToken", "TELEGRAM_BOT_TOKEN"),
        ("tools.web.search.apiKey", "BRAVE_API_KEY"),
        ("web.brave.api_key", "BRAVE_API_KEY"),
        ("channels.discord.allow_from", "bridges.discord.users"),
        ("bridges.discord.users", "bridges.discord.users"),
        ("providers.groq.key", "providers.groq.key"),
        ("agents.defaults.bootstrapMaxChars", "bootstrap_max_chars"),
        ("agents.defaults.memorySearch.provider", "memory_search.provider"),
        ("memorySearch.enabled", "memory_search.enabled"),
        ("memorySearch.store.path", "memory_search.store"),
        ("memorySearch.local.modelPath", "memory_search.model_path"),
        ("agents.defaults.compaction.memoryFlush.enabled", "memory_flush.enabled"),
        ("compaction.memoryFlush.softThresholdTokens", "memory_flush.soft_threshold_tokens"),
        ("bootstrapMaxChars", "bootstrap_max_chars"),
        ("hooks.internal.entries.soul-evil.enabled", "hooks.soul-evil.enabled"),
        ("memory.persona_policy_mode", "persona_policy"),
        ("memory.persona_file_sync_mode", "persona_sync"),
        ("memory.persona_min_confidence", "persona_min_confidence"),
    ],
)
def test_names_in_their_files(theirs: str, ours: str) -> None:
    assert aliases.own_name(theirs) == ours


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("[agents.defaults]\nmodel = 'm'", "agents.defaults.model is called model in dotagent"),
        ("[agents.defaults]\nworkspace = '~/clawd'", "choose dotagent's data directory with DOTAGENT_HOME"),
        ("[agents.defaults]\nthinking = 'low'", "put settings for all agents above the tables"),
        ("[channels.discord]\ntoken = 't'", "channels.discord.token is called DISCORD_BOT_TOKEN, in .env, in dotagent"),
        ("[hooks.internal.entries.soul-evil]\nchance = 0.1", "is called hooks.soul-evil.chance in dotagent"),
        ("[memorySearch]\nenabled = true", "memorySearch.enabled is called memory_search.enabled in dotagent"),
        ("[memory_search]\nstore = '~/x.sqlite'", "memory_search.store is not a setting; remove it"),
    ],
)
def test_a_file_of_settings_in_their_words_is_answered_with_ours(tmp_path: Path, written: str, told: str) -> None:
    where = make_home(tmp_path)
    (tmp_path / "dotagent.toml").write_text(written)
    with pytest.raises(Misuse, match=re.escape(told)):
        home.settings(where)


def test_a_profile_is_a_home_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DOTAGENT_PROFILE", "aria")
    assert home.find(None).root == tmp_path / ".dotagent-aria"
    monkeypatch.setenv("DOTAGENT_HOME", str(tmp_path / "named"))
    assert home.find(None).root == tmp_path / "named"
    monkeypatch.delenv("DOTAGENT_HOME")
    monkeypatch.setenv("DOTAGENT_PROFILE", "../x")
    with pytest.raises(Misuse, match="aria"):
        home.find(None)
    assert "DOTAGENT_PROFILE" in variables.split({"DOTAGENT_PROFILE": "aria"})[0]  # an agent runs itself anew
