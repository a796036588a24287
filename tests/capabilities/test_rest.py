"""At rest, a context is summarised while the cache is warm, and swapped when the cache has ended; where it pays."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from lives import chat, lines, living, talking
from world import World, said

import agent
from dotagent.capabilities.rest import plan_file, replies, rule
from dotagent.capabilities.rest.capability import CAPABILITY
from dotagent.capabilities.rest.plan_file import PlannedRest
from dotagent.capabilities.rest.resting import Resting
from dotagent.capabilities.rest.rule import Sizes
from dotagent.capabilities.supervisor import stopped
from dotagent.capabilities.supervisor.serve import Host
from dotagent.capabilities.supervisor.todo import Sleeper
from dotagent.compaction import plan
from dotagent.compaction.check import reach
from dotagent.life import questions
from dotagent.life.background_events import Spawned
from dotagent.life.replay import derive
from dotagent.life.state import change
from dotagent.store import disk, home, log, queue, request_rebuilding, requests
from dotagent.store.log import Line
from dotagent.text import times

ANTHROPIC = {"input": 2.0, "cached": 0.2, "written": 2.5, "output": 10.0, "lasts": 300}
HOUR = {**ANTHROPIC, "written": 4.0, "lasts": 3600}
OPENAI = {"input": 2.0, "cached": 0.1, "written": 2.5, "output": 10.0, "lasts": 1800}
DEEPSEEK = {"input": 1.0, "cached": 0.02, "output": 4.0, "lasts": 86_400}
HEAD = 1700  # tokens


@dataclass
class Clock:
    """The time that a rest sees."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after a talk of about 5,000 tokens."""
    path = tmp_path_factory.mktemp("talk") / "home"
    with living(path, talking(), 20_000) as lived:
        chat(lived, 8, 380)
    return path


