"""When a job is due: cron, once, every so often; zones, daylight saving, windows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.text import schedule
from dotagent.text.schedule import Schedule
from dotagent.text.times import is_zone, machine_zone

BERLIN = "Europe/Berlin"


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def times(one: Schedule, start: datetime, count: int) -> list[str]:
    found = []
    for _ in range(count):
        following = schedule.next_time(one, start)
        assert following and following > start
        found.append(following.astimezone(ZoneInfo(one.zone)).strftime("%m-%d %H:%M"))
        start = following
    return found


def test_an_hour_that_is_skipped_is_made_up_for_and_one_that_comes_twice_counts_once() -> None:
    daily = Schedule("cron", "30 2 * * *", BERLIN)
    assert times(daily, at("2026-03-28 12:00", BERLIN), 3) == ["03-29 03:00", "03-30 02:30", "03-31 02:30"]
    assert times(daily, at("2026-10-24 12:00", BERLIN), 3) == ["10-25 02:30", "10-26 02:30", "10-27 02:30"]
    nine = Schedule("cron", "0 9 * * *", BERLIN)
    assert schedule.next_time(nine, at("2026-03-28 10:00", BERLIN)) == at("2026-03-29 07:00")  # nine there is seven now
    assert schedule.next_time(nine, at("2026-10-24 10:00", BERLIN)) == at("2026-10-25 08:00")


def test_a_fixed_time_of_the_first_pass_is_not_due_again_in_the_second() -> None:
    daily, second = Schedule("cron", "30 2 * * *", BERLIN), datetime(2026, 10, 25, 1, 10, tzinfo=UTC)
    assert second.astimezone(ZoneInfo(BERLIN)).strftime("%H:%M %Z") == "02:10 CET"
    assert times(daily, second, 2) == ["10-26 02:30", "10-27 02:30"]
    assert schedule.last_due(daily, second, second + timedelta(minutes=30), 86400) == (None, 0)


@pytest.mark.parametrize(
    ("words", "zone", "start", "due"),
    [
        ("*/30 2 * * *", BERLIN, "2026-03-28 12:00", ["03-30 02:00", "03-30 02:30"]),
        ("*/30 2 * * *", BERLIN, "2026-10-24 12:00", ["10-25 02:00", "10-25 02:30", "10-25 02:00", "10-25 02:30"]),
        ("0,30 2 * * *", BERLIN, "2026-03-28 12:00", ["03-29 03:00", "03-30 02:00"]),
        ("30 * * * *", "Australia/Lord_Howe", "2026-10-04 01:00", ["10-04 01:30", "10-04 02:30", "10-04 03:30"]),
        ("30 * * * *", "Australia/Lord_Howe", "2026-04-05 00:50", ["04-05 01:30", "04-05 01:30", "04-05 02:30"]),
        ("30 2 * * *", "Australia/Lord_Howe", "2026-10-04 01:00", ["10-04 02:30", "10-05 02:30"]),
        ("*/30 2 25 10 *", BERLIN, "2026-10-25 02:31", ["10-25 02:00", "10-25 02:30", "10-25 02:00"]),
        ("@daily", BERLIN, "2026-03-28 12:00", ["03-29 00:00", "03-30 00:00"]),
        ("@hourly", BERLIN, "2026-03-29 01:00", ["03-29 03:00", "03-29 04:00"]),
        ("@Weekly", BERLIN, "2026-11-25 12:00", ["11-29 00:00", "12-06 00:00"]),
    ],
)
def test_a_star_follows_the_clock_and_a_fixed_time_is_due_once(
    words: str, zone: str, start: str, due: list[str]
) -> None:
    assert times(Schedule("cron", words, zone), at(start, zone), len(due)) == due


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("0 22-2 * * *", "22-23,0-2"),
        ("0 9 * * FRI-MON", "FRI-SAT,SUN-MON"),
        ("0 9 * * 6-1", "6,0-1"),
        ("0 9 28-1 * *", "28-31,1"),
        ("0 9 * 1,11-2 *", "11-12,1-2"),
    ],
)
def test_a_range_that_ends_before_it_begins_is_refused_with_the_right_form(words: str, right: str) -> None:
    with pytest.raises(ValueError, match=f"ends before it begins: write {right}$"):
        schedule.check(Schedule("cron", words, BERLIN))
    minute, hour, day, month, week = words.split()
    better = [right if "-" in one and one != right else one for one in (minute, hour, day, month, week)]
    schedule.check(Schedule("cron", " ".join(better), BERLIN))


def test_a_misspelt_day_is_not_reported_as_a_range_that_ends_before_it_begins() -> None:
    with pytest.raises(ValueError, match="Bad day-of-week: write five fields"):
        schedule.check(Schedule("cron", "0 9 * * MON-FRY", BERLIN))


def test_one_time_is_meant_where_the_person_is_unless_it_says_where() -> None:
    assert schedule.instant(Schedule("at", "2026-11-27T09:00", BERLIN)) == at("2026-11-27 08:00")
    assert schedule.instant(Schedule("at", "2026-11-27T09:00Z", BERLIN)) == at("2026-11-27 09:00")
    assert schedule.instant(Schedule("at", "2026-03-29T02:30", BERLIN)) == at("2026-03-29 01:30")  # there is no such


def test_every_so_often_counts_hours_that_pass() -> None:
    every = Schedule("every", "12h", BERLIN)
    assert times(every, at("2026-03-28 20:00", BERLIN), 2) == ["03-29 09:00", "03-29 21:00"]
    day = Schedule("every", "24h", BERLIN)
    assert times(day, at("2026-03-28 10:00", BERLIN), 2) == ["03-29 11:00", "03-30 11:00"]


@pytest.mark.parametrize(
    ("words", "start", "due"),
    [
        ("1d", "2026-03-28 10:00", ["03-29 10:00", "03-30 10:00"]),
        ("1d", "2026-10-24 10:00", ["10-25 10:00", "10-26 10:00"]),
        ("2w", "2026-03-20 10:00", ["04-03 10:00", "04-17 10:00"]),
        ("1d", "2026-10-24 02:30", ["10-25 02:30", "10-26 02:30"]),
        ("1d", "2026-03-28 02:30", ["03-29 03:30", "03-30 02:30"]),  # that night has no 02:30
    ],
)
def test_days_and_weeks_keep_the_time_of_day(words: str, start: str, due: list[str]) -> None:
    begun = at(start, BERLIN)
    assert times(Schedule("every", words, BERLIN, begun), begun, 2) == due
    second = begun.replace(year=2026) + timedelta(days=2 if words == "1d" else 28, hours=2)
    last, others = schedule.last_due(Schedule("every", words, BERLIN), begun, second, 86_400)
    assert last and f"{last.astimezone(ZoneInfo(BERLIN)):%m-%d %H:%M}" == due[1] and others == 1


@pytest.mark.parametrize(
    ("words", "start", "due"),
    [
        ("2w from 2026-03-23T09:00", "2026-03-18 10:00", ["03-23 09:00", "04-06 09:00"]),
        ("2w from 2026-03-23T09:00", "2026-03-23 09:00", ["04-06 09:00", "04-20 09:00"]),
        ("2d from 2026-10-24T02:30", "2026-10-20 10:00", ["10-24 02:30", "10-26 02:30"]),
        ("1w from 2026-01-04T03:00", "2026-03-28 10:00", ["03-29 03:00", "04-05 03:00"]),
    ],
)
def test_an_interval_of_days_can_have_a_first_time(words: str, start: str, due: list[str]) -> None:
    one = Schedule("every", words, BERLIN, at("2020-01-01"))  # when its file was written says nothing then
    schedule.check(one)
    assert times(one, at(start, BERLIN), 2) == due
    last, others = schedule.last_due(one, at(start, BERLIN), at(start, BERLIN) + timedelta(days=35), 40 * 86_400)
    assert last and others >= 1


@pytest.mark.parametrize("words", ["3h from 2026-01-01T09:00", "1d from", "1d from noon", "2d from 2026-02-30T09:00"])
def test_a_first_time_of_an_interval_that_is_none_is_refused(words: str) -> None:
    with pytest.raises(ValueError, match=r"2026-11-27T09:00|2w from|time span"):
        schedule.check(Schedule("every", words, BERLIN))


@pytest.mark.parametrize(
    ("one", "since", "now", "window", "found"),
    [
        (("every", "10m"), "10:00", "10:09", 3600, (None, 0)),
        (("every", "10m"), "10:00", "10:10", 3600, ("10:10", 0)),
        (("every", "10m"), "10:00", "13:05", 3600, ("13:00", 17)),
        (("every", "3h"), "10:00", "14:05", 3600, (None, 1)),
        (("every", "1h"), "10:00", "11:59", 3540, ("11:00", 0)),  # at the very start of the window
        (("cron", "0 * * * *"), "10:00", "10:59", 3600, (None, 0)),
        (("cron", "0 * * * *"), "10:00", "13:30", 86_400, ("13:00", 2)),
        (("cron", "0 * * * *"), "10:00", "13:00", 0, ("13:00", 1)),
        (("cron", "0 11 * * *"), "10:00", "13:30", 3600, (None, 1)),
        (("at", "2026-01-01T11:00"), "10:00", "10:59", 3600, (None, 0)),
        (("at", "2026-01-01T11:00"), "10:00", "11:00", 3600, ("11:00", 0)),
        (("at", "2026-01-01T11:00"), "10:00", "13:00", 3600, (None, 1)),
        (("at", "2026-01-01T11:00"), "11:00", "13:00", 86_400, (None, 0)),
    ],
)
def test_of_missed_times_the_last_one_counts_if_it_is_not_too_long_ago(
    one: tuple[str, str], since: str, now: str, window: float, found: tuple[str | None, int]
) -> None:
    last, others = schedule.last_due(Schedule(*one, "UTC"), at(f"2026-01-01 {since}"), at(f"2026-01-01 {now}"), window)
    assert (last and f"{last:%H:%M}", others) == found


def test_a_minute_s_job_that_was_not_looked_at_for_a_year_is_no_work() -> None:
    last, others = schedule.last_due(Schedule("cron", "* * * * *", "UTC"), at("2025-01-01"), at("2026-01-01"), 86_400)
    assert last == at("2026-01-01") and others == 1441


SPECS = st.sampled_from(["*/7 * * * *", "30 2 * * *", "0 3 * * SUN", "15 1-4 * * *", "0 0 1 * *", "*/30 2,3 * * *"])
ZONES = st.sampled_from([BERLIN, "UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
STARTS = st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1)).map(
    lambda one: one.replace(tzinfo=UTC, microsecond=0)
)


@pytest.mark.night
@given(SPECS, ZONES, STARTS)
@settings(max_examples=settings().max_examples // 10)  # each looks 577 times
def test_however_it_is_asked_each_time_comes_once(words: str, zone: str, start: datetime) -> None:
    """Looking every few minutes finds the same times as looking from one to the next."""
    one = Schedule("cron", words, zone)
    expected, now = list[datetime](), start
    while (found := schedule.next_time(one, now)) and found <= start + timedelta(days=2):
        expected.append(found)
        now = found
    seen, known = list[datetime](), start
    for minute in range(0, 2880 + 1, 5):
        last, others = schedule.last_due(one, known, start + timedelta(minutes=minute), 3600)
        assert others == 0 or words.startswith("*/")
        if last:
            seen.append(last)
            known = last
    assert set(seen) <= set(expected)
    assert all(early < late for early, late in pairwise(seen))
    if not words.startswith("*/"):
        assert seen == expected


@given(ANY_TEXT, st.sampled_from(schedule.KINDS), st.sampled_from(["UTC", "Mars/Olympus", "", "../x", "\0"]))
def test_whatever_a_file_says_is_a_time_or_a_word_for_a_person(words: str, kind: str, zone: str) -> None:
    try:
        schedule.check(Schedule(kind, words, zone))
    except ValueError as wrong:
        assert str(wrong)


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        *(("30m", 1800), ("1h30m", 5400), ("2d", 172_800), ("1w", 604_800)),
        *((one, 1800) for one in ("30min", "30 min", "30 mins", "30 minutes", "PT30M", "pt30m", "1800000ms", "0.5h")),
        *(("PT1H30M", 5400), ("1 hour 30 minutes", 5400), ("1.5h", 5400), ("2 hrs", 7200), ("90 secs", 90)),
        *(("P1D", 86_400), ("P2W", 1_209_600), ("2 weeks", 1_209_600), ("P1DT1H", 90_000)),
    ],
)
def test_a_span(words: str, seconds: float) -> None:
    assert schedule.span(words) == seconds


@pytest.mark.parametrize(
    "words", ["", "m", "3", "3x", "-3m", "3m2h", "500ms", "1500ms", "P1M", "PT", "P", "1 month", "0.0001h", "30 eggs"]
)
def test_no_span(words: str) -> None:
    with pytest.raises(ValueError, match="30m"):
        schedule.span(words)


@pytest.mark.parametrize(
    ("kind", "words", "read"),
    [
        ("cron", "@every 30m", ("every", "30m")),
        ("cron", "@every 1h30m", ("every", "1h30m")),
        ("cron", "30min", ("every", "30m")),
        ("cron", "PT30M", ("every", "30m")),
        ("every", "every 24 hours", ("every", "24h")),
        ("every", "@daily", ("cron", "@daily")),
        ("every", "0 9 * * MON-FRI", ("cron", "0 9 * * MON-FRI")),
        ("every", "14 days from 2026-11-30T09:00", ("every", "14d from 2026-11-30T09:00")),
        ("cron", "nine in the morning, please", ("cron", "nine in the morning, please")),
        ("at", "2026-11-30T09:00", ("at", "2026-11-30T09:00")),
    ],
)
def test_a_time_in_the_form_of_another_program(kind: str, words: str, read: tuple[str, str]) -> None:
    assert schedule.read(kind, words) == read


def test_a_schedule_that_never_comes_is_refused() -> None:
    with pytest.raises(ValueError, match="cron"):
        schedule.check(Schedule("cron", "0 0 31 2 *", "UTC"))
    with pytest.raises(ValueError, match="five fields"):
        schedule.check(Schedule("cron", "* * * * * *", "UTC"))
    with pytest.raises(ValueError, match="minute"):
        schedule.check(Schedule("every", "5s", "UTC"))
    assert is_zone(machine_zone())
    assert schedule.hours("7:30-23:00") == (7.5, 23.0) and schedule.hours("22-6") == (22.0, 6.0)
    assert schedule.hours("8") is None and schedule.hours("8-25") is None
