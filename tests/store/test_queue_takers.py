"""Who takes a call: one of many, and the next when that one has died."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from multiprocessing import get_context

import pytest
from spooled import AGENT, NOBODY, answer, everything, id_of, place
from support import together

from dotagent.store import process, queue, taken_calls
from dotagent.store.home import Home


@pytest.mark.slow
def test_eight_processes_take_each_call_once(where: Home) -> None:
    count = 150
    for number in range(count):
        place(where, number)

    def serve() -> None:
        while call := queue.take(where, "own"):
            with open(where.root / f"took-{os.getpid()}", "a") as file:
                file.write(f"{call.id}\n")
            assert answer(where, call)

    together(*[serve] * 8)
    took = Counter(word for path in where.root.glob("took-*") for word in path.read_text().split())
    assert took == Counter({id_of(number): 1 for number in range(count)})
    assert len(queue.finished(where, AGENT)) == count
    assert everything(where) == [f"done/{AGENT}/{id_of(number)}" for number in range(count)]


@pytest.mark.night
def test_who_looks_puts_back_while_others_take(where: Home) -> None:
    """Every call's taker is gone; eight processes put back and take at once, and none takes what a living one has."""
    count = 40
    for number in range(count):
        place(where, number)
        assert queue.take(where, "own", taker=NOBODY)
    done = get_context("fork").Barrier(8)

    def serve() -> None:
        for _ in range(20):
            taken_calls.put_back(where)
            while call := queue.take(where, "own"):
                with open(where.root / f"took-{os.getpid()}", "a") as file:
                    file.write(f"{call.id} {call.attempt}\n")
        done.wait()  # a taker that has left is one that is gone

    together(*[serve] * 8)
    took = Counter(row for path in where.root.glob("took-*") for row in path.read_text().strip().split("\n"))
    assert took == Counter({f"{id_of(number)} 2": 1 for number in range(count)})


def test_a_call_that_a_dead_process_took_is_taken_again(where: Home) -> None:
    place(where, 1)
    ready, tell = os.pipe()
    taker = os.fork()
    if taker == 0:
        queue.take(where, "own")
        os.write(tell, b".")
        signal.pause()
    os.read(ready, 1)
    taken_calls.put_back(where)
    assert queue.take(where, "own") is None
    os.kill(taker, signal.SIGKILL)
    os.waitid(os.P_PID, taker, os.WEXITED | os.WNOWAIT)
    taken_calls.put_back(where)  # it is a zombie still: it does nothing any more
    again = queue.take(where, "own")
    os.waitpid(taker, 0)
    assert again
    assert [pid for pid, _ in again.takers] == [taker, os.getpid()]
    os.close(ready)
    os.close(tell)


def test_a_pid_that_is_used_again_is_another_process(where: Home) -> None:
    place(where, 1)
    pid, started = process.own_mark()
    assert queue.take(where, "own", taker=(pid, f"{int(started) - 1}"))
    taken_calls.put_back(where)
    again = queue.take(where, "own")
    assert again
    taken_calls.put_back(where)
    assert queue.take(where, "own") is None


def test_a_call_that_kills_its_takers_fails(where: Home) -> None:
    place(where, 1)
    for _ in range(taken_calls.TRIES):
        assert queue.take(where, "own", taker=NOBODY)
        assert queue.done(where, AGENT, id_of(1)) is None
        taken_calls.put_back(where)
    outcome = queue.done(where, AGENT, id_of(1))
    assert outcome
    assert (outcome.kind, outcome.retryable) == ("crashed", False)
    assert "calls/own.log" in outcome.hint
    assert queue.take(where, "own") is None


def test_a_call_that_is_answered_is_not_taken_again(where: Home) -> None:
    place(where, 1)
    call = queue.take(where, "own", taker=NOBODY)
    assert call
    path = where.calls / "taken" / call.id
    entry = path.read_bytes()
    assert answer(where, call)
    path.write_bytes(entry)  # as when it died between its answer and this
    taken_calls.put_back(where)
    assert queue.take(where, "own") is None
    assert queue.find_taken(where, call.id) is None


def test_a_taker_that_never_signed_has_a_little_time(where: Home) -> None:
    """A program of somebody's own takes with `mv`, and dies before it says who it is."""
    place(where, 1)
    (where.calls / "taken").mkdir(exist_ok=True)
    subprocess.run(["mv", where.calls / "new" / "own" / id_of(1), where.calls / "taken"], check=True)
    taken_calls.put_back(where, unsigned=3600.0)
    assert queue.take(where, "own") is None
    taken_calls.put_back(where, unsigned=0.0)
    assert queue.take(where, "own")
