"""Long lives for the benches: a life that was really booted, talked and swapped, with any number of events in its past.

The past is put as bytes, in the real format, between the birth and the talk before the last swap, which covers it: so
LIFE is as long as one likes within seconds, and all that the life still looks at is real. Blobs of such a past are
named and are not there; nothing but `doctor` and RECALL would ask for them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import common

from dotagent.life.events import Swap
from dotagent.life.state import State, change
from dotagent.store import log
from dotagent.store.home import Home
from dotagent.text import times

EVERY = timedelta(seconds=5)  # an event
GIST = "ana: which seat did I book on the flight to Tokyo in May, and is it a window"
TEXT = "The quick brown fox jumps over the lazy dog, and then it goes on to the next hill. " * 6  # about 140 tokens


def make(path: Path, events: int, tokens: int) -> tuple[Home, str]:
    """A sleeping life of about so many events and, since its last swap, a context of about so many tokens."""
    where = common.make_home(path)
    self_id = common.born(where)
    path = where.agent(self_id) / "LIFE.md"
    _age(path, EVERY * events)
    with common.living(where, self_id) as living:
        session = living.session
        living.turn("hello", "hello")
        session.swap(session.entries, Swap("bench"), _restating(session.state))
        while session.tokens < tokens:
            living.turn(TEXT, TEXT)
    there = path.read_bytes().count(b"\n")
    _bury(path, max(0, events - there))
    return where, self_id


def _restating(state: State) -> State:
    return change(state, forgetting=change(state.forgetting, restate=True))


def _age(path: Path, age: timedelta) -> None:
    """Move the events of a sleeping life into the past."""
    with open(path, "r+b") as file:
        old = [log.parse(line) for line in file.read().split(b"\n")[:-1]]
        file.seek(0)
        for line in old:
            assert line
            at = _stamp(times.parse(line.at) - age - timedelta(days=1))
            file.write(log.render(replace(line, at=at)).encode() + b"\n")


def _bury(log: Path, events: int) -> None:
    """Put so many events behind a life's first sleep."""
    data = log.read_bytes()
    cut = data.index(b"\n", data.index(b" SLEEP")) + 1
    first = times.parse(data[:cut].split(b"\n")[-2][:27].decode())
    step = (datetime.now(UTC) - timedelta(minutes=10) - first) / (events + 1)
    with open(log, "wb") as file:
        file.write(data[:cut])
        for number, event in zip(range(1, events + 1), _past(), strict=False):
            file.write(f"{_stamp(first + step * number)} {event}\n".encode())
        file.write(data[cut:])


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")[:26] + "Z"


def _past() -> Iterator[str]:
    """Turns of a message, a tool and an answer."""
    chance, offset = random.Random(2), 0

    def named() -> str:
        return f"◱hash={chance.getrandbits(128):032x} gist={GIST}◲"

    while True:
        offset += chance.randrange(40, 400)
        used = f"finish=stop model=script input={offset % 60000} output=40"
        yield f"HEAR dev {offset} {chance.getrandbits(48):012x} USER:ana {named()}"
        yield f"ASK scripted dev {named()}"
        yield f"REPLY dev {used} {named()}"
        yield f"TOOL READ_FILE ok {named()}"
        yield f"ASK scripted dev {named()}"
        yield f"REPLY dev {used} {named()}"
        yield f"SAY dev {offset} 2026-11-21T20:17:24.123456Z"
        yield "DID SAY"
