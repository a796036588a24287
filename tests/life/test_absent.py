"""An event whose class is absent is kept: it makes the same entry, so that the entries after it keep their numbers."""

from __future__ import annotations

import pytest

from dotagent.life import context
from dotagent.life.event import EVENTS, FORMS, LATER, find_all, parse
from dotagent.life.fold import apply
from dotagent.life.state import State
from dotagent.store.log import Line

LINES = [
    Line("2026-01-01T00:00:00.000001Z", "BOOT", "private ana", "0" * 32, "SOUL"),
    Line("2026-01-01T00:00:00.000002Z", "JOIN", "dev 0 -", "", ""),
    Line("2026-01-01T00:00:00.000003Z", "WAKE", "tea dev 2026-01-01T00:00:00Z", "1" * 32, "tea"),
    Line("2026-01-01T00:00:00.000004Z", "BEAT", "ok 2026-01-01T00:00:00Z 0123456789abcdef", "", ""),
    Line("2026-01-01T00:00:00.000005Z", "DAILY", "2026-01-01 0 -", "", ""),
    Line("2026-01-01T00:00:00.000006Z", "DAILY", "2026-01-01 9 0123456789ab", "2" * 32, "a day"),
    Line("2026-01-01T00:00:00.000007Z", "ENDED", "3 dev exit status 0", "3" * 32, "it ran"),
]


def entries() -> tuple[list[tuple[int, str, str]], State]:
    state, found = State(), list[tuple[int, str, str]]()
    for line in LINES:
        state = apply(state, line)
        if one := context.entry(line, len(found) + 1, lambda id: b"words", 1000):
            found.append((one.number, one.event, one.detail))
    return found, state


@pytest.mark.parametrize("word", ["WAKE", "BEAT", "DAILY", "ENDED"])
def test_entries_keep_their_numbers_without_the_class_of_one(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = entries()
    monkeypatch.delitem(EVENTS, word)
    parse.cache_clear()
    try:
        assert entries()[0] == whole
        assert (event := parse(next(line for line in LINES if line.event == word))) is not None
        assert word == event.WORD
        assert event.detail() == next(line.detail for line in LINES if line.event == word)
    finally:
        parse.cache_clear()
    assert [event for _, event, _ in whole] == ["BOOT", "JOIN", "WAKE", "DAILY", "ENDED"]


def test_a_command_that_ran_may_have_written_what_a_run_of_a_job_says() -> None:
    """Also where the clock is absent: what it says came from a file."""
    ran = Line("2026-01-01T00:00:00.000003Z", "EFFECT", "RUN ls", "", "")
    state = apply(apply(State(), ran), LINES[2])
    assert "command" in state.heard.origins


def test_every_word_that_makes_an_entry_has_a_class() -> None:
    assert set(FORMS) <= set(find_all())


def test_each_event_of_a_rare_module_is_listed() -> None:
    """Else a start would not know it until other code imports its class."""
    found = {word: kind.__module__ for word, kind in find_all().items()}
    rare = {word: place for word, place in found.items() if not place.endswith((".life.events", ".record"))}
    assert rare == LATER