@pytest.fixture
def where(talk: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(talk, tmp_path / "home", symlinks=True)


@contextmanager
def talked(
    path: Path, price: object = ANTHROPIC, settings: str = "", limit: int = 20_000
) -> Iterator[tuple[World, Resting, Clock]]:
    """The life in this home, with this price of its model, and its next rest."""
    if settings:
        (path / home.SETTINGS).write_text(settings)
    with living(path, talking(), limit) as lived:
        published = {"scripted": {"prices": {"": price}}}
        (lived.where.calls / "providers.json").write_text(json.dumps(published))
        clock = Clock()
        resting = Resting(lived.session, clock)
        for line in lines(lived, "ASK"):
            resting.hear(line)
        yield lived, resting, clock


def later(resting: Resting, clock: Clock, lived: World, seconds: float) -> None:
    """Let so many seconds pass since the last request."""
    clock.now = times.parse(lines(lived, "ASK")[-1].at).timestamp() + seconds
    resting.consider()
    assert not resting.look()


# ---- the rule


@pytest.mark.parametrize(("price", "least"), [(ANTHROPIC, 4000), (HOUR, 4000), (OPENAI, 4200)])
def test_it_pays_from_some_size_on(price: dict[str, object], least: int) -> None:
    """A prompt has a head, tokens that stay, and summaries of the others."""
    known = rule.read(price)
    assert known

    def saves(size: int) -> float:
        gone = size - HEAD - plan.RESTED
        summary = min(plan.SUMMED, int(plan.KEEPS * gone))
        return rule.saving(Sizes(size, size - gone + summary, int(plan.ASKED * summary)), known)

    assert saves(int(0.7 * least)) < 0 < saves(int(1.4 * least))
    assert saves(80_000) > 10 * saves(2 * least)


def test_near_the_limit_a_rest_replaces_the_compaction_there() -> None:
    """It pays if it removes enough, since the next request writes a part of the prompt that the cache has."""
    known = rule.read(HOUR)
    assert known

    def saves(size: int) -> float:
        left = HEAD + plan.RESTED + plan.SUMMED
        return rule.saving_early(Sizes(size, left, 0, left - HEAD), known, 16_000)

    assert 0 < saves(12_000) < saves(15_000)
    assert rule.saving_early(Sizes(15_000, 11_000, 0, 10_500), known, 16_000) < 0, "most of the prompt is new"
    assert Sizes(11_100, 5_000, 0).prevents(16_000)
    assert not Sizes(10_900, 5_000, 0).prevents(16_000) and not Sizes(15_000, 11_100, 0).prevents(16_000)


@pytest.mark.parametrize(("price", "least"), [(HOUR, 14_000), (OPENAI, 18_000), (DEEPSEEK, 31_000)])
def test_far_from_the_limit_a_rest_pays_while_the_cache_lasts_if_the_prompt_is_large(
    price: dict[str, object], least: int
) -> None:
    """The next requests read the smaller prompt, which costs less than the summaries and what is new."""
    known = rule.read(price)
    assert known
    left, new = HEAD + plan.RESTED + plan.SUMMED, plan.RESTED + plan.SUMMED
    few, many = (Sizes(size, left, int(plan.ASKED * plan.SUMMED), new) for size in (int(0.7 * least), int(1.4 * least)))
    assert rule.saving_early(few, known) < 0 < rule.saving_early(many, known)
    assert rule.saving_early(few, known) < rule.saving_early(few, known, by_model=False)
    assert rule.saving_early(few, known) < rule.saving_early(few, known, limit=few.before), "it replaces a compaction"


def test_one_without_a_model_pays_earlier() -> None:
    known = rule.read(ANTHROPIC)
    assert known
    few, many = Sizes(4000, 3600, 60), Sizes(4000, 3000, 150)
    assert rule.saving(few, known) < 0 < rule.saving(many, known, by_model=False)


@pytest.mark.parametrize("gone", ["cached", "output", "lasts"])
def test_without_a_price_or_a_lifetime_nobody_knows(gone: str) -> None:
    assert rule.read({name: one for name, one in ANTHROPIC.items() if name != gone}) is None
    assert rule.read({**ANTHROPIC, gone: "5"}) is None
    written = {name: one for name, one in ANTHROPIC.items() if name != "written"}
    assert rule.read(written) == rule.Price(0.2, 2.0, 10.0, 300)


@pytest.mark.parametrize(
    ("seen", "lasts"),
    [
        ([], 300),
        ([(100, False), (200, False)], 300),
        ([(100, False), (200, False), (250, False)], 100),
        ([(20, True), (100, False), (200, False), (250, False)], 100),
        ([(100, False), (200, False), (250, False), (210, True), (220, True), (260, True)], 300),
        ([(400, True), (3000, True)], 300),
        ([(400, True), (900, True), (3000, True)], 400),
        ([(400, True), (900, True), (3000, True), (2000, True)], 900),
        ([(400, True), (900, True), (3000, True), (350, False), (380, False), (390, False), (395, False)], 300),
    ],
)
def test_replies_are_believed_where_three_contradict_the_table(seen: list[tuple[float, bool]], lasts: float) -> None:
    assert rule.lifetime(300, seen) == lasts


def test_the_log_shows_what_the_cache_kept(tmp_path: Path) -> None:
    told = "finish=stop provider=p model=m input=5000 cached="
    rows = [
        ("ASK", "00:00", "p dev"), ("REPLY", "00:05", f"dev {told}0"),
        ("ASK", "01:00", "p dev"), ("REPLY", "01:05", f"dev {told}4900"),
        ("ASK", "07:00", "p dev"), ("REPLY", "07:05", f"dev {told}100"),
        ("SWAP", "07:06", "limit"),
        ("ASK", "07:10", "p dev"), ("REPLY", "07:15", f"dev {told}0"),
        ("ASK", "07:20", "p dev"), ("REPLY", "07:25", f"dev {told.replace('=m', '=n')}0"),
        ("ASK", "07:30", "p dev"), ("REPLY", "07:35", f"dev {told}0"),
    ]  # fmt: skip
    path = tmp_path / "LIFE.md"
    made = [
        Line(f"2026-11-23T10:{at}.000000Z", word, detail, f"{at:0>32}".replace(":", "a"), "")
        for word, at, detail in rows
    ]
    path.write_text("".join(log.render(line) + "\n" for line in made))
    assert list(replies.find_pauses(path, "p", "m")) == [(360.0, False), (60.0, True)]
    last = replies.last(path)
    assert last and last.at.endswith("10:07:30.000000Z") and last.told["model"] == "m"


# ---- the two steps


def test_summaries_are_asked_for_while_the_cache_is_warm_and_swapped_when_it_has_ended(where: Path) -> None:
    with talked(where) as (lived, resting, clock):
        later(resting, clock, lived, 249)
        sleeps, planned = resting.sleep(), plan_file.read(lived.session.path)
        assert sleeps == pytest.approx(1, abs=0.01) and planned and planned.saves > 0
        lived.run()
        assert not lines(lived, "SEGMENT")
        later(resting, clock, lived, 251)
        assert plan_file.read(lived.session.path) is None
        lived.run()
        (asked,), ask = lines(lived, "SEGMENT"), lines(lived, "ASK")[-1]
        assert asked.detail.endswith("rest lasts=300") and not lines(lived, "SWAP")
        rebuild = request_rebuilding.Rebuilder(lived.where.store())
        before, then = (requests.as_text(rebuild.request(one.id).parts) for one in (ask, asked))
        assert then.startswith(before)
        held = lived.me.compactor.sleep(None)
        assert held and 200 < held <= 300
        lived.say("And what of the violin?")  # it is answered from the warm context at once
        lived.run()
        (*_, last) = lines(lived, "ASK")
        assert requests.as_text(rebuild.request(last.id).parts).startswith(before)
        assert said(lived.where)[-1] == "Understood." and not lines(lived, "SWAP")
        later(resting, clock, lived, 251)
        assert resting.sleep() is None  # the summaries wait already
        lived.run()
        assert len(lines(lived, "SEGMENT")) == 1


def test_near_the_limit_it_rests_after_a_short_pause_though_the_cache_lasts_longer(tmp_path: Path) -> None:
    path = tmp_path / "home"
    with living(path, talking(), 9000) as lived:
        chat(lived, 8, 380)
    with talked(path, HOUR, limit=9000) as (lived, resting, clock):
        later(resting, clock, lived, 299)
        assert resting.sleep() == pytest.approx(1, abs=0.01)
        lived.run()
        assert not lines(lived, "SEGMENT")
        later(resting, clock, lived, 301)
        lived.run()
        assert [line.detail.split(" ")[0] for line in lines(lived, "SWAP")] == ["rest"]
        later(resting, clock, lived, 302)
        assert resting.sleep() is None  # nothing is new since


def test_the_head_of_the_prompt_does_not_count_as_near_the_limit(where: Path) -> None:
    """The limit is that of the entries, so a large SOUL does not fill it."""
    growth = rule.BURST * rule.GROWTH
    with talked(where, HOUR) as (lived, _, _):
        near = lived.session.tokens + growth
    with talked(where, HOUR, limit=near + 500) as (lived, resting, clock):
        assert near < lived.session.limit < near + lived.session.state.model.fixed
        later(resting, clock, lived, 1)
        sleeps = resting.sleep()
        assert sleeps is None or sleeps > 2000


def test_while_a_helper_works_or_a_question_is_open_no_rest_begins_after_a_short_pause(tmp_path: Path) -> None:
    path, past = tmp_path / "home", "2026-11-21T20:17:20.123456Z"
    with living(path, talking(), 9000) as lived:
        chat(lived, 8, 380)
    with talked(path, HOUR, limit=9000) as (lived, _, clock):
        session, before = lived.session, lived.session.state

        def sleeps() -> float:
            resting = Resting(session, clock)
            later(resting, clock, lived, 1)
            return resting.sleep() or 0.0

        for until, least, most in ((past, 0, 300), ("2999-01-01T00:00:00Z", 2000, 4000)):
            what = questions.Question(12, "dev", past, until, "0" * 32, "1" * 32, {"1": ""}).detail()
            session.state = change(before, heard=change(before.heard, questions={"12": what}))
            assert least < sleeps() < most
        session.state = before
        assert 0 < sleeps() < 300
        session.record(Spawned("a" * 32, "dev", 1))
        assert sleeps() > 2000


def test_far_from_the_limit_it_waits_until_the_cache_ends_unless_the_prompt_is_large(
    where: Path, tmp_path: Path
) -> None:
    with talked(where, HOUR, limit=40_000) as (lived, resting, clock):
        later(resting, clock, lived, 299)
        sleeps = resting.sleep()
        assert sleeps and sleeps > 2000
    path = tmp_path / "large"
    with living(path, talking(), 60_000) as lived:
        chat(lived, 8, 1800)
    with talked(path, HOUR, limit=60_000) as (lived, resting, clock):
        later(resting, clock, lived, 299)
        assert resting.sleep() == pytest.approx(1, abs=0.01)
        later(resting, clock, lived, 301)
        lived.run()
        assert [line.detail.split(" ")[0] for line in lines(lived, "SWAP")] == ["rest"]


def rested(lived: World) -> None:
    """Let the life rest now, and its cache have ended."""
    (lived.session.path / "run").mkdir(exist_ok=True)
    (lived.session.path / "run/fade").write_text("rest 0")
    lived.run()


def test_a_rest_leaves_little_and_is_taken_back_as_any_swap(where: Path) -> None:
    with talked(where) as (lived, resting, clock):
        before, entries = lived.session.tokens, lived.session.entries
        planned = resting._make(replies.last(lived.session.path / "LIFE.md") or replies.Last("", "", {}))
        rested(lived)
        (swap,) = lines(lived, "SWAP")
        assert swap.detail.startswith("rest") and before > 2 * lived.session.tokens
        assert planned and planned.after < 1.3 * (lived.session.tokens + planned.before - before)
        later(resting, clock, lived, 251)
        assert resting.sleep() is None  # nothing is new since
        (lived.session.path / "run/unfade").write_text(swap.id)
        lived.run()
        assert lived.session.entries[: len(entries)] == entries


def test_without_a_model_the_swap_comes_when_the_cache_has_ended(where: Path) -> None:
    with talked(where, settings='rest = "extract"\n') as (lived, resting, clock):
        asked = lived.served
        later(resting, clock, lived, 299)
        lived.run()
        assert not lines(lived, "SWAP")
        later(resting, clock, lived, 301)
        lived.run()
        assert [line.detail.split(" ")[0] for line in lines(lived, "SWAP")] == ["rest"] and lived.served == asked


@pytest.mark.parametrize(
    ("price", "settings"),
    [
        ({**ANTHROPIC, "lasts": None}, ""),
        ({}, ""),
        (ANTHROPIC, 'rest = "off"\n'),
        (ANTHROPIC, '[background]\nmodel = "small"\n'),
        ({**ANTHROPIC, "lasts": 20}, ""),
        ({**ANTHROPIC, "output": 9999.0}, ""),
    ],
)
def test_it_never_begins_where_it_does_not_pay_or_nobody_knows(where: Path, price: object, settings: str) -> None:
    with talked(where, price, settings) as (lived, resting, clock):
        later(resting, clock, lived, 1)
        assert resting.sleep() is None


def test_it_never_begins_where_replies_show_that_the_cache_keeps_nothing(where: Path) -> None:
    with talked(where) as (lived, resting, clock):
        lived.tokens = lambda messages: 9000  # and none of them from a cache
        for number in range(5):
            lived.say(f"And {number}?")
            lived.run()
            resting.hear(lines(lived, "ASK")[-1])
            later(resting, clock, lived, 1)
            assert (resting.sleep() is None) == (number > 2)


def test_nothing_is_sent_cold(where: Path) -> None:
    """Neither when the time is over, nor when the prompt begins otherwise now."""
    with talked(where) as (lived, resting, clock):
        later(resting, clock, lived, 301)
        lived.run()
        assert not lines(lived, "SEGMENT")
        lived.say("And now?")
        lived.run()
        resting.hear(lines(lived, "ASK")[-1])
        later(resting, clock, lived, 1)
        assert resting.sleep()
        (lived.session.path / "SOUL.md").write_text("I am another now.\n")
        lived.me.documents.read()
        later(resting, clock, lived, 251)
        lived.run()
        assert not lines(lived, "SEGMENT")


def test_after_a_restart_the_prompt_is_the_same_and_it_rests(where: Path) -> None:
    with talked(where):
        pass
    with talked(where) as (lived, resting, clock):
        later(resting, clock, lived, 251)
        lived.run()
        (asked,), ask = lines(lived, "SEGMENT"), lines(lived, "ASK")[-1]
        rebuild = request_rebuilding.Rebuilder(lived.where.store())
        before, then = (requests.as_text(rebuild.request(one.id).parts) for one in (ask, asked))
        assert then.startswith(before)


@pytest.mark.night
def test_killed_at_any_step_it_rests_once_and_loses_nothing(where: Path, tmp_path: Path) -> None:
    steps, over = 0, False
    while not over:
        copy = tmp_path / f"copy-{steps}"
        shutil.copytree(where, copy, symlinks=True)
        with talked(copy) as (lived, _, _):
            lived.on_step = None
            (lived.session.path / "run").mkdir(exist_ok=True)
            (lived.session.path / "run/fade").write_text("rest 0")
            for _ in range(steps):  # as many steps, each of the life or of the model, until the process is gone
                over = not agent.step(lived.me) and not lived.serve()
            for call in list(lived._held):
                queue.give_back(lived.where, call)
        with talked(copy) as (lived, _, _):
            lived.run()
            assert [line.detail.split(" ")[0] for line in lines(lived, "SWAP")] == ["rest"]
            assert not reach(lived.where.store(), derive(lived.where, lived.session.id, 30_000)).problems
        shutil.rmtree(copy)
        steps += 1
    assert steps > 5


# ---- what a person sees


def test_status_says_what_rests_and_when(where: Path) -> None:
    with talked(where) as (lived, _, _):
        here, settings, path = lived.where, lived.session.settings, lived.session.path
        assert CAPABILITY.status and CAPABILITY.status(here, settings) is None
        clock = Clock()
        resting = Resting(lived.session)
        later(resting, clock, lived, 0)
        told = CAPABILITY.status(here, settings)
        assert told
        ((fields, cells),) = told.rows
        assert fields["agent"] == lived.session.id and "s, if no message comes" in str(cells[2])
        assert isinstance(fields["before"], int) and f"{fields['before']:,} -> " in str(cells[1])
        resting.hear(lines(lived, "ASK")[-1])
        assert CAPABILITY.status(here, settings) is None
        PlannedRest("", 0.0, 1.0, 1.0, 1, 1, 1.0, True).write(path)  # over
        written = (path / plan_file.FILE).read_text()
        assert CAPABILITY.status(here, settings) is None
        for damaged in ('{"begin": 1}', "[" * 5000, written.replace('"begin": ', '"begin": "x", "more": ')):
            (path / plan_file.FILE).write_text(damaged)
            assert CAPABILITY.status(here, settings) is None
        (path / plan_file.FILE).write_text(written.replace('"lasts": 1.0', '"lasts": "1"'))
        assert plan_file.read(path) is None


# ---- an agent that left


def test_one_that_left_is_due_when_the_rest_begins_and_not_without_a_plan(where: Path) -> None:
    with talked(where) as (lived, resting, clock):
        here, self_id, settings = lived.where, lived.session.id, lived.session.settings
        ask = times.parse(lines(lived, "ASK")[-1].at).timestamp()
        later(resting, clock, lived, 1)
    assert stopped.due(here, settings, self_id) == pytest.approx(ask + 250)
    assert Sleeper(here, self_id).why(settings) == ""
    disk.make_dir(here.up)
    host = Host(here, {})
    try:
        host.look()
        assert 0 < host._due[self_id] - time.time() <= 250
    finally:
        host.end()
        host.watcher.close()
    planned = plan_file.read(here.agent(self_id))
    assert planned
    replace(planned, begin=time.time() - 1).write(here.agent(self_id))
    assert Sleeper(here, self_id).why(settings) == "a rest"
    replace(planned, begin=time.time() - 2, end=time.time() - 1).write(here.agent(self_id))
    assert Sleeper(here, self_id).why(settings) == "" and stopped.due(here, settings, self_id) is None
    with talked(where):
        assert plan_file.read(here.agent(self_id)) is None  # a new process plans anew
