"""From the word of a person to the last effect of a turn it takes at most a second, whatever goes on."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import pytest
from lives import lines
from support import until
from world import World, said, world

from dotagent.life import stop_requests
from dotagent.life.background_events import works
from dotagent.processes import background
from dotagent.store import helpers, home, lives
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

SOON = 1.0  # seconds
TICKS = "while :; do date >> ticks; sleep 0.02; done"
KINDS = {  # what goes on while the word is said, by the first reply of the turn
    "command": f"RUN {TICKS}",
    "process": f"PROCESS start {TICKS}",
    "helper": "SPAWN count to a thousand",
    "steps": "READ_FILE 1.txt",
    "request": "",
}


@pytest.mark.alone
@pytest.mark.parametrize("moment", range(100))
def test_a_stop_reaches_all_that_goes_on_within_a_second(tmp_path: Path, moment: int) -> None:
    chance = random.Random(moment)
    kind, pause, pace = sorted(KINDS)[moment % len(KINDS)], chance.random(), chance.uniform(0.03, 0.1)
    begun, over, spoken, asked = threading.Event(), threading.Event(), list[float](), list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        if begun.is_set() and over.wait(pace):
            return "It is over."
        first = not begun.is_set()
        begun.set()
        asked.append(call.id)
        return None if kind == "request" else KINDS[kind] if first else f"READ_FILE {len(asked)}.txt"

    with world(tmp_path, model) as lived:

        def word() -> None:
            begun.wait()
            if kind in ("command", "process"):
                until((lived.session.path / "files" / "ticks").exists, lived.session.path / "files")
            over.wait(pause)
            spoken.append(time.time())
            stop_requests.ask(lived.where, "dev", "ana")

        talker = threading.Thread(target=word)
        talker.start()
        lived.say("tidy up")
        while not _stopped(lived):
            lived.run()
        _wait_for_all_ends(lived)
        ended = time.time()
        over.set()
        talker.join()
        ticks = lived.session.path / "files" / "ticks"
        last = max(ended, ticks.stat().st_mtime if ticks.exists() else 0.0)
        assert last - spoken[0] <= SOON
        assert lived.session.state.turn.effect is None
        assert [one for one in said(lived.where) if one.startswith("(no answer: stopped by ana")]
        assert not any(one.goes_on for one in works(lived.session.state.heard).values())


def _stopped(lived: World) -> bool:
    return any("cancelled stopped" in line.detail for line in lines(lived, "FAIL"))


def _wait_for_all_ends(lived: World) -> None:
    """Wait until no process and no helper of the turn goes on."""
    folder, store = lived.session.path / "processes", lived.session.store
    for number in background.numbers(folder):
        until(lambda place=folder / str(number): bool(background.describe_end(place)), folder / str(number))
    for one in home.lives(lived.where):
        if helpers.terms(store, one):
            until(lambda self_id=one: not lives.runs(lived.where, self_id), lived.where.agent(one))
