"""config: every setting by a command, and secrets never shown."""

from __future__ import annotations

import json
import re
from contextlib import redirect_stdout
from io import StringIO

import pytest
from looking import printed, rows
from support import ROOT, run
from terminals import Terminal

from dotagent import commands
from dotagent.errors import Misuse, Trouble
from dotagent.store import setting_rules
from dotagent.store.home import Home

KEY = "sk-0123456789abcdef"


VALUES = {
    "provider": "offline", "model": "m", "context_limit": "9000", "owner": "bob", "roots": '{private = ["~/notes"]}',
    "run": "9f8e7d6c", "environment": "EDITOR,PAGER", "providers": '{deepseek = {model = "m"}}',
    "background": '{model = "m"}', "bridges": '{discord = {users = ["@ana"]}}',
    "prices": '{m = {input = 1, output = 2}}', "nearby": "[]", "budget": "{dollars_a_day = 2}", "fallback": "local",
    "linger": "60",
    "agents": "{9f8e7d6c = {fallback = ['local']}}",
}  # fmt: skip
"""A value for each of the settings as a person would type it."""


@pytest.mark.wide
@pytest.mark.parametrize("name", VALUES)
def test_a_setting_is_set_shown_and_unset(where: Home, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOTAGENT_NEARBY")
    printed(where, "config", "set", name, VALUES[name])
    (told,) = rows(printed(where, "config", "get", name, "--json"))
    listed = rows(printed(where, "config", "list", "--json"))
    assert told["name"] == name and told["value"] is not None
    assert any(row["name"].split(".")[0] == name and row["from"] == "dotagent.toml" for row in listed)
    printed(where, "config", "unset", name)
    listed = rows(printed(where, "config", "list", "--json"))
    assert not any(row["from"] == "dotagent.toml" for row in listed)


def test_there_is_a_value_for_every_setting() -> None:
    assert set(VALUES) <= set(setting_rules.rules())
    assert [name for name in ("provider", "budget", "agents") if name not in VALUES] == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("get",), "config get NAME"), (("list", "model"), "config list"), (("get", "model", "x"), "config get"),
        (("set", "modle", "x"), "did you mean model"), (("set", "model"), "the value is missing"),
        (("set", "DEEPSEEK_KEY", "x"), "did you mean DEEPSEEK_API_KEY"), (("unset", "model"), "is not set"),
        (("set", "DOTAGENT_MODEL", "x"), "an environment variable"),
        (("set", "DOTAGENT_MEMORY_WORKER_POLL_MS", "7"), "dotagent does not poll"),
        (("set", "fallback", '["openai", "ofline"]'), "no provider 'ofline': did you mean offline"),
        (("set", "policy.allow", '["say dev", "fletch x.org"]'), "no kind of action 'fletch': did you mean fetch"),
        (("set", "context_limit", "many"), "whole number"), (("unset", "DEEPSEEK_API_KEY"), "is not set in .env"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(where: Home, words: tuple[str, ...], why: str) -> None:
    with pytest.raises(Misuse, match=why):
        commands.run("config", ["--home", str(where.root), *words])
    assert not (where.root / "dotagent.toml").exists() and not (where.root / ".env").exists()


def test_what_is_not_set_is_status_1(where: Home) -> None:
    for name in ("model", "budget.dollars_a_day", "DEEPSEEK_API_KEY"):
        with pytest.raises(Trouble, match="is not set") as trouble:
            commands.run("config", ["--home", str(where.root), "get", name])
        assert trouble.value.status == 1


def test_a_secret_from_a_pipe_goes_into_env_and_is_never_shown(where: Home) -> None:
    done = run(where, "-m", "dotagent", "config", "set", "providers.deepseek.api_key", stdin=f"{KEY}\n")
    assert done.returncode == 0 and "is called DEEPSEEK_API_KEY" in done.stderr
    path = where.root / ".env"
    assert path.read_text() == f"DEEPSEEK_API_KEY={KEY}\n" and path.stat().st_mode & 0o777 == 0o600
    assert not (where.root / "dotagent.toml").exists()
    shown = done.stdout + done.stderr
    for words in (("get", "DEEPSEEK_API_KEY"), ("list",), ("list", "--json")):
        shown += printed(where, "config", *words)
    assert KEY not in shown and "DEEPSEEK_API_KEY" in shown
    printed(where, "config", "unset", "DEEPSEEK_API_KEY")
    assert path.read_text() == ""


@pytest.mark.parametrize(
    ("name", "warned"),
    [("OPENAI_API_KEY", True), ("OPENAI_API_BASE", True), ("OPENAI_PROJECT", False),
     ("providers.openai_codex.oauth_token_file", False)],
)  # fmt: skip
def test_a_secret_on_the_command_line_is_told_of_and_what_is_none_is_not(where: Home, name: str, warned: bool) -> None:
    done = run(where, "-m", "dotagent", "config", "set", name, "/some/thing")
    assert done.returncode == 0 and ("history" in done.stderr) == warned


def test_at_a_terminal_a_secret_is_typed_unseen(where: Home) -> None:
    with Terminal(where, "-m", "dotagent", "config", "set", "DISCORD_BOT_TOKEN", width=100) as screen:
        screen.sees("DISCORD_BOT_TOKEN (input is hidden):")
        screen.type(f"{KEY}\n")
        screen.sees("is saved in")
        assert screen.ends() == 0 and KEY not in screen.raw and screen.given_back()
    assert KEY in (where.root / ".env").read_text()


def test_what_a_program_of_ones_own_is_told_is_not_shown(where: Home) -> None:
    (where.calls / "new" / "own").mkdir(parents=True)
    (where.root / "dotagent.toml").write_text('[providers.own]\nkey = "hush"\n')
    listed = printed(where, "config", "list")
    assert "hush" not in listed and "providers.own" in listed


def test_the_environment_goes_before_and_that_is_said(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOTAGENT_MODEL", "other")
    done = run(where, "-m", "dotagent", "config", "set", "model", "mine", env={"DOTAGENT_MODEL": "other"})
    assert done.returncode == 0 and "DOTAGENT_MODEL overrides this setting" in done.stderr
    assert printed(where, "config", "get", "model") == "other\n"
    told = {row["name"]: row["from"] for row in rows(printed(where, "config", "list", "--json"))}
    assert told["model"] == "environment"


def test_broken_settings_are_a_failing_status_everywhere(where: Home) -> None:
    for broken in ("provider = ", "[bridges.discord]\nanswer = 'sometimes'\n"):
        (where.root / "dotagent.toml").write_text(broken)
        for words in (("config", "list"), ("config", "get", "model"), ("config", "set", "model", "m")):
            with pytest.raises(Misuse):
                commands.run(words[0], ["--home", str(where.root), *words[1:]])
        for name, status in (("status", 2), ("doctor", 1)):
            with redirect_stdout(StringIO()) as out:
                assert commands.run(name, ["--home", str(where.root), "--json"]) == status
            assert all(json.loads(line) for line in out.getvalue().split("\n")[:-1])
    (where.root / "dotagent.toml").write_text("nonsense = 1\n")
    for name in ("agents", "usage", "providers", "onboard"):
        with pytest.raises(Misuse, match="nonsense"):
            commands.run(name, ["--home", str(where.root)])


def test_the_page_of_settings_explains_each_setting() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    named = {
        name
        for row in re.findall(r"^\| (`[^|]*) \|", page, flags=re.MULTILINE)
        for name in re.findall(r"`\[?(\w+)", row)
    }
    assert setting_rules.rules().keys() <= named


def test_each_secret_that_the_page_of_settings_names_is_taken(where: Home) -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    named = {*re.findall(r"(?<![A-Z_])(?!DOTAGENT_)[A-Z]+(?:_[A-Z]+)*_(?:API_KEY|BOT_TOKEN)\b", page)} - {
        "NAME_API_KEY",
        "API_KEY",
    }
    assert "BRAVE_API_KEY" in named
    for name in sorted(named):
        done = run(where, "-m", "dotagent", "config", "set", name, stdin="key-0123456789\n")
        assert done.returncode == 0, (name, done.stderr)


def test_a_provider_that_does_not_exist_is_not_saved(where: Home) -> None:
    (where.root / "dotagent.toml").write_text("provider = 5\n")
    printed(where, "config", "set", "provider", "openai")  # repairs it
    with pytest.raises(Misuse, match="no provider 'opnai': did you mean openai"):
        commands.run("config", ["--home", str(where.root), "set", "provider", "opnai"])
    assert printed(where, "config", "get", "provider") == "openai\n"
    (where.calls / "new/mine").mkdir(parents=True)  # a program of the person's own takes requests there
    printed(where, "config", "set", "provider", "mine")
