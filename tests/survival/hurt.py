"""A home that was lived in, for tests that hurt it, and how a life goes on there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from world import World, said, world

from dotagent.store import home, log
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def answers(messages: list[ChatMessage], call: Call) -> str:
    return f"answer {sum(message['role'] == 'assistant' for message in messages) + 1}"


def the_life(where: Home) -> Path:
    return where.agent(home.lives(where)[0])


def goes_on(where: Home, model: Callable[[list[ChatMessage], Call], str | None] = answers) -> World:
    """The life is resumed, hears, answers, and its log is whole."""
    before = (the_life(where) / "LIFE.md").read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    heard = said(where)
    with world(where.root, model) as here:
        here.say("are you there?")
        here.run()
        assert len(said(where)) == len(heard) + 1
        assert said(where)[:-1] == heard
    after = (the_life(where) / "LIFE.md").read_bytes()
    assert after.startswith(before)
    lines = list(log.lines(the_life(where) / "LIFE.md"))
    assert all(a.at < b.at for a, b in pairwise(lines))
    return here
