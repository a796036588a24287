"""Looking after jobs, at times that the test gives: each due run is handed over once, whatever the machine's clock
does, and what was missed is made up once, or told of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from clocked import START, handed, hours, look, write
from support import make_home, together
from world import World, events, said, world

from dotagent.capabilities.scheduler import due, jobs, rounds
from dotagent.errors import Misuse
from dotagent.store import log
from dotagent.store.home import Settings
from dotagent.store.log import Line
from dotagent.store.requests import ChatMessage

DAILY = 'cron = "0 9 * * *"\nzone = "UTC"\nroom = "dev"\ntext = "stand up"\n'


def model(messages: list[ChatMessage], call: object) -> str:
    """A model that says what it was woken for."""
    return f"heard: {messages[-1]['content'].rstrip().rpartition(chr(10))[2].strip()}"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path, model) as one:
        one.run()
        yield one


def woken(here: World) -> list[str]:
    """The runs that LIFE tells of."""
    return [" ".join(line.split(" ")[1:]) for line in events(here, "WAKE")]


def test_a_job_wakes_the_agent_of_its_room_when_it_is_due(here: World) -> None:
    write(here.where, "stand", DAILY)
    assert look(here.where, START, settings=Settings(tables={"heartbeat": {"every": "off"}})) == hours(1)
    assert handed(here.where, here.session.id) == []
    following = look(here.where, hours(1), settings=Settings(tables={"heartbeat": {"every": "off"}}))
    assert following == hours(25)
    here.run()
    assert woken(here) == ["stand dev 2026-11-23T09:00:00Z"]
    assert said(here.where) == ["heard: stand up"]
    assert handed(here.where, here.session.id) == []


def test_each_look_hands_a_run_over_once_and_so_do_clocks_that_know_nothing_of_each_other(here: World) -> None:
    write(here.where, "stand", DAILY)
    together(*(lambda: look(here.where, hours(1)) for _ in range(4)))
    assert handed(here.where, here.session.id) == ["stand 11-23 09:00"]
    here.run()
    for path in (here.where.clock / "ran").iterdir():
        path.unlink()  # as if the clock had died before it noted anything
    look(here.where, hours(1.01))
    assert handed(here.where, here.session.id) == []  # the agent's log has it
    again = rounds.make_due(jobs.read(here.where, "stand"), "2026-11-23T09:00:00Z", "")
    due.hand(here.where, here.session.id, again)  # a clock that did not look into the log
    here.run()
    assert len(woken(here)) == 1 and handed(here.where, here.session.id) == []


def test_of_missed_runs_the_last_is_made_up_for_and_the_agent_is_told_that_it_is_late(here: World) -> None:
    write(here.where, "tea", DAILY.replace("0 9 * * *", "0 * * * *"))
    look(here.where, START)
    look(here.where, hours(9.5))
    here.run()
    assert woken(here) == ["tea dev 2026-11-23T17:00:00Z late"]
    known = jobs.ran(here.where, "tea")
    assert known.missed == 8 and "8 runs" in known.why
    look(here.where, hours(9.9))
    here.run()
    assert len(woken(here)) == 1


def test_what_is_longer_ago_than_the_window_is_told_of_and_not_made_up_for(here: World) -> None:
    told = list[str]()
    write(here.where, "stand", DAILY + 'window = "1h"\n')
    write(here.where, "once", 'at = "2026-11-23T09:00Z"\nwindow = "1h"\nroom = "dev"\ntext = "call mum"\n')
    look(here.where, START)
    look(here.where, hours(5), told)
    here.run()
    assert woken(here) == ["once dev 2026-11-23T09:00:00Z missed"]  # what was to happen once is told
    assert len(told) == 2 and all("missed" in line for line in told)
    assert "it was not possible then" in here.session.store.get(_last(here)).body.decode()
    look(here.where, hours(27))
    here.run()
    assert len(woken(here)) == 1 and jobs.ran(here.where, "stand").missed == 2
    look(here.where, hours(49))
    here.run()
    assert woken(here)[1:] == ["stand dev 2026-11-25T09:00:00Z"]


def _last(here: World) -> str:
    return next(line.id for line in reversed([entry.line for entry in here.session.entries]) if line.event == "WAKE")


def test_a_machine_s_clock_that_goes_back_repeats_nothing_and_one_that_was_far_ahead_stops_nothing(here: World) -> None:
    write(here.where, "tea", DAILY.replace("0 9 * * *", "0 * * * *"))
    look(here.where, hours(3))
    here.run()
    for moment in (1, 2, 2.5, 3):
        look(here.where, hours(moment))
        here.run()
    assert len(woken(here)) == 1
    look(here.where, hours(24 * 400))  # a year ahead,
    here.run()
    for moment in (4, 5):  # and back
        look(here.where, hours(moment))
        here.run()
    assert [one.split(" ")[2] for one in woken(here)][2:] == ["2026-11-23T12:00:00Z", "2026-11-23T13:00:00Z"]


def test_what_is_over_is_done_and_leaves_nothing(here: World) -> None:
    write(here.where, "once", 'at = "2026-11-23T09:00Z"\nroom = "dev"\ntext = "call mum"\n')
    assert look(here.where, START, settings=Settings(tables={"heartbeat": {"every": "off"}})) == hours(1)
    assert look(here.where, hours(1), settings=Settings(tables={"heartbeat": {"every": "off"}})) is None
    assert jobs.list_names(here.where) == [] and jobs.is_done(here.where, "once")
    assert list((here.where.clock / "ran").iterdir()) == []
    here.run()
    assert woken(here) == ["once dev 2026-11-23T09:00:00Z"]


def test_a_run_that_waits_for_an_agent_stands_for_those_after_it(here: World) -> None:
    write(here.where, "tea", DAILY.replace("0 9 * * *", "0 * * * *"))
    for hour in range(1, 6):
        look(here.where, hours(hour))
    assert handed(here.where, here.session.id) == ["tea 11-23 09:00"]
    assert jobs.ran(here.where, "tea").missed == 4
    here.run()
    look(here.where, hours(6))
    here.run()
    assert len(woken(here)) == 2


@pytest.mark.parametrize(("later", "missed"), [(1.0, 0), (2.0, 1)])
def test_a_run_that_waits_unrecorded_since_a_crash_does_not_count_as_missed(
    here: World, later: float, missed: int
) -> None:
    write(here.where, "tea", DAILY.replace("0 9 * * *", "0 * * * *"))
    look(here.where, hours(1))
    (here.where.clock / "ran" / "tea.json").unlink()  # the crash came before the record
    look(here.where, hours(later))
    assert handed(here.where, here.session.id) == ["tea 11-23 09:00"]
    assert jobs.ran(here.where, "tea").missed == missed


@pytest.mark.parametrize("window", ["1d", "1h"])
def test_a_run_that_an_agent_took_unrecorded_before_a_crash_does_not_count_as_missed(here: World, window: str) -> None:
    every = DAILY.replace("0 9 * * *", "0 9,11 * * *")
    write(here.where, "tea", f'{every}window = "{window}"\n')
    look(here.where, hours(1))
    here.run()
    (here.where.clock / "ran" / "tea.json").unlink()  # the crash came before the record
    look(here.where, hours(5))
    here.run()
    taken, missed = (2, 0) if window == "1d" else (1, 1)
    assert (len(woken(here)), jobs.ran(here.where, "tea").missed) == (taken, missed)


def test_a_damaged_line_or_file_of_a_run_is_skipped(tmp_path: Path) -> None:
    where, self_id = make_home(tmp_path), "a" * 32
    waiting = where.agent(self_id) / "due"
    waiting.mkdir(parents=True)
    told = ["tea dev 2026-11-23T09:00:00Z", "tea dev", "tea dev yesterday", "tea dev 2026-13-45T09:00:00Z"]
    made = [Line(f"2026-11-23T10:00:0{at}.000000Z", "WAKE", row, "0" * 32, "") for at, row in enumerate(told)]
    (where.agent(self_id) / "LIFE.md").write_text("".join(f"{log.render(one)}\n" for one in made))
    assert list(due.times_taken(where, self_id, "tea", START)) == [hours(1)]
    for at in ("20261123T090000Z", "20261345T090000Z"):
        (waiting / f"tea@{at}.json").write_text("{}")
    assert due.times_waiting(where, self_id, "tea") == [hours(1)]


def test_a_run_once_that_an_agent_took_unrecorded_is_not_reported_as_missed(here: World) -> None:
    told = list[str]()
    once = 'at = "2026-11-23T09:00Z"\nwindow = "1h"\nroom = "dev"\ntext = "call mum"\n'
    write(here.where, "once", once)
    look(here.where, hours(1))
    here.run()
    write(here.where, "once", once)  # the crash came before the job was finished
    look(here.where, hours(5), told)
    here.run()
    assert woken(here) == ["once dev 2026-11-23T09:00:00Z"] and not told and jobs.is_done(here.where, "once")


def test_without_an_agent_a_run_waits_and_the_clock_sleeps_meanwhile(tmp_path: Path) -> None:
    where, told = make_home(tmp_path), list[str]()
    write(where, "stand", DAILY)
    following = look(where, hours(1), told)
    assert following and following > hours(1)
    assert told == ["job stand: no agent has joined room dev; the job waits until an agent joins"]
    with world(tmp_path, model) as here:
        look(where, hours(1.5))
        here.run()
        assert woken(here) == ["stand dev 2026-11-23T09:00:00Z late"]


def test_disabled_it_rests_and_what_it_rested_through_is_not_made_up_for(here: World) -> None:
    write(here.where, "tea", DAILY.replace("0 9 * * *", "0 * * * *") + "enabled = false # till spring\n")
    look(here.where, hours(5))
    jobs.switch(here.where, "tea", True)
    assert (here.where.jobs / "tea.toml").read_text().endswith("enabled = true # till spring\n")
    os.utime(here.where.jobs / "tea.toml", (hours(5).timestamp(),) * 2)
    look(here.where, hours(5.1))
    assert handed(here.where, here.session.id) == []
    look(here.where, hours(6))
    assert handed(here.where, here.session.id) == ["tea 11-23 14:00"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cron = ", "Invalid value"),
        ('cron = "0 9 * * *"\nroom = "dev"\n', "text is missing"),
        ('room = "dev"\ntext = "x"\n', "one of `cron`, `at` and `every`"),
        ('at = "2026-11-23T09:00"\nevery = "2h"\nroom = "dev"\ntext = "x"\n', "one of `cron`"),
        (DAILY + 'windw = "1h"\n', "'windw'"),
        (DAILY + 'window = "60d"\n', "at most 7d"),
        (DAILY.replace("UTC", "Mars"), "zone must be"),
        (DAILY.replace("0 9", "0 99"), "hour"),
        ('every = "5s"\nroom = "dev"\ntext = "x"\n', "from one minute"),
    ],
)
def test_a_file_that_is_no_job_is_told_of_in_a_line_and_stops_no_other(here: World, text: str, words: str) -> None:
    told = list[str]()
    write(here.where, "odd", text)
    write(here.where, "stand", DAILY)
    look(here.where, hours(1), told)
    assert len(told) == 1 and "odd.toml" in told[0] and words in told[0]
    assert handed(here.where, here.session.id) == ["stand 11-23 09:00"]


def test_a_job_is_not_called_like_a_heartbeat(here: World) -> None:
    write(here.where, "heartbeat", DAILY)
    look(here.where, hours(1))
    assert handed(here.where, here.session.id) == []
    with pytest.raises(Misuse, match="cannot be the name of a job"):
        jobs.path_of(here.where, "boot")
    with pytest.raises(Misuse, match="cannot be the name of a job"):
        jobs.path_of(here.where, "../x")


def test_it_wakes_the_agent_that_it_names(here: World, tmp_path: Path) -> None:
    write(here.where, "stand", DAILY + f'agent = "{here.session.id[:8]}"\n')
    write(here.where, "other", DAILY + 'agent = "00000000"\n')
    look(here.where, hours(1))
    assert handed(here.where, here.session.id) == ["stand 11-23 09:00"]


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_job_in_any_form_of_text_is_due_and_can_be_switched(here: World, form: str) -> None:
    path = jobs.path_of(here.where, "daily")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(DAILY.replace("stand up", "meet Zoë").replace("\n", "\r\n").encode(form))
    assert jobs.read(here.where, "daily").text == "meet Zoë"
    jobs.switch(here.where, "daily", False)
    assert not jobs.read(here.where, "daily").enabled
    assert path.read_bytes().decode(form) == "enabled = false\r\n" + DAILY.replace("stand up", "meet Zoë").replace(
        "\n", "\r\n"
    )
