"""A checklist: what says something, and whose own time has come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from support import ANY_TEXT

from dotagent.capabilities.scheduler import checklist

FRIDAY = datetime(2026, 1, 2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", False),
        ("# HEARTBEAT\n\n## Mornings\n", False),
        ("# x\n- \n- [ ]\n* [x] \n1.\n", False),
        ("<!-- - look\nat it -->\n# x", False),
        ("<!-- - look", False),
        ("# x\n- [x] look at the backup\n* [X] done\n", False),
        ("# x\n---\n_(none yet)_\n", False),
        ("# x\n*TBD*\n- todo\n- (to be added)\n", False),
        ("# x\n```markdown\n# - a comment of the template\n```\n", False),
        ("# x\n```\nlook\n```\n", True),
        ("- none of the mails is urgent: tell me", True),
        ("- look at the backup", True),
        ("# x\nlook", True),
        ("- [ ] look", True),
        ("---\ntitle: HEARTBEAT\nsummary: what to look at\n---\n\n# x\n", False),
        ("---\n- look\n---\n", True),
        ("HEARTBEAT\n=========\n", False),
        ("# x\n\n## Related\n\n- [How it works](/gateway/heartbeat)\n- [Docs](https://docs.example/x)\n", False),
        ("- [the tasks](TASKS.md)", True),
        ("- [x](https://docs.example/x): read the news there", True),
        ("[docs]: https://docs.example/x\n> \n<br>\n", False),
        ("- _(add tasks here)_\n- [ ] *(one for each line)*\n", False),
    ],
)
def test_headings_comments_and_empty_items_say_nothing(text: str, says: bool) -> None:
    assert checklist.has_content(text) is says


def test_an_item_s_own_time() -> None:
    every, at = checklist.items("# x\n- every 2h: look\n- [ ] at 18:00: sum up\n- look\n- at 25:00: no\n- every x: no")
    noon, evening = datetime(2026, 1, 2, 12), datetime(2026, 1, 2, 18)
    assert every.due(None, noon) and every.due(datetime(2026, 1, 2, 10), noon)
    assert not every.due(datetime(2026, 1, 2, 10, 30), noon)
    assert not at.due(None, noon) and at.due(None, evening)
    assert at.due(datetime(2026, 1, 1, 18), evening) and not at.due(evening, datetime(2026, 1, 3, 17, 30))
    assert at.due(datetime(2026, 1, 1, 12), noon)  # yesterday evening's was left out
    assert checklist.is_timed_only("# x\n- every 2h: look") and not checklist.is_timed_only("- every 2h: look\n- look")


@pytest.mark.parametrize(
    ("item", "times"),
    [
        ("**Every 12 hours:** x", "02T00:00 02T12:00 03T00:00 03T12:00"),
        ("every 12 hours: x", "02T00:00 02T12:00 03T00:00 03T12:00"),
        ("every twelve hours: x", "02T00:00 02T12:00 03T00:00 03T12:00"),
        ("every day at 9: x", "02T09:00 03T09:00"),
        ("at 8am and 8pm: x at 9: y", "02T08:00 02T20:00 03T08:00 03T20:00"),
        ("8am, noon and 20:30: x", ""),
        ("8am and 20:00: x", "02T08:00 02T20:00 03T08:00 03T20:00"),
        ("at 3:00: x", "02T03:00 03T03:00"),
        ("at noon: x", "02T12:00 03T12:00"),
        ("every night at 1: x", "02T01:00 03T01:00"),
        ("on Saturdays at 10: x", "03T10:00"),
        ("weekdays at 8:30: x", "02T08:30"),
        ("every evening: x", "02T20:00 03T20:00"),
        ("jeden Abend um 8: x", "02T20:00 03T20:00"),
        ("alle 12 Stunden: x", "02T00:00 02T12:00 03T00:00 03T12:00"),
        ("täglich um 8 Uhr und 20 Uhr: x", "02T08:00 02T20:00 03T08:00 03T20:00"),
        ("freitags um 9: x", "02T09:00"),
        ("once a day: x", "02T09:00 03T09:00"),
        ("every other day: x", "02T00:00"),
        ("every first Saturday of the month: x", "03T09:00"),
        ("am 2. jedes Monats um 8: x", "02T08:00"),
    ],
)
def test_a_time_as_people_say_it_is_due_then_or_not_understood(item: str, times: str) -> None:
    found, now, last, due = checklist.items(f"- {item}\n"), FRIDAY, None, list[str]()
    assert bool(found) is not bool(checklist.unclear(f"- {item}\n"))
    while now < FRIDAY + timedelta(days=2):
        if found and found[0].due(last, now):
            due, last = [*due, f"{now:%dT%H:%M}"], now
        now += timedelta(minutes=30)
    assert " ".join(due) == times


@pytest.mark.parametrize(
    "item",
    ["every other Monday: x", "once a week: x", "every month: x", "monthly: x", "einmal im Monat: x", "morning: x",
     "Wochenende: x", "every weekend: x", "at 25:00: x",
     "every 2 hours or so: x", "twice a day: x", "on the 31st at 9: x", "at 3: x",
     "tomorrow at 9: x", "jeden zweiten Dienstag: x", "in 2 hours: x", "at 8 and 20:30: x"],
)  # fmt: skip
def test_an_item_whose_time_is_not_understood_is_named_with_the_reason(item: str) -> None:
    (wrong,) = checklist.unclear(f"# x\n- [ ] {item}\n- the 3 sensors: do they live?\n- every mail: sort it\n- look")
    assert wrong.startswith(f"{item.removesuffix(': x')}: ") and not checklist.items(f"- {item}")


def test_a_daily_time_is_due_once_on_days_in_which_the_clocks_change() -> None:
    (item,) = checklist.items("- at 2:30: x")
    berlin, last, due = ZoneInfo("Europe/Berlin"), None, list[str]()
    for hours in range(60):
        now = (datetime(2026, 3, 27, 23, tzinfo=UTC) + timedelta(hours=hours)).astimezone(berlin)
        if item.due(last, now):
            due, last = [*due, f"{now:%dT%H:%M}"], now
    assert due == ["28T03:00", "29T03:00", "30T03:00"]


@pytest.mark.parametrize(
    ("item", "begin", "minutes"),
    [
        ("every 30m: x", (2026, 10, 24, 23), [30] * 8),
        ("every 2h: x", (2026, 10, 24, 23), [120] * 2),
        ("every 90m: x", (2026, 3, 29, 0), [90] * 2),
        ("every 90 minutes: x", (2026, 3, 29, 0), [90] * 2),
        ("every 1d: x", (2026, 10, 24, 8), [25 * 60]),
        ("every day and a half: x", (2026, 3, 28, 8), [36 * 60]),
    ],
)
def test_hours_are_hours_and_days_are_days_where_the_clocks_change(
    item: str, begin: tuple[int, int, int, int], minutes: list[int]
) -> None:
    (one,) = checklist.items(f"- {item}")
    berlin, begun = ZoneInfo("Europe/Berlin"), datetime(*begin, tzinfo=UTC)
    last, passed = begun, list[int]()
    for _ in minutes:
        now = last + timedelta(minutes=30)
        while not one.due(last.astimezone(berlin), now.astimezone(berlin)):
            now += timedelta(minutes=30)
        passed.append(round((now - last).total_seconds() / 60))
        last = now
    assert passed == minutes


@given(ANY_TEXT)
def test_any_text_is_a_checklist(text: str) -> None:
    assert bool(list(checklist.lines(text))) is checklist.has_content(text)
    assert len(checklist.items(text)) + len(checklist.unclear(text)) <= text.count("\n") + 1


OPENCLAW = """# Heartbeat
tasks:

