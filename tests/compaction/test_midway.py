"""In the middle of a compaction: what is kept, lost, said or failed meanwhile."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from lives import ASKED, chat, good, lines, living, prose, shown, talking, tell, until
from world import events, said

from dotagent.life.compaction_events import Segment
from dotagent.life.context import tokens_of
from dotagent.life.events import Keep
from dotagent.life.fold import apply
from dotagent.life.session import Patience
from dotagent.life.state import State
from dotagent.store import queue
from dotagent.store.log import Line
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.store.rooms import line_of
from dotagent.text import times


def tickets(numbers: Iterable[int]) -> str:
    """As many standing instructions."""
    return " ".join(f"You must never open ticket {number} without me." for number in numbers)


@pytest.mark.night
def test_what_can_not_get_smaller_is_not_tried_again_and_again(tmp_path: Path) -> None:
    """Every word is a standing instruction: no summary of them is shorter than they are."""
    with living(tmp_path, talking(), 2000) as lived:
        for at in range(35):
            lived.say(tickets([at]))
            lived.run()
            for _ in range(3):
                before = len(lines(lived, "SEGMENT", "SWAP", "STAYED"))
                lived.run()
                assert len(lines(lived, "SEGMENT", "SWAP", "STAYED")) == before
        assert len(lines(lived, "SEGMENT")) <= 15


@pytest.mark.night
def test_instructions_that_fill_the_context_do_not_burst_it(tmp_path: Path) -> None:
    """No chunk of them can be made smaller, only all of them together, with the newest."""
    with living(tmp_path, talking(lambda messages, call: None), 1500) as lived:
        tell(lived, (tickets(range(at, at + 12)) for at in range(0, 360, 12)))
        assert said(lived.where) == ["Understood."] * 30
        assert "ticket 359 without me" in shown(lived)


def test_a_compaction_that_would_make_nothing_smaller_ends(tmp_path: Path) -> None:
    def wordy(messages: list[ChatMessage], call: Call) -> str:
        found = list(ASKED.finditer(messages[-1]["content"]))[-1]
        if found[1] == "SEGMENT":
            return f"{found[2]}-{found[3]} 5 all"
        return "relevance: 5\ngist: g\n\n" + "violin " * 40

    with living(tmp_path, talking(wordy), 8000) as lived:
        tell(lived, (tickets(range(at, at + 20)) for at in range(0, 80, 20)))
        lived.me.compactor.whole.wish.write_bytes(b"")
        lived.run()
        assert events(lived, "STAYED", "SWAP", "FADE") == [f"STAYED {lived.session.tokens}"]
        assert lived.session.state.forgetting.compaction is None


def test_keeping_what_is_being_forgotten_keeps_it(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 2500) as lived:
        chat(lived, 13)
        lived.me.compactor.whole.wish.write_bytes(b"")
        until(lived, "SEGMENT")
        numbers = [entry.number for entry in lived.session.entries]
        for number in numbers[:6]:
            lived.session.record(Keep(number))
        lived.run()
        assert lines(lived, "FADE")
        assert {entry.number for entry in lived.session.entries if entry.event != "FADED"} >= set(numbers[:6])


def test_keeping_all_of_it_ends_the_compaction(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 2500) as lived:
        chat(lived, 13)
        lived.me.compactor.whole.wish.write_bytes(b"")
        until(lived, "SEGMENT")
        for entry in list(lived.session.entries):
            lived.session.record(Keep(entry.number))
        lived.run()
        assert lived.session.state.forgetting.compaction is None
        assert not lines(lived, "SWAP")


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("event", ["CHUNKS", "SUMMARY", "PAPER"])
def test_what_a_compaction_stands_on_is_lost(tmp_path: Path, event: str) -> None:
    held = True

    def compact(messages: list[ChatMessage], call: Call) -> str | None:
        if held and "SUMMARISE the entries" in messages[-1]["content"] and lines(lived, "SUMMARY"):
            return None
        return good(messages, call)

    with living(tmp_path, talking(compact), 2500) as lived:
        if event == "PAPER":
            chat(lived, 8)
            lost = next(line for line in lines(lived, "PAPER") if line.detail == "SEGMENT.md")
        else:
            while not lines(lived, event):
                chat(lived, 1)
            lost = lines(lived, event)[-1]
        path, known = lived.where.store().path(lost.id), len(lines(lived, "PAPER"))
        path.write_bytes(path.read_bytes()[:-1])
        held = False
        chat(lived, 12)
        assert lines(lived, "ERROR", "STAYED") or len(lines(lived, "PAPER")) > known  # read anew: it is a young file
        assert said(lived.where)[-12:] == ["Understood."] * 12
        assert lived.session.tokens <= 1.5 * lived.session.limit


def test_a_failure_without_a_word_is_a_failure(tmp_path: Path) -> None:
    with living(tmp_path, lambda messages, call: None, 2500) as lived:
        lived.me.compactor.whole._forks.segment(Segment(1, 2, 1))
        call = queue.take(lived.where, "scripted")
        assert call
        queue.fail(lived.where, call, "server", "")
        assert lived.me.compactor.whole._calls.answer(call.id) == (None, "server")


def test_a_call_that_only_waits_for_its_turn_has_not_stalled(tmp_path: Path) -> None:
    with living(tmp_path, lambda messages, call: None, 2500) as lived:
        lived.me.compactor.whole._forks.segment(Segment(1, 2, 1))
        id = lived.session.state.forgetting.compaction.call if lived.session.state.forgetting.compaction else ""
        lived.session.patience = Patience(look=0.0, stalled=1e-9)
        lived.me.compactor.whole._calls.answer(id)
        queue.take(lived.where, "scripted")
        lived.session.patience = Patience(look=0.0, stalled=1000.0)
        assert lived.me.compactor.whole._calls.answer(id) == (None, "")
        lived.session.patience = Patience(look=0.0, stalled=-1.0)
        for _ in range(2):
            answer, why = lived.me.compactor.whole._calls.answer(id)
            assert answer is None
            assert "no answer within" in why


def test_events_that_come_after_a_swap_came_between_say_nothing() -> None:
    """A warning may be what lets the oldest fade at once, in the midst of a compaction."""
    for event, detail in (("CHUNKS", "3 model"), ("SUMMARISE", "1-9 1"), ("SUMMARY", f"1-9 {'1' * 32} 7")):
        now = apply(State(), Line("2026-11-21T20:17:20.000000Z", event, detail, "0" * 32, ""))
        assert now.forgetting.compaction is None


@pytest.mark.night
def test_two_people_and_a_burst_while_nobody_is_there(tmp_path: Path) -> None:
    """A hundred and fifty messages wait for an agent that slept: it fades them as it hears them, and answers."""
    with living(tmp_path, talking(), 2000) as lived:
        chat(lived, 2)
        chance = random.Random(4)
        data = b"".join(line_of("USER", "ana", times.now(), prose(chance, 40)) for _ in range(150))
        with open(lived.where.room("dev"), "ab") as file:
            file.write(data)
        lived.run()
        assert said(lived.where)[-1] == "Understood."
        assert tokens_of(lived.session.entries) < 1.5 * 2000
