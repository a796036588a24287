"""A turn: from what was heard to what is said, by whatever a model may reply."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from world import Cut, World, events, offline, said, world

import agent
from dotagent import extensions, tools
from dotagent.loop import bounds
from dotagent.store import rooms
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import grammar, native, reasoning


class Scripted:
    """A model that gives these replies, one after the other, and then waits; `saw` are the last messages it saw."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.saw: list[str] = []

    def __call__(self, messages: list[ChatMessage], call: Call) -> str:
        self.saw.append(messages[-1]["content"])
        return self.replies.pop(0) if self.replies else "WAIT"


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of these turns have no sandbox: after the first one's output the others would be asked about."""
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")


def turn(path: Path, *replies: str, text: str = "hello") -> tuple[World, Scripted]:
    model = Scripted(*replies)
    with world(path / "home", model) as here:
        here.say(text)
        here.run()
    return here, model


def of_tools(here: World) -> Sequence[str]:
    return [event.removeprefix("TOOL ") for event in events(here, "TOOL")]


def test_a_plain_answer_is_said_where_it_was_asked(tmp_path: Path) -> None:
    model = Scripted("in ops", "RUN true", "after the command")
    with world(tmp_path / "home", model) as here:
        rooms.create(here.where.room("ops"), "private")
        agent.act(here.session, agent.ToolCall("JOIN", "ops", None))
        here.run()
        here.say("hello", room="ops")
        here.run()
        here.say("hello")
        here.run()
        assert said(here.where, "ops") == ["in ops"]
        assert said(here.where) == ["after the command"]


def test_reasoning_is_neither_said_nor_done(tmp_path: Path) -> None:
    reply = "<reasoning>\nSAY dev secret\n</reasoning>\n\nREAD_FILE .\n"
    here, model = turn(tmp_path, reply, "RUN touch ran\nSo it is there.\n</think>\nIt is there.")
    assert said(here.where) == ["It is there."]
    assert of_tools(here) == ["READ_FILE ok"]
    assert " READ_FILE:" in model.saw[1]


def test_what_shows_nothing_ends_the_turn_and_what_shows_something_asks_again(tmp_path: Path) -> None:
    here, model = turn(tmp_path, "SAY dev one\nSAY dev two\nWAIT")
    assert (said(here.where), len(model.saw)) == (["one", "two"], 1)
    here, model = turn(tmp_path / "2", "SAY nowhere one\nSAY dev two", "SAY dev three\nREAD_FILE nothing", "WAIT")
    assert (said(here.where), len(model.saw)) == (["two", "three"], 3)
    assert of_tools(here) == ["SAY error by=own", "READ_FILE error by=own"]


def test_an_empty_reply_is_asked_for_once_more_and_then_left(tmp_path: Path) -> None:
    here, model = turn(tmp_path, "", "<think>hm</think>\n", "never asked for")
    assert said(here.where) == []
    assert len(model.saw) == 2
    assert "Your reply was empty." in model.saw[1]
    here, model = turn(tmp_path / "2", " \n", "an answer")
    assert said(here.where) == ["an answer"]
    lost = reasoning.wrap(f'{native.LOST}WRITE_FILE {{"argument": )', "")  # as a native call that is no JSON is kept
    here, model = turn(tmp_path / "3", lost, "an answer")
    assert said(here.where) == ["an answer"]
    assert "Your reply was empty." not in model.saw[1]
    assert 'arguments as a JSON object: (WRITE_FILE {"argument": )' in model.saw[1]


@pytest.mark.parametrize(
    "reply",
    [
        "```\nRUN touch ran\n```",
        "**RUN** touch ran",
        "- RUN touch ran",
        "## RUN ls",
        "FROM debian\nRUN touch ran",
        "RUN touch ran\nDone.",
        "RUN touch ran\nSUMMARISE a.md",
        "SUMMARISE a.md",
        "WRITE_FILE ran <<END\na\nEND\nNow it is there.",
    ],
)
def test_a_reply_that_is_neither_words_nor_calls_is_asked_for_once_more(tmp_path: Path, reply: str) -> None:
    here, model = turn(tmp_path, reply, "RUN echo right")
    assert "Nothing of your reply was said or done" in model.saw[1]
    assert "ADD_TO_FILE, EDIT_FILE, FETCH" in model.saw[1]
    assert model.saw[1].endswith(" dev ana: hello"), "what it replies to stands last"
    assert of_tools(here) == ["RUN ok"]
    assert not (here.session.path / "files/ran").exists()