- name: inbox
  interval: 30m
  prompt: "Check: is there urgent mail?"
- name: calendar
  interval: 2h
  prompt: Look at the calendar
"""


def test_tasks_of_openclaw_are_items_with_their_own_times() -> None:
    mail, calendar = checklist.items(OPENCLAW)
    assert (mail.every, calendar.every) == ("30m", "2h") and mail.key != calendar.key
    assert checklist.is_timed_only(OPENCLAW) and not checklist.unclear(OPENCLAW)
    assert not checklist.is_timed_only(OPENCLAW + "\n# More\n- look at the backup\n")
    assert checklist.items(OPENCLAW.replace("mail", "post"))[0].key != mail.key


@pytest.mark.parametrize(
    ("time", "every", "cron"),
    [
        ("30m", "30m", ""),
        ("every 30 min", "30m", ""),
        ("@every 30m", "30m", ""),
        ("PT30M", "30m", ""),
        ("@daily", "", "@daily"),
        ("0 9 * * MON-FRI", "", "0 9 * * MON-FRI"),
        ("**0 9 * * 1**", "", ""),
        ("99 9 * * *", "", ""),
        ("2 days", "", ""),
        ("18h", "", "0 18 * * *"),
    ],
)
def test_times_in_the_form_of_other_programs(time: str, every: str, cron: str) -> None:
    found = checklist.items(f"- {time}: look")
    assert [(one.every, one.cron) for one in found] == ([(every, cron)] if every or cron else [])


def test_a_task_of_openclaw_may_have_another_time_or_none() -> None:
    words = ["1800000ms", "2 hours", "PT2H", "daily"]
    assert [checklist.items(OPENCLAW.replace("30m", one))[0].every for one in words] == ["30m", "2h", "2h", ""]
    odd = OPENCLAW.replace("30m", "7 moons")
    assert len(checklist.items(odd)) == 1 and "7 moons" in checklist.unclear(odd)[0]
    assert not checklist.is_timed_only("tasks:\n- name: inbox\n  prompt: look\n")
    assert not checklist.has_content("tasks:\n\n") and checklist.has_content("tasks:\n- look\n")


@pytest.mark.parametrize(
    ("item", "every", "cron"),
    [
        ("每2小时：检查邮件", "2h", ""),
        ("- **每30分钟：** 检查", "30m", ""),
        ("每天9点：检查", "", "0 9 * * *"),
        ("2時間ごと：メール", "2h", ""),
        ("- Every 2 hours：mail", "2h", ""),
    ],
)
def test_a_time_may_end_with_a_wide_colon(item: str, every: str, cron: str) -> None:
    assert [(one.every, one.cron) for one in checklist.items(item)] == [(every, cron)]
