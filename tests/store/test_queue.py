"""The spool: a call is with one taker, has one answer, and outlives every process that ever held it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spooled import AGENT, answer, everything, id_of, place
from support import ANY_TEXT, ROOT, environment, make_home, noted, together

from dotagent.store import process, queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Part
from dotagent.text import times


def test_a_call_from_hand_to_hand(where: Home) -> None:
    call = place(where, 1)
    assert everything(where) == [f"new/own/{call.id}"]
    assert queue.is_placed(where, "own", call.id)
    assert queue.find_taken(where, call.id) is None
    mine = queue.take(where, "own")
    assert mine
    assert (mine.id, mine.attempt, mine.takers) == (call.id, 1, (process.own_mark(),))
    assert everything(where) == [f"taken/{call.id}"]
    assert queue.find_taken(where, call.id) == mine
    assert queue.take(where, "own") is None
    stream = queue.stream(where, call.id)
    assert queue.done(where, AGENT, call.id) is None
    assert answer(where, mine, "<reasoning>\nhm\n</reasoning>\n\nhi there")
    outcome = queue.done(where, AGENT, call.id)
    assert outcome
    reply = where.store().get(outcome.reply)
    assert (reply.body, reply.gist, reply.parent, reply.agent) == (
        b"<reasoning>\nhm\n</reasoning>\n\nhi there", "hi there", call.id, AGENT,
    )  # fmt: skip
    assert (outcome.finish, outcome.usage, outcome.model) == ("stop", {"input": 3}, "m")
    assert queue.finished(where, AGENT) == [call.id]
    assert everything(where) == [f"done/{AGENT}/{call.id}", f"stream/{stream.name}"]
    queue.drop(where, AGENT, call.id)
    assert everything(where) == []
    assert queue.done(where, AGENT, call.id) is None


def test_placing_again_while_it_waits_changes_nothing(where: Home) -> None:
    place(where, 1)
    place(where, 1)
    assert len(everything(where)) == 1
    assert queue.take(where, "own")
    assert queue.take(where, "own") is None


def test_live_before_background_and_the_oldest_first(where: Home) -> None:
    order = [
        (1, "background", "2026-01-01T00:00:00Z"),
        (2, "live", "2026-01-03T00:00:00Z"),
        (3, "background", "2026-01-02T00:00:00Z"),
        (4, "live", "2026-01-02T00:00:00Z"),
    ]
    for number, kind, at in order:
        place(where, number, kind, at)
    assert [call.id for call in queue.waiting(where, "own")] == [id_of(n) for n in (4, 2, 1, 3)]
    first = queue.take(where, "own", "background")
    assert first
    assert first.id == id_of(1)
    taken = [queue.take(where, "own") for _ in range(4)]
    assert [call.id for call in taken if call] == [id_of(n) for n in (4, 2, 3)]
    assert queue.take(where, "other") is None


def test_the_first_answer_wins(where: Home) -> None:
    place(where, 1)
    call = queue.take(where, "own")
    assert call
    wins = where.root / "wins"

    def reply(text: str) -> None:
        if answer(where, call, text):
            fd = os.open(wins, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(fd, f"{text}\n".encode())
            os.close(fd)

    together(*[lambda n=n: reply(f"answer {n}") for n in range(8)])
    outcome = queue.done(where, AGENT, call.id)
    assert outcome
    assert where.store().get(outcome.reply).body + b"\n" == wins.read_bytes()
    assert not queue.fail(where, call, "late", "too late")
    assert not queue.cancel(where, call)
    assert queue.done(where, AGENT, call.id) == outcome


def test_cancelling(where: Home) -> None:
    call = place(where, 1)
    assert queue.cancel(where, call)
    outcome = queue.done(where, AGENT, call.id)
    assert outcome
    assert (outcome.kind, outcome.retryable) == ("cancelled", False)
    assert everything(where) == [f"done/{AGENT}/{call.id}"]
    place(where, 2)
    call = queue.take(where, "own") or call
    assert queue.cancel(where, call, "unserved", "nobody serves it")
    outcome = queue.done(where, AGENT, call.id)
    assert outcome
    assert (outcome.kind, outcome.retryable, outcome.hint) == ("unserved", True, "nobody serves it")
    assert not answer(where, call)
    assert queue.find_taken(where, call.id) is None


def test_what_was_cancelled_is_not_taken_also_where_the_cancelling_agent_was_killed(where: Home) -> None:
    call = place(where, 1)
    assert queue.fail(where, call, "cancelled", "the call was cancelled")  # killed before it withdrew the call
    assert queue.is_placed(where, call.provider, call.id)
    assert queue.take(where, call.provider) is None and not queue.is_placed(where, call.provider, call.id)


@pytest.mark.parametrize("lost", [False, True], ids=["request", "no request"])
def test_who_cancels_writes_down_about_what_had_come(where: Home, lost: bool) -> None:
    body = requests.encode(AGENT, "m", {}, "", 0, [Part("user", "words " * 400)])
    id = where.store().put(body, at=times.now(), gist="request", agent=AGENT)
    if lost:
        where.store().path(id).unlink()
    queue.place(where, Call(id, AGENT, "own", "live", "dev"))
    call = queue.take(where, "own")
    assert call
    queue.stream(where, id).write_text("and then the ferry left the quay, " * 20)
    queue.stream(where, id)  # the next attempt, of which nothing came
    assert queue.cancel(where, call)
    outcome = queue.done(where, AGENT, id)
    assert outcome
    assert 100 < outcome.lost["output"] < 400
    assert (outcome.lost.get("input", 0) > 400, outcome.model) == ((False, "") if lost else (True, "m"))
    assert not queue.failed(where, call, Outcome(kind="cancelled", lost={"input": 7}, model="m"))  # the worker knows
    outcome = queue.done(where, AGENT, id)
    assert outcome
    assert outcome.lost == {"input": 7}


def test_what_was_cancelled_before_a_word_came_cost_nothing(where: Home) -> None:
    place(where, 1)
    call = queue.take(where, "own")
    assert call
    queue.stream(where, call.id)
    assert queue.cancel(where, call)
    outcome = queue.done(where, AGENT, call.id)
    assert outcome
    assert not outcome.lost


def test_attempts_have_streams_of_their_own(where: Home) -> None:
    paths = [queue.stream(where, id_of(1)) for _ in range(12)]
    assert queue.streams(where, id_of(1)) == paths
    assert len(set(paths)) == 12
    assert queue.streams(where, id_of(2)) == []
    queue.drop(where, AGENT, id_of(1))
    assert queue.streams(where, id_of(1)) == []


def test_what_was_streamed_for_a_call_that_is_gone_goes(where: Home) -> None:
    """A power cut may keep it; of a call that waits, is taken or is answered it stays."""
    for number, state in enumerate(("new/own", "taken", f"done/{AGENT}"), 1):
        (where.calls / state).mkdir(parents=True, exist_ok=True)
        (where.calls / state / id_of(number)).touch()
        queue.stream(where, id_of(number))
    left = queue.stream(where, id_of(4))
    queue.sweep(where)
    assert not left.exists()
    assert all(queue.streams(where, id_of(number)) for number in (1, 2, 3))


@given(
    text=ANY_TEXT,
    words=st.tuples(ANY_TEXT, ANY_TEXT),
)
def test_any_text_is_an_answer(tmp_path: Path, text: str, words: tuple[str, str]) -> None:
    """Halves of surrogate pairs come out of JSON; NULs and ends of line out of models."""
    where = make_home(tmp_path)
    place(where, 1)
    call = queue.take(where, "own")
    assert call
    assert queue.answer(where, where.store(), call, text, Outcome(finish=words[0], model=words[1]))
    outcome = queue.done(where, AGENT, call.id)
    assert outcome
    assert where.store().get(outcome.reply).body == text.encode("utf-8", "replace")
    queue.drop(where, AGENT, call.id)
    assert queue.fail(where, call, "broken", text)
    outcome = queue.done(where, AGENT, call.id)
    assert outcome
    assert "\n" not in outcome.hint
    queue.drop(where, AGENT, call.id)


def test_unfinished_entries_are_nobodys(where: Home) -> None:
    """What is not yet renamed stands in calls/ itself, where nobody looks."""
    with noted("open") as opened:
        place(where, 1)
        call = queue.take(where, "own")
        assert call
        assert answer(where, call)
    made = [Path(str(path)) for path, _, flags in opened if isinstance(flags, int) and flags & os.O_CREAT]
    assert {path.parent for path in made} == {where.calls, where.blobs}


@pytest.mark.slow
def test_a_provider_in_a_few_lines_of_shell(where: Home) -> None:
    """The spool's commands are enough to serve it: take, read the prompt, answer."""
    store = where.store()
    request = {
        "agent": AGENT,
        "model": "",
        "params": {},
        "parent": "",
        "keep": 0,
        "parts": [{"role": "user", "text": "hello"}],
    }
    id = store.put(json.dumps(request).encode(), at="2026-01-01T00:00:00.000000Z", gist="request", agent=AGENT)
    queue.place(where, Call(id, AGENT, "own"))
    script = (
        'id=$("$PY" -m dotagent calls take --provider own) && '
        '"$PY" -m dotagent prompt --call $id | tr a-z A-Z | "$PY" -m dotagent calls answer $id'
    )
    done = subprocess.run(
        ["sh", "-ec", script],
        cwd=ROOT,
        env=environment(where, PY=sys.executable),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    outcome = queue.done(where, AGENT, id)
    assert outcome
    assert store.get(outcome.reply).body == b"HELLO"
