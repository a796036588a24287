"""Slowing down before a server refuses: what its headers say, and who waits for it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Server, stream
from support import PATIENCE, make_home, ready
from working import keys, placed, serve, step

from dotagent.providers.formats import rates
from dotagent.providers.server.worker import Worker
from dotagent.store import queue

NOW = 1_800_000_000.0


def wait(share: float = 0.2, **headers: str) -> float:
    return rates.wait(rates.limits({name.replace("_", "-"): value for name, value in headers.items()}), NOW, share)


def openai(remaining: str, reset: str, limit: str = "100", what: str = "requests") -> dict[str, str]:
    names = (f"x_ratelimit_{part}_{what}" for part in ("limit", "remaining", "reset"))
    return dict(zip(names, (limit, remaining, reset), strict=True))


def test_nothing_waits_while_enough_is_left() -> None:
    assert wait(**openai("20", "6m0s")) == 0
    assert wait() == 0
    assert wait(x_ratelimit_remaining_requests="0") == 0  # and nobody says until when


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [("6m0s", 360), ("20ms", 0.02), ("1h2m3s", 3723), ("1.5s", 1.5), ("30", 30), (f"{NOW + 60:.0f}", 60),
     (f"{NOW * 1000 + 60_000:.0f}", 60), ("2027-01-15T08:01:00Z", 60), ("2027-01-15T07:59:00Z", 0)],
)  # fmt: skip
def test_a_reset_is_told_in_many_ways(reset: str, seconds: float) -> None:
    assert wait(ratelimit_remaining="0", ratelimit_reset=reset) == pytest.approx(seconds, abs=1e-3)
    assert wait(share=1.0, **openai("0", reset)) == pytest.approx(seconds, abs=1e-3)


def test_what_refills_steadily_is_there_in_part_after_a_part_of_the_time() -> None:
    assert wait(**openai("0", "100s")) == pytest.approx(20)
    assert wait(**openai("10", "90s")) == pytest.approx(10)
    assert wait(share=0.02, **openai("0", "100s")) == pytest.approx(2)
    both = {**openai("0", "1s"), **openai("1000", "60s", "10000", "tokens")}
    assert wait(**both) == pytest.approx(60 * 1000 / 9000)


def test_only_a_limit_of_which_nothing_is_left_names_a_wait() -> None:
    minute, day = openai("4", "50s"), openai("0", "2h", what="requests_day")
    headers = {name.replace("_", "-"): value for name, value in (minute | day).items()}
    assert rates.renewal(headers, NOW) == pytest.approx(7200)
    assert rates.renewal({name.replace("_", "-"): value for name, value in minute.items()}, NOW) is None


def test_anthropics_names() -> None:
    told = {"limit": "80000", "remaining": "0", "reset": "2027-01-15T08:01:00Z"}
    assert wait(**{f"anthropic_ratelimit_input_tokens_{part}": value for part, value in told.items()}) == pytest.approx(
        12
    )


@given(st.dictionaries(st.sampled_from(sorted({*openai("", ""), "ratelimit_reset", "ratelimit_remaining"})), st.text()))
def test_whatever_a_header_holds_a_pause_comes_of_it(headers: dict[str, str]) -> None:
    assert wait(**headers) >= 0


def test_the_background_waits_and_a_persons_call_goes_on(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    low = {
        "x-ratelimit-limit-requests": "100",
        "x-ratelimit-remaining-requests": "5",
        "x-ratelimit-reset-requests": "3000s",
    }
    with Server(replace(stream("hi"), headers=low)) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        serve(worker, placed(where))
        beside = placed(where, "beside", kind="background")
        serve(worker, placed(where, "again"))
        step(worker, 0.0)
        assert queue.done(where, beside.agent, beside.id) is None and len(server.received) == 2
        assert PATIENCE < worker.pause(600) < 480.0


@pytest.mark.slow
def test_a_persons_call_waits_a_little_where_nothing_is_left_and_can_be_cancelled_meanwhile(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    none = {
        "x-ratelimit-limit-requests": "100",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "30s",
    }
    with Server(replace(stream("hi"), headers=none), stream("hi")) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        begun = time.monotonic()
        serve(worker, placed(where))
        serve(worker, placed(where, "again"))
        assert time.monotonic() - begun > 0.5  # 30 s for all of them: one is there after a fiftieth of that
    more = {**none, "x-ratelimit-reset-requests": "3000s"}
    with Server(replace(stream("hi"), headers=more)) as server:
        worker = Worker(where, ["deepseek"], keys(server))
        serve(worker, placed(where))
        call = placed(where, "never")
        worker.take()
        queue.cancel(where, call)
        assert ready(worker.bell) and len(server.received) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"ratelimit-limit": "100, 100;w=60", "ratelimit-remaining": "0", "ratelimit-reset": "50"},  # versions 00 to 06
        {"ratelimit": "limit=100, remaining=0, reset=50", "ratelimit-policy": "100;w=60"},  # 07
        {"ratelimit": '"a,b;c";r=0;t=50', "ratelimit-policy": '"a,b;c";q=100;w=60'},  # since 08
        {
            "ratelimit": '"hour"; r=40; t=900, "minute"; r=0; t=50',
            "ratelimit-policy": '"minute"; q=100; w=60; pk=:YQ==:',
        },
        {"ratelimit": '"burst";r=0', "ratelimit-policy": '"burst";q=9;w=50'},  # without a time, the window is the most
        {"llm_provider-ratelimit": "default;r=0;t=50"},
        {"x-rate-limit-remaining": "0", "x-rate-limit-reset": f"{NOW + 50:.0f}"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "50"},
    ],
)
def test_the_fields_of_the_ietf_name_a_wait_in_each_version(headers: dict[str, str]) -> None:
    assert rates.renewal(headers, NOW) == pytest.approx(50)


def test_a_list_of_limits_refills_like_any_other() -> None:
    told = {"ratelimit": '"minute";r=10;t=45', "ratelimit-policy": '"minute";q=100;w=60'}
    assert rates.wait(rates.limits(told), NOW, 0.2) == pytest.approx(5)


@given(st.text(st.sampled_from(list('";,=\\rtqw09 a')), max_size=60))
def test_an_odd_list_of_limits_is_no_fault(text: str) -> None:
    assert rates.wait(rates.limits({"ratelimit": text, "ratelimit-policy": text}), NOW, 0.5) >= 0
