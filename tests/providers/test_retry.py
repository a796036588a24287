"""Trying again: how often, after how long, and that waiting can be left. No test waits: the pauses are collected."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.providers import ProviderError
from dotagent.providers.formats.rates import seconds_until
from dotagent.providers.server.retry import LOOK, attempts, patient, pause

NOW = datetime(2026, 11, 21, 20, 17, 20, tzinfo=UTC)


class Calls:
    """Outcomes in order; keeps what attempts() does between them."""

    def __init__(self, *outcomes: ProviderError | str, stop_after: float = float("inf")) -> None:
        self.outcomes, self.stop_after = list(outcomes), stop_after
        self.log: list[str] = []
        self.slept = 0.0

    def run(self) -> str:
        return attempts(
            self.once,
            begin=lambda number: self.log.append(f"begin {number}"),
            stop=lambda: self.slept >= self.stop_after,
            on_retry=lambda error, seconds: self.log.append(f"{error.kind} {seconds:g}"),
            sleep=self.sleep,
            plan=lambda number, error: None if patient(number, error) is None else pause(number, error.after, 0.5),
        )

    def once(self) -> str:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, str):
            return outcome
        raise outcome

    def sleep(self, seconds: float) -> None:
        assert 0 < seconds <= LOOK
        self.slept += seconds


def test_what_comes_at_once_is_not_asked_again() -> None:
    calls = Calls("answer")
    assert calls.run() == "answer"
    assert (calls.log, calls.slept) == (["begin 1"], 0)


def test_what_may_pass_is_tried_three_times_with_growing_pauses() -> None:
    calls = Calls(ProviderError("rate", ""), ProviderError("network", ""), "answer")
    assert calls.run() == "answer"
    assert calls.log == ["begin 1", "rate 1", "begin 2", "network 3", "begin 3"]
    assert calls.slept == pytest.approx(4)


def test_the_third_failure_is_the_last_and_is_raised() -> None:
    last = ProviderError("server", "the third")
    calls = Calls(ProviderError("stalled", ""), ProviderError("timeout", ""), last, "never asked for")
    with pytest.raises(ProviderError) as caught:
        calls.run()
    assert caught.value is last
    assert calls.outcomes == ["never asked for"]


@pytest.mark.parametrize("kind", ["auth", "credit", "missing", "bad_request", "too_long", "unconfigured", "cancelled"])
def test_what_will_not_pass_fails_at_once(kind: str) -> None:
    calls = Calls(ProviderError(kind, "hint"), "never asked for")  # type: ignore[arg-type]
    with pytest.raises(ProviderError) as caught:
        calls.run()
    assert (caught.value.kind, calls.log, calls.slept) == (kind, ["begin 1"], 0)


def test_retry_after_is_waited_for_in_full() -> None:
    calls = Calls(ProviderError("rate", "", after=90), "answer")
    calls.run()
    assert 90 <= calls.slept <= 91


def test_waiting_ends_soon_after_stop() -> None:
    calls = Calls(ProviderError("rate", "", after=300), "never asked for", stop_after=5)
    with pytest.raises(ProviderError) as caught:
        calls.run()
    assert caught.value.kind == "cancelled"
    assert calls.slept <= 5 + LOOK
    assert calls.outcomes == ["never asked for"]


@given(st.floats(0, 1), st.integers(1, 2))
def test_a_pause_is_spread_but_never_short(chance: float, number: int) -> None:
    assert 0.5 * 3 ** (number - 1) <= pause(number, None, chance) <= 1.5 * 3 ** (number - 1)
    assert 30 <= pause(number, 30, chance) <= 31


def test_retry_after_is_seconds_or_a_date() -> None:
    present = NOW.timestamp()
    assert seconds_until("20", present) == 20
    assert seconds_until(" 1.5 ", present) == 1.5
    assert seconds_until("Sat, 21 Nov 2026 20:18:20 GMT", present) == 60
    assert seconds_until("Sat, 21 Nov 2026 20:18:20 -0000", present) == 60
    assert seconds_until("Sat, 21 Nov 2026 20:00:00 GMT", present) == 0
    assert seconds_until("soon", present) is None


@given(st.text())
def test_any_other_retry_after_is_none_or_a_time(text: str) -> None:
    found = seconds_until(text, NOW.timestamp())
    assert found is None or found >= 0


@given(st.datetimes(datetime(2026, 11, 22), datetime(2099, 1, 1)))
def test_any_http_date_is_read(instant: datetime) -> None:
    moment = instant.replace(microsecond=0, tzinfo=UTC)
    text = format_datetime(moment, usegmt=True)
    assert seconds_until(text, NOW.timestamp()) == (moment - NOW).total_seconds()
