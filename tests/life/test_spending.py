"""What answers took, by days: a fold of LIFE that a given clock moves, the same for who lives and for who looks on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_home
from world import world

from dotagent.life import replay, spending, usage
from dotagent.life.events import Swap
from dotagent.life.state import Used, change
from dotagent.store import disk, log, log_search
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times

BLOB, ONE = "b" * 32, "0123456789abcdef" * 2


MIDNIGHT = {  # the last moment of a day, and the first of the next
    "UTC": ("2026-11-20T23:59:59.999999Z", "2026-11-21T00:00:00.000000Z"),
    "Asia/Tokyo": ("2026-11-21T14:59:59.999999Z", "2026-11-21T15:00:00.000000Z"),
    "America/New_York": ("2026-11-21T04:59:59.999999Z", "2026-11-21T05:00:00.000000Z"),
}


@pytest.fixture(params=list(MIDNIGHT))
def midnight(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """The person's midnight, in a zone where they live."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield MIDNIGHT[request.param]
    monkeypatch.undo()
    time.tzset()


def reply(at: str, took: int = 10, cost: int = 5, event: str = "REPLY dev", id: str = BLOB) -> Line:
    word, _, room = event.partition(" ")
    return Line(at, word, f"{room} finish=stop provider=p model=m input={took} output=1 cost={cost}".strip(), id, "x")


def sums(used: Used) -> tuple[int, int, int, int]:
    return used.day_tokens, used.day_cost, used.month_tokens, used.month_cost


def test_a_day_ends_at_the_persons_midnight(midnight: tuple[str, str]) -> None:
    before, after = midnight
    used = spending.add_usage(Used(), reply(before))
    later = spending.add_usage(used, reply(after))
    assert later.day > used.day and sums(later) == (11, 5, 22, 10)
    assert sums(spending.add_usage(later, reply(after[:-2] + "1Z"))) == (22, 10, 33, 15)
    assert (
        times.seconds_left_of_day(before) == pytest.approx(1e-6, abs=1e-5)
        and times.seconds_left_of_day(after) == 86_400
    )


def test_a_new_month_begins_anew_and_a_look_at_it_changes_nothing_in_life() -> None:
    used = spending.add_usage(Used(), reply("2026-11-30T12:00:00.000000Z"))
    assert sums(spending.on(used, "2026-11-30")) == (11, 5, 11, 5)
    assert sums(spending.on(used, "2026-12-01")) == (0, 0, 0, 0)
    assert sums(spending.on(used, "2026-11-29")) == (11, 5, 11, 5)  # a clock that stepped back
    assert sums(used) == (11, 5, 11, 5)


def test_an_answer_beside_the_conversation_counts_once() -> None:
    used = Used()
    for second in range(3):
        used = spending.add_usage(used, reply(f"2026-11-30T12:00:0{second}.000000Z", event="USAGE", id="c" * 32))
    assert sums(used) == (11, 5, 11, 5)


def test_numbers_that_are_none_and_other_events_count_nothing() -> None:
    odd = Line("2026-11-30T12:00:00.000000Z", "REPLY", "dev input=x output=٣ cost=-3 cached=9", BLOB, "x")
    huge = Line("2026-11-30T12:00:00.000001Z", "REPLY", f"dev input={'9' * 40}", BLOB, "x")
    heard = Line("2026-11-30T12:00:00.000002Z", "HEAR", "dev 3 x USER:input=3", BLOB, "x")
    used = Used()
    for line in (odd, huge, heard):
        used = spending.add_usage(used, line)
    assert sums(used) == (0, 0, 0, 0)


def test_a_life_that_was_a_year_ahead_counts_on_the_true_day() -> None:
    clock = Line("2027-11-22T10:00:00.000001Z", "CLOCK", "2026-11-22T10:00:00Z", BLOB, "x")
    used = spending.add_usage(Used(), clock)
    used = spending.add_usage(used, reply("2027-11-22T10:00:00.000002Z"))
    assert used.day == "2026-11-22"
    used = spending.add_usage(used, reply("2027-11-23T10:00:00.000002Z"))  # the true time has come there
    assert used.day == "2027-11-23" and sums(used) == (11, 5, 11, 5)


