"""Heartbeats by a clock of the test's own: no call where there is no reason, silence is silence, an alert is said once
a day, and each is in the day's note."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from world import Failure, World, events, said, world

from dotagent.capabilities.scheduler import checks, rounds
from dotagent.capabilities.scheduler.rounds import Round
from dotagent.store import disk
from dotagent.store.home import Settings
from dotagent.store.requests import ChatMessage

START = datetime(2026, 11, 23, 0, 0, tzinfo=UTC)
SETTINGS = Settings(zone="UTC")
LIST = "# HEARTBEAT\n- look whether the backup is there\n"


class Model:
    """A model that replies what it is told to."""

    def __init__(self) -> None:
        self.reply, self.seen = "HEARTBEAT_OK", list[str]()

    def __call__(self, messages: list[ChatMessage], call: object) -> str:
        self.seen.append(messages[-1]["content"])
        if self.reply == "away":
            raise Failure("down")
        return self.reply


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def here(tmp_path: Path, model: Model) -> Iterator[World]:
    with world(tmp_path, model) as one:
        one.run()
        yield one


def write(here: World, text: str = LIST) -> None:
    (here.session.path / "HEARTBEAT.md").write_text(text)


def live(here: World, first: datetime, length: float, settings: Settings = SETTINGS) -> None:
    """Live for so many hours, looking whenever the clock would."""
    now: datetime | None = first
    while now and now < first + timedelta(hours=length):
        now = rounds.hand_over(Round(here.where, settings, now, pytest.fail))
        here.run()


def note(here: World, day: str = "2026-11-23") -> list[str]:
    path = here.session.path / "memory" / f"{day}.md"
    return [line for line in path.read_text().split("\n") if line.startswith("- ")] if path.exists() else []


def test_a_day_in_which_nothing_changes_costs_no_call(here: World, model: Model) -> None:
    write(here)
    job = 'cron = "0 9 * * *"\nzone = "UTC"\nenabled = false\nroom = "dev"\ntext = "x"\n'
    here.where.jobs.mkdir()
    (here.where.jobs / "stand.toml").write_text(job)
    live(here, START, 1)
    assert here.served == 1 and said(here.where) == []  # the list was new
    live(here, START + timedelta(hours=1), 24)
    assert here.served == 1 and len(events(here, "WAKE")) == 1
    here.say("hello")
    model.reply = "hello to you"
    here.run()
    model.reply = "HEARTBEAT_OK"
    live(here, START + timedelta(hours=25), 24)
    assert here.served == 3  # the answer, and one look


@pytest.mark.parametrize("text", ["", "# HEARTBEAT\n## Mornings\n", "# x\n- [ ]\n<!-- - look -->\n"])
def test_a_list_that_says_nothing_costs_no_call(here: World, text: str) -> None:
    write(here, text)
    here.say("hello")
    here.run()
    live(here, START, 24)
    assert here.served == 1 and events(here, "WAKE") == []


def test_the_list_is_gone_through_in_active_hours_whenever_something_was_said(here: World, model: Model) -> None:
    write(here)
    settings = Settings(zone="Europe/Berlin", tables={"heartbeat": {"every": "30m", "hours": "8-22"}})
    for hour in range(24):
        here.say("something")
        model.reply = "well"
        here.run()
        model.reply = "HEARTBEAT_OK"
        live(here, START + timedelta(hours=hour), 1, settings)
    times = [line.split(" ")[3] for line in events(here, "WAKE")]
    assert times[0] == "2026-11-23T07:00:00Z" and times[-1] == "2026-11-23T20:00:00Z" and len(times) == 14
    assert set(said(here.where)) == {"well"}
    assert note(here)[0] == "- 07:00 heartbeat: nothing to report"  # by the agent's own settings
    assert "look whether the backup is there" in "".join(model.seen)


def test_an_alert_is_said_once_a_day_however_often_it_is_found(here: World, model: Model) -> None:
    write(here, "- every 1h: look whether the backup is there\n")
    model.reply = "The backup is **missing**.\n\nHEARTBEAT_OK"
    live(here, START, 23.5)
    assert said(here.where) == ["The backup is **missing**."]
    assert here.served == 24 and len(note(here)) == 24
    assert note(here)[:2] == [
        "- 00:00 heartbeat: The backup is **missing**.",
        "- 01:00 heartbeat: unchanged, already reported within the last day",
    ]
    model.reply = "SAY dev The disk is full."
    live(here, START + timedelta(hours=24), 2)
    assert said(here.where)[1:] == ["The disk is full."]
    model.reply = "the backup is **missing**."
    live(here, START + timedelta(hours=26), 2)
    assert said(here.where)[2:] == ["the backup is **missing**."]  # a day has passed


@pytest.mark.parametrize(
    "reply",
    [
        "HEARTBEAT_OK",
        "heartbeat_ok",
        "**HEARTBEAT_OK**.",
        " HEARTBEAT_OK\nHEARTBEAT_OK ",
        "```text\nHEARTBEAT_OK\n```",
        "<p>HEARTBEAT_OK</p>",
        "✅ HEARTBEAT_OK",
        "HEARTBEAT_OK - nothing to report",
        "Nothing new. HEARTBEAT_OK",
        "HEARTBEAT_OK — alles in Ordnung!",
        "\\boxed{\\text{HEARTBEAT\\_OK}}",
        "<|channel|>final<|message|>HEARTBEAT_OK",
        "HEARTBEAT_OK<|im_end|>",
        '{"message": "HEARTBEAT_OK"}',
        "HEARTBEAT\u200b_OK",
        "HEARTBEAT\u2011OK",
        "HEARTBEAT：OK",
        "HEARTBEATOK",
        "Final answer: HEARTBEAT_OK",
        "print('HEARTBEAT_OK')",
        "No open items. HEARTBEAT_OK",
        "HEARTBEAT_OK — rien à signaler",
        "WAIT",
        "SAY dev HEARTBEAT_OK",
    ],
)
def test_silence_is_silence(here: World, model: Model, reply: str) -> None:
    write(here)
    model.reply = reply
    live(here, START, 1)
    assert here.served == 1 and said(here.where) == []
    assert note(here) == ["- 00:00 heartbeat: nothing to report"]


@pytest.mark.parametrize(
    ("reply", "alert"),
    [
        ("HEARTBEAT_OK - the oven is on", "the oven is on"),
        ("HEARTBEAT_OK\n\n**The oven** is on.", "**The oven** is on."),
        ("The backup is **missing**.\n\nHEARTBEAT_OK", "The backup is **missing**."),
        ("Nothing to report but smoke. heartbeat_ok", "Nothing to report but smoke."),
        ("HEARTBEAT_OKAY", "HEARTBEAT_OKAY"),
        ("not HEARTBEAT_OK", "not"),
        ("No backup. HEARTBEAT_OK", "No backup."),
    ],
)
def test_an_alert_next_to_the_silence_is_told(here: World, model: Model, reply: str, alert: str) -> None:
    write(here)
    model.reply = reply
    live(here, START, 1)
    assert said(here.where) == [alert]


def test_what_is_said_elsewhere_is_no_heartbeat_s(here: World, model: Model) -> None:
    here.say("what do you reply at a heartbeat?")
    model.reply = "I reply HEARTBEAT_OK"
    here.run()
    here.say("and again?")
    model.reply = "HEARTBEAT_OK"
    here.run()
    assert said(here.where) == ["I reply HEARTBEAT_OK", "HEARTBEAT_OK"]


def test_items_with_a_time_of_their_own_are_looked_after_then_and_not_otherwise(here: World, model: Model) -> None:
    write(here, "- every 6h: look at the backup\n- at 18:00: sum the day up\n")
    here.say("hello")
    here.run()
    live(here, START, 48)
    times = [line.split(" ")[3][8:13] for line in events(here, "WAKE")]
    assert times == ["23T00", "23T06", "23T12", "23T18", "24T00", "24T06", "24T12", "24T18"]


def test_an_item_whose_time_is_not_understood_is_asked_about(here: World, model: Model) -> None:
    write(here, "- every other Monday: look at the backup\n- at 8am and 8pm: sum up\n")
    live(here, START, 24)
    times = [line.split(" ")[3][8:13] for line in events(here, "WAKE")]
    assert times == ["23T00", "23T08", "23T20"]
    assert (
        "(The time of an item in the list is not clear; ask your person for a clear time. every other Monday: “every "
        "other Monday”: the first day is not clear here" in model.seen[0]
    )
    (wrong,) = checks.lists(here.where)
    assert (
        wrong.what.startswith("the time of an item in this list is not clear: every other Monday: ")
        and "HEARTBEAT.md" in wrong.where
    )
    write(here, "- every 2 days: look at the backup\n")
    assert not list(checks.lists(here.where))


def test_a_heartbeat_that_no_model_answers_tells_nobody_and_waits_for_one(here: World, model: Model) -> None:
    write(here)
    model.reply = "away"
    live(here, START, 1)
    assert said(here.where) == [] and len(events(here, "FAIL")) == 1


def test_a_missed_heartbeat_is_left_out_and_off_is_off(here: World) -> None:
    write(here)
    rounds.hand_over(Round(here.where, SETTINGS, START + timedelta(minutes=10), pytest.fail))
    assert list((here.session.path / "due").iterdir()) == []
    off = Settings(zone="UTC", tables={"heartbeat": {"every": "off"}})
    assert rounds.hand_over(Round(here.where, off, START, pytest.fail)) is None
    here.run()
    assert events(here, "WAKE") == []


def test_one_that_sleeps_has_a_heartbeat_where_up_would_wake_it_and_one_at_most_waits(tmp_path: Path) -> None:
    with world(tmp_path, Model()) as here:
        here.run()
        write(here, "- every 30m: look at the backup\n")
        where, folder = here.where, here.session.path / "due"
    rounds.hand_over(Round(where, SETTINGS, START, pytest.fail))
    assert list(folder.iterdir()) == []
    disk.make_dir(where.up)
    with disk.open_regular(where.up / "pid", os.O_RDWR | os.O_CREAT) as fd, disk.locked(fd):
        for hour in range(3):
            rounds.hand_over(Round(where, SETTINGS, START + timedelta(hours=hour), pytest.fail))
    assert len(list(folder.iterdir())) == 1


def test_a_task_that_no_model_could_do_is_named_in_the_room(here: World, model: Model) -> None:
    job = 'at = "2026-11-23T09:00:00Z"\nzone = "UTC"\nroom = "dev"\ntext = "call mum"\n'
    here.where.jobs.mkdir(exist_ok=True)
    (here.where.jobs / "mum.toml").write_text(job)
    model.reply = "away"
    live(here, START + timedelta(hours=8), 2)
    here.say("hello?")  # who asks oneself knows what one asked
    here.run()
    assert said(here.where) == ["(no answer: it said down; this was due: call mum)", "(no answer: it said down)"]
    (here.where.jobs / "dad.toml").write_text(job.replace("T09:", "T11:").replace("mum", "dad"))
    live(here, START + timedelta(hours=10), 2)
    assert said(here.where)[2:] == ["(no answer: it said down; this was due: call dad)"]
