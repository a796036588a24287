"""The worker of a provider process against real servers: how it retries, what it cuts, and what comes of each call."""

from __future__ import annotations

import resource
import signal
import threading
import time
from contextlib import suppress

import pytest
from alive import forked
from loopback import CUT, STALL, Answer, Received, Server, event, refusal, stream
from support import PATIENCE, spawn, until
from working import AGENT, keys, placed, serve, step, text_of

from dotagent import commands
from dotagent.providers.server.worker import Worker
from dotagent.store import queue, taken_calls
from dotagent.store.home import Home
from dotagent.store.watch import Watcher
from dotagent.terminal.drafts import Drafts
from dotagent.text import tokens

# --- trying again


def test_what_a_broken_attempt_wrote_is_not_seen_again(where: Home) -> None:
    seen = list[list[str]]()
    drafts = Drafts(where, "dev")

    def second(received: Received) -> Answer:
        call = queue.names(where.calls / "taken")
        watching = Watcher()
        drafts.watch(watching)
        watching.close()
        seen.append([draft.text for draft in drafts.current()])
        seen.append([path.read_text() for path in queue.streams(where, call[0])])
        return stream("whole")

    with Server(Answer((event({"content": "half"}), CUT)), second) as server:
        (outcome,) = serve(Worker(where, ["deepseek"], keys(server)), placed(where))
    assert text_of(where, outcome) == "whole"
    assert seen == [[""], ["half", ""]]


@pytest.mark.slow
def test_a_refused_background_call_waits_and_nobody_else_does(where: Home) -> None:
    asked, pause = list[tuple[str, float]](), 1.0

    def answer(received: Received) -> Answer:
        messages = received.body["messages"]
        assert isinstance(messages, list)
        asked.append((messages[-1]["content"].split(" ")[1], time.monotonic()))
        first = [name for name, _ in asked].count("background") == 1 and asked[-1][0] == "background"
        return refusal(429, "slow down", headers={"retry-after": f"{pause:g}"}) if first else stream("hi")

    with Server(answer) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        slow = placed(where, "background", "background")
        until(lambda: step(worker) or worker.pause(9.0) < 9.0, where.calls)
        until(lambda: step(worker) or queue.waiting(where, "deepseek"), where.calls / "new" / "deepseek")
        assert queue.waiting(where, "deepseek")[0].takers == ()  # it was not the provider that failed
        other = placed(where, "other", "background")
        serve(worker, placed(where, "live"))
        soon = time.monotonic() - asked[0][1] < pause  # on a slow machine the wait is over by now
        assert [name for name, _ in asked] == ["background", "live"] or not soon
        serve(worker, slow, other)
    assert sorted(name for name, _ in asked) == ["background", "background", "live", "other"]
    waited = [at - asked[0][1] for name, at in asked[1:] if name != "live"]
    assert min(waited) > 0.99
    assert queue.done(where, AGENT, slow.id).background  # type: ignore[union-attr]


def test_a_call_that_is_cancelled_lets_its_server_go(where: Home) -> None:
    with Server(Answer((event({"content": "half"}), STALL)), stream("next")) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        call = placed(where)
        (where.calls / "stream").mkdir()
        until(
            lambda: step(worker) or any(path.stat().st_size for path in queue.streams(where, call.id)),
            where.calls / "stream",
        )
        assert commands.run("calls", ["--home", str(where.root), "cancel", call.id[:12]]) == 0
        assert server.hung_up.wait(PATIENCE)
        until(lambda: step(worker) or not worker.busy(), where.calls)
        (outcome,) = serve(worker, call)
        assert (outcome.kind, outcome.retryable) == ("cancelled", False)
        until(
            lambda: (found := queue.done(where, AGENT, call.id)) and found.lost, where.calls
        )  # half a word was paid for
        assert text_of(where, serve(worker, placed(where))[0]) == "next"


def test_giving_back_what_was_cancelled_meanwhile(where: Home) -> None:
    call = placed(where)
    taken = queue.take(where, "deepseek")
    assert taken
    queue.cancel(where, taken)
    queue.give_back(where, taken)
    assert queue.waiting(where, "deepseek") == [] and not queue.is_placed(where, "deepseek", call.id)


# --- what is asked for beside a conversation


LOOP = (*(event({"content": f"{at}-{at + 5} 7 the same again\n"}) for at in range(60)), STALL)


@pytest.mark.parametrize("provider", ["deepseek", "local"])
def test_an_answer_that_does_not_end_is_cut_where_it_may_have_no_more_tokens(where: Home, provider: str) -> None:
    """A model that loops, while the person waits behind it: its server is let go, and what came is the answer."""
    with Server(Answer(LOOP)) as server:
        worker = Worker(where, [provider], keys(server, provider, "/v1"))
        (outcome,) = serve(worker, placed(where, "x", "background", provider, "m", most=100))
        assert server.hung_up.wait(PATIENCE)
    assert (outcome.finish, outcome.background) == ("length", True)
    assert 80 < tokens.estimate(text_of(where, outcome)) < 200
    assert text_of(where, outcome).startswith("0-5 7 the same again\n1-6 7")
    assert 80 < outcome.usage["output"] < 200 and outcome.usage["input"] > 0
    limit = server.received[0].body.get("max_tokens")  # a server of one's own may not notice who hung up
    assert limit == (4196 if provider == "local" else None) and "most" not in server.received[0].body


