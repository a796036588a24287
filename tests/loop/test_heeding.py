"""What a turn's person says while it goes on is before the model at its next request."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lives import lines
from world import World, said, world

import agent
from dotagent.capabilities.scheduler.record import Wake
from dotagent.loop.additions import is_addition
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

STEPS = 4


def working(lived: list[World], asked: list[str], word: Callable[[World, int], None]) -> Callable[..., str]:
    """A model that reads a file in each of some steps, then says how many; `word` is called during each request."""

    def model(messages: list[ChatMessage], call: Call) -> str:
        asked.append("\n".join(message["content"] for message in messages))
        word(lived[0], len(asked))
        return f"READ_FILE log-{len(asked)}.txt" if len(asked) < STEPS else f"done {len(asked)}"

    return model


def run(path: Path, word: Callable[[World, int], None], audience: str = "private") -> tuple[World, list[str]]:
    holds, asked = list[World](), list[str]()
    with world(path, working(holds, asked, word), "--audience", audience) as lived:
        holds.append(lived)
        lived.say("tidy the folder")
        lived.run()
        return lived, asked


def test_a_word_is_before_the_model_at_the_next_request(tmp_path: Path) -> None:
    lived, asked = run(tmp_path, lambda here, step: here.say("Stop, that is the wrong folder!") if step == 2 else None)
    assert ["wrong folder" in prompt for prompt in asked] == [False, False, True, True]
    assert said(lived.where) == ["done 4"]
    assert len(lines(lived, "HEAR")) == 2
    assert len(lived.session.state.turn.frame) == 2


def test_two_words_in_two_steps_are_heard_in_their_order_and_answered_once(tmp_path: Path) -> None:
    words = {1: "Leave out zulu-7.", 3: "And send no mail."}
    lived, asked = run(tmp_path, lambda here, step: here.say(words[step]) if step in words else None)
    assert ["zulu-7" in prompt for prompt in asked] == [False, True, True, True]
    assert ["no mail" in prompt for prompt in asked] == [False, False, False, True]
    assert said(lived.where) == ["done 4"]


def test_a_step_reads_the_room_again_only_if_it_changed(tmp_path: Path) -> None:
    opened, counts = list[str](), list[int]()
    on = [True]

    def note(event: str, given: tuple[object, ...]) -> None:
        if on[0] and event == "open" and str(given[0]).endswith("dev.md"):
            opened.append(str(given[0]))

    def word(here: World, step: int) -> None:
        if step == 1:
            os.utime(here.where.room("dev"), (0, 0))  # it did not change just now
        counts.append(len(opened))

    sys.addaudithook(note)
    run(tmp_path, word)
    on[0] = False
    assert counts[0] < counts[1] == counts[2] == counts[3]


def test_a_question_waits_its_turn(tmp_path: Path) -> None:
    lived, asked = run(tmp_path, lambda here, step: here.say("Which folder is it?") if step == 2 else None)
    assert ["Which folder" in prompt for prompt in asked] == [False] * STEPS + [True]
    assert said(lived.where) == ["done 4", "done 5"]


def test_a_question_before_a_word_is_heard_with_it(tmp_path: Path) -> None:
    def word(here: World, step: int) -> None:
        if step == 2:
            here.say("Which folder is it?")
            here.say("Not the blue one.")

    lived, asked = run(tmp_path, word)
    assert ["Which folder" in prompt and "blue one" in prompt for prompt in asked] == [False, False, True, True]
    assert said(lived.where) == ["done 4"]


def test_in_a_reminders_turn_a_persons_word_is_heard(tmp_path: Path) -> None:
    holds, asked = list[World](), list[str]()
    word = "Stop, that is the wrong folder!"
    with world(tmp_path, working(holds, asked, lambda here, step: here.say(word) if step == 2 else None)) as lived:
        holds.append(lived)
        lived.run()
        lived.session.record(Wake("tidy", "dev", "2026-11-21T20:17:00Z"), b"tidy the folder", gist="tidy")
        lived.run()
        assert [word in prompt for prompt in asked] == [False, False, True, True]
        assert said(lived.where) == ["done 4"]


@pytest.mark.parametrize("whole", [False, True], ids=["appended", "saved whole"])
def test_a_line_that_the_owner_writes_in_an_editor_is_heard(tmp_path: Path, whole: bool) -> None:
    def write(here: World, step: int) -> None:
        room = here.where.room("dev")
        if step == 2 and whole:
            room.with_name("new").write_bytes(room.read_bytes() + b"The wrong folder!\n")
            room.with_name("new").replace(room)
        elif step == 2:
            room.write_bytes(room.read_bytes() + b"The wrong folder!\n")

    lived, asked = run(tmp_path, write)
    assert lived.session.owner == "ana"
    assert ["wrong folder" in prompt for prompt in asked] == [False, False, True, True]
    assert said(lived.where) == ["done 4"]


def test_another_persons_word_waits_its_turn(tmp_path: Path) -> None:
    lived, asked = run(tmp_path, lambda here, step: here.say("Tidy mine too.", "bob") if step == 2 else None, "group")
    assert ["mine too" in prompt for prompt in asked] == [False] * STEPS + [True]
    assert len(said(lived.where)) == 2


def test_after_a_crash_between_the_word_and_the_request_nothing_is_heard_twice(tmp_path: Path) -> None:
    asked = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        asked.append("\n".join(message["content"] for message in messages))
        return "READ_FILE log.txt" if "blue one" not in asked[-1] else "done"

    with world(tmp_path, model) as lived:
        lived.say("tidy the folder")
        while not lines(lived, "TOOL"):
            if not agent.step(lived.me):
                lived.serve()
        lived.say("Not the blue one.")
        while len(lines(lived, "HEAR")) < 2:
            agent.step(lived.me)
    with world(tmp_path, model) as lived:
        lived.run()
        assert len(lines(lived, "HEAR")) == 2
        assert said(lived.where) == ["done"]
        assert asked[-1].count("Not the blue one.") == 1


@pytest.mark.parametrize(
    ("text", "adds"),
    [
        ("Stop, that is the wrong folder!", True),
        ("wait", True),
        ("How far are you?", False),
        ("Really? Why?", False),
        ("Why that one? Take the other.", True),
        ("現在何時？", False),
        ("“Are you sure?”", False),
        ("Wie weit bist du? 😊", False),
        ("Did you read config.toml?", False),
        ("1. Which folder?", False),
        ("Πού είσαι;", False),
        ("Περίμενε.", True),
        ("7", True),
        ("👎", True),
        ("??", False),
        ("Use the other folder, ok? And hurry.", True),
        ("Can you leave out zulu-7?", False),
        ("How far are you? Leave out the mails, please.", True),
        ("How far are you, please?", False),
        ("How far are you?!", False),
        ("你做完了吗？", False),
        ("كم بقي؟", False),
        ("ስንት ቀረ፧", False),
        ("Որտե՞ղ ես", False),
        ("see https://example.org/?q=logs", True),
        ("when you are done, send no mail", True),
        ("Thanks!", True),
        ("/forget the PIN", False),
        ("", False),
    ],
)
def test_what_adds_to_a_turn(text: str, adds: bool) -> None:
    assert is_addition(text) == adds
