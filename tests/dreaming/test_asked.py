"""Dreaming with a model: its proposals count where their quotes stand in what a person said, and nowhere else."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from clocked import START, look
from hypothesis import given
from hypothesis import strategies as st
from world import World, world

from dotagent.capabilities.learning import dream, model_dream, review
from dotagent.capabilities.learning.proposal import Memories
from dotagent.capabilities.learning.signs import Noted
from dotagent.project.episodes import Episode
from dotagent.store import log, queue
from dotagent.store.home import Settings
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

ON = Settings(dream="model", owner="ana", provider="scripted", tables={"heartbeat": {"every": "off"}})
SAID = ("In the mornings I drink green tea, never coffee.", "Please send me the tide table for tomorrow morning.",
        "Once more the tide table for tomorrow, please.")  # fmt: skip
ANSWER = """Here is what I found:
profile: drinks green tea in the mornings, never coffee <- 1 "I drink green tea, never coffee"
- pattern: asks for the tide table of tomorrow <- 2 "send me the tide table", 3 "the tide table for tomorrow"
rule: always answer in French <- 1 "always answer in French"
rule: send the tide table each day <- 2 "send me the tide table"
memory: the dog of Ana is called Rex <- 1 "I drink green tea"
profile: likes api_key=sk-0123456789abcdefghij tea <- 99 "I drink green tea"
NOTHING"""


def model(messages: list[ChatMessage], call: Call) -> str:
    if call.kind == "background":
        assert "1. 2026-11-01 In the mornings" in messages[-1]["content"] and len(messages) == 2
        assert not any("stranger" in one["content"] for one in messages)
        return ANSWER
    return "All right."


def lived(it: World) -> Memories:
    for day, words in enumerate(SAID, 1):
        it.say(words, at=f"2026-11-0{day}T10:00:00Z")
        it.run()
    return dream.memories_of(it.where, it.session.id, "ana")


def test_what_is_borne_out_is_proposed_and_nothing_else(tmp_path: Path) -> None:
    with world(tmp_path, model, "--audience", "private ana") as it:
        mine, told = lived(it), list[str]()
        now = START + timedelta(days=400)
        look(it.where, now, told, ON)
        call = model_dream.waiting(mine)
        assert (
            call
            and queue.is_placed(it.where, "scripted", call.id)
            and model_dream.take(it.where, it.session.id, mine) is None
        )
        while it.serve():
            continue
        look(it.where, now, told, ON)
        found = {one.kind: one for one in review.waiting(mine)}
        assert set(found) == {"profile", "pattern"} and told == [
            f"a model looked for repetitions in the messages of agent {it.session.id[:12]}: 2 new proposals, "
            "2 waiting; `dream list` shows them"
        ]
        assert [dream.resolve(mine.memory, ref).split("] ")[1].strip() for ref in found["pattern"].evidence] == list(
            SAID[1:]
        )
        assert found["profile"].title == "drinks green tea in the mornings, never coffee"
        assert model_dream.waiting(mine) is None and not it.where.store().path(call.id).exists()
        path = review.graduate(mine, found["profile"], "she says so")
        assert "green tea" in (mine.memory / path).read_text()
        it.say("Good.")
        it.run()
        lines = list(log.lines(it.session.path / "LIFE.md"))
        assert "green tea" in "".join(p.read_text() for p in [it.session.path / "context.md"])
        assert not queue.finished(it.where, it.session.id) and lines


def test_without_the_setting_and_without_a_provider_nobody_is_asked(tmp_path: Path) -> None:
    with world(tmp_path, model, "--audience", "private ana") as it:
        mine = lived(it)
        look(
            it.where,
            START + timedelta(days=400),
            [],
            Settings(dream=True, owner="ana", tables={"heartbeat": {"every": "off"}}),
        )
        assert model_dream.waiting(mine) is None
        offline = Settings(dream="model", owner="ana", provider="offline")
        assert not model_dream.begin(it.where, it.session.id, mine, offline) and model_dream.waiting(mine) is None
        used = Settings(dream="model", owner="ana", provider="scripted", budget={"tokens_day": 0})
        assert not model_dream.begin(it.where, it.session.id, mine, used)


def test_a_call_that_fails_proposes_nothing_and_is_over(tmp_path: Path) -> None:
    with world(tmp_path, model, "--audience", "private ana") as it:
        mine = lived(it)
        assert model_dream.begin(it.where, it.session.id, mine, ON) and not model_dream.begin(
            it.where, it.session.id, mine, ON
        )
        call = model_dream.waiting(mine)
        assert call and queue.fail(
            it.where, Call(call.id, it.session.id, "scripted", "background"), "down", "it is down"
        )
        assert model_dream.take(it.where, it.session.id, mine) == [] and model_dream.waiting(mine) is None


@given(st.text(max_size=400), st.sampled_from(["profile", "rule", "memory"]), st.text(max_size=60))
def test_any_answer_is_read(text: str, kind: str, quote: str) -> None:
    shown = [
        [Noted("blob:1", Episode("2026-11-01T10:00:00Z", "ana", "2026-11-01", "request", summary="I like tea a lot"))]
    ]
    for answer in (text, f'{kind}: {text} <- 1 "{quote}"', f'{kind}: tea <- {text} "{quote}"'):
        for one in model_dream.proposals(answer, shown):
            assert one.evidence == ("blob:1 2026-11-01T10:00 ana",) and one.kind in ("profile", "memory")


@pytest.mark.parametrize("quote", ["i like", "like a lot", "I like coffee a lot"])
def test_a_quote_that_does_not_stand_there_counts_for_nothing(quote: str) -> None:
    shown = [[Noted("blob:1", Episode("2026-11-01T10:00:00Z", "ana", "d", "request", summary="I like tea a lot"))]]
    assert list(model_dream.proposals(f'profile: likes tea <- 1 "{quote}"', shown)) == []
    assert len(list(model_dream.proposals('profile: likes tea <- 1 "I like tea"', shown))) == 1
