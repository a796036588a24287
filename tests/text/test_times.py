"""Times as text: they sort as strings, always increase, and nothing else is taken for one."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import times

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 30), timezones=st.just(UTC))


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def test_now_is_now() -> None:
    before = time.time()
    told = times.now()
    assert times.STAMP.fullmatch(told)
    assert len(told) == 27
    assert before - 0.001 <= times.parse(told).timestamp() <= time.time() + 0.001


def test_times_strictly_increase_however_fast() -> None:
    found = [""]
    for _ in range(2000):
        found.append(times.next_stamp(found[-1]))
    assert found == sorted(set(found))


@given(MOMENTS)
def test_a_time_after_another_also_when_the_clock_is_behind_it(moment: datetime) -> None:
    previous = stamp(moment)
    after = times.next_stamp(previous)
    assert after > previous
    assert times.parse(after) > moment
    if moment > datetime.now(UTC) + timedelta(hours=1):
        assert times.parse(after) - moment == timedelta(microseconds=1)


@given(MOMENTS)
def test_what_is_written_is_read(moment: datetime) -> None:
    assert times.parse(stamp(moment)) == moment
    assert times.to_second(stamp(moment)) == moment.isoformat(timespec="seconds")[:19] + "Z"
    assert times.parse(times.to_second(stamp(moment))) == moment.replace(microsecond=0)


def test_the_zone_that_was_named_holds_for_all_that_people_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    late = "2026-11-21T22:30:00.5Z"
    assert (times.zone(), times.format_stamp(late), times.local_day(late)) == (
        "America/New_York", "2026-11-21T17:30", "2026-11-21",
    )  # fmt: skip
    times.live_in("Asia/Tokyo")
    assert (times.zone(), times.format_stamp(late, 19), times.local_day(late)) == (
        "Asia/Tokyo", "2026-11-22T07:30:00", "2026-11-22",
    )  # fmt: skip
    assert times.format_since("", late) == "Sun 2026-11-22 07:30"
    assert times.format_since("2026-11-21T14:59:00Z", late) == "Sun 2026-11-22 07:30", "the day there is another"
    assert times.format_since("2026-11-21T15:00:00Z", late) == "07:30", "the day there is the same"
    assert times.format_day(times.parse(late)) == "Sun 2026-11-22 07:30 Asia/Tokyo"
    assert times.seconds_left_of_day(late) == 59_399.5
    assert times.format_stamp("yesterday, about noon") == "yesterday, about"
    times.live_in("")
    assert times.zone() == "America/New_York"


def test_an_hour_that_comes_twice_has_its_distance_to_utc() -> None:
    told = [times.format_day(times.parse(f"2026-10-25T0{hour}:30:00Z"), "Europe/Berlin") for hour in range(3)]
    assert told == [
        "Sun 2026-10-25 02:30 Europe/Berlin (UTC+02:00)",
        "Sun 2026-10-25 02:30 Europe/Berlin (UTC+01:00)",
        "Sun 2026-10-25 03:30 Europe/Berlin",
    ]


def test_a_day_in_which_the_clocks_change_is_as_long_as_it_is() -> None:
    times.live_in("Europe/Berlin")
    assert times.seconds_left_of_day("2026-10-24T22:00:00Z") == 25 * 3600
    assert times.seconds_left_of_day("2026-03-28T23:00:00Z") == 23 * 3600


def test_fractions_of_every_length() -> None:
    for digits in range(1, 7):
        told = "2026-11-21T20:17:20." + "123456"[:digits] + "Z"
        assert times.STAMP.fullmatch(told)
        assert times.parse(told).microsecond == int("123456"[:digits].ljust(6, "0"))
    assert times.to_second("2026-11-21T20:17:20.5Z") == "2026-11-21T20:17:20Z"


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "2026-11-21", "2026-11-21T20:17:20", "2026-11-21T20:17:20+02:00", "2026-11-21 20:17:20Z",
        "2026-13-21T20:17:20Z", "2026-02-30T20:17:20Z", "2026-11-21T24:17:20Z", "2026-11-21T20:17:20.1234567Z",
        "٢٠٢٦-11-21T20:17:20Z", "2026-11-21T20:17:20Z\n", "2026-W01-1T20:17:20Z",
    ],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        times.parse(text)
    assert not times.STAMP.fullmatch(text) or re.match(r"2026-(13|02-30|11-21T24)", text)
