"""dotagent.toml and the environment over it: what each setting may be, and how a mistake is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dotagent.errors import Misuse
from dotagent.store import home
from dotagent.store.home import Home, Settings


def test_settings_of_a_new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOTAGENT_NEARBY")
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    monkeypatch.delenv("DOTAGENT_POLICY", raising=False)
    assert home.settings(Home(tmp_path)) == Settings()
    assert Settings().context_limit == 64_000


@pytest.mark.night
@pytest.mark.parametrize("half", ["", 'owner = "an', "model ="])
def test_settings_that_are_half_saved_are_read_again(tmp_path: Path, half: str) -> None:
    """The other half comes before the reader's second look."""
    path, looks = tmp_path / "dotagent.toml", list[bool]()
    path.write_text(half)
    reading = [True]

    def save(event: str, given: tuple[object, ...]) -> None:
        if reading and event == "open" and str(given[0]) == str(path):
            looks.append(True)
            if len(looks) == 2:
                reading.clear()
                path.write_text('owner = "ana"\n')

    sys.addaudithook(save)
    try:
        assert home.settings(Home(tmp_path)).owner == "ana"
    finally:
        reading.clear()


def test_every_setting_and_the_environment_over_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dotagent.toml").write_text(
        'provider = "deepseek"\nmodel = "m"\ncontext_limit = 5000\n'
        'owner = "ana"\nroots = ["notes", "~/x"]\nrun = ["ab"]\nenvironment = ["EDITOR"]\n'
        'nearby = ["http://127.0.0.1:9"]\n'
        '[providers.deepseek]\nstall = 3\n[prices."deepseek-v4"]\ninput = 1\noutput = 2.5\n'
    )
    monkeypatch.delenv("DOTAGENT_NEARBY")
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    monkeypatch.delenv("DOTAGENT_POLICY", raising=False)
    found = home.settings(Home(tmp_path))
    assert found == Settings(
        "deepseek", "m", 5000, "ana", {"private": ("notes", "~/x")}, ("ab",), ("EDITOR",), {"deepseek": {"stall": 3}},
        prices={"deepseek-v4": {"input": 1, "output": 2.5}}, nearby=("http://127.0.0.1:9",),
    )  # fmt: skip
    monkeypatch.setenv("DOTAGENT_PROVIDER", "offline")
    monkeypatch.setenv("DOTAGENT_MODEL", "n")
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", "7000")
    found = home.settings(Home(tmp_path))
    assert (found.provider, found.model, found.context_limit) == ("offline", "n", 7000)
    monkeypatch.setenv("DOTAGENT_MODEL", "")
    assert home.settings(Home(tmp_path)).model == "m"
    monkeypatch.setenv("DOTAGENT_NEARBY", " http://a:1  http://b:2 ")
    assert home.settings(Home(tmp_path)).nearby == ("http://a:1", "http://b:2")
    monkeypatch.setenv("DOTAGENT_NEARBY", "")
    assert home.settings(Home(tmp_path)).nearby == ()
    monkeypatch.delenv("DOTAGENT_NEARBY")
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    monkeypatch.delenv("DOTAGENT_POLICY", raising=False)
    (tmp_path / "dotagent.toml").write_text("nearby = 3")
    with pytest.raises(Misuse, match="list of addresses"):
        home.settings(Home(tmp_path))


