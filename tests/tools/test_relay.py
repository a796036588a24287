"""A helper that may not do something unasked: its question comes to the person of who made it, and the answer back."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import pause
from world import World, events, said, world

import agent
from dotagent.capabilities.helpers import results
from dotagent.life.background_events import works
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.store import helpers
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

BRIEF = Patience(look=0.02, unsigned=0.02)
HELPER = ["RUN echo strange", "RUN echo hi > new.md", "it is written"]


class Both:
    """The model of a parent, which relays what its helper asks, and of the helper."""

    def __init__(self) -> None:
        self.helper, self.made, self.answer = iter(HELPER), "", "yes"

    def __call__(self, messages: list[ChatMessage], call: Call) -> str:
        if call.room.startswith("helper-"):
            return next(self.helper, "WAIT")
        last = messages[-1]["content"]
        if " helper " in last and "Before I do this" in last:
            return f"SESSION send {self.made[:8]} {self.answer}"
        return "SPAWN write something" if "begin" in last else "WAIT"


def live_helpers(here: World) -> None:
    """Live each helper until it has heard what it was told and rests, as its process would."""
    for one in results.out(here.session):
        words = works(here.session.state.heard)[one].words
        assert isinstance(here.model, Both)
        here.model.made = one
        if helpers.rested(here.where, one)[0] >= words:
            continue
        with boot.life_of(["--home", str(here.where.root), "--provider", "scripted", one], BRIEF) as me:
            while (busy := agent.step(me) or here.serve()) or me.calls.waits() or me.session.state.heard.agents < words:
                if not busy:
                    pause(me.watch)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.delenv("DOTAGENT_POLICY", raising=False)
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "home/dotagent.toml").write_text('network = "on"\n')  # so that a command is an effect
    program, sys.executable = sys.executable, shutil.which("true") or "true"  # what SPAWN starts ends at once
    try:
        with world(tmp_path / "home", Both()) as there:
            there.on_step = live_helpers
            yield there
    finally:
        sys.executable = program


def file(here: World) -> Path:
    assert isinstance(here.model, Both)
    return here.where.agent(here.model.made) / "files/new.md"


@pytest.mark.parametrize("answer", ["yes", "yes 10"])
def test_a_helpers_question_comes_to_the_person_of_who_made_it(here: World, answer: str) -> None:
    assert isinstance(here.model, Both)
    here.model.answer = answer
    here.say("begin")
    here.run()
    question = said(here.where)[-1]
    assert "SESSION send" in question and "my helper" in question and "RUN echo hi" in question
    assert not file(here).exists()
    here.say("yes")
    here.run()
    assert file(here).read_text() == "hi\n"
    assert [row.split(" ")[3] for row in events(here, "RETURNED")] == ["done", "done"]
    assert len(said(here.where)) == 1  # it was asked once
    terms = helpers.terms(here.where.store(), here.model.made)
    assert terms and not any("does not count" in one for one in said(here.where, terms.room))


def test_a_no_is_kept_from_the_helper_and_an_earlier_yes_is_none(here: World) -> None:
    here.say("yes")
    here.say("begin")
    here.run()
    here.say("no")
    here.run()
    assert not file(here).exists()
