"""Lives for bench/forget.py: the real loop on the real spool in this process, a model of our own, its time not counted.

A conversation is fed turn by turn as people who talk in a room. Owns passing homes.
"""

from __future__ import annotations

import io
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from forget_model import compacted  # noqa: E402  a bench is run from anywhere, so the path comes first
from world import World, world  # type: ignore[import-not-found]  # noqa: E402

import agent  # noqa: E402
from dotagent.store import log as log  # noqa: E402
from dotagent.store.log import Line  # noqa: E402
from dotagent.store.queue import Call  # noqa: E402
from dotagent.store.requests import ChatMessage  # noqa: E402
from dotagent.text import exact, tokens  # noqa: E402

if TYPE_CHECKING:
    from recall_sets import Talk

ROOM = "talk"
MEMORY = Path("/dev/shm")  # homes of benches that measure no disk
Model = Callable[[list[ChatMessage], Call], "str | None"]
WORDS = """the gardener, my sister, our neighbour, the carpenter, a friend from Lyon, the baker, his brother
repaired, polished, sold, measured, ordered, found, carried, cleaned, promised, forgot, described, borrowed, hid, lent
the fence, a red kite, the tax papers, the kitchen window, an old violin, the train tickets, a cake, two bicycles
on Monday, last week, before the holidays, at noon, in the rain, after dinner, in April, without telling anyone"""
PARTS = [line.split(", ") for line in WORDS.split("\n")]  # of a sentence


@dataclass
class Clock:
    """Seconds that the agent took for each turn; the model's own time is not in it."""

    turns: list[float] = field(default_factory=list)

    def run(self, lived: World) -> None:
        """Live until nothing is left to do."""
        spent, busy = 0.0, True
        while busy:
            began = time.perf_counter()
            done = agent.step(lived.me)
            if not done and lived.session.state.turn.call == "":
                agent.rest(lived.me)
            spent += time.perf_counter() - began
            busy = done or lived.serve()
        self.turns.append(spent)


def setting(limit: int) -> int:
    """The setting with which entries fade at about so many tokens: the size of the whole prompt."""
    return round(tokens.OVERFULL * limit) + tokens.HEAD


@contextmanager
def life(path: Path, limit: int, model: Model, audience: str = "group", most: int = 0) -> Iterator[World]:
    """A life in a home at the path, born or resumed, in the room `talk`. Its entries fade at `limit` tokens, or `most`
    is the setting of its whole prompt."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    before = dict(os.environ)
    os.environ.update(USER="ana", DOTAGENT_CONTEXT_LIMIT=str(most or setting(limit)))
    with ExitStack() as stack:
        with redirect_stdout(io.StringIO()):
            born = (path / "agents").is_dir()
            words = () if born else ("--audience", audience, "--room", ROOM)
            lived = stack.enter_context(world(path, model, *words))
        stack.callback(lived.me.watch.close)
        try:
            yield lived
        finally:
            os.environ.clear()
            os.environ.update(before)


def quiet(messages: list[ChatMessage], call: Call) -> str:
    """Silent where people talk to each other; compaction by extraction."""
    return compacted(messages) or ""


def answering(words: str) -> Model:
    """A model that always says these words, and compacts by extraction."""

    def model(messages: list[ChatMessage], call: Call) -> str:
        return words if call.kind == "live" else compacted(messages) or words

    return model


def feed(lived: World, talk: Talk, clock: Clock) -> None:
    """Let two people say the conversation, turn by turn, tagged with its old times."""
    for turn in talk.turns:
        lived.say(turn.text, turn.speaker, ROOM, f"{turn.at}Z")
        clock.run(lived)


def prose(size: int, draw: random.Random) -> str:
    """Sentences of about so many tokens."""
    text = ""
    while exact.count(text) < size:
        text += f" {' '.join(map(draw.choice, PARTS))}.".capitalize()
    return text.strip()


def lines(lived: World) -> Iterator[Line]:
    """The events of the life."""
    return log.lines(lived.session.path / "LIFE.md")


def count(lived: World, event: str, detail: str = "") -> int:
    """How often this happened to the life; `detail` is how the event's detail begins."""
    return sum(1 for line in lines(lived) if line.event == event and line.detail.startswith(detail))
