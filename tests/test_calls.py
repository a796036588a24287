"""The spool: a call is with one taker, has one answer, and outlives every process that ever held it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT, environment, make_home, noted, together

from dotagent import calls, errors, process
from dotagent.calls import Call, Outcome
from dotagent.errors import Trouble
from dotagent.home import Home

AGENT = "a" * 32
NOBODY = (2**22 + 1, "1")  # a pid that no process has


def id_of(number: int) -> str:
    return f"{number:032x}"


@pytest.fixture
def where(tmp_path: Path) -> Home:
    return make_home(tmp_path)


def place(where: Home, number: int, kind: str = "live", at: str = "") -> Call:
    call = Call(id_of(number), AGENT, "own", kind, "dev", at)
    calls.place(where, call)
    return call


def everything(where: Home) -> list[str]:
    """Every file of the spool."""
    return sorted(str(path.relative_to(where.calls)) for path in where.calls.rglob("*") if path.is_file())


def answer(where: Home, call: Call, text: str = "hi") -> bool:
    return calls.answer(where, where.store(), call, text, Outcome(finish="stop", usage={"input": 3}, model="m"))


def test_a_call_from_hand_to_hand(where: Home) -> None:
    call = place(where, 1)
    assert everything(where) == [f"new/own/{call.id}"]
    assert calls.placed(where, "own", call.id)
    assert calls.taken(where, call.id) is None
    mine = calls.take(where, "own")
    assert mine
    assert (mine.id, mine.attempt, mine.takers) == (call.id, 1, (process.own(),))
    assert everything(where) == [f"taken/{call.id}"]
    assert calls.taken(where, call.id) == mine
    assert calls.take(where, "own") is None
    stream = calls.stream(where, call.id)
    assert calls.done(where, AGENT, call.id) is None
    assert answer(where, mine, "<reasoning>\nhm\n</reasoning>\n\nhi there")
    outcome = calls.done(where, AGENT, call.id)
    assert outcome
    reply = where.store().get(outcome.reply)
    assert (reply.body, reply.gist, reply.parent, reply.agent) == (
        b"<reasoning>\nhm\n</reasoning>\n\nhi there", "hi there", call.id, AGENT,
    )  # fmt: skip
    assert (outcome.finish, outcome.usage, outcome.model) == ("stop", {"input": 3}, "m")
    assert calls.finished(where, AGENT) == [call.id]
    assert everything(where) == [f"done/{AGENT}/{call.id}", f"stream/{stream.name}"]
    calls.drop(where, AGENT, call.id)
    assert everything(where) == []
    assert calls.done(where, AGENT, call.id) is None


def test_placing_again_while_it_waits_changes_nothing(where: Home) -> None:
    place(where, 1)
    place(where, 1)
    assert len(everything(where)) == 1
    assert calls.take(where, "own")
    assert calls.take(where, "own") is None


def test_live_before_background_and_the_oldest_first(where: Home) -> None:
    order = [(1, "background", "2026-01-01"), (2, "live", "2026-01-03"), (3, "background", "2026-01-02"), (4, "live", "2026-01-02")]
    for number, kind, at in order:
        place(where, number, kind, at)
    assert [call.id for call in calls.waiting(where, "own")] == [id_of(n) for n in (4, 2, 1, 3)]
    first = calls.take(where, "own", "background")
    assert first
    assert first.id == id_of(1)
    taken = [calls.take(where, "own") for _ in range(4)]
    assert [call.id for call in taken if call] == [id_of(n) for n in (4, 2, 3)]
    assert calls.take(where, "other") is None


def test_eight_processes_take_each_call_once(where: Home) -> None:
    count = 150
    for number in range(count):
        place(where, number)

    def serve() -> None:
        while call := calls.take(where, "own"):
            with open(where.root / f"took-{os.getpid()}", "a") as file:
                file.write(f"{call.id}\n")
            assert answer(where, call)

    together(*[serve] * 8)
    took = Counter(word for path in where.root.glob("took-*") for word in path.read_text().split())
    assert took == Counter({id_of(number): 1 for number in range(count)})
    assert len(calls.finished(where, AGENT)) == count
    assert everything(where) == [f"done/{AGENT}/{id_of(number)}" for number in range(count)]


def test_who_looks_puts_back_while_others_take(where: Home) -> None:
    """Every call was with a taker that is gone; eight processes put back and take at once: each has one living taker."""
    count = 60
    for number in range(count):
        place(where, number)
        assert calls.take(where, "own", taker=NOBODY)

    def serve() -> None:
        for _ in range(30):
            calls.put_back(where)
            while call := calls.take(where, "own"):
                with open(where.root / f"took-{os.getpid()}", "a") as file:
                    file.write(f"{call.id}\n")
        time.sleep(0)
        for path in where.root.glob("took-*"):
            if path.name != f"took-{os.getpid()}":
                mine = set((where.root / f"took-{os.getpid()}").read_text().split()) if path.exists() else set()
                assert not mine & set(path.read_text().split())
        os.read(gate, 1)  # a taker that leaves is one that is gone

    gate, hold = os.pipe()
    ready, tell = os.pipe()
    for number in range(count):
        os.utime(where.calls / "taken" / id_of(number))
    children = []
    for _ in range(8):
        (where.root / "all").touch()
        child = os.fork()
        if child == 0:
            os.close(hold)
            (where.root / f"took-{os.getpid()}").touch()
            try:
                for _ in range(400):
                    calls.put_back(where)
                    while call := calls.take(where, "own"):
                        with open(where.root / f"took-{os.getpid()}", "a") as file:
                            file.write(f"{call.id}\n")
                os.write(tell, b".")
                os.read(gate, 1)
            finally:
                os._exit(0)
        children.append(child)
    for _ in children:
        os.read(ready, 1)
    took = Counter(word for path in where.root.glob("took-*") for word in path.read_text().split())
    os.close(hold)
    for child in children:
        os.waitpid(child, 0)
    assert took == Counter({id_of(number): 1 for number in range(count)})