def write(where: Home, self_id: str, lines: list[Line]) -> Path:
    disk.make_dir(where.agent(self_id))
    path = where.agent(self_id) / "LIFE.md"
    path.write_text("".join(log.render(line) + "\n" for line in lines))
    return path


def test_another_life_is_read_once_and_then_what_is_new(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    path = write(where, ONE, [reply(f"2026-11-22T12:00:{n // 60:02}.{n:06}Z") for n in range(600)])
    used, end = usage.read(where.store(), path)
    assert used.month_tokens == 6600 and end == path.stat().st_size
    with path.open("a") as life:
        life.write(log.render(reply("2026-11-22T13:00:00.000000Z")) + "\n2026-11-22T13:00:01.000000Z REPLY dev inp")
    again, later = usage.read(where.store(), path, (used, end))
    assert again.month_tokens == 6611 and later < path.stat().st_size
    assert usage.read(where.store(), path) == (again, later)


def test_of_a_life_that_swapped_only_the_end_is_read(tmp_path: Path) -> None:
    """Who lives it and who looks on come to the same, also after it was resumed."""

    def model(messages: list[ChatMessage], call: Call) -> str:
        if call.kind == "live":
            return "Noted."
        return "relevance: 3\ngist: talk\n\nThey talked."

    with world(tmp_path / "home", model) as here:
        here.tokens = lambda messages: 2000
        for number in range(12):
            here.say(f"message {number} " + "of some words that say nothing in particular. " * 20)
            here.run()
        (here.session.path / "run/fade").touch()
        here.run()
        here.say("and now?")
        here.run()
        path, store = here.session.path / "LIFE.md", here.where.store()
        lived, count = here.session.state.used, len([line for line in log.lines(path) if line.event in spending.WORDS])
        assert lived.month_tokens == 2000 * count
        assert sums(usage.read(store, path)[0]) == sums(lived)
        begin = log.last_offset(path, "SWAP")
        assert begin
        path.write_bytes(b"x" * (begin - 1) + path.read_bytes()[begin - 1 :])  # nothing before the swap is looked at
        assert sums(usage.read(store, path)[0]) == sums(lived)
        assert replay.derive(here.where, here.session.id, 64_000).state.used == lived


def test_a_swap_by_a_version_that_did_not_count_is_no_beginning(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "Noted.") as here:
        here.tokens = lambda messages: 2000
        for number in range(3):
            here.say(f"message {number}")
            here.run()
        state = change(here.session.state, used=Used())
        here.session.swap(list(here.session.entries), Swap("limit"), state)
        here.say("and now?")
        here.run()
        path = here.session.path / "LIFE.md"
        assert usage.read(here.where.store(), path)[0].month_tokens == 8000
        assert replay.derive(here.where, here.session.id, 64_000).state.used.month_tokens == 8000


@pytest.mark.slow
def test_a_day_is_found_in_a_long_life_without_reading_all_of_it(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    days = [f"2026-{month:02}-{day:02}" for month in range(1, 12) for day in range(1, 29)]
    stamps = [f"{day}T12:{n // 60:02}:{n % 60:02}.000000Z" for day in days for n in range(30)]
    path = write(where, ONE, [reply(at) for at in stamps])
    for day in ("2026-01-01", "2026-06-15", "2026-11-01", "2026-11-28", "2027-01-01", "2025-01-01"):
        begin = log_search.offset_of_day(path, day)
        before = [line.at for line in log.lines(path) if line.end <= begin]
        assert not before or before[-1][:10] < day
        skipped = sum(1 for at in stamps if at[:10] < day) - len(before)
        assert 0 <= skipped < 1200  # a few kilobytes more than needed
