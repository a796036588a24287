"""Times as people say them: each phrase is understood as a whole, or asked back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.text import reminder_times, schedule
from dotagent.text.dates import Unclear
from dotagent.text.reminder_times import When
from dotagent.text.schedule import Schedule

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 24, 10, 0, 5, tzinfo=BERLIN)  # a Tuesday
EVENING = NOW.replace(hour=20)


@pytest.mark.parametrize(
    ("text", "kind", "words", "rest"),
    [
        ("in 10 minutes to stretch", "at", "2026-11-24T09:10:05Z", "stretch"),
        ("in 10 minutes: tea at noon", "at", "2026-11-24T09:10:05Z", "tea at noon"),
        ("of the tea in 5 minutes.", "at", "2026-11-24T09:05:05Z", "the tea"),
        ("in half an hour tea", "at", "2026-11-24T09:30:05Z", "tea"),
        ("in 90s x", "at", "2026-11-24T09:01:35Z", "x"),
        ("in 1 hour and 30 minutes to turn the roast", "at", "2026-11-24T10:30:05Z", "turn the roast"),
        ("in 1 hour, 2 minutes and 5 seconds to x", "at", "2026-11-24T10:02:10Z", "x"),
        ("in an hour and a half to x", "at", "2026-11-24T10:30:05Z", "x"),
        ("in two and a half hours to x", "at", "2026-11-24T11:30:05Z", "x"),
        ("in 1h30m to x", "at", "2026-11-24T10:30:05Z", "x"),
        ("in three quarters of an hour to x", "at", "2026-11-24T09:45:05Z", "x"),
        ("2 hours from now to x", "at", "2026-11-24T11:00:05Z", "x"),
        ("in 3 days to x", "at", "2026-11-27T10:00:05", "x"),
        ("in 3 days at 9 to x", "at", "2026-11-27T09:00", "x"),
        ("on Friday at 9", "at", "2026-11-27T09:00", ""),
        ("call mum on Friday at 9", "at", "2026-11-27T09:00", "call mum"),
        ("Fri 09:00 call mum", "at", "2026-11-27T09:00", "call mum"),
        ("at noon on friday lunch", "at", "2026-11-27T12:00", "lunch"),
        ("to meet Bob in Berlin tomorrow at 9", "at", "2026-11-25T09:00", "meet Bob in Berlin"),
        ("tomorrow at 5pm: dentist", "at", "2026-11-25T17:00", "dentist"),
        ("to buy milk tomorrow", "at", "2026-11-25T09:00", "buy milk"),
        ("tomorrow afternoon at 3 to nap", "at", "2026-11-25T15:00", "nap"),
        ("at 3 tomorrow afternoon to nap", "at", "2026-11-25T15:00", "nap"),
        ("tomorrow at half past three in the afternoon to x", "at", "2026-11-25T15:30", "x"),
        ("tonight at 8 to x", "at", "2026-11-24T20:00", "x"),
        ("this evening at quarter to nine to x", "at", "2026-11-24T20:45", "x"),
        ("today at 6 to x", "at", "2026-11-24T18:00", "x"),  # six in the morning is over
        ("at 11 tea", "at", "2026-11-24T11:00", "tea"),
        ("at twenty one o'clock tea", "at", "2026-11-24T21:00", "tea"),
        ("18:30 tea", "at", "2026-11-24T18:30", "tea"),
        ("at 12am tea", "at", "2026-11-25T00:00", "tea"),
        ("at 5 p.m. to x", "at", "2026-11-24T17:00", "x"),
        ("tonight at midnight to x", "at", "2026-11-25T00:00", "x"),
        ("next Monday at 9 to x", "at", "2026-11-30T09:00", "x"),
        ("on 3 May to x", "at", "2027-05-03T09:00", "x"),
        ("on May 3rd, 2027 at noon to x", "at", "2027-05-03T12:00", "x"),
        ("Friday, 27 November at 9 to x", "at", "2026-11-27T09:00", "x"),
        ("2026-11-27 09:00: call", "at", "2026-11-27T09:00", "call"),
        ("2026-11-27T09:00+02:00: call", "at", "2026-11-27T09:00+02:00", "call"),
        ("every day at 8:30 to drink", "cron", "30 8 * * *", "drink"),
        ("every day at 8am and 8pm to take pills", "cron", "0 8,20 * * *", "take pills"),
        ("every Monday, Wednesday and Friday at 9 to x", "cron", "0 9 * * 1,3,5", "x"),
        ("every sunday at 10 rest", "cron", "0 10 * * 0", "rest"),
        ("every weekday 9:15 stand up", "cron", "15 9 * * 1-5", "stand up"),
        ("every night at 11 to x", "cron", "0 23 * * *", "x"),
        ("daily at 7 run", "cron", "0 7 * * *", "run"),
        ("on Mondays at 9 to x", "cron", "0 9 * * 1", "x"),
        ("weekdays at 8: x", "cron", "0 8 * * 1-5", "x"),
        ("montags und freitags um 9 an x", "cron", "0 9 * * 1,5", "x"),
        ("every night at 1 to x", "cron", "0 1 * * *", "x"),
        ("um 1 Uhr nachts an x", "at", "2026-11-25T01:00", "x"),
        ("to enjoy Sundays", "", "", ""),
        ("every 2 hours stretch", "every", "2h", "stretch"),
        ("every hour and a half to x", "every", "1h30m", "x"),
        ("cron 0 9 * * MON-FRI work", "cron", "0 9 * * MON-FRI", "work"),
        ("cron 0 9 * * 1-5: work", "cron", "0 9 * * 1-5", "work"),
        ("cron @daily: work", "cron", "@daily", "work"),
        ("@daily: work", "cron", "@daily", "work"),
        ("0 9 * * MON-FRI: work", "cron", "0 9 * * MON-FRI", "work"),
        ("@every 30m: work", "every", "30m", "work"),
        ("every PT30M: work", "every", "30m", "work"),
        ("every 1800000ms work", "every", "30m", "work"),
        ("20m: work", "at", "2026-11-24T09:20:05Z", "work"),
        ("18h: x", "at", "2026-11-24T18:00", "x"),
        ("in PT20M: work", "at", "2026-11-24T09:20:05Z", "work"),
        ("Samstagabend um 8: x", "at", "2026-11-28T20:00", "x"),
        ("am Montagmorgen um 9: x", "at", "2026-11-30T09:00", "x"),
        ("Mo-Fr um 9: x", "cron", "0 9 * * 1,2,3,4,5", "x"),
        ("alle halbe Stunde an x", "every", "30m", "x"),
        ("an jedem Montag um 9: x", "cron", "0 9 * * 1", "x"),
        ("every Mon-Fri at 9: x", "cron", "0 9 * * 1,2,3,4,5", "x"),
        ("every mon,wed,fri at 9: x", "cron", "0 9 * * 1,3,5", "x"),
        ("Friday to Monday at 9: x", "cron", "0 9 * * 0,1,5,6", "x"),
        ("von Montag bis Freitag um 9: x", "cron", "0 9 * * 1,2,3,4,5", "x"),
        ("call mum Mon-Fri 9:00", "cron", "0 9 * * 1,2,3,4,5", "call mum"),
        ("every weekend at 10: x", "cron", "0 10 * * 0,6", "x"),
        ("on weekends at 10: x", "cron", "0 10 * * 0,6", "x"),
        ("jedes Wochenende um 10: x", "cron", "0 10 * * 0,6", "x"),
        ("tomorrow at 9 UTC to x", "at", "2026-11-25T09:00:00Z", "x"),
        ("tomorrow at 3pm EST call mum", "at", "2026-11-25T20:00:00Z", "call mum"),
        ("call mum at 9am PST", "at", "2026-11-24T17:00:00Z", "call mum"),
        ("at 3pm ET: x", "at", "2026-11-24T20:00:00Z", "x"),
        ("morgen um 15:00 MEZ: x", "at", "2026-11-25T14:00:00Z", "x"),
        ("on 3 July at 3pm EDT: x", "at", "2027-07-03T19:00:00Z", "x"),
        ("on Friday at 14:00 Asia/Tokyo: x", "at", "2026-11-27T05:00:00Z", "x"),
        ("2026-12-03T14:00:00-05:00: x", "at", "2026-12-03T14:00:00-05:00", "x"),
        ("2026-12-03T14:00:00Z: x", "at", "2026-12-03T14:00:00Z", "x"),
        ("2026-12-03T14:00:00.000Z: x", "at", "2026-12-03T14:00:00Z", "x"),
        ("2026-12-03T14:00+01: x", "at", "2026-12-03T14:00+01", "x"),
        ("2026-12-03 14:00 PST: x", "at", "2026-12-03T22:00:00Z", "x"),
        ("2026-12-03 14:00 Europe/London: x", "at", "2026-12-03T14:00:00Z", "x"),
        ("2026-12-03, 14:00: x", "at", "2026-12-03T14:00", "x"),
        ("2026-12-03 2pm: x", "at", "2026-12-03T14:00", "x"),
        ("am Freitag um 9 Mama anrufen", "at", "2026-11-27T09:00", "Mama anrufen"),
        ("am 5. Mai um 9 Uhr an x", "at", "2027-05-05T09:00", "x"),
        ("am 27.11.2026 um 15 Uhr 30 an x", "at", "2026-11-27T15:30", "x"),
        ("heute Abend um halb 9 an x", "at", "2026-11-24T20:30", "x"),
        ("morgen früh um viertel nach 7 an x", "at", "2026-11-25T07:15", "x"),
        ("on the 31st to pay the rent", "at", "2026-12-31T09:00", "pay the rent"),  # November has no 31st
        ("on the 5th at 6pm to x", "at", "2026-12-05T18:00", "x"),
        ("am 31. um 18 Uhr: x", "at", "2026-12-31T18:00", "x"),
        ("on the 15th of next month to x", "at", "2026-12-15T09:00", "x"),
        ("at the end of the month to x", "at", "2026-11-30T09:00", "x"),
        ("on the last day of next month at noon to x", "at", "2026-12-31T12:00", "x"),
        ("am Monatsende an x", "at", "2026-11-30T09:00", "x"),
        ("to call mum on Friday week", "at", "2026-12-04T09:00", "call mum"),
        ("a week on Friday at 9 to x", "at", "2026-12-04T09:00", "x"),
        ("a week from tomorrow to x", "at", "2026-12-02T09:00", "x"),
        ("am Freitag in einer Woche an x", "at", "2026-12-04T09:00", "x"),
        ("in 2 months to x", "at", "2027-01-24T10:00:05", "x"),
        ("in a year at 9 to x", "at", "2027-11-24T09:00", "x"),
        ("in einem Monat an x", "at", "2026-12-24T10:00:05", "x"),
        ("in a fortnight to x", "at", "2026-12-08T10:00:05", "x"),
        ("day after tomorrow at 9 to x", "at", "2026-11-26T09:00", "x"),
        ("tomorrow at 12 noon to x", "at", "2026-11-25T12:00", "x"),
        ("every other day to water it", "every", "2d", "water it"),
        ("every second week to x", "every", "2w", "x"),
        ("jeden zweiten Tag an x", "every", "2d", "x"),
        ("hourly to x", "every", "1h", "x"),
        ("once a day to x", "cron", "0 9 * * *", "x"),
        ("every month on the 1st to x", "cron", "0 9 1 * *", "x"),
        ("on the first of every month at 8am to x", "cron", "0 8 1 * *", "x"),
        ("on the last day of every month to x", "cron", "0 9 L * *", "x"),
        ("am 15. jedes Monats an x", "cron", "0 9 15 * *", "x"),
        ("every second Tuesday of the month at 10 to x", "cron", "0 10 * * 2#2", "x"),
        ("on the last Friday of every month to x", "cron", "0 9 * * 5L", "x"),
        ("every year on 3 May to x", "cron", "0 9 3 5 *", "x"),
        ("every 3 May to x", "cron", "0 9 3 5 *", "x"),
        ("jedes Jahr am 3. Mai um 8 Uhr an x", "cron", "0 8 3 5 *", "x"),
        ("in anderthalb Stunden an den Braten", "at", "2026-11-24T10:30:05Z", "den Braten"),
        ("in einer Dreiviertelstunde Tee", "at", "2026-11-24T09:45:05Z", "Tee"),
        ("alle 2 Stunden Tee", "every", "2h", "Tee"),
        ("every other Monday at 9: x", "every", "2w from 2026-11-30T09:00", "x"),
        ("every 3 weeks on Tuesday at 9: x", "every", "3w from 2026-12-01T09:00", "x"),
        ("every 2 weeks on Tuesday at 11: x", "every", "2w from 2026-11-24T11:00", "x"),
        ("every 2 days at 9: x", "every", "2d from 2026-11-25T09:00", "x"),
        ("every other day at 11: x", "every", "2d from 2026-11-24T11:00", "x"),
        ("alle 2 Wochen am Montag um 9: x", "every", "2w from 2026-11-30T09:00", "x"),
        ("every other day at noon: x", "every", "2d from 2026-11-24T12:00", "x"),
        ("every month: x", "cron", "0 10 24 * *", "x"),
        ("on Thursday the 3rd at 9: x", "at", "2026-12-03T09:00", "x"),
        ("first Monday of December at 10am: x", "at", "2026-12-07T10:00", "x"),
        ("on the last Friday in November at 9: x", "at", "2026-11-27T09:00", "x"),
        ("first Monday in November at 9: x", "at", "2027-11-01T09:00", "x"),
        ("on the second of January at 18:00: x", "at", "2027-01-02T18:00", "x"),
        ("am dritten Mai um 9: x", "at", "2027-05-03T09:00", "x"),
        ("heute in acht Tagen um 9: x", "at", "2026-12-01T09:00", "x"),
        ("2026/12/03 9:00: x", "at", "2026-12-03T09:00", "x"),
        ("tomorrow at 24:00: x", "at", "2026-11-26T00:00", "x"),
        ("heute um 24 Uhr an x", "at", "2026-11-25T00:00", "x"),
        ("pay rent next month on the 3rd", "at", "2026-12-03T09:00", "pay rent"),
        ("to read the report", "", "", ""),
        ("to wed in spring", "", "", ""),
    ],
)
def test_what_is_said(text: str, kind: str, words: str, rest: str) -> None:
    assert reminder_times.parse_request(text, NOW) == (When(kind, words, rest) if kind else None)


@pytest.mark.parametrize(
    "text",
    """at 3 to x; at 9 to x; tomorrow at 3 to x; every Friday at 3 to x; today to x; this morning to x
    tonight at 5 to x; tomorrow night at 1 to x; to call mum at 9 Mondays and think
    next Friday week: x; tomorrow morning at 15:00 to x; tomorrow at midnight to x; on Tuesday at 12 to x
    next Friday at 9 to x; this Monday to x; nächsten Freitag um 9 an x; Friday, 28 November at 9 to x
    at 8am and 8pm to take pills; to take pills at 8am and 8pm; every day at 8am and 8:30pm to x; twice a day to x
    every day at 8am to take pills and at 8pm; tomorrow at 9 to call mum at 10; not today but on Friday at 9: x
    every second Friday at 9 to x; to water it every second Friday at 9; every 2 weeks at 9 to x
    on the 24th to x; on the 5th floor to x; on the 31st of this month to x
    in 3 months and a day to x; every month at 9 to x
    on the 31st of every month to x; every year on 29 February to x; every year on 3 May 2027 to x; in 200000 years: x
    every second Tuesday to x; Thursday the 4th at 9: x; once a week to x; a week from Tuesday to x
    a week from today at midnight to x; by the end of the month: x
    next week to x; in a few minutes to x; in 10 minutes or so to x; to call mum around 3; at around 3pm to x
    to finish it before Friday at 9; to sit in the sun at 9; to call mum tomorow at 9am; to call every day until Friday
    every day at 24:00: x; at 24:30: x; tomorrow at half eight: x; to call mum 12/9 at 16:00
    to call mum 2027/13/45 at 7am
    at 25:00 tea; at 13pm to x; on 31 February to x; 2026-13-27: call; at five thirty to x; at 10 to 9 to x
    to call mum tomorrow at 3pm about the trip; in 0 minutes to x; 2001-01-01 09:00: x
    call mum alternate Mondays at 9; call mum starting every Monday at 9; call mum not on Friday at 9
    call mum the following Friday at 9; call mum no later than Friday at 9; call mum every last Friday at 9
    on Friday at 15:00 of next month to call mum; tomorrow at 9 an hour later: call mum; Mama anrufen oder Freitag um 9
    call mum half eight tomorrow; call mum half 8 tomorrow morning; bins bi-weekly on Monday; run same time tomorrow
    call mum this time tomorrow; ask him late on Friday; run early tomorrow; tomorrow early run; first thing tomorrow x
    call mum first thing tomorrow; report COB Friday; call mum sometime tomorrow
    tomorrow at 3pm EDT: x; every day at 9am EST: x; tomorrow at 9 CST: x; tomorrow at 9 Mars/Base: x
    tomorrow noon sharp call mum; Friday a.m. call mum
    tomorrow at 3pm Berlin time call mum; anstoßen Ostern um 23 Uhr; Pillen dreimal täglich; Oma spätestens Freitag
    Oma übernächsten Freitag; gift Christmas at 18:00; tomorrow same time call mum; take it three times daily
    2026-10-25T02:30: x; 2027-10-31 02:30: x; 2027-03-28 02:30: x; in 1000000 weeks to x""".replace("\n", ";").split(
        ";"
    ),
)
def test_what_is_not_understood_as_a_whole_is_asked_back(text: str) -> None:
    with pytest.raises(Unclear):
        print(reminder_times.parse_request(text.strip(), NOW))


HABITS = [
    ("tomorrow at 9 to always lock the door", "always lock the door"),
    ("always lock the door tomorrow at 9", "always lock the door"),
    ("in 10 minutes about the quarterly report", "the quarterly report"),
    ("to check the mid-term report on Friday at 15:00", "check the mid-term report"),
    ("to buy 2x milk at 5pm", "buy 2x milk"),
    ("on Sat at 9 to buy sun cream", "buy sun cream"),
    ("morgen um 9 an die regelmäßige Wartung", "die regelmäßige Wartung"),
    ("morgen um 9 Brot u Milch zu kaufen", "Brot u Milch zu kaufen"),
    ("Mo um 9, mich so zu kleiden", "mich so zu kleiden"),
    ("demain à 9h jouer au jeu", "jouer au jeu"),
    ("mañana a las 9 llamar a Mar", "llamar a Mar"),
    ("ver el mar a las 17:00", "ver el mar"),
    ("amanhã às 9 pagar o seg de vida", "pagar o seg de vida"),
    ("morgen om 9 uur za te bellen", "za te bellen"),
    ("завтра в 9 всегда закрывать дверь", "всегда закрывать дверь"),
    ("yarın saat 9'da haftalık toplantı", "haftalık toplantı"),
    ("明日9時に いつもの薬", "いつもの薬"),
]


@pytest.mark.parametrize(("said", "rest"), HABITS)
def test_a_word_of_habits_in_the_text_leaves_a_clear_time_alone(said: str, rest: str) -> None:
    found = reminder_times.parse_request(said, NOW)
    assert found is not None and (found.kind, found.text) == ("at", rest)


@pytest.mark.parametrize(
    "said", ["always at 15:00: x", "at 15:00 regularly: x", "x 2x daily at 9:00", "to x Tue as well as Thu at 9:00"]
)
def test_a_word_of_habits_beside_a_time_without_a_day_is_asked_back(said: str) -> None:
    with pytest.raises(Unclear):
        reminder_times.parse_request(said, NOW)


def test_what_is_over_is_asked_back_with_the_present() -> None:
    for text in ("today at 6 to x", "today at 6pm to x", "this afternoon at 3 to x", "heute um 18 Uhr an x"):
        with pytest.raises(Unclear, match="is in the past: it is 20:00 on Tuesday, 2026-11-24 in Europe/Berlin"):
            reminder_times.parse_request(text, EVENING)


# --- every phrase of the grammar, and the same phrases with a word that is not one of its own

CLOCK = {"09:00": 540, "15:45": 945, "5pm": 1020, "5:30pm": 1050, "8am": 480, "12am": 0, "noon": 720, "21:05": 1265,
         "6 p.m": 1080, "quarter to 9pm": 1245, "17 uhr": 1020}  # fmt: skip
SURE = st.sampled_from(sorted(CLOCK))
DAY = {"tomorrow": 1, "the day after tomorrow": 2, "on friday": 3, "coming saturday": 4, "on 1 December": 7,
       "on the 3rd of december": 9, "December 2nd, 2026": 8, "am 30. November": 6, "2026-12-24": 30,
       "übermorgen": 2}  # fmt: skip
UNITS = {"seconds": 1, "minutes": 60, "hours": 3600, "minuten": 60, "Stunden": 3600}
NUMBERS = {"two": 2, "twenty one": 21, "twelve": 12, "thirty-five": 35, "17": 17, "zwanzig": 20}
Told = tuple[str, str, str]


def moment(day: str, clock: str, clock_first: bool) -> Told:
    day = "on 30 November" if day.startswith("am ") and clock == "noon" else day  # no German noon
    clock_first = clock_first and not day.startswith("am ")  # “5 am 30. November” would be 5 a.m.
    at = "" if clock == "noon" and not clock_first else "um " if day.startswith("am ") else "at "
    then = NOW.replace(hour=0, minute=0, second=0, tzinfo=None) + timedelta(days=DAY.get(day, 6), minutes=CLOCK[clock])
    return f"{at}{clock} {day}" if clock_first else f"{day} {at}{clock}", "at", f"{then:%Y-%m-%dT%H:%M}"


def length(parts: list[tuple[str, str]]) -> Told:
    seconds = sum(NUMBERS[count] * UNITS[unit] for count, unit in parts)
    then = NOW.astimezone(UTC) + timedelta(seconds=seconds)
    return "in " + " and ".join(f"{count} {unit}" for count, unit in parts), "at", f"{then:%Y-%m-%dT%H:%M:%SZ}"


def repeated(days: list[str], clock: str) -> Told:
    names = "monday tuesday wednesday thursday friday".split()
    week = ",".join(str(names.index(day) + 1) for day in sorted(days, key=names.index)) or "*"
    at = CLOCK[clock]
    return f"every {' and '.join(days) or 'day'} at {clock}", "cron", f"{at % 60} {at // 60} * * {week}"


PHRASE = (
    st.builds(moment, st.sampled_from(sorted(DAY)), SURE, st.booleans())
    | st.builds(
        length,
        st.lists(st.tuples(st.sampled_from(sorted(NUMBERS)), st.sampled_from(sorted(UNITS))), min_size=1, max_size=3),
    )
    | st.builds(repeated, st.lists(st.sampled_from("monday wednesday friday".split()), unique=True), SURE)
)
PLACES = ("{}: water the plants", "{} to water the plants", "to water the plants {}", "{} water plants")


@given(PHRASE, st.sampled_from(PLACES))
def test_each_phrase_of_the_grammar_is_understood_exactly(told: Told, place: str) -> None:
    phrase, kind, words = told
    found = reminder_times.parse_request(place.format(phrase), NOW)
    assert found and (found.kind, found.words) == (kind, words) and found.text in ("water the plants", "water plants")


STRANGE = st.sampled_from("about roughly flurble not CST ish sharp sometime".split())


@given(PHRASE, st.sampled_from(PLACES[:3]), STRANGE, st.data())
def test_a_word_that_is_not_understood_makes_the_whole_phrase_unclear(
    told: Told, place: str, word: str, data: st.DataObject
) -> None:
    words = told[0].split(" ")
    # in a time that ends the sentence, or behind one that begins it, it may be a word of the task
    first, last = len(words) if place.startswith("to ") else 1, len(words) - place.endswith("plants")
    assume(first <= last)
    at = data.draw(st.integers(first, last))
    with pytest.raises(Unclear):
        print(reminder_times.parse_request(place.format(" ".join([*words[:at], word, *words[at:]])), NOW))


@given(
    st.lists(
        st.sampled_from(
            "in 10 minutes on friday at 9 every day 2026-11-27 09:00 tomorrow cron * noon 99 :, um to the".split()
        )
        | ANY_TEXT,
        max_size=8,
    ).map(" ".join)
)
def test_whatever_is_said_it_is_a_time_to_come_or_none_or_unclear(text: str) -> None:
    try:
        found = reminder_times.parse_request(text, NOW)
    except Unclear:
        return
    if found and found.kind == "at":
        assert schedule.instant(Schedule("at", found.words, "Europe/Berlin")) > NOW
    elif found and found.kind == "every":
        assert schedule.span(found.words.partition(" from ")[0]) >= 0


@pytest.mark.parametrize(
    "said",
    [
        "on the 3rd of Marchh: water the plants",
        "remind me to dance on the 1st of Septembre at 9",
        "el 3 de Marrzo: regar las plantas",
        "on the 3rd of flurble december at 9: water the plants",
    ],
)
def test_a_day_of_an_unknown_month_is_asked_back(said: str) -> None:
    with pytest.raises(Unclear):
        print(reminder_times.parse_request(said, NOW))
