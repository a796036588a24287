"""The floor: whatever a model does, and without one, the context stays below its limit and the talk goes on."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from lives import bad, chat, good, lines, living, prose, shown, talking, until
from world import Failure, offline, said

from dotagent.life.session import Patience
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

RULE = "You must never call me before 9."


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("way", ["fails", "never", "rubbish", "huge", "long", "empty", "stalls"])
def test_no_model_stops_the_conversation(tmp_path: Path, way: str) -> None:
    chance = random.Random(3)

    def compact(messages: list[ChatMessage], call: Call) -> str | None:
        return bad("never" if way == "stalls" else way, messages, call, chance)

    with living(tmp_path, talking(compact), 1500) as lived:  # it never passes 1.5 times its limit: the eye looks
        if way == "stalls":
            lived.session.patience = Patience(look=0.0, stalled=0.0)
        chat(lived, 30)
        assert said(lived.where) == ["Understood."] * 30
        assert len(lines(lived, "SWAP")) >= 3
        why = {line.detail.split(" ")[0] for line in lines(lived, "SWAP")}
        assert ("limit" in why) == (way != "never")  # whoever answers nothing at all is given up, and it goes on


def long_messages(window: int, told: bool) -> tuple[list[int], object]:
    sizes: list[int] = []

    def model(messages: list[ChatMessage], call: Call) -> str:
        size = sum(len(message["content"].encode()) for message in messages) // 4
        sizes.append(size)
        if size > window:
            raise Failure("too_long", size=size if told else None)
        return good(messages, call) if call.kind != "live" else "It fits."

    return sizes, model


@pytest.mark.night
@pytest.mark.parametrize("told", [True, False])
def test_a_message_larger_than_the_window_is_answered(tmp_path: Path, told: bool) -> None:
    sizes, model = long_messages(4000, told)
    with living(tmp_path, model, 64_000) as lived:  # type: ignore[arg-type]
        lived.say("harbour lighthouse " * 6000)
        lived.run()
        assert said(lived.where) == ["It fits."]
        assert 1 <= len(lines(lived, "LONG")) <= 4
        chat(lived, 30, 60)
        assert said(lived.where) == ["It fits."] * 31
        # Only background requests are too long for so small a window, at most two for each answer to a person.
        assert sum(size > 4000 for size in sizes) <= len(sizes) * 2 // 3
        lived.say("harbour lighthouse " * 6000)  # now it is known how much of it can be shown
        lived.run()
        assert said(lived.where) == ["It fits."] * 32


@pytest.mark.slow
@pytest.mark.parametrize("told", [True, False])
def test_a_life_goes_on_with_a_model_that_takes_far_less(tmp_path: Path, told: bool) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 40, 300)
        assert lived.session.tokens > 20_000
    _, model = long_messages(6000, told)
    with living(tmp_path, model, 64_000) as lived:  # type: ignore[arg-type]
        chat(lived, 3)
        assert said(lived.where)[-3:] == ["It fits."] * 3


@pytest.mark.slow
def test_a_window_that_is_known_is_never_passed(tmp_path: Path) -> None:
    """Some servers cut a prompt that is too long and say nothing."""
    sizes, model = long_messages(8000, True)
    with living(tmp_path, model, 64_000) as lived:  # type: ignore[arg-type]
        told = {"scripted": {"model": "m", "window": 8000}}
        (lived.where.calls / "providers.json").write_text(json.dumps(told))
        chat(lived, 30, 200)
        assert not lines(lived, "LONG")
        assert max(sizes) < 8000 - 1500
        assert len(lines(lived, "WINDOW")) == 1
        assert said(lived.where) == ["It fits."] * 30


@pytest.mark.slow
def test_a_limit_that_was_lowered_holds_from_the_start(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 60)
        assert lived.session.tokens > 3000
    with living(tmp_path, talking(), 1500) as lived:
        assert lived.session.tokens <= 1.5 * 1500


@pytest.mark.night
def test_a_turn_of_a_hundred_steps_fades_while_it_goes_on(tmp_path: Path) -> None:
    steps = 0

    def model(messages: list[ChatMessage], call: Call) -> str:
        nonlocal steps
        if call.kind != "live":
            return good(messages, call)
        steps += 1
        assert any("#1 notes" in message["content"] for message in messages)  # MEMORY is always in front of it
        return f"READ_FILE big.txt 1-{steps}" if steps < 90 else "At last."

    with living(tmp_path, model, 2500) as lived:
        (lived.session.path / "big.txt").write_text(prose(random.Random(1), 60))
        (lived.session.path / "MEMORY.md").write_text("#1 notes\n")
        lived.say("Read it ninety times.")
        lived.run()
        assert said(lived.where) == ["At last."]
        assert len(lines(lived, "SWAP")) >= 3


# ---- what needs no model


def test_reasoning_and_what_was_brought_back_fade_first_and_ask_no_model(tmp_path: Path) -> None:
    turn = 0

    def model(messages: list[ChatMessage], call: Call) -> str:
        nonlocal turn
        assert call.kind == "live", "a model was asked"
        turn += 1
        if turn == 2:
            first = next(entry for entry in lived.session.entries if entry.event == "HEAR")
            return f"UNCOMPACT {first.id}"
        return f"<reasoning>\n{prose(random.Random(turn), 60)}\n</reasoning>\n\nYes {turn}."

    with living(tmp_path, model, 1500) as lived:
        lived.say(f"Remember the violin. {prose(random.Random(5), 20)}")
        lived.run()
        lived.say("What was it?")
        lived.run()
        assert shown(lived).count("Remember the violin.") == 2
        while not lines(lived, "SWAP"):
            chat(lived, 1, 4)
        assert lines(lived, "SWAP")[0].detail.startswith("strip tokens=")
        assert not lines(lived, "SEGMENT", "FADE")
        assert shown(lived).count("Remember the violin.") == 1  # the original is live, its copy a head
        assert "Yes 3." in shown(lived)
        replies = [entry for entry in lived.session.entries if entry.event == "REPLY"]
        old = replies[: len(replies) // 2]
        assert old and not any(b"reasoning" in (entry.content or b"") for entry in old)


def test_old_versions_of_memory_fade_first_too(tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: Call) -> str:
        assert call.kind == "live", "a model was asked"
        return "Understood."

    with living(tmp_path, model, 4000) as lived:
        at = 0
        while not lines(lived, "SWAP"):
            at += 1
            (lived.session.path / "MEMORY.md").write_text(f"Version {at}. {prose(random.Random(at), 100)}\n")
            chat(lived, 1, 4)
        assert lines(lived, "SWAP")[0].detail.startswith("strip tokens=")
        notes = [entry for entry in lived.session.entries if entry.event == "PAPER"]
        assert notes[0].content is None
        assert notes[-1].content
        assert notes[-1].content.startswith(f"Version {at}.".encode())


@pytest.mark.night
def test_under_a_provider_without_a_model_it_fades_and_no_request_is_placed(tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: Call) -> str:
        assert call.kind == "live", "a model was asked"
        return offline(messages, call)

    with living(tmp_path, model, 2500, "offline") as lived:
        lived.say(RULE)
        chat(lived, 60)
        assert not lines(lived, "SEGMENT", "SUMMARISE", "WARN")
        assert sum(line.detail.startswith("limit ") for line in lines(lived, "SWAP")) >= 3
        assert re.search(rf"ana, #\d+: {RULE}", shown(lived))
        swaps = len(lines(lived, "SWAP"))
        lived.me.compactor.whole.wish.write_bytes(b"")
        lived.run()
        assert lines(lived, "SWAP")[swaps].detail.startswith("asked tokens=")
        assert not lived.me.compactor.whole.wish.exists()


def test_what_a_model_began_to_compact_is_ended_where_there_is_none(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 20)
        lived.me.compactor.whole.wish.write_bytes(b"")
        until(lived, "SEGMENT")
    with living(tmp_path, offline, 8000, "offline") as lived:
        assert lived.me.calls.waits()
        lived.run()
        assert not lived.me.calls.waits()
        assert len(lines(lived, "SEGMENT")) == 1
        assert lines(lived, "SWAP")[0].detail.startswith("asked tokens=")


@pytest.mark.slow
def test_the_floor_goes_as_deep_as_it_must(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 60)
        before = lived.session.tokens
        newest = lived.session.entries[-1]
        lived.me.compactor.force(before // 6)
        assert lived.session.tokens < before // 4
        assert lived.session.entries[0].event == "FADED"
        assert newest.number in [entry.number for entry in lived.session.entries]


@pytest.mark.slow
def test_a_wish_to_forget_is_granted_while_it_runs_and_after_it_slept(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 20)
        lived.me.compactor.whole.wish.write_bytes(b"")
        lived.run()
        assert lines(lived, "SWAP")[-1].detail.startswith("asked tokens=")
        assert not lived.me.compactor.whole.wish.exists()
        lived.run()
        assert len(lines(lived, "SWAP")) == 1
        wish = lived.me.compactor.whole.wish
    chat_again = 20
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, chat_again)
    wish.write_bytes(b"")
    with living(tmp_path, talking(), 8000) as lived:
        lived.run()
        assert [line.detail.split(" ")[0] for line in lines(lived, "SWAP")] == ["asked", "asked"]


def test_a_wish_where_there_is_nothing_to_forget_is_let_go(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        lived.me.compactor.whole.wish.write_bytes(b"")
        lived.run()
        lived.say("hi")
        lived.me.compactor.whole.wish.write_bytes(b"")
        lived.run()
        assert not lived.me.compactor.whole.wish.exists()
        assert not lines(lived, "SWAP")
