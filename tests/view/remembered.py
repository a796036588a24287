"""A life with fades, unfades, a seat and a secret, and what `context` showed of it at each step."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lives import good, prose, setting, talking
from looking import rows, told
from world import World, world

from dotagent.compaction import receipt
from dotagent.store.home import SETTINGS, Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

LIMIT = setting(1200)
SECRET = "my PIN at the bank is 4711"
SEAT = "My flight to Tokyo leaves on 3 May, seat 14A."
ANSWER = "Your seat on the flight to Tokyo is 14A. Bon voyage, dear traveller of the seven oceans."


@dataclass
class Remembered:
    """The home, the agent, and what `context.md` was after each step, by the size of LIFE; sometimes also what the
    command `context` printed."""

    where: Home
    self_id: str = ""
    shown: dict[int, bytes] = field(default_factory=dict)
    listed: dict[int, list[dict[str, object]]] = field(default_factory=dict)

    def look(self, lived: World) -> None:
        session = lived.session
        at = (session.path / "LIFE.md").stat().st_size
        self.self_id, self.shown[at] = session.id, session.file.read_bytes()
        if len(self.shown) % 40 == 0:
            self.listed[at] = rows(told(lived, "context", "--json"))


def model(messages: list[ChatMessage], call: Call) -> str | None:
    """Answer the question about the seat, and anything else with a word."""
    asked = call.kind == "live" and "which seat" in messages[-1]["content"]
    return ANSWER if asked else talking(good)(messages, call)


@contextmanager
def remembered() -> Iterator[Remembered]:
    """The life, which slept and woke in between, and then sleeps."""
    chance = random.Random(37)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as path:
        patch.setenv("DOTAGENT_CONTEXT_LIMIT", str(LIMIT))
        patch.setenv("USER", "ana")
        seen = Remembered(Home(Path(path)))
        (Path(path) / SETTINGS).write_text(f'context_limit = {LIMIT}\nowner = "ana"\n')
        for part in range(2):
            with world(Path(path), model) as one:
                one.on_step = seen.look
                seen.look(one)
                for number in range(15):
                    said = {(0, 1): SEAT, (0, 3): SECRET, (1, 14): "which seat did I book to Tokyo?"}
                    one.say(said.get((part, number)) or prose(chance, chance.randint(20, 75)))
                    if (part, number) in ((0, 12), (1, 5)) and receipt.last(one.where, one.session.id):
                        swaps = [line.id for line, _ in receipt.swaps(one.where, one.session.id)]
                        (one.session.path / "run" / "unfade").write_text(chance.choice(swaps[-2:]))
                    one.run()
        yield seen
