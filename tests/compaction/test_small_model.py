"""A model for summaries that cannot read the agent's prompts is told of once, and another one writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from lives import chat, good, lines, living
from world import Failure, World

from dotagent.store import request_rebuilding
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def test_a_background_model_that_is_too_small_is_asked_once_and_told_of(tmp_path: Path) -> None:
    asked, holds = list[str](), list[World]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        if call.kind == "live":
            return "Understood."
        asked.append(request_rebuilding.Rebuilder(holds[0].where.store()).request(call.id).model)
        if asked[-1] == "tiny":
            raise Failure("too_long", size=9000)
        return good(messages, call)

    (tmp_path / "dotagent.toml").write_text('[background]\nmodel = "tiny"\n')
    with living(tmp_path, model, 2000) as lived:
        holds.append(lived)
        chat(lived, 40)
        assert len(lines(lived, "SWAP")) > 1
        assert asked.count("tiny") == 1
        assert len(asked) > 2
        assert len([line for line in lines(lived, "ERROR") if "the model for summaries" in line.detail]) == 1


@pytest.mark.night
def test_another_provider_for_summaries_that_is_too_small_is_asked_once(tmp_path: Path) -> None:
    asked = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        if call.kind == "live":
            return "Understood."
        asked.append(call.provider)
        if call.provider == "beside":
            raise Failure("too_long")  # the server does not say how long the prompt was
        return good(messages, call)

    (tmp_path / "dotagent.toml").write_text('[background]\nprovider = "beside"\n')
    (tmp_path / "calls" / "new" / "beside").mkdir(parents=True)
    with living(tmp_path, model, 2000) as lived:
        lived.others = ("beside",)
        chat(lived, 40)
        assert len(lines(lived, "SWAP")) > 1
        assert (asked.count("beside"), asked.count("scripted") > 1) == (1, True)
        (told,) = [line.detail for line in lines(lived, "ERROR") if "the model for summaries" in line.detail]
        assert "(beside)" in told


@pytest.mark.night
def test_a_background_model_that_reads_the_prompts_is_asked_for_all(tmp_path: Path) -> None:
    """A refusal for another reason than the length says nothing about its window."""
    asked, holds = list[str](), list[World]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        if call.kind == "live":
            return "Understood."
        asked.append(request_rebuilding.Rebuilder(holds[0].where.store()).request(call.id).model)
        if len(asked) == 1:
            raise Failure("rate", retryable=True)
        return good(messages, call)

    (tmp_path / "dotagent.toml").write_text('[background]\nmodel = "small"\n')
    with living(tmp_path, model, 2000) as lived:
        holds.append(lived)
        chat(lived, 40)
        assert set(asked) == {"small"} and len(asked) > 2
        assert not [line for line in lines(lived, "ERROR") if "the model for summaries" in line.detail]
