"""calls: what is out is listed, and a program of one's own takes, answers, fails and cancels."""

from __future__ import annotations

import json
import os

from support import PATIENCE, run, spawn, until

from dotagent.store import queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Part

AGENT = "a" * 32
FIRST, SECOND = "1" * 32, "2" * 32


def place(where: Home, id: str, kind: str = "live") -> Call:
    call = Call(id, AGENT, "own", kind, "dev", "2026-11-21T20:17:20Z")
    queue.place(where, call)
    return call


def calls(where: Home, *words: str, stdin: str = "", status: int = 0) -> str:
    """What the command prints when it ends so: its output, and one line of complaint when it fails."""
    taken = words[:1] == ("take",)  # by the process that runs the command
    done = run(where, "-m", "dotagent", "calls", *words, stdin=stdin, anew=taken)
    assert (done.returncode, done.stderr.count("\n")) == (status, int(bool(status and done.stderr)))
    return done.stdout + done.stderr


def outcome(where: Home, id: str) -> Outcome:
    found = queue.done(where, AGENT, id)
    assert found
    return found


def test_what_is_out_is_listed_live_ones_first(where: Home) -> None:
    assert (calls(where), calls(where, "--json")) == ("no model requests are waiting\n", "")
    place(where, FIRST, "background")
    place(where, SECOND)
    assert queue.take(where, "own")
    lines = calls(where, "list").split("\n")
    assert [line.split()[:5] for line in lines[1:-1]] == [
        ["111111111111", "new", "own", "background", "dev"], ["222222222222", "taken", "own", "live", "dev"],
    ]  # fmt: skip
    rows = [json.loads(line) for line in calls(where, "--json").split("\n")[:-1]]
    assert rows[1] == {
        "id": SECOND, "state": "taken", "agent": AGENT, "provider": "own", "kind": "live", "room": "dev",
        "at": "2026-11-21T20:17:20Z", "attempt": 1,
    }  # fmt: skip


def test_one_takes_and_answers_once(where: Home) -> None:
    place(where, FIRST)
    assert calls(where, "take", "--provider", "own") == FIRST + "\n"
    signed = queue.find_taken(where, FIRST)
    assert signed and signed.takers[0][0] == os.getpid()  # who runs the command has it, not the command
    assert calls(where, "take", "--provider", "own", status=1) == ""
    calls(where, "answer", FIRST[:8], stdin="It is 14A.\n")
    found = outcome(where, FIRST)
    assert where.store().get(found.reply).body == b"It is 14A."
    assert (found.finish, found.provider) == ("stop", "own")
    assert found.usage == {"input": 0, "output": 6, "estimated": 1}  # the request is no blob here


def test_one_tells_what_an_answer_took_or_it_is_estimated(where: Home) -> None:
    store = where.store()
    ids = list[str]()
    for number, words in enumerate(((), ("--input", "900", "--output", "7", "--cost", "0.25"), ("--output", "7"))):
        data = requests.encode(AGENT, "", {"n": number}, "", 0, [Part("user", "word " * 100)])
        ids.append(store.put(data, at="2026-11-21T20:17:20Z", gist="request"))
        place(where, ids[-1])
        calls(where, "take", "--provider", "own")
        calls(where, "answer", ids[-1], *words, stdin="It is 14A.\n")
    about, told, half = (outcome(where, id).usage for id in ids)
    assert 90 < about["input"] < 130 and (about["output"], about["estimated"]) == (6, 1)
    assert told == {"input": 900, "output": 7, "cost": 250_000}
    assert half == {"input": about["input"], "output": 7, "estimated": 1}
    place(where, SECOND)
    assert "cannot be negative" in calls(where, "answer", SECOND, "--input", "-1", status=2)


def test_one_waits_for_the_next(where: Home) -> None:
    child = spawn(where, "-m", "dotagent", "calls", "take", "--provider", "own", "--wait")
    until((where.calls / "new" / "own").is_dir, where.calls)
    place(where, FIRST)
    assert child.communicate(timeout=PATIENCE) == (FIRST + "\n", "")


def test_a_call_is_failed_with_a_hint_or_cancelled(where: Home) -> None:
    place(where, FIRST)
    place(where, SECOND)
    calls(where, "fail", FIRST, "--hint", "the cable\nis out")
    assert (outcome(where, FIRST).kind, outcome(where, FIRST).hint) == ("failed", "the cable is out")
    calls(where, "cancel", SECOND)
    assert outcome(where, SECOND).kind == "cancelled"
    assert calls(where).endswith(f"\n{FIRST[:12]}  new    own       live  dev   2026-11-21T20:17:20\n")
    assert "already has an answer" in calls(where, "cancel", FIRST, status=1)


def test_what_it_cannot_do_is_said_in_one_line(where: Home) -> None:
    place(where, FIRST)
    place(where, FIRST[:-1] + "0")
    assert "several waiting requests have ids that begin with 111" in calls(where, "fail", "111", status=2)
    assert "no waiting request has an id that begins with 9" in calls(where, "answer", "9", status=2)
    assert "id of a request is missing" in calls(where, "answer", status=2)
    assert "add --provider NAME" in calls(where, "take", status=2)
