"""Budgets: told at 80 %, held at 100 % with one line and a way to go on, by LIFE alone, over restarts and midnight."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path

import deaths
import pytest
from world import Failure, World, events, said
from world import world as a_world

import agent
from dotagent import commands
from dotagent.capabilities.helpers import children
from dotagent.errors import Misuse
from dotagent.life import budget
from dotagent.life.budget import Budget
from dotagent.life.events import Reply
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.store import helpers, home, log, queue, rooms
from dotagent.store.helpers import Terms
from dotagent.store.home import Home, Settings
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import ChatMessage
from dotagent.text import times

world = partial(a_world, patience=Patience(look=0.0))


def model(messages: list[ChatMessage], call: Call) -> str:
    """It answers that it did, and sums up what it is asked to."""
    return "Noted." if call.kind == "live" else "relevance: 3\ngist: talk\n\nThey talked."


@contextmanager
def life(path: Path, settings: str, *words: str, fresh: bool = False) -> Iterator[World]:
    """A life each of whose answers takes 100 tokens."""
    home.prepare(Home(path))
    (path / "dotagent.toml").write_text(settings)
    with world(path, model, *words, fresh=fresh) as here:
        here.tokens = lambda messages: 100
        yield here


def ask(here: World, text: str = "hello", room: str = "dev") -> list[str]:
    """What the room hears of a message."""
    before = len(said(here.where, room))
    here.say(text, room=room)
    here.run()
    return said(here.where, room)[before:]


def calls(here: World) -> int:
    """How many requests were made."""
    return len(events(here, "ASK"))


def earlier(where: Home, self_id: str, days: int) -> None:
    """Let all that happened to the life have happened so many days before."""
    path = where.agent(self_id) / "LIFE.md"
    rows = []
    for line in log.lines(path):
        at = times.parse(line.at) - timedelta(days=days)
        rows.append(f"{at:%Y-%m-%dT%H:%M:%S.%fZ}{log.render(line)[len(line.at) :]}\n")
    path.write_text("".join(rows))


DAY = "[budget]\ntokens_a_day = 500\n"


def test_it_is_told_once_at_80_percent_and_held_at_100_with_a_way_to_go_on(tmp_path: Path) -> None:
    with life(tmp_path / "home", DAY) as here:
        for _ in range(4):
            assert ask(here) == ["Noted."]
        assert ask(here) == ["(budget: 80% of 500 tokens a day for all agents is used, 400 tokens)", "Noted."]
        (held,) = ask(here)
        assert held == (
            "(no answer: the budget of 500 tokens a day for all agents is used up (500 tokens). I continue after "
            "midnight, or when you raise tokens_a_day under [budget] in dotagent.toml and send me a message)"
        )
        assert calls(here) == 5 and events(here, "FAIL") == ["FAIL budget held room=dev"]
        here.run()
        assert len(said(here.where)) == 7  # one line, until somebody says something more
        assert 0 < (here.me.inbox.sleep(None) or 0) <= 3600
        (here.where.root / "dotagent.toml").write_text(DAY.replace("500", "900"))
        assert ask(here, "I raised it")[-1] == "Noted."
        assert here.session.state.turn.unanswered == ()


def test_without_the_capability_nothing_is_held(tmp_path: Path) -> None:
    with life(tmp_path / "home", f"capabilities = []\n{DAY}") as here:
        assert [ask(here) for _ in range(7)] == [["Noted."]] * 7


def test_it_holds_over_a_resume_and_is_not_told_again(tmp_path: Path) -> None:
    with life(tmp_path / "home", DAY) as here:
        for _ in range(5):
            ask(here)
    with life(tmp_path / "home", DAY) as here:
        assert ask(here)[0].startswith("(no answer: the budget of 500 tokens a day")
        assert calls(here) == 5
    with life(tmp_path / "home", DAY.replace("500", "620")) as here:  # and the one that waits is answered
        here.run()
        assert said(here.where)[-1] == "Noted." and calls(here) == 6
        assert len([one for one in said(here.where) if one.startswith("(budget: ")]) == 2  # of each budget once


def test_after_midnight_it_goes_on_by_itself_and_the_month_counts_on(tmp_path: Path) -> None:
    """By a given clock."""
    settings = "[budget]\ntokens_a_day = 300\ntokens_a_month = 450\n"
    with life(tmp_path / "home", settings) as here:
        for _ in range(4):
            ask(here)
        assert calls(here) == 3
        now = times.parse(times.now())
        tomorrow = (now + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        here.me.calls.held = Budget(here.session, lambda: tomorrow).held
        here.run()
        same = times.local_day(tomorrow)[:7] == times.local_day(times.now())[:7]
        assert calls(here) == 4 and said(here.where)[-1] == "Noted."
        ask(here)
        ask(here)
        assert calls(here) == (5 if same else 6)


def test_what_was_used_yesterday_is_the_months_alone(tmp_path: Path) -> None:
    with life(tmp_path / "home", "") as here:
        for _ in range(5):
            ask(here)
        self_id = here.session.id
    earlier(here.where, self_id, 1)
    yesterday = (times.parse(times.now()) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    same = times.local_day(yesterday)[:7] == times.local_day(times.now())[:7]
    with life(tmp_path / "home", DAY) as here:
        assert ask(here) == ["Noted."]
        assert here.session.state.used.day_tokens == 100
        assert here.session.state.used.month_tokens == (600 if same else 100)


def test_a_homes_budget_counts_all_its_lives_and_an_agents_its_own(tmp_path: Path) -> None:
    with life(tmp_path / "home", "") as first:
        for _ in range(4):
            ask(first)
        own = first.session.id
    tables = f"[budget]\ntokens_a_day = 600\n[agents.{own[:8]}.budget]\ntokens_a_day = 400\n"
    with life(tmp_path / "home", tables, "--room", "other", fresh=True) as second:
        assert ask(second, room="other") == ["Noted."]
        with redirect_stdout(StringIO()) as out:
            assert commands.run("usage", ["--home", str(second.where.root), "--json"]) == 0
        found = [json.loads(line) for line in out.getvalue().split("\n")[:-1]]
        assert [one for one in found if one["by"] == "budget"] == [
            {"by": "budget", "name": "home tokens_a_day", "used": 500.0, "limit": 600.0, "left": 100.0},
            {"by": "budget", "name": f"{own} tokens_a_day", "used": 400.0, "limit": 400.0, "left": 0.0},
        ]
        assert ask(second, room="other")[0].startswith("(budget: 83% of 600 tokens a day for all agents")
        assert "all agents is used up" in ask(second, room="other")[0]
    with life(tmp_path / "home", tables, own, fresh=True) as first:
        (held,) = ask(first)
        assert "400 tokens a day for this agent is used up" in held and f"[agents.{own[:8]}.budget]" in held
    with redirect_stdout(StringIO()) as out:
        commands.run("usage", ["--home", str(tmp_path / "home")])
    assert f"{own[:12]} tokens_a_day" in out.getvalue() and "0 tokens" in out.getvalue()


def test_another_life_is_looked_at_anew_only_where_it_grew(tmp_path: Path) -> None:
    with life(tmp_path / "home", "") as first:
        ask(first)
    with life(tmp_path / "home", DAY, "--room", "other", fresh=True) as second:
        ask(second, room="other")
        (budget,) = (one.held.__self__ for one in second.me.parts if one.held is not str)
        others = budget._others
        before = dict(others._read)
        ask(second, room="other")
        assert others._read == before and others._read[first.session.id] is before[first.session.id]


def test_money_is_what_answers_told(tmp_path: Path) -> None:
    settings = "[budget]\ndollars_a_month = 2.5\n"
    with life(tmp_path / "home", settings) as here:
        here.say("hello")
        while not here.session.state.turn.call:
            agent.step(here.me)
        call = queue.take(here.where, "scripted")
        assert call
        outcome = queue.Outcome(finish="stop", usage={"input": 10, "output": 2, "cost": 2_500_000}, model="m")
        queue.answer(here.where, here.where.store(), call, "dear", outcome)
        here.run()
        (held,) = ask(here)
        assert "the budget of $2.50 a month for all agents is used up ($2.50)" in held and "first of next month" in held


def test_calls_beside_the_conversation_are_counted_and_held(tmp_path: Path) -> None:
    with life(tmp_path / "home", "[budget]\ntokens_a_day = 1_250\n") as here:
        for number in range(12):
            ask(here, f"message {number} " + "of some words that say nothing in particular. " * 20)
        (here.session.path / "run/fade").touch()
        here.run()
        assert (
            here.session.state.used.day_tokens == 1300
        )  # one answer that could not be read; the rest faded without a model
        assert events(here, "SWAP") and "extractive" in events(here, "CHUNKS")[0]
        assert "is used up" in ask(here)[-1]


def test_a_budget_of_nothing_asks_nothing(tmp_path: Path) -> None:
    with life(tmp_path / "home", "[budget]\ndollars_a_day = 0\n") as here:
        (held,) = ask(here)
        assert "$0.00 a day" in held and calls(here) == 0


def test_the_room_that_asked_is_told(tmp_path: Path) -> None:
    with life(tmp_path / "home", DAY) as here:
        rooms.create(here.where.room("ops"), "private")
        agent.act(here.session, agent.ToolCall("JOIN", "ops", None))
        here.run()
        for _ in range(5):
            ask(here)
        assert "is used up" in ask(here, room="ops")[0]
        assert "is used up" in ask(here)[0]
        assert here.session.state.turn.unanswered == ("ops", "dev")


WRONG = ("tokens = 3", "dollars_a_day = '1'", "dollars_a_day = -1", "tokens_a_day = nan", "tokens_a_month = true")


@pytest.mark.parametrize(
    "table", [*(f"[budget]\n{one}" for one in WRONG), "budget = 3", "[agents.01234567.budget]\nx = 1"]
)
def test_a_budget_that_is_none_is_said(tmp_path: Path, table: str) -> None:
    (tmp_path / "dotagent.toml").write_text(f"{table}\n")
    with pytest.raises(Misuse, match=r"(budget|agents) must be"):
        home.settings(Home(tmp_path))


def test_of_several_tables_the_one_that_names_the_life_longest_counts() -> None:
    agents = {
        "01234567": {"budget": {"tokens_a_day": 1}, "fallback": ["a"]},
        "0123456789": {"budget": {"tokens_a_day": 2}},
    }
    (limit,) = budget.find_limits({}, agents, "0123456789abcdef" * 2)
    assert (limit.most, limit.place) == (2.0, "[agents.0123456789.budget]")
    assert Settings(agents=agents).fallback_of("0123456789abcdef" * 2) == ("a",)


def test_a_lifes_own_budget_counts_its_helpers_and_holds_them(tmp_path: Path) -> None:
    with life(tmp_path, "") as here:
        where, mine = here.where, here.session.id
        ids = [mine]
        for depth in (1, 2):  # a helper, and a helper's
            terms = Terms(ids[-1], children.place(where, ids[-1]), depth, 9, 9999, 900, "none")
            ids.append(children.birth(here.session.store, terms, helpers.audience(terms.room)))
            here.session.store.sync()
            children.make(where, ids[-1], terms, rooms.line_of("AGENT", mine[:12], times.now(), "count"))
        (tmp_path / "dotagent.toml").write_text(f"[agents.{mine}.budget]\ntokens_a_day = 250\n")
        assert ask(here) == ["Noted."]
        for one in ids[1:]:
            with boot.life_of(["--home", str(tmp_path), "--provider", "scripted", one]) as helper:
                assert not Budget(helper.session).held()
                helper.session.record(Reply("x", {"finish": "stop", "input": "100"}), b"one")
        for one in ids[1:]:
            with boot.life_of(["--home", str(tmp_path), "--provider", "scripted", one]) as helper:
                assert "250 tokens a day for this agent is used up (300 tokens)" in Budget(helper.session).held()
    with life(tmp_path, f"[agents.{mine}.budget]\ntokens_a_day = 250\n") as here:
        assert "is used up (300 tokens)" in ask(here)[-1]
        (found,) = budget.report(where, home.settings(where), [mine], times.local_day(times.now()))
        assert (found[0], found[2]) == (mine, 300.0)
    with life(tmp_path, "", fresh=True) as here:  # another life of the home has nothing to do with it
        assert ask(here) == ["Noted."]


def test_what_brought_no_answer_was_paid_for_and_counts(tmp_path: Path) -> None:
    """An answer that is withheld, cut or broken off in the midst has taken its tokens all the same."""

    def failing(messages: list[ChatMessage], call: Call) -> str:
        raise Failure("bad_request", took=250)

    with life(tmp_path / "home", DAY) as here:
        here.model = failing
        assert ask(here) == ["(no answer: it said bad_request)"]
        assert here.session.state.used.day_tokens == 250
        assert ask(here)[-1] == "(no answer: it said bad_request)"
        assert "is used up (500 tokens)" in ask(here)[-1] and calls(here) == 2
        assert [one.split()[:2] for one in events(here, "USAGE")] == [["USAGE", "provider=scripted"]] * 2
        asked = [line.id for line in log.lines(here.session.path / "LIFE.md") if line.event in ("ASK", "USAGE")]
        assert asked == [asked[0], asked[0], asked[2], asked[2]]
    with life(tmp_path / "home", DAY) as here:  # and stays
        assert here.session.state.used.day_tokens == 500


@pytest.mark.slow
def test_a_power_cut_leaves_the_request_of_attempts_that_were_paid_for(tmp_path: Path) -> None:
    """Else the lines from it on would be set aside at the next start, and with them what was paid for."""
    (where := Home(tmp_path / "home")).root.mkdir()

    def failing(messages: list[ChatMessage], call: Call) -> str:
        raise Failure("bad_request", took=250)

    def live(disk: deaths.Disk) -> None:
        with life(where.root, DAY) as here:
            here.model = failing
            ask(here)
        disk.count("the end")

    deaths.of(where.root, deaths.POWER[1], lambda: "", live)[-1].tree.write(where.root)
    (mine,) = home.lives(where)
    (told,) = [line for line in log.lines(where.agent(mine) / "LIFE.md") if line.event == "USAGE"]
    assert where.store().get(told.id).body


def test_a_budget_that_a_failed_attempt_used_up_holds_the_fallback(tmp_path: Path) -> None:
    def failing(messages: list[ChatMessage], call: Call) -> str:
        raise Failure("server", took=600)

    (tmp_path / "home/calls/new/second").mkdir(parents=True)
    with life(tmp_path / "home", f'fallback = ["second"]\n{DAY}') as here:
        here.model, here.others = failing, ("second",)
        assert "is used up (600 tokens)" in ask(here)[-1] and calls(here) == 1


def test_what_a_call_took_whose_request_is_gone_counts_and_names_no_blob_that_is_not_there(tmp_path: Path) -> None:
    """As of a dream's, whose request goes with its end."""
    with life(tmp_path / "home", DAY) as here:
        gone = Call("d" * 32, here.session.id, "scripted", "background")
        queue.place(here.where, gone)
        queue.failed(here.where, gone, Outcome(kind="cut", hint="it was cut", lost={"input": 70}))
        ask(here)
        assert here.session.state.used.day_tokens == 170
        (told,) = [line for line in log.lines(here.session.path / "LIFE.md") if line.event == "USAGE"]
        assert told.id != gone.id and here.session.store.get(told.id).body
