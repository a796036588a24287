"""A real model behind llama.cpp's server, or any that speaks chat completions: only where LOCAL_API_BASE is set."""

from __future__ import annotations

import os

import pytest
from alive import Alive, a_home, say
from support import until

from dotagent.providers import Prompt, ProviderError, configure, describe, local
from dotagent.store import launch

# Read when this is imported: while a test runs, no such variable is set.
GIVEN = {name: os.environ[name] for name in ("LOCAL_API_BASE", "LOCAL_API_KEY") if os.environ.get(name)}
PATIENCE = 600.0  # seconds: a small machine reads some fifty tokens of a prompt in a second

pytestmark = pytest.mark.skipif(
    "LOCAL_API_BASE" not in GIVEN,
    reason="LOCAL_API_BASE is not set: it is the address of a llama.cpp server, http://127.0.0.1:8080/v1",
)


def test_it_tells_its_model_and_answers_piece_by_piece() -> None:
    config = configure("local", GIVEN, {})
    seen = describe(local, config)
    assert seen.model
    assert seen.window > 0
    pieces = list[str]()
    asked = Prompt(seen.model, ({"role": "user", "content": "Count from one to ten."},), {"max_tokens": 12})
    reply = local.answer(asked, config, lambda _, delta: pieces.append(delta), lambda: False)
    assert reply.text + reply.reasoning
    assert "".join(pieces) == reply.reasoning + reply.text
    assert len(pieces) > 1


def test_a_prompt_that_no_such_server_has_room_for_is_too_long() -> None:
    config = configure("local", GIVEN, {})
    asked = Prompt(describe(local, config).model, ({"role": "user", "content": "word " * 300_000},))
    with pytest.raises(ProviderError) as caught:
        local.answer(asked, config, lambda *_: None, lambda: False)
    assert caught.value.kind == "too_long"
    assert (caught.value.size or 300_000) > 250_000


def test_an_agent_asks_it_and_takes_its_reply() -> None:
    """What a small model makes of its instructions is its own affair: it may well WAIT, or say nothing."""
    with a_home() as where:
        alive = Alive(where, "--provider", "local", **GIVEN)
        say(where, "Say hello to me.")
        line = until(lambda: alive.lines("REPLY", "FAIL"), where.agent(alive.id), PATIENCE)[0]
        assert line.event == "REPLY", line
        assert f"model={launch.published(where)['local']['model']}" in line.detail
        assert "finish=stop" in line.detail or "finish=length" in line.detail
        assert where.store().get(line.id).agent == alive.id
        assert alive.end() == (0, "", "")
