"""A checklist: what says something, and whose own time has come."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from support import ANY_TEXT

from dotagent.text import checklist


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", False),
        ("# HEARTBEAT\n\n## Mornings\n", False),
        ("# x\n- \n- [ ]\n* [x] \n1.\n", False),
        ("<!-- - look\nat it -->\n# x", False),
        ("<!-- - look", False),
        ("- look at the backup", True),
        ("# x\nlook", True),
        ("- [ ] look", True),
    ],
)
def test_headings_comments_and_empty_items_say_nothing(text: str, says: bool) -> None:
    assert checklist.says_something(text) is says


def test_an_item_s_own_time() -> None:
    every, at = checklist.items("# x\n- every 2h: look\n- [ ] at 18:00: sum up\n- look\n- at 25:00: no\n- every x: no")
    noon, evening = datetime(2026, 1, 2, 12), datetime(2026, 1, 2, 18)
    assert every.due(None, noon) and every.due(datetime(2026, 1, 2, 10), noon)
    assert not every.due(datetime(2026, 1, 2, 10, 30), noon)
    assert not at.due(None, noon) and at.due(None, evening)
    assert at.due(datetime(2026, 1, 1, 18), evening) and not at.due(evening, datetime(2026, 1, 3, 17, 30))
    assert at.due(datetime(2026, 1, 1, 12), noon)  # yesterday evening's was left out
    assert checklist.is_timed_only("# x\n- every 2h: look") and not checklist.is_timed_only("- every 2h: look\n- look")


@given(ANY_TEXT)
def test_any_text_is_a_checklist(text: str) -> None:
    assert bool(list(checklist.lines(text))) is checklist.says_something(text)
    assert len(checklist.items(text)) <= text.count("\n") + 1
