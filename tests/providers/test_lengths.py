"""A refusal whose words nobody knows: a long prompt is shortened for it once, and everything else is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Answer, Received, Server, refusal, stream
from support import make_home
from working import keys, placed, serve

from dotagent.providers.formats import attempts
from dotagent.providers.server.worker import Worker
from dotagent.store.home import SETTINGS, Home

LINE = "The kettle is on the stove. "
WORDS = ("Zu viel Text.", "长度不合法", "E1037", "Bad request: the parameter is out of range.")


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    attempts.forget()
    yield make_home(tmp_path / "home")
    attempts.forget()


def kinds(where: Home, server: Server, *prompts: str, window: int = 128_000) -> list[str]:
    """What one worker makes of these prompts, one after the other; an answer is ""."""
    (where.root / SETTINGS).write_text(f"[providers.deepseek]\nwindow = {window}\n")
    worker = Worker(where, ["deepseek"], keys(server))
    return [serve(worker, placed(where, prompt))[0].kind for prompt in prompts]


def least(size: int, words: str) -> Server:
    """A server that refuses each prompt of more characters in these words."""

    def answer(received: Received) -> Answer:
        return refusal(400, words) if len(str(received.body["messages"])) > size else stream("fine")

    return Server(*[answer] * 40)


@pytest.mark.parametrize("words", WORDS)
def test_a_prompt_longer_than_any_that_was_answered_is_shortened(where: Home, words: str) -> None:
    with least(30_000, words) as server:
        found = kinds(where, server, LINE * 1000, LINE * 1200, LINE * 900)
    assert found == ["", "too_long", ""]


def test_it_is_shortened_once_for_a_talk_and_again_only_after_an_answer(where: Home) -> None:
    with least(30_000, "no") as server:
        found = kinds(where, server, LINE * 1500, LINE * 1400, LINE * 1300, LINE, LINE * 1200)
    assert found == ["too_long", "bad_request", "bad_request", "", "too_long"]


def test_near_the_windows_end_it_is_shortened_whatever_was_answered(where: Home) -> None:
    size = len(LINE) * 1200 // 4
    with Server(stream("fine"), *[refusal(400, "no")] * 40) as server:
        assert kinds(where, server, LINE * 1300, LINE * 1200, window=size)[1] == "too_long"


def test_a_short_prompt_or_one_like_those_that_were_answered_is_not_shortened(where: Home) -> None:
    with Server(stream("fine"), *[refusal(400, "no")] * 40) as server:
        assert kinds(where, server, LINE * 1500, LINE * 1400) == ["", "bad_request"]
    with Server(*[refusal(400, "no")] * 40) as server:
        assert kinds(where, server, LINE) == ["bad_request"]


@pytest.mark.parametrize(("status", "kind"), [(401, "auth"), (402, "credit"), (403, "auth"), (404, "missing")])
def test_what_only_a_person_can_change_shortens_nothing(where: Home, status: int, kind: str) -> None:
    with Server(*[refusal(status, "no")] * 40) as server:
        assert kinds(where, server, LINE * 1500) == [kind]
