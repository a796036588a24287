"""One life under several providers, and one provider under several agents: nothing is lost, and keys find their way."""

from __future__ import annotations

import json
import os
import re

import pytest
import shown
from alive import Alive, a_home, hears, provider_of, say
from providers.loopback import STALL, Answer, Server, event, stream
from support import PATIENCE, run, until

from dotagent.life import replay
from dotagent.store import launch
from dotagent.store.home import Home
from dotagent.text import tokens

KEY, OTHER = "sk-one-of-switching-0123", "sk-other-of-switching-0123"


def lines(*answers: str) -> Answer:
    """An answer as Ollama streams it."""
    said = [json.dumps({"message": {"content": text}, "done": False}).encode() + b"\n" for text in answers]
    end = {"message": {"content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 26, "eval_count": 3}
    return Answer((*said, json.dumps(end).encode() + b"\n"), headers={"content-type": "application/x-ndjson"})


SHOWN = {"model_info": {"general.architecture": "q", "q.context_length": 131_072}, "capabilities": ["completion"]}
PAGES = {"/api/tags": {"models": [{"model": "qwen3:8b"}]}, "/api/show": SHOWN}


def limit(where: Home, alive: Alive) -> int:
    """The limit in force, as LIFE tells."""
    return replay.derive(where, alive.id, 64_000).state.model.most or 64_000


@pytest.mark.slow
def test_a_life_goes_on_under_another_provider_with_the_same_context() -> None:
    with a_home() as where, Server(stream("first words")) as hosted, Server(lines("second words"), pages=PAGES) as own:
        (where.root / "dotagent.toml").write_text(
            "[providers.deepseek]\nwindow = 8000\n[providers.ollama]\nwindow = 60000\n"
        )
        env = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_API_BASE": hosted.base, "OLLAMA_API_BASE": own.base}
        alive = Alive(where, **env)
        say(where, "what did I say?")
        hears(where, "first words")
        until(lambda: launch.published(where).get("deepseek"), where.calls)
        say(where, "and now?")
        hears(where, "first words", 2)
        alive.end()
        path = where.agent(alive.id) / "context.md"
        before, small = path.read_bytes(), limit(where, alive)
        assert small == tokens.limit(8000)

        again = Alive(where, alive.id, "--provider", "ollama", **env)
        resumed = again.waits_for("RESUME")
        until(lambda: launch.published(where).get("ollama", {}).get("known"), where.calls)
        assert limit(where, again) == 64_000  # what the other model did not take, this one may
        say(where, "and still?")
        hears(where, "second words")
        again.end()
        assert limit(where, again) == tokens.limit(60_000) > small
        entries = shown.parse(path.read_bytes())
        assert path.read_bytes().startswith(before)
        number = len(shown.parse(before))
        assert [entry.event for entry in entries[number:]] == ["RESUME", "HEAR", "REPLY"]
        assert resumed.detail == "ollama"
        first, second = (server.received[-1].body["messages"] for server in (hosted, own))
        assert isinstance(first, list) and isinstance(second, list)
        fixed = [re.sub(r"(?m)^Your model is .*", "", one[0]["content"]) for one in (first, second)]
        assert fixed[0] == fixed[1] and second[1]["content"].startswith(first[1]["content"])
        assert [one.event for one in again.lines("WINDOW")] == ["WINDOW", "WINDOW"]
        assert {line.detail.split(" ")[2] for line in again.lines("REPLY")} == {"provider=deepseek", "provider=ollama"}


@pytest.mark.slow
def test_an_agent_that_brings_a_token_file_replaces_a_provider_that_had_none() -> None:
    """And one that brings another file replaces that one; a file that changes is read again without."""
    with a_home() as where, Server(stream("here I am")) as server:
        first, second = where.root.parent / "first.json", where.root.parent / "second"
        for file, token in ((first, KEY), (second, OTHER)):
            file.touch(0o600)
            file.write_text(json.dumps({"tokens": {"access_token": token}}) if file is first else f"{token}\n")
        alive = Alive(where, "--provider", "openai", "--model", "gpt-4o", OPENAI_API_BASE=server.base)
        say(where, "hello")
        assert "OPENAI_OAUTH_TOKEN_FILE" in hears(where, "(no answer: ")
        pids = [provider_of(where, "openai")]
        for number, file in enumerate((first, second), 1):
            env = {"OPENAI_API_BASE": server.base, "OPENAI_OAUTH_TOKEN_FILE": str(file)}
            Alive(where, "--room", "other", "--model", "gpt-4o", **env).end()
            if number > 1:  # the first one answers what is owed
                say(where, "and now?")
            hears(where, "here I am", number)
            pids.append(provider_of(where, "openai"))
        assert len(set(pids)) == 3
        second.write_text(f"{KEY}x\n")
        say(where, "and now?")
        hears(where, "here I am", 3)
        sent = [one.headers["authorization"] for one in server.received]
        assert sent == [f"Bearer {KEY}", f"Bearer {OTHER}", f"Bearer {KEY}x"]
        assert provider_of(where, "openai") == pids[-1]
        alive.end()


@pytest.mark.slow
def test_a_call_on_a_slow_server_is_cancelled_by_hand() -> None:
    with a_home() as where, Server(Answer((event({"content": "half an ans"}), STALL)), stream("whole")) as server:
        alive = Alive(where, DEEPSEEK_API_KEY=KEY, DEEPSEEK_API_BASE=server.base)
        say(where, "hello")
        id = alive.waits_for("ASK").id
        streams = where.calls / "stream"
        until(streams.is_dir, where.calls)
        until(lambda: any(os.path.getsize(path) for path in streams.iterdir()), streams)
        done = run(where, "-m", "dotagent", "calls", "cancel", id[:12])
        assert (done.returncode, done.stderr) == (0, "")
        assert hears(where, "(no answer: ") == "(no answer: the request was cancelled)"
        assert server.hung_up.wait(PATIENCE)
        say(where, "again")
        hears(where, "whole")
        until(lambda: not list(streams.iterdir()), streams)
        assert alive.end() == (0, "", "")