@pytest.mark.wide
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"provider = ", "Invalid value"), (b"\xff\xfea", "UTF-16"), (b"a = \0", "dotagent.toml"),
        (b"a = " + b"[" * 9999, "correct the file"), (b"colour = 3", "unknown setting 'colour'"),
        (b"provider = 3", "provider must be a text"), (b"context_limit = 999", "1000 or more"),
        (b"fade_to = 1", "from 0.1 to 0.9"), (b"fade_to = 0.95", "from 0.1 to 0.9"), (b"fade_to = true", "from 0.1"),
        (b"context_limit = true", "whole number"), (b"context_limit = 1.5e4", "whole number"),
        (b'context_limit = "many"', "whole number"), (b"roots = 'notes'", "lists of folders"),
        (b"run = [1]", "ids of agents"), (b"providers = 3", "a table for each provider"), (b"owner = 3\n", "owner"),
        (b"[providers]\ndeepseek = 3", "must be a table for each provider"), (b'owner = "ana b"', "one name"),
        (b"prices = 3", "must be a table for each model"), (b"[prices.m]\ninput = 1", "input and output"),
        (b"[prices.m]\ninput = true\noutput = 1", "a million tokens"),
        (b"[prices.m]\ninput = 1\noutput = 1\nhours = 'night'", "hours = \"1-4 6-10\""),
        (b"[prices.m]\ninput = 1\noutput = -1", "US dollars"), (b"[prices]\nm = 3", "input and output"),
        (b"[prices.m]\ninput = 1\noutput = 1\nin = 1", "input and output"),
        (b"[prices.m]\ninput = 1\noutput = nan", "input and output"),
        (b"[prices.m]\ninput = 1\noutput = 1\nabove = {input = 2, output = 2}", "above = { tokens = 200_000"),
        (b"[prices.m]\ninput = 1\noutput = 1\nabove = 3", "the prices of long prompts"),
        (b"[roots]\nfriends = ['x']", "lists of folders"), (b"[roots]\nprivate = 'x'", "lists of folders"),
        (b"[roots]\nprivate = ['.']\ngroup = ['ours']", "`private` and of `group` would share"),
        (b"[roots]\nprivate = ['a/b']\n'private bea' = ['a/../a']", "Choose different folders"),
        (b"[providers.ollama]\nbase = 'http://ana:word@127.0.0.1/v1'", "providers.ollama.base has a password"),
        (b"[providers.ollama]\nbase = 'http://h/v1?api_key=word'", "into .env"),
        (b"[providers.openai]\nwindw = 9", "'windw': did you mean window. Possible names: at_once, base, calls, "),
        (b"[providers.deepseek]\nwire = 'chat'", "has no setting 'wire'. Possible names: at_once, base, calls, "),
        (b"[providers.antropic]\n", "antropic.: there is no such provider"),
        (b"[providers.mine]\nbase = 'x'", "own program, run `python -m dotagent calls take --provider mine`"),
        (b"[providers.openai]\nwindow = '64000'", "window must be a whole number"),
        (b"[providers.openai-codex]\nwindow = 0", "window must be a whole number"),
        (b"[providers.local]\nwindow = true", "window must be a whole number"),
        (b"[providers.local]\nstall = nan", "stall must be a number from 0.001 to"),
        (b"[providers.openai]\ntemperature = 3", "temperature must be a number from 0 to 2"),
        (b"[providers.anthropic]\nthinking = 2.5", "must be true or false or a text or a whole number"),
        (b"[providers.openrouter]\nrouting = 'price'", "routing must be a table"),
        (b"[providers.openai.models.'gpt-6']\nwindow = 9", "model \"gpt-6\": has no option 'window'. Possible names:"),
        (b"[providers.openai]\nmodels = {a = 1}", "model \"a\": must be a table"),
        (b"[providers.offline]\ntemperature = 1", "has no setting 'temperature'"),
        (b"[agents.'An A']\ntemperature = 1", "Each table may have options"),
        (b"[agents.9f8e7d6c]\ntemprature = 1", "no option 'temprature': did you mean temperature. Possible names:"),
        (b"[agents.9f8e7d6c]\ntemperature = 'hot'", "temperature must be a number from 0 to 2"),
        (b"agents = 1", "agents must be one table for each agent"), (b"background = 1", "background must be a table"),
        (b"[background]\nprovider = 1", "provider must be a text"),
        (b"[background]\nprovider = 'anthropic'\ntemperature = 1.5", "names: calls, effort, max_tokens, thinking"),
        (b"[background]\nthink_hard = 1", "has no option 'think_hard'"),
        (b"[providers.work]\nlike = 'opnai'", "`like` must be one of anthropic, deepseek"),
        (b"[providers.work]\nlike = 'openai'\nkey = 'sk-123'", "key must be the name of a variable"),
        (b"[providers.work]\nlike = 'openai'\nwindw = 1", "has no setting 'windw'"),
        (b"[providers.openai]\nwire = 'chatt'", 'wire must be "chat" or "responses"'),
        (b"[providers.groq]\nwindw = 1", "did you mean window. Possible names: at_once, base, calls, "),
        (b"[providers.openai]\nlike = 'local'", "has no setting 'like'"),
        (b"[providers.'Big Co']\nlike = 'openai'", "cannot be the name of"),
        (b"[providers.ollama]\nthink = 3", "think must be true or false or a text"),
        (b"[bridges.telegram]\nfriends = ['https://ana:word@h']", "bridges.telegram.friends.1"),
        (b'owner = "a:b"', "one name"), (b'owner = "a]"', "one name"),
        (b"[web]\nsearch = 'searxng'\nbase = 'https://[x'", "web must be a table"),
        (b"[web]\nsearch = 'searxng'\nbase = 'https://x:99999'", "for searxng its address"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_settings_is_named_by_its_place(tmp_path: Path, text: bytes, told: str) -> None:
    (tmp_path / "dotagent.toml").write_bytes(text)
    with pytest.raises(Misuse, match=told) as refused:
        home.settings(Home(tmp_path))
    assert str(tmp_path / "dotagent.toml") in str(refused.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("notify = 3", "dotagent.toml: notify must be"),
        ("linger = 'long'", "dotagent.toml: linger must be"),
        ("ui = 1", "dotagent.toml: ui must be a table [ui.assistant]"),
        ("memory_flush = true", "dotagent.toml: memory_flush must be a table"),
        ("[heartbeat]\nevery = 5", "dotagent.toml: heartbeat must be a table"),
        ("bridges = 3", "dotagent.toml: bridges must"),
        ("[bridges.discrod]", "dotagent.toml: [bridges.discrod]: there is no such bridge: did you mean discord?"),
        ("bootstrap_max_chars = 1", "dotagent.toml: bootstrap_max_chars must be a whole number"),
    ],
)
def test_an_invalid_setting_that_guards_nothing_spoils_no_other(tmp_path: Path, text: str, told: str) -> None:
    where, rest = Home(tmp_path), 'policy = "refuse"\nsandbox = "required"\n'
    (tmp_path / "dotagent.toml").write_text(
        f"{rest}{text}\n[bridges.telegram]\n" if "s = 3" not in text else rest + text
    )
    found = home.settings(where)
    assert found.idle[0].startswith(told) and len(found.idle) == 1
    assert (found.sandbox, found.policy) == ("required", {"all": "refuse"})
    assert set(found.bridges) == (set() if text == "bridges = 3" else {"telegram"})
    with pytest.raises(Misuse, match=r"dotagent\.toml: "):
        home.parsed(where, (tmp_path / "dotagent.toml").read_bytes())


@pytest.mark.parametrize(
    "guard",
    [
        'policy = "never"',
        "sandbox = 'maybe'",
        "[limits]\nprocesses = 1",
        "network = true",
        "hosts = 3",
        "[roots]\nfriends = []",
        "[providers.ollma]",
        "zone = 'Mars'",
    ],
)
def test_an_invalid_setting_that_guards_something_stops_every_command(tmp_path: Path, guard: str) -> None:
    (tmp_path / "dotagent.toml").write_text(f"notify = 3\n{guard}\n")
    with pytest.raises(Misuse):
        home.settings(Home(tmp_path))


@pytest.mark.parametrize("limit", ["many", "0", "999", "-5000", "1e5", "²", "٣٣٣٣٣", "9" * 5000, " 5000 x"])
def test_a_limit_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", limit)
    with pytest.raises(Misuse, match="DOTAGENT_CONTEXT_LIMIT"):
        home.settings(Home(tmp_path))
