"""Times as people say them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.text import schedule, when
from dotagent.text.schedule import Schedule
from dotagent.text.when import When

NOW = datetime(2026, 11, 22, 17, 0, 5, tzinfo=ZoneInfo("Europe/Berlin"))  # a Sunday


@pytest.mark.parametrize(
    ("text", "kind", "words", "rest"),
    [
        ("in 10 minutes to stretch", "at", "2026-11-22T16:10:05Z", "stretch"),
        ("in 10 minutes: tea at noon", "at", "2026-11-22T16:10:05Z", "tea at noon"),
        ("of the tea in 5 minutes.", "at", "2026-11-22T16:05:05Z", "the tea"),
        ("in half an hour tea", "at", "2026-11-22T16:30:05Z", "tea"),
        ("in 90s x", "at", "2026-11-22T16:01:35Z", "x"),
        ("on Friday at 9", "at", "2026-11-27T09:00", ""),
        ("call mum on Friday at 9", "at", "2026-11-27T09:00", "call mum"),
        ("Fri 09:00 call mum", "at", "2026-11-27T09:00", "call mum"),
        ("at noon on friday lunch", "at", "2026-11-27T12:00", "lunch"),
        ("Sunday at 16 tea", "at", "2026-11-29T16:00", "tea"),
        ("sunday at 18 tea", "at", "2026-11-22T18:00", "tea"),
        ("tomorrow at 5pm: dentist", "at", "2026-11-23T17:00", "dentist"),
        ("to buy milk tomorrow", "at", "2026-11-23T09:00", "buy milk"),
        ("at 9 tea", "at", "2026-11-23T09:00", "tea"),
        ("18:30 tea", "at", "2026-11-22T18:30", "tea"),
        ("12am tea", "", "", ""),
        ("at 12am tea", "at", "2026-11-23T00:00", "tea"),
        ("tonight tea", "at", "2026-11-22T20:00", "tea"),
        ("2026-11-27 09:00: call", "at", "2026-11-27T09:00", "call"),
        ("2026-11-27: call", "at", "2026-11-27T09:00", "call"),
        ("2026-13-27: call", "", "", ""),
        ("every day at 8:30 to drink", "cron", "30 8 * * *", "drink"),
        ("every sunday at 10 rest", "cron", "0 10 * * 0", "rest"),
        ("every weekday 9:15 stand up", "cron", "15 9 * * 1-5", "stand up"),
        ("daily at 7 run", "cron", "0 7 * * *", "run"),
        ("every 2 hours stretch", "every", "2h", "stretch"),
        ("cron 0 9 * * MON-FRI work", "cron", "0 9 * * MON-FRI", "work"),
        ("am Freitag um 9 Mama anrufen", "at", "2026-11-27T09:00", "Mama anrufen"),
        ("in 10 Minuten Tee", "at", "2026-11-22T16:10:05Z", "Tee"),
        ("alle 2 Stunden Tee", "every", "2h", "Tee"),
        ("at 25:00 tea", "", "", ""),
        ("to read the report", "", "", ""),
        ("to wed in spring", "", "", ""),
    ],
)
def test_what_is_said(text: str, kind: str, words: str, rest: str) -> None:
    assert when.said(text, NOW) == (When(kind, words, rest) if kind else None)


@given(
    st.lists(
        st.sampled_from(
            "in 10 minutes on friday at 9 every day 2026-11-27 09:00 tomorrow cron * noon 99 :, um am".split()
        )
        | ANY_TEXT,
        max_size=8,
    ).map(" ".join)
)
def test_whatever_is_said_it_is_a_job_s_time_or_none(text: str) -> None:
    found = when.said(text, NOW)
    if found and found.kind == "at":
        assert schedule.instant(Schedule("at", found.words, "Europe/Berlin")) > datetime(1, 1, 3, tzinfo=UTC)
    elif found and found.kind == "every":
        assert schedule.span(found.words) >= 0
