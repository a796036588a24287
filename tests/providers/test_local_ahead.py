"""What the provider local lets a server read: calls in the background in steps, and a prompt before it is asked."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from local_server import ASKED, EMPTY, LLAMA, LONG, MESSAGES, ask, config
from loopback import Server, refusal, stream

from dotagent.providers import THOUGHT, Prompt, ProviderError, describe, local
from dotagent.store.requests import ChatMessage

KEEPS: dict[str, object] = {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 1, "is_sleeping": False}


def test_a_call_in_the_background_is_read_in_steps_that_a_persons_call_can_come_between() -> None:
    text = "word " * (local.STEP // 2)
    asked = replace(ASKED, messages=(MESSAGES[0], {"role": "user", "content": text}), most=50)
    with Server(stream("x"), EMPTY, stream("Tea."), pages=LLAMA) as server:
        assert describe(local, config(server), "m").alone
        assert ask(server, asked).text == "Tea."
        sent = [received.body for received in server.received]
    assert [len(body["messages"][-1]["content"]) for body in sent] == [local.STEP, 2 * local.STEP, len(text)]
    assert all(text.startswith(body["messages"][-1]["content"]) for body in sent)
    assert [body["max_tokens"] for body in sent] == [1, 1, 50 + THOUGHT]
    with Server(stream("x"), stream("Tea."), pages=LLAMA) as server:
        describe(local, config(server), "m")
        with pytest.raises(ProviderError) as caught:
            local.answer(asked, config(server), lambda *_: None, lambda: len(server.received) > 0)
        assert (caught.value.kind, len(server.received)) == ("cancelled", 1)
    with Server(stream("Tea."), pages=LLAMA) as server:  # and a person's at once
        describe(local, config(server), "m")
        assert ask(server, replace(asked, most=0)).text == "Tea."


def test_what_comes_later_is_read_in_steps_from_where_it_is_another_one_and_ends_with_what_somebody_said() -> None:
    said: list[ChatMessage] = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "a" * local.STEP}]
    new: list[ChatMessage] = [*said, {"role": "user", "content": "b" * (local.STEP + 2)}]
    told = Prompt("m", (*MESSAGES, {"role": "assistant", "content": "Tea."}))
    with Server(stream("x"), pages=LLAMA) as server:
        describe(local, config(server), "m")
        ask(server, told)
        assert ask(server, replace(told, messages=(*MESSAGES[:1], *new), most=1)).text == "x"
        ask(server, replace(told, messages=(*MESSAGES[:1], *new, {"role": "user", "content": "c"}), most=1))
        sent = [received.body["messages"] for received in server.received[1:]]
        assert all(received.body["max_tokens"] == 1 for received in server.received[1:])
    system = MESSAGES[0]
    assert sent == [
        [system, *said, {"role": "user", "content": "b"}],
        [system, *said, {"role": "user", "content": "b" * (local.STEP + 1)}],
        [system, *new],
        [system, *new, {"role": "user", "content": "c"}],
    ]


def test_no_step_ends_within_what_the_prompt_before_has_too() -> None:
    """It would be a part of that one: whoever speaks then goes on from it, and the rest of the old one is gone."""
    old = replace(ASKED, messages=(MESSAGES[0], {"role": "user", "content": "a" * (2 * local.STEP) + "old"}))
    new = replace(
        ASKED, messages=(MESSAGES[0], {"role": "user", "content": "a" * (2 * local.STEP) + "new" * 200}), most=1
    )
    with Server(stream("x"), pages={**LLAMA, "/props": KEEPS, "/v1/completions": {"ok": 1}}) as server:
        describe(local, config(server), "m")
        for asked in (old, new):
            ask(server, asked)
        sent = [received.body["messages"][1]["content"] for received in server.received[1:]]  # type: ignore[index]
        assert [len(one) for one in sent] == [3 * local.STEP, 2 * local.STEP + 600]
        for stops in (lambda: True, lambda: False):  # before anything of it was read
            ask(server, old)
            dots = len(server.looked)
            with suppress(ProviderError):
                local.answer(new, config(server), lambda *_: None, stops)
            ask(server, old)
            assert len(server.looked) == dots + 1


def test_what_was_read_before_somebody_spoke_is_not_asked_for_again() -> None:
    """llama.cpp keeps nothing of a prompt behind the end of the last one, so a shorter step would undo the longer."""
    later = Prompt("m", (MESSAGES[0], {"role": "user", "content": "b" * (3 * local.STEP)}), most=1)
    with Server(stream("x"), pages={**LLAMA, "/props": KEEPS, "/v1/completions": {"ok": 1}}) as server:
        describe(local, config(server), "m")
        with pytest.raises(ProviderError):
            local.answer(later, config(server), lambda *_: None, lambda: len(server.received) == 2)
        ask(server, replace(ASKED, messages=LONG.messages))
        ask(server, replace(later, messages=(*later.messages, MESSAGES[1])))
        ends = [
            len(received.body["messages"][1]["content"])
            for received in server.received
            if later.messages[0] in received.body["messages"]
        ]
    first = local.STEP - len(MESSAGES[0]["content"])
    assert ends == [first, first + local.STEP, first + 2 * local.STEP, 3 * local.STEP]


@pytest.mark.parametrize(
    ("props", "more", "dots"),
    [
        (KEEPS, {}, 1),
        (KEEPS, {"keeps": False}, 0),
        (KEEPS, {"alone": False}, 0),
        ({**KEEPS, "modalities": {"vision": True, "audio": False}}, {}, 0),
        ({**KEEPS, "total_slots": 4}, {}, 0),
        ({**KEEPS, "total_slots": 4}, {"keeps": True}, 1),
    ],
)
def test_what_was_read_ahead_and_the_prompt_before_it_are_kept_by_llama_cpp_in_memory(
    props: dict[str, object], more: dict[str, object], dots: int
) -> None:
    """It puts a prompt aside, and looks for another, where the next has hardly anything of it: a dot has not."""
    later = replace(ASKED, messages=(*MESSAGES[:1], {"role": "user", "content": "Tea, or coffee"}), most=1)
    gone_on = replace(ASKED, messages=(*MESSAGES[:1], {"role": "user", "content": "Tea, or coffee, or water?"}))
    with Server(stream("Tea."), pages={**LLAMA, "/props": props, "/v1/completions": {"ok": 1}}) as server:
        assert describe(local, config(server, **more), "m").keeps == bool(dots)
        for asked in (ASKED, later, gone_on, later, ASKED, ASKED):
            assert ask(server, asked).text == "Tea."
        paths = [received.path for received in (*server.looked, *server.received) if "completions" in received.path]
        order = [received.path.endswith("/chat/completions") for received in server.received]
    assert len(order) == 6 and all(order)
    assert paths.count("/v1/completions") == dots


def test_a_server_that_takes_no_dot_is_asked_all_the_same() -> None:
    later = replace(ASKED, most=1)
    pages = {**LLAMA, "/props": KEEPS, "/v1/completions": refusal(404, "Not Found")}
    with Server(stream("Tea."), pages=pages) as server:
        describe(local, config(server), "m")
        ask(server, replace(later, messages=LONG.messages))
        assert ask(server).text == "Tea."
        assert "/v1/completions" in [received.path for received in server.looked]
