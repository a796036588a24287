"""The turn before the oldest fades: once between two swaps, in silence, before anything is asked about forgetting."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import Failure, World, events, said, world

from dotagent.store import home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

LIMIT = "context_limit = 7600\n"


class Model:
    """A model that chats, and in the turn before fading replies what it is told to."""

    def __init__(self, reply: str = "NO_REPLY") -> None:
        self.reply, self.flushed, self.order = reply, 0, list[str]()

    def __call__(self, messages: list[ChatMessage], call: Call) -> str | None:
        last = messages[-1]["content"]
        if call.kind != "live":
            self.order.append("background")
            raise Failure("refused")  # it fades without a model
        if "FLUSH" in last.rpartition("\n\n#")[2].partition(":")[0]:
            self.flushed += 1
            self.order.append("flush")
            if self.reply == "away":
                raise Failure("down")
            return self.reply
        return "well, so it is"


def talk(here: World, turns: int) -> None:
    for number in range(turns):
        here.say(f"{number}: " + "we talk about the garden and the weather " * 6)
        here.run()


def prepared(tmp_path: Path, flush: str) -> None:
    home.prepare(home.Home(tmp_path))
    (tmp_path / "dotagent.toml").write_text(f"{LIMIT}{flush}")


@pytest.mark.slow
def test_it_comes_once_between_two_swaps_before_anything_fades_and_nobody_hears_it(tmp_path: Path) -> None:
    prepared(tmp_path, "[memory_flush]\nsoft_threshold_tokens = 800\n")
    model = Model("NOTE the garden matters\nREMEMBER ana has a garden\nSAY dev I wrote it down.")
    with world(tmp_path, model) as here:
        talk(here, 60)
        swaps = len(events(here, "SWAP"))
        assert swaps >= 2 and swaps <= model.flushed <= swaps + 1
        assert model.order[0] == "flush" and set(said(here.where)) == {"well, so it is"}
        assert "- ana has a garden (added" in (here.session.path / "MEMORY.md").read_text()
        told = events(here, "FLUSH", "SEGMENT", "SWAP")
        first = [one.split(" ")[0] for one in told]
        assert first[0] == "FLUSH" and "SWAP" in first[: first.index("FLUSH", 1)]


@pytest.mark.night
@pytest.mark.parametrize(
    "flush",
    [
        "[memory_flush]\nenabled = false\nsoft_threshold_tokens = 800\n",
        "[memory_flush]\nsoft_threshold_tokens = 1100\n",
        "",
    ],
)
def test_it_can_be_turned_off_and_a_small_context_has_none(tmp_path: Path, flush: str) -> None:
    prepared(tmp_path, flush)
    with world(tmp_path, model := Model()) as here:
        talk(here, 40)
        assert model.flushed == 0 and events(here, "SWAP")


@pytest.mark.night
def test_a_model_that_is_away_then_costs_nobody_a_word_and_forgetting_goes_on(tmp_path: Path) -> None:
    prepared(tmp_path, "[memory_flush]\nsoft_threshold_tokens = 800\n")
    with world(tmp_path, model := Model("away")) as here:
        talk(here, 40)
        assert model.flushed and events(here, "SWAP") and set(said(here.where)) == {"well, so it is"}
        assert here.session.state.turn.unanswered == ()
