"""REMIND: a job of the agent's own, made once; in people's words, and without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from clocked import look
from hands import Hands, a_life
from world import events, offline, said, world

from dotagent.capabilities.scheduler import jobs
from dotagent.life.events import Effect
from dotagent.text import schedule
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, recover


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with a_life(tmp_path) as life:
        life.world.say("hello")
        life.world.run()
        yield life


def test_it_makes_a_job_lists_and_cancels_it(hands: Hands) -> None:
    shown = hands.shows("REMIND in 10 minutes: stretch")
    assert shown.startswith("remind-1: ") and shown.endswith(": stretch")
    job = jobs.read(hands.where, "remind-1")
    assert (job.text, job.room, job.schedule.kind) == ("stretch", "dev", "at") and hands.session.id.startswith(
        job.agent
    )
    said = hands.shows("REMIND every monday 8:30: stand up")
    assert re.fullmatch(r"remind-2: Mon \S+ 08:30 \S+, then Mon \S+ 08:30 \S+, cron 30 8 \* \* 1: stand up", said)
    assert jobs.read(hands.where, "remind-2").schedule.words == "30 8 * * 1"
    assert hands.shows("REMIND list").count("\n") == 1
    assert hands.shows("REMIND cancel 1") == "remind-1 is cancelled"
    assert jobs.list_names(hands.where) == ["remind-2"]


def test_no_reminder_gets_the_number_of_a_cancelled_one(hands: Hands) -> None:
    for text in ("milk", "bread"):
        hands.shows(f"REMIND in 1 hour: {text}")
    for number in (1, 2):
        hands.shows(f"REMIND cancel {number}")
    assert hands.shows("REMIND in 1 hour: eggs").startswith("remind-3: ")
    assert jobs.list_names(hands.where) == ["remind-3"]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("remind me every monday at 9 to eat", "I will remind you, remind-1: Mon D 09:00 Z, then Mon D 09:00 Z"),
        ("erinnere mich jeden Montag um 9 ans Essen",
         "Ich erinnere dich, remind-1: Montag D 09:00 Z, dann Montag D 09:00 Z"),
        ("rappelle-moi tous les lundis à 9h de manger",
         "Je te le rappellerai, remind-1: lundi D 09:00 Z, puis lundi D 09:00 Z"),
        ("напомни мне каждую среду в 9 поесть", "Я напомню, remind-1: среда D 09:00 Z, потом среда D 09:00 Z"),
        ("提醒我每周一上午9点吃饭", "我会提醒你, remind-1: 周一 D 09:00 Z, 然后 周一 D 09:00 Z"),
    ],
)  # fmt: skip
def test_the_answer_is_in_the_language_in_which_the_time_was_read(tmp_path: Path, asked: str, answer: str) -> None:
    with world(tmp_path, offline, provider="offline") as here:
        here.say(asked)
        here.run()
    form = re.escape(answer).replace("D", r"\d{4}-\d\d-\d\d").replace("Z", r"[\w/]+")
    assert re.match(f"{form}, cron 0 9 ", said(here.where)[0]), said(here.where)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("REMIND stretch", "when?"),
        ("REMIND", "when?"),
        ("REMIND in 10 minutes", "the words of the reminder are missing"),
        ("REMIND 2001-01-01 09:00: x", "is in the past"),
        ("REMIND every 10 seconds: x", "from one minute"),
        ("REMIND in 10 flurble minutes: x", "not understood"),
        ("REMIND at 8am and 8pm: take pills", "several times"),
        ("REMIND tomorrow at 3: nap", "03:00 or 15:00"),
        ("REMIND cron 0 99 * * * x", "hour"),
        ("REMIND cancel 7", "no reminder"),
        ("REMIND cancel ../x", "no reminder"),
    ],
)
def test_what_cannot_be_is_told(hands: Hands, call: str, why: str) -> None:
    assert why in hands.fails(call)
    assert jobs.list_names(hands.where) == []


def test_the_lines_below_a_time_are_the_text_whatever_times_they_name(hands: Hands) -> None:
    assert hands.shows("REMIND tomorrow at 15:00 <<END\ncall mum on Friday at 9\nEND").startswith("remind-1: ")
    assert jobs.read(hands.where, "remind-1").text == "call mum on Friday at 9"


def test_a_job_of_somebody_else_is_none_of_its_own(hands: Hands) -> None:
    jobs.add(hands.where, "remind-1", jobs.render({"every": "1h", "room": "dev", "agent": "0" * 12, "text": "x"}))
    assert hands.shows("REMIND list") == "no reminder is set"
    assert "no reminder" in hands.fails("REMIND cancel 1")
    assert hands.shows("REMIND in 1 hour: x").startswith("remind-2")


def test_what_a_dead_process_announced_is_made_once_for_the_time_that_was_meant(hands: Hands) -> None:
    call = ToolCall("REMIND", "in 10 minutes: stretch", None)
    what = "remind-1 at 2126-11-27T09:00:00Z"
    for _ in range(2):
        shown = recover(hands.session, call, Effect("REMIND", what)) or b""
        assert shown.startswith(b"remind-1: Wed 2126-11-27") and shown.endswith(b": stretch")
        assert jobs.list_names(hands.where) == ["remind-1"]
    assert jobs.read(hands.where, "remind-1").schedule.words == "2126-11-27T09:00:00Z"
    recover(hands.session, ToolCall("REMIND", "cancel 1", None), Effect("REMIND", "remind-1 cancel"))
    assert jobs.list_names(hands.where) == []
    with pytest.raises(ToolError):
        recover(hands.session, call, Effect("REMIND", "garbage"))


def test_without_a_model_it_is_understood_and_said_when_it_is_due(tmp_path: Path) -> None:
    with world(tmp_path, offline, provider="offline") as here:
        here.say("remind me in 10 minutes to stretch")
        here.run()
        assert said(here.where)[0].startswith("I will remind you") and "stretch" in said(here.where)[0]
        here.say("please remind me tomorrow at 9 of the dentist.")
        here.run()
        assert jobs.read(here.where, "remind-2").schedule.words.endswith("T09:00")
        here.say("remind me at 5 p.m. tomorrow, or at 6, to eat")
        here.run()
        assert said(here.where)[2].startswith("No reminder is set: “at 5 p.m. tomorrow” is a time")
        here.say("remind me in 1 hour and 30 minutes to turn the roast. Then remind me to buy milk")
        here.run()
        roast = schedule.instant(jobs.read(here.where, "remind-3").schedule) - datetime.now(UTC)
        assert timedelta(minutes=88) < roast <= timedelta(minutes=91)
        here.say("remind me to buy milk")
        here.run()
        assert "When should I" in said(here.where)[-1]
        look(here.where, datetime.now(UTC) + timedelta(minutes=10, seconds=5))
        here.run()
        assert said(here.where)[-1] == "Reminder: stretch"
        assert len(events(here, "WAKE")) == 1 and jobs.list_names(here.where) == ["remind-2", "remind-3"]
