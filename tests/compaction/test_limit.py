"""The limit that a person sets is the size of the whole prompt, with the part before the entries."""

from __future__ import annotations

from pathlib import Path

import pytest
from lives import chat, lines, talking, watched
from world import Failure, Model

from dotagent.life import prompt_size, replay
from dotagent.life.events import Ask, parse
from dotagent.life.state import Model as Known
from dotagent.life.state import State
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import tokens


def without_summaries(messages: list[ChatMessage], call: Call) -> str:
    """A model that answers, and refuses to write summaries."""
    if call.kind != "live":
        raise Failure("refused")
    return "Understood."


@pytest.mark.night
@pytest.mark.parametrize("model", [talking(), without_summaries], ids=["with summaries", "without"])
def test_no_prompt_is_larger_than_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Model) -> None:
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", "3500")
    with watched(tmp_path, model) as eye:
        chat(eye.lived, 40)
        sizes = [one.size for line in lines(eye.lived, "ASK") if isinstance(one := parse(line), Ask)]
        assert lines(eye.lived, "SWAP")
        assert 0.8 * 3500 < max(sizes) <= 3500
        fixed = eye.lived.session.state.model.fixed
        assert fixed < 3500 < fixed + 1.5 * tokens.OVERFULL * eye.lived.session.limit


def test_what_the_fixed_part_takes_is_not_left_for_entries() -> None:
    state = State(model=Known(fixed=3000))
    assert replay.limit(10_000, state) == 5000
    assert prompt_size.most_tokens(10_000, state) == 10_000
    dear = State(model=Known(fixed=3000, plain=2.0))  # of a model that counts twice as many tokens
    assert replay.limit(10_000, dear) == 2857
    assert replay.fixed(dear) == 6000


def test_a_setting_below_the_fixed_part_leaves_the_least() -> None:
    state = State(model=Known(fixed=3000))
    assert replay.limit(1000, state) == tokens.LEAST
    assert prompt_size.most_tokens(1000, state) == 3000 + int(tokens.OVERFULL * tokens.LEAST)


def test_a_smaller_window_counts_before_the_setting() -> None:
    state = State(model=Known(fixed=2000, most=1000))
    assert replay.limit(64_000, state) == 1000
    assert prompt_size.most_tokens(64_000, state) == 3400
