"""A person stops a turn: nothing of it begins any more, what runs ends, and what is said later is answered."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from lives import chat, lines, living
from support import until
from world import World, events, said, world

import agent
from dotagent.capabilities.helpers import children
from dotagent.life import stop_requests, stops
from dotagent.life.background_events import Returned, Spawned, works
from dotagent.store import disk, queue
from dotagent.store.helpers import Terms, audience
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def stop(lived: World, who: str = "ana") -> list[str]:
    return stop_requests.ask(lived.where, "dev", who)


def test_between_two_steps_the_turn_ends_and_its_other_calls_are_not_done(tmp_path: Path) -> None:
    asked = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        asked.append(call.id)
        return "READ_FILE a.txt\nRUN touch one\nRUN touch two"

    with world(tmp_path, model) as lived:
        lived.say("tidy up")
        while not lines(lived, "TOOL"):
            if not agent.step(lived.me):
                lived.serve()
        assert stop(lived) == [lived.session.id]
        lived.run()
        assert len(asked) == 1
        assert not list((lived.session.path / "files").glob("*"))
        assert events(lived, "FAIL", "EFFECT")[0] == "FAIL cancelled stopped"
        assert said(lived.where) == ["(no answer: stopped by ana)"]
        assert not disk.is_file(lived.session.path / stops.PLACE)


def test_a_pending_request_is_cancelled(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "Here is the story.") as lived:
        lived.say("tell me a story")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        call = lived.session.state.turn.call
        stop(lived)
        agent.step(lived.me)
        assert not queue.is_placed(lived.where, "scripted", call)
        lived.run()
        assert said(lived.where) == ["(no answer: stopped by ana)"]


def test_what_had_come_of_a_stopped_answer_counts_in_usage_and_budget(tmp_path: Path) -> None:
    (tmp_path / "dotagent.toml").write_text("[budget]\ntokens_a_day = 1000\n")
    with world(tmp_path, lambda messages, call: None) as lived:
        lived.say("tell me a story")
        lived.run()
        call = lived.session.state.turn.call
        queue.stream(lived.where, call).write_text(
            "<think>a fox, perhaps</think>Once upon a time there was a fox. " * 20
        )
        stop(lived)
        lived.run()
        (used,) = events(lived, "USAGE")
        counts = dict(word.split("=") for word in used.split(" ")[1:])
        assert int(counts["input"]) > 1000 and 200 < int(counts["output"]) < 500 and counts["estimated"] == "1"
        assert lived.session.state.used.day_tokens == int(counts["input"]) + int(counts["output"])
        lived.say("and another one")
        lived.run()
        assert "the budget of 1,000 tokens a day for all agents is used up" in said(lived.where)[-1]


def test_what_had_come_of_a_summary_that_is_given_up_counts(tmp_path: Path) -> None:
    begun = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        if call.kind == "live":
            return "Understood."
        if call.id not in begun and "SEGMENT" in messages[-1]["content"]:
            begun.append(call.id)
            queue.stream(lived.where, call.id).write_text("1-9 5 the ferry leaves at seven\n" * 20)
        return None

    with living(tmp_path, model, 1000) as lived:
        chat(lived, 30)
        assert lines(lived, "SWAP") and begun
        given_up = [line.id for line in lines(lived, "USAGE")]
        assert {*begun[:-1]} <= {*given_up}


def test_an_answer_that_came_first_is_said(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "Here is the story.") as lived:
        lived.say("tell me a story")
        while not lived.serve():
            agent.step(lived.me)
        stop(lived)
        lived.run()
        assert said(lived.where) == ["Here is the story."]


def test_a_command_ends_and_the_turn_behind_it(tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: Call) -> str:
        return "RUN touch begun; while :; do sleep 1; done; touch late"

    with world(tmp_path, model) as lived:
        begun = lived.session.path / "files" / "begun"

        def word() -> None:
            until(begun.exists, lived.session.path / "files")
            stop(lived)

        talker = threading.Thread(target=word)
        talker.start()
        lived.say("tidy up")
        lived.run()
        talker.join()
        assert [line.detail for line in lines(lived, "TOOL")] == ["RUN error by=own"]
        assert said(lived.where) == ["(no answer: stopped by ana)"]
        assert not (lived.session.path / "files" / "late").exists()


def test_what_is_said_after_a_stop_is_answered(tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: Call) -> str:
        return "It is noon." if "what time" in messages[-1]["content"] else "RUN touch one\nRUN touch two"

    with world(tmp_path, model) as lived:
        lived.say("tidy up")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        stop(lived)
        lived.say("what time is it?")
        lived.run()
        assert said(lived.where) == ["(no answer: stopped by ana)", "It is noon."]


def test_what_was_said_before_a_stop_and_not_read_yet_is_not_begun(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "RUN touch one") as lived:
        lived.run()
        lived.say("tidy up")
        stop(lived)
        lived.run()
        assert not lines(lived, "ASK")
        assert said(lived.where) == ["(no answer: stopped by ana; not answered: “tidy up”)"]


def test_what_was_said_in_a_turn_before_its_stop_is_heard_and_not_begun(tmp_path: Path) -> None:
    asked = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        asked.append(messages[-1]["content"])
        return "READ_FILE a.txt" if len(asked) == 1 else "It is noon."

    with world(tmp_path, model) as lived:
        lived.say("tidy up")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        lived.say("and mow the lawn")
        lived.say("is it noon?")
        assert stop(lived) == [lived.session.id]
        lived.run()
        told = "(no answer: stopped by ana; not answered: “and mow the lawn”, “is it noon?”)"
        assert said(lived.where) == ["(no answer: stopped by ana)", told]
        assert [line.gist for line in lines(lived, "HEAR")][1:] == ["ana: and mow the lawn", "ana: is it noon?"]
        assert not asked and not disk.is_file(lived.session.path / stops.PLACE)
        lived.say("good morning")
        lived.run()
        assert asked[0].endswith("ana: good morning")


def test_many_messages_that_are_not_begun_are_named_in_one_short_line(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "RUN touch one") as lived:
        lived.run()
        for number in range(5):
            lived.say(f"wish {number} " + "of many words " * 40)
        assert stop(lived) == [lived.session.id]
        lived.run()
        (told,) = said(lived.where)
        assert told.endswith(", and 2 more)") and "“wish 2 of many words" in told and len(told) < 350


def test_another_persons_message_in_a_group_is_answered_although_one_stops(tmp_path: Path) -> None:
    asked = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        asked.append(messages[-1]["content"])
        return "It is noon, bob."

    with world(tmp_path, model, "--audience", "group") as lived:
        lived.say("tidy up")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        for text, name in (("and mow the lawn", "ana"), ("what time is it?", "bob"), ("then sleep", "ana")):
            lived.say(text, name)
        stop(lived)
        lived.run()
        told = "(no answer: stopped by ana; not answered: “and mow the lawn”, “then sleep”)"
        assert said(lived.where) == ["(no answer: stopped by ana)", told, "It is noon, bob."]
        (text,) = asked
        assert text.endswith("The room dev still waits for an answer to what bob said last.")
        (bobs,) = [one for one in lived.session.entries if one.line.gist == "bob: what time is it?"]
        assert lived.session.state.turn.frame == (bobs.number,)  # only this stands before the model until it answers


def test_a_group_where_only_another_person_waits_is_answered_as_usual(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "It is noon.", "--audience", "group") as lived:
        lived.say("tidy up")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        lived.say("what time is it?", "bob")
        stop(lived)
        lived.run()
        assert said(lived.where) == ["(no answer: stopped by ana)", "It is noon."]


def test_a_stop_without_a_turn_or_for_another_room_changes_nothing(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "Hello.") as lived:
        lived.say("hi")
        lived.run()
        assert stop(lived) == []
        lived.run()
        assert not lines(lived, "FAIL")
        lived.say("hi again")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        stop_requests.write(lived.where, lived.session.id, "elsewhere", "bob")
        lived.run()
        assert said(lived.where) == ["Hello.", "Hello."]
        assert not disk.is_file(lived.session.path / stops.PLACE)


@pytest.mark.parametrize("line", ["", "dev", "dev x ana", "../dev 3 ana", "dev " + "9" * 30 + " ana"])
def test_a_file_that_is_no_wish_stops_nothing(tmp_path: Path, line: str) -> None:
    with world(tmp_path, lambda messages, call: "Hello.") as lived:
        lived.say("hi")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        disk.replace(lived.session.path / stops.PLACE, line.encode())
        lived.run()
        assert said(lived.where) == ["Hello."]


def test_the_helpers_of_a_stopped_turn_are_told_and_waited_for_no_more(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "RUN touch one") as lived:
        lived.say("tidy up")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        terms = Terms(lived.session.id, children.place(lived.where, lived.session.id), 1, 5, 5000, 50, "none")
        helper = children.birth(lived.session.store, terms, audience(terms.room))
        children.make(lived.where, helper, terms, b"[AGENT:x 2026-11-21T20:17:20Z] a task\n")
        lived.session.record(Spawned(helper, "dev", 1))
        stop(lived)
        agent.step(lived.me)
        wish = stops.read(lived.where.agent(helper))
        assert wish
        assert wish.room == terms.room
        lived.run()
        assert not works(lived.session.state.heard)[helper].goes_on
        assert [line.detail.split(" ")[1:] for line in lines(lived, Returned.WORD)] == [["dev", "stopped"]]
        assert said(lived.where) == [f"(no answer: stopped by ana; ended: helper {helper[:12]})"]
        assert len(lines(lived, "ASK")) == 1


def test_a_wish_that_a_crash_left_behind_ends_the_turn_at_the_next_start(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "RUN touch one\nRUN touch two") as lived:
        lived.say("tidy up")
        while not lived.session.state.turn.call:
            agent.step(lived.me)
        stop(lived)
    with world(tmp_path, lambda messages, call: "RUN touch one\nRUN touch two") as lived:
        lived.run()
        assert not lines(lived, "EFFECT")[1:]
        assert said(lived.where) == ["(no answer: stopped by ana)"]


@pytest.mark.parametrize("moment", range(12))
def test_at_any_moment_what_was_announced_is_finished_and_nothing_else_begins(tmp_path: Path, moment: int) -> None:
    asked = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        asked.append(call.id)
        return f"SAY dev step {len(asked)}\nREAD_FILE {len(asked)}.txt\nSAY dev over {len(asked)}"

    with world(tmp_path, model) as lived:
        lived.say("tidy up")
        for _ in range(moment):
            if not agent.step(lived.me):
                lived.serve()
        before = len(asked)
        stop(lived)
        lived.run()
        begun = [line.detail.split(" ")[0] for line in lines(lived, "EFFECT")]
        assert len(begun) == len(lines(lived, "DID"))
        assert len(asked) == before
        quoted = "; not answered: “tidy up”" if moment < 2 else ""
        assert [one for one in said(lived.where) if "stopped" in one] == [f"(no answer: stopped by ana{quoted})"]
        assert "stopped" in said(lived.where)[-1]
        assert not lived.session.state.turn.waits
