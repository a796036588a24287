"""A step costs as much in a long context as in a short one: nothing walks through all entries, or through LIFE."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import FrameType

import pytest
from world import World, world

import agent
from dotagent.capabilities.faint_memory.capability import feed_of
from dotagent.compaction import swap
from dotagent.store import log
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times

READS = 4
Model = Callable[[list[ChatMessage], Call], str]


def grown(path: Path, messages: int, faded: bool = False) -> None:
    """Make a life, and let it have heard and answered so many messages. With `faded`, a summary comes before them."""
    with world(path, lambda *_: "It is 14A, by the window.") as here:
        here.say("Which seat did I book on the flight to Tokyo?")
        here.run()
        if faded:
            swap.force(here.session, 1)
            here.say("Which seat did I book on the flight to Tokyo?")
            here.run()
            assert here.session.faded
        life = here.session.path / "LIFE.md"
        (here.session.path / "files/note.md").write_text("a note\n" * 30)
    *_, last = lines = list(log.lines(life))
    turn = [line for line in lines if line.event in ("HEAR", "ASK", "REPLY")][-3:]
    after = times.parse(last.at)
    with life.open("a", encoding="utf-8") as file:
        for number, line in enumerate(turn * messages + [last], 1):
            at = (after + timedelta(microseconds=number)).isoformat(timespec="microseconds")[:26] + "Z"
            file.write(log.render(replace(line, at=at)) + "\n")


def calls(here: World, text: str) -> Counter[str]:
    """Which functions of ours are called, and how often, until a message is answered."""
    found = Counter[str]()

    def count(frame: FrameType, event: str, given: object) -> None:
        if event == "call" and "dotagent" in frame.f_code.co_filename:
            found[f"{frame.f_code.co_filename}:{frame.f_code.co_name}"] += 1

    def counted(do: bool) -> bool:
        sys.setprofile(count)
        try:
            return agent.step(here.me) if do else bool(agent.rest(here.me))
        finally:
            sys.setprofile(None)

    here.say(text)
    while counted(True) or here.serve():
        pass
    counted(False)
    return found


def reading(messages: list[ChatMessage], call: Call) -> str:
    """Read some lines of a note after each result, then answer."""
    read = messages[-1]["content"].count("READ_FILE")
    return f"READ_FILE note.md {read + 1}-{read + 2}" if read < READS else "I have read it."


def noting(messages: list[ChatMessage], call: Call) -> str:
    """Note something, then answer."""
    return "I noted it." if "NOTE" in messages[-1]["content"] else "NOTE the seat to Tokyo is 14A"


@pytest.mark.slow
@pytest.mark.parametrize(("model", "faded"), [(reading, False), (reading, True), (noting, False)])
def test_a_step_costs_as_much_in_a_long_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Model, faded: bool
) -> None:
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", "200000")  # all of the messages have room: none fade
    found = []
    for messages in (5, 500):
        path = tmp_path / str(messages)
        grown(path, messages, faded)
        with world(path, model) as here:
            calls(here, "Read about the seat to Tokyo.")  # the first request after a start stands whole
            feed_of(here.session).catch_up()
            calls(here, "Read about the seat to Osaka.")  # the first search of a context looks up its turns once
            found.append(calls(here, "Read about the seat to Tokyo again."))
            assert len(here.session.entries) > 2 * messages
    few, many = found
    assert few.total() > 1000
    shards = 256  # folders of blobs, which one step may list
    assert {name: count for name, count in (many - few).items() if count > shards} == {}
    assert many.total() < 1.1 * few.total()