@pytest.mark.parametrize("reply", ["```\nRUN touch ran\n```", "FROM debian\nRUN touch ran", "SUMMARISE a.md"])
def test_a_second_reply_of_that_kind_is_said_as_it_is(tmp_path: Path, reply: str) -> None:
    here, model = turn(tmp_path, reply, reply, "never asked for")
    assert len(model.saw) == 2
    assert said(here.where) == [reply.replace("\n", "\n  ")]
    assert not (here.session.path / "ran").exists() and of_tools(here) == []


def test_a_turn_with_a_call_that_was_done_may_be_asked_again(tmp_path: Path) -> None:
    here, _ = turn(tmp_path, "Look:\nRUN true", "RUN true", "Again:\nRUN true", "RUN true", "Done.")
    assert events(here, "NOTE") == ["NOTE dev form"] * 2
    assert said(here.where) == ["Done."]


@pytest.mark.parametrize("again", ["FROM debian\nRUN touch ran", "RUN echo right"])
def test_a_reply_that_was_asked_about_is_asked_about_once_also_after_a_crash(tmp_path: Path, again: str) -> None:
    replies = ["FROM debian\nRUN touch ran", again]
    with world(tmp_path / "home", lambda messages, call: replies.pop(0)) as here:
        here.say("hello")
        while not events(here, "NOTE"):
            if not agent.step(here.me):
                here.serve()
    with world(tmp_path / "home", lambda messages, call: replies.pop(0) if replies else "WAIT") as here:
        here.run()
        assert events(here, "NOTE") == ["NOTE dev form"]
        assert bool(said(here.where)) == again.startswith("FROM")
        assert not (here.session.path / "ran").exists()


def test_of_a_reply_that_was_cut_off_the_last_call_is_not_run(tmp_path: Path) -> None:
    here, _ = turn(tmp_path, Cut("SAY dev whole\nRUN rm -rf half"))
    assert said(here.where) == ["whole"]
    assert not [one for one in events(here, "EFFECT") if one.startswith("EFFECT RUN")]


@pytest.mark.parametrize("noted", ["NOTE it is thursday", "REMEMBER ana likes tea"])
def test_a_reply_that_was_cut_off_after_a_note_is_followed_by_an_answer(tmp_path: Path, noted: str) -> None:
    here, _ = turn(tmp_path, Cut(f"{noted}\nSAY dev I have noted th"), "SAY dev done")
    assert said(here.where) == ["done"]


def test_calls_are_done_in_order_and_each_result_is_shown(tmp_path: Path) -> None:
    steps = (
        "WRITE_FILE a.md <<END\none\nEND\n"
        "EDIT_FILE a.md <<END\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\nEND\n"
        "RUN cat a.md\nREAD_FILE a.md\nSAY dev done\nso it is\n"
    )
    here, model = turn(tmp_path, steps)
    assert of_tools(here) == ["WRITE_FILE ok", "EDIT_FILE ok", "RUN ok", "READ_FILE ok by=own"]
    assert "  exit status 0\n  two" in model.saw[1]
    assert said(here.where) == ["done\n  so it is"]


@pytest.mark.night
def test_a_turn_without_an_end_is_stopped_and_a_word_goes_on(tmp_path: Path) -> None:
    count = 0

    def model(messages: list[ChatMessage], call: Call) -> str:
        nonlocal count
        count += 1
        return "here I am" if "again" in messages[-1]["content"] else f"WRITE_FILE {count % 7}.md <<END\n{count}\nEND"

    with world(tmp_path / "home", model) as here:
        here.say("hello")
        here.run()
        assert count == bounds.STEPS
        (told,) = said(here.where)
        assert told.startswith(f"(no answer: I stopped after {bounds.STEPS} steps")
        here.say("again")
        here.run()
        assert said(here.where)[1:] == ["here I am"]
    with world(tmp_path / "home", model) as here:
        here.run()
        assert len(said(here.where)) == 2


def test_a_turn_that_goes_in_circles_is_told_so_and_then_stopped(tmp_path: Path) -> None:
    here, model = turn(tmp_path, *["READ_FILE MEMORY.md"] * 50)
    (told,) = said(here.where)
    assert told.startswith("(no answer: I stopped because I did the same thing 6 times")
    assert len(model.saw) == bounds.END
    assert [number for number, saw in enumerate(model.saw) if bounds.CIRCLES.format(3)[:30] in saw] == [3]
    assert events(here, "NOTE") == ["NOTE dev circles"]
    assert len(events(here, "FAIL")) == 1


