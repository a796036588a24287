"""providers: what is configured, and with --check a live call each; the keys stay out of sight."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path

import pytest
from providers.loopback import Answer, Received, Server, closed_port, refusal, stream
from support import PATIENCE, run, spawn, until

from dotagent import extensions
from dotagent.providers.server import catalogue
from dotagent.store import launch
from dotagent.store.home import Home

KEY = "sk-0123456789abcdef"
MODELS = {"/v1/models": {"data": [{"id": "tiny", "meta": {"n_ctx": 8192}}]}}


def told(where: Home, *words: str, status: int = 0, **env: str) -> dict[str, dict[str, object]]:
    """The rows by name, when it ends so; no key in them."""
    done = run(where, "-m", "dotagent", "providers", "--json", *words, env=env)
    assert (done.returncode, done.stderr) == (status, "")
    assert KEY not in done.stdout
    rows = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    return {row.pop("name"): row for row in rows}


@pytest.mark.slow
def test_every_provider_is_listed_in_the_order_of_choice(where: Home) -> None:
    (where.root / ".env").touch(0o600)
    (where.root / ".env").write_text(f"GEMINI_API_KEY={KEY}\n")
    (where.root / "dotagent.toml").write_text('[providers.deepseek]\nmodel = "deepseek-chat"\nwindow = 9000\n')
    (where.calls / "providers.json").write_text('{"local": {"model": "tiny", "window": 8192, "known": true}}')
    rows = told(where, DEEPSEEK_API_KEY=KEY)
    assert list(rows)[:2] == ["deepseek", "openrouter"] and sorted(rows) == list(extensions.names("providers"))
    rows["deepseek"].pop("warning", "")  # that models.toml is old, once it is
    assert rows["deepseek"] == {"configured": True, "why": "", "model": "deepseek-chat", "window": 9000, "sees": []}
    assert rows["gemini"]["configured"] is True
    assert rows["anthropic"]["configured"] is False and "ANTHROPIC_API_KEY" in str(rows["anthropic"]["why"])
    assert (rows["local"]["model"], rows["local"]["window"]) == ("tiny", 8192)  # as it told when it was served
    lines = run(where, "-m", "dotagent", "providers", env={"DEEPSEEK_API_KEY": KEY}).stdout.split("\n")
    assert lines[0].split() == ["provider", "model", "window", "state"]
    assert re.match("deepseek +deepseek-chat +9,000  configured", lines[1])
    assert [line.split(" ")[0] for line in lines[1:-1] if not line.startswith(" ")] == list(rows)


@pytest.mark.slow
def test_a_setting_of_an_earlier_version_is_named_and_stops_nothing(where: Home) -> None:
    (where.root / "dotagent.toml").write_text("[providers.local]\nexamples = 2\n")
    (row,) = told(where, "local").values()
    assert "dotagent no longer uses examples; remove this from [providers.local]" in str(row["warning"])


@pytest.mark.night
def test_a_check_asks_each_that_is_configured_and_fails_when_one_does(where: Home) -> None:
    answers = (refusal(401, f"bad key {KEY}"), stream("hello"))
    with Server(*answers) as server, Server(stream("hello"), pages=MODELS) as own:
        env = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_API_BASE": server.base, "LOCAL_API_BASE": own.base + "/v1"}
        names = ("deepseek", "local", "openai", "offline")
        rows = told(where, "--check", *names, status=1, **env)
        assert rows["deepseek"]["ok"] is False and "DEEPSEEK_API_KEY" in str(rows["deepseek"]["hint"])
        assert "ok" not in rows["openai"] and rows["offline"]["ok"] is True
        mine = rows["local"]
        assert (mine["ok"], mine["model"], mine["window"]) == (True, "tiny", 8192)
        assert mine["usage"] == {"input": 100, "cached": 64, "output": 9, "reasoning": 4}
        rows = told(where, "--check", *names, **env)
        assert rows["deepseek"]["ok"] is True and isinstance(rows["deepseek"]["ms"], int)
        assert len(server.received) == 2
        done = run(where, "-m", "dotagent", "providers", "--check", "local", env=env)
        assert re.search(r"\nlocal +tiny +8,192  answered in \d+ ms \(100 input, ", done.stdout)


@pytest.mark.slow
def test_a_provider_that_answers_answers_whatever_it_tells_of_itself(where: Home) -> None:
    with Server(stream("hello")) as server:  # a 404 for every look
        names = ("gemini", "openrouter", "local")
        env = {f"{name.upper()}_API_{what}": it for name in names for what, it in (("KEY", KEY), ("BASE", server.base))}
        rows = told(where, "--check", *names, DOTAGENT_MODEL="mine", **env)
        assert {name: (rows[name]["ok"], rows[name]["model"]) for name in names} == dict.fromkeys(names, (True, "mine"))
        rows = told(where, "--check", "local", status=1, **env)
        assert rows["local"]["ok"] is False and "has no model of that name" in str(rows["local"])


def test_of_a_lifes_own_table_only_options_are_said_to_be_left_out(where: Home) -> None:
    own = 'temperature = 0.5\nfallback = ["openai"]\nrooms = ["dev"]\n[agents.aria.budget]\ntokens_a_day = 1\n'
    (where.root / "dotagent.toml").write_text(f"[agents.aria]\n{own}")
    rows = told(where, "anthropic", "openai", ANTHROPIC_API_KEY=KEY, OPENAI_API_KEY=KEY)
    assert rows["anthropic"]["warning"] == "this provider does not support temperature of [agents.aria]"
    assert "warning" not in rows["openai"]


@pytest.mark.slow
def test_a_window_that_is_a_guess_is_called_one(where: Home) -> None:
    with Server(stream("hello"), pages={"/v1/models": {"data": [{"id": "m"}]}}) as server:
        env = {"LOCAL_API_BASE": f"{server.base}/v1"}
        told_so = "the context window of m is unknown, assuming 4,096; set `window = N` under [providers.local]"
        assert told(where, "--check", "local", **env)["local"]["warning"] == told_so
        catalogue.Catalogue(where, ["local"], env).publish()
        until(lambda: launch.published(where)["local"].get("warning") == told_so, where.calls)
        assert told(where, "local", **env)["local"]["warning"] == told_so  # as it told when it was served
        (where.root / "dotagent.toml").write_text("[providers.local]\nwindow = 5000\n")
        row = told(where, "--check", "local", **env)["local"]
        assert (row["window"], row.get("warning")) == (5000, None)


@pytest.mark.slow
def test_a_server_that_was_named_and_is_not_there_has_failed(where: Home) -> None:
    rows = told(where, "--check", "local", status=1, LOCAL_API_BASE=f"http://127.0.0.1:{closed_port()}/v1")
    assert rows["local"]["ok"] is False and rows["local"]["kind"] == "network"


def test_the_process_that_checks_shows_its_keys_to_nobody(where: Home) -> None:
    asked, go = threading.Event(), threading.Event()

    def answer(received: Received) -> Answer:
        asked.set()
        go.wait(PATIENCE)
        return stream("hello")

    with Server(answer) as server:
        env = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_API_BASE": server.base, "GITHUB_TOKEN": KEY + "x"}
        child = spawn(where, "-m", "dotagent", "providers", "--check", "deepseek", env=env)
        assert asked.wait(PATIENCE)
        shown = Path(f"/proc/{child.pid}/environ")
        if shown.exists() and os.access(shown, os.R_OK):
            assert KEY.encode() not in shown.read_bytes() + Path(f"/proc/{child.pid}/cmdline").read_bytes()
        go.set()
        out, err = child.communicate(timeout=PATIENCE)
        assert (child.returncode, err) == (0, "") and "answered in" in out
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert launch.published(where) == {}


def test_what_is_no_provider_is_said_in_one_line(where: Home) -> None:
    done = run(where, "-m", "dotagent", "providers", "nobody")
    assert (
        done.returncode == 2 and done.stderr.count("\n") == 1 and "the providers are anthropic, deepseek" in done.stderr
    )
