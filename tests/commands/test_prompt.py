"""The next prompt, and any one that was ever sent, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lives import lines
from looking import told
from support import make_home, run
from world import World, offline, world

from dotagent import commands


@pytest.mark.slow
def test_the_next_prompt_and_those_that_were_sent(tmp_path: Path) -> None:
    sent: list[object] = []

    def model(messages, call):  # type: ignore[no-untyped-def]
        sent.append(messages)
        return offline(messages, call)

    with world(tmp_path / "home", model) as lived:
        lived.say("Which seat did I book?")
        lived.run()
        shown = run(lived.where, "-m", "dotagent", "prompt", lived.session.id[:8])
        assert shown.returncode == 0 and shown.stdout.startswith((lived.where.root / "SOUL.md").read_text()[:40])
        assert "Which seat did I book?" in shown.stdout
        (asked,) = lines(lived, "ASK")
        request = json.loads(told_of_call(lived, asked.id[:12], "--json"))
        assert request["messages"] == sent[0]
        plain = told_of_call(lived, asked.id[:12])
        assert plain == "\n\n".join(message["content"] for message in request["messages"])
        following = json.loads(told(lived, "prompt", "--json"))["messages"]
        assert following[: len(request["messages"]) - 1] == request["messages"][:-1]


def told_of_call(lived: World, *words: str) -> str:
    done = run(lived.where, "-m", "dotagent", "prompt", "--call", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_one_of_the_two(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    with pytest.raises(commands.Misuse, match="name either an agent"):
        commands.run("prompt", ["--home", str(where.root), "--last", "--call", "f" * 32])