@pytest.mark.night
def test_two_things_by_turns_are_a_circle_too_whatever_is_thought_beside_them(tmp_path: Path) -> None:
    pair = ["READ_FILE MEMORY.md", "RUN echo x"]
    here, model = turn(tmp_path, *[f"<think>Try {number}.</think>\n{pair[number % 2]}" for number in range(50)])
    (told,) = said(here.where)
    assert "because I did the same thing 6 times" in told
    assert len(model.saw) == 2 * bounds.END
    assert events(here, "NOTE") == ["NOTE dev circles"]


def test_one_call_in_an_unbroken_run_is_told_and_stopped_whatever_its_results(tmp_path: Path) -> None:
    saw, log = list[str](), list[Path]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        saw.append(messages[-1]["content"])
        log[0].write_text(f"line {len(saw)}\n")
        return "READ_FILE log"

    with world(tmp_path / "home", model) as here:
        log.append(here.session.path / "files/log")
        here.say("hello")
        here.run()
    (told,) = said(here.where)
    assert f"because I did the same thing {bounds.SAME_END} times" in told
    assert len(saw) == bounds.SAME_END
    hint = bounds.SAME.format(bounds.SAME_TELL)[:40]
    assert [number for number, one in enumerate(saw) if hint in one] == [bounds.SAME_TELL]


def test_of_a_reply_of_more_calls_than_anybody_writes_the_first_are_done(tmp_path: Path) -> None:
    here, model = turn(tmp_path, "\n".join(f"NOTE line {number}" for number in range(grammar.MOST + 3)), "WAIT")
    assert len(events(here, "TOOL")) == grammar.MOST + 1
    assert "at most 64 calls: this one and the 2 after it were not done" in model.saw[1]


@pytest.mark.night
def test_work_that_progresses_is_no_circle(tmp_path: Path) -> None:
    steps = ["RUN echo x >> log; wc -l < log"] * 20  # the same call, another result each time
    here, _ = turn(tmp_path, *steps, *["READ_FILE log", "RUN echo y"] * 2, "READ_FILE log", "all done")
    assert said(here.where) == ["all done"]
    assert events(here, "NOTE") == []


def test_every_tool_has_a_form_and_help_tells_it(tmp_path: Path) -> None:
    with world(tmp_path / "home", offline) as here:
        here.say("help")
        here.run()
        assert said(here.where)[0].startswith("I am the offline provider")
    for name in extensions.names("tools"):
        usage = extensions.load("tools", name).USAGE
        assert usage[0].split(" ")[0] == name.upper().replace("-", "_")
        listed = extensions.constants("tools", name).get("BRIEF") != ()
        assert (f":\n    {usage[0]}\n" in f"{tools.usage()}\n") == listed


def test_what_a_tool_meets_in_the_world_is_a_result(tmp_path: Path) -> None:
    """A file whose read fails, as on a dead mount: here a process's memory, of which nothing is at its beginning."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "dotagent.toml").write_text(f'roots = ["/proc/{os.getpid()}"]\n')
    replies = iter([f"READ_FILE /proc/{os.getpid()}/mem", "I could not read it"])
    with world(tmp_path / "home", lambda messages, call: next(replies)) as here:
        here.say("read my mind")
        here.run()
        assert events(here, "TOOL") == ["TOOL READ_FILE error by=own"]
        assert said(here.where) == ["I could not read it"]


def test_a_call_over_which_it_died_twice_is_not_tried_a_third_time(tmp_path: Path) -> None:
    replies = iter(["READ_FILE MEMORY.md", "so be it"])

    def until(ended: Callable[[World], bool]) -> None:
        """Live until then, and die without a word."""
        with suppress(KeyboardInterrupt), world(tmp_path / "home", lambda messages, call: next(replies)) as here:
            if not here.session.state.turn.reply:
                here.say("read your notes")
            while not ended(here):
                if not agent.step(here.me):
                    here.serve()
            raise KeyboardInterrupt

    for _ in range(2):
        until(lambda here: bool(here.session.state.turn.reply))
    with world(tmp_path / "home", lambda messages, call: next(replies)) as here:
        here.run()
        assert events(here, "TOOL") == ["TOOL READ_FILE error by=own"]
        assert said(here.where) == ["so be it"]