def test_an_answer_without_a_limit_or_below_it_comes_whole_and_thoughts_are_free(where: Home) -> None:
    long, thought = "The kettle boils. " * 200, ("Let me think of kettles. " * 40,)
    with Server(stream(long), stream("0-5 7 tea", reasoning=thought)) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        (outcome,) = serve(worker, placed(where))
        assert (text_of(where, outcome), outcome.finish) == (long, "stop")
        (outcome,) = serve(worker, placed(where, "x", "background", most=100))
        assert text_of(where, outcome).endswith("0-5 7 tea") and outcome.finish == "stop"


@pytest.mark.night
@pytest.mark.parametrize("own", [True, False])
def test_a_persons_call_takes_the_place_of_one_in_the_background_where_a_server_does_one_thing_at_a_time(
    where: Home, own: bool
) -> None:
    asked = list[str]()

    def answer(received: Received) -> Answer:
        messages = received.body["messages"]
        assert isinstance(messages, list)
        asked.append(messages[-1]["content"].split(" ")[1])
        return Answer((event({"content": "half"}), STALL)) if len(asked) == 1 else stream(asked[-1])

    with Server(answer) as server:
        worker = Worker(where, ["local"], keys(server, "local", "/v1"))
        slow = placed(where, "slow", "background", "local", "m", agent=AGENT if own else "ef" * 16)
        until(lambda: step(worker) or asked, where.calls)
        (outcome,) = serve(worker, placed(where, "quick", provider="local", model="m"))
        assert text_of(where, outcome) == "quick" and server.hung_up.wait(PATIENCE)
        until(lambda: step(worker) or queue.waiting(where, "local"), where.calls)
        assert queue.waiting(where, "local")[0].takers == ()  # no taker died over it
        least, most = (0, 1) if own else (1, 4)  # a turn that goes on asks again soon; another's came to nothing once
        assert least < paused(where, worker) <= most
        (outcome,) = serve(worker, slow)
        assert (text_of(where, outcome), asked) == ("slow", ["slow", "quick", "slow"])
        serve(worker, placed(where, "again", provider="local", model="m"))
        assert paused(where, worker) <= 1  # now it has come to something


def paused(where: Home, worker: Worker) -> float:
    """The seconds that others wait after a person's call, which begin a moment after its answer is there."""
    return until(lambda: step(worker) or (found if (found := worker.pause(9.0)) < 9.0 else None), where.calls)


def test_where_several_calls_run_at_once_none_makes_room(where: Home) -> None:
    first = Answer((event({"content": "half"}), STALL))
    with Server(first, stream("quick")) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        slow = placed(where, "slow", "background")
        until(lambda: step(worker) or server.received, where.calls)
        (outcome,) = serve(worker, placed(where, "quick"))
        assert text_of(where, outcome) == "quick" and not server.hung_up.is_set()
        assert queue.find_taken(where, slow.id) and worker.busy()
    until(lambda: step(worker, 0.02) or not worker.busy(), where.calls)  # the server is gone, and so is the slow call


# --- how many at once


@pytest.mark.slow
def test_as_many_calls_as_settings_say_are_in_flight_first_come_first_served(where: Home) -> None:
    """A provider's process on the spool: nine calls of several agents, three at once."""
    three, lock, inside, most, order = threading.Barrier(3), threading.Lock(), 0, 0, list[str]()

    def answer(received: Received) -> Answer:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
            order.append(received.body["messages"][-1]["content"].split(" ")[-1])
        three.wait(PATIENCE)  # nobody goes on before three are here
        with lock:
            inside -= 1
        return stream("hi")

    (where.root / "dotagent.toml").write_text("[providers.deepseek]\nat_once = 3\n")
    with Server(answer) as server:
        calls = [placed(where, f"n{number}") for number in range(9)]
        child = spawn(where, "-m", "dotagent", "provider", "deepseek", env=keys(server))
        try:
            until(lambda: all(queue.done(where, AGENT, one.id) for one in calls), where.calls / "done" / AGENT)
        finally:
            child.terminate()
            child.communicate(timeout=PATIENCE)
    assert most == 3
    assert [sorted(order[at : at + 3]) for at in (0, 3, 6)] == [
        ["n0", "n1", "n2"],
        ["n3", "n4", "n5"],
        ["n6", "n7", "n8"],
    ]


def test_nobody_is_asked_while_the_disk_does_not_take_who_does(where: Home) -> None:
    """What the answer is paid for with could not be kept either."""
    with Server(stream("well")) as server:
        call = placed(where)

        def full() -> int:
            worker = Worker(where, ["deepseek"], keys(server))
            worker.catalogue.publish()
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
            with suppress(OSError):
                worker.take()
            worker._threads.shutdown()
            return 0

        assert forked(full).status == 1
        assert server.received == []
        taken_calls.put_back(where, unsigned=0.0)
        (outcome,) = serve(Worker(where, ["deepseek"], keys(server)), call)
    assert text_of(where, outcome) == "well"
