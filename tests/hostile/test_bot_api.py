"""A Bot API that tells what no Bot API should: one odd update, answer or record costs itself, never the bridge.

A line of a table is a case: what stands in a good update, and what stands there instead; or what a method answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from bot_api import TOKEN, Telegram
from discord_ears import Listener
from hypothesis import given
from hypothesis import strategies as st
from poisoned import DEEP, GOOD, POISON
from support import PATIENCE

from dotagent import bridges
from dotagent.bridges import Access, Attachment, Failed, Incoming, Piece, Place, Transport
from dotagent.bridges.pattern import validation
from dotagent.bridges.telegram_side import shapes

ANSWERS: list[tuple[int, Any]] = [
    (200, {"ok": True}),
    (200, {"ok": True, "result": 5}),
    (200, {"ok": True, "result": {"id": "x"}}),
    (200, {"ok": True, "result": {"message_id": 10**400, "file_path": 5}}),
    (200, {"ok": True, "result": [[]]}),
    (200, [1]),
    (200, b"<html>"),
    (200, DEEP.encode()),
    (200, b"\xff\xfe\x00"),
    (200, b"x" * (1 << 25)),
    (400, {"ok": False, "description": {"a": 1}, "parameters": 5}),
    (403, {"ok": False, "description": 7 * [1], "parameters": []}),
    (502, b"<html>"),
    *((429, {"ok": False, "parameters": {"retry_after": value}}) for value in ("x", 10**400, -1, [], None, True)),
    (429, b'{"ok": false, "parameters": {"retry_after": 1e999}}'),
    (429, b'{"ok": false, "parameters": {"retry_after": NaN}}'),
    (429, {"ok": False, "parameters": {"retry_after": 99999999999}}),
]
DIRECT = Place("11", "person", "ana")


@pytest.fixture
def telegram() -> Iterator[Telegram]:
    with Telegram() as server:
        yield server


async def beside(telegram: Telegram, work: Callable[[Transport, Listener], Any]) -> None:
    """Do the work beside the transport as it runs."""
    listener, transport = Listener(), bridges.load("telegram").open(Access(TOKEN, telegram.base))
    running = asyncio.ensure_future(transport.run(listener))
    try:
        await asyncio.wait_for(work(transport, listener), PATIENCE)
        assert not running.done(), running.result()
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def through(telegram: Telegram, work: Callable[[Transport, Listener], Any]) -> None:
    """Do the work beside a transport, and nothing else."""
    asyncio.run(beside(telegram, work))


@pytest.mark.night
def test_one_poison_update_is_logged_acknowledged_and_passed_over(telegram: Telegram) -> None:
    async def work(transport: Transport, listener: Listener) -> None:
        for case in POISON:
            assert case[0] in GOOD
            listener.heard.clear()
            listener.logged.clear()
            telegram.says("before")
            telegram.tells(GOOD.replace(*case))
            telegram.says("after")
            await listener.until(lambda: [one.text for one in listener.heard] == ["before", "after"])
            await listener.until(lambda: not telegram.updates)
            assert len(listener.logged) <= 2 and all(len(line) < 400 for line in listener.logged), case
            assert not listener.losses and (listener.logged or case[1] in ("null", "{}")), case

    through(telegram, work)


@pytest.mark.slow
def test_what_cannot_be_acknowledged_is_not_asked_for_in_a_hurry(telegram: Telegram) -> None:
    async def work(transport: Transport, listener: Listener) -> None:
        telegram.tells('{"update_id": "x"}')
        await listener.until(lambda: len(telegram.calls) > 2)
        telegram.says("hello")
        await listener.hears(1)

    through(telegram, work)
    assert len([name for name, _ in telegram.calls if name == "getUpdates"]) < 6


@pytest.mark.night
@pytest.mark.parametrize("method", ["getMe", "getUpdates"])
def test_after_an_odd_answer_it_asks_again(method: str) -> None:
    """After each of them it waits a second, so they are tried side by side. By the last it waits a quarter of an hour,
    as is tested below."""

    async def one(answer: tuple[int, Any]) -> None:
        with Telegram() as telegram:
            telegram.wrong[method] = [answer]

            async def work(transport: Transport, listener: Listener) -> None:
                telegram.says("hello")
                await listener.hears(1)

            await beside(telegram, work)

    async def all_of_them() -> None:
        await asyncio.gather(*map(one, ANSWERS[:-1]))

    asyncio.run(all_of_them())


@pytest.mark.slow
@pytest.mark.parametrize("answer", ANSWERS)
def test_whatever_a_request_is_answered_only_what_a_transport_may_raise_comes_of_it(
    telegram: Telegram, answer: tuple[int, Any]
) -> None:
    async def work(transport: Transport, listener: Listener) -> None:
        telegram.says("hello")
        await listener.hears(1)
        for method, ask in (
            ("sendMessage", lambda: transport.send(DIRECT, Piece("x", "k"))),
            ("editMessageText", lambda: transport.edit(DIRECT, "5", "x")),
            ("deleteMessage", lambda: transport.delete(DIRECT, "5")),
            ("sendChatAction", lambda: transport.typing(DIRECT)),
            ("getFile", lambda: transport.fetch(Attachment("a", "f"), 10)),
        ):
            telegram.wrong[method] = [answer]
            try:
                id = await ask()
            except Failed as failed:
                assert failed.after is None or 0 <= failed.after <= 900
            else:
                assert method != "sendMessage" or id == ""
        for id in ("None", "", "1e9"):  # what an earlier version may have kept
            with pytest.raises(Failed):
                await transport.send(Place(id, "person", "x"), Piece("x", "k"))

    through(telegram, work)


KEYS = st.sampled_from(["message", "edited_message", "update_id", "message_id", "from", "chat", "id", "date", "text"])
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(ODD, st.data())
def test_of_any_update_comes_an_incoming_or_nothing(value: Any, data: st.DataObject) -> None:
    update: Any = json.loads(GOOD.replace("ID", "7"))
    more = {"document": {"file_id": "f"}, "photo": [{"file_size": 1}], "sticker": {"emoji": "x"}, "edit_date": 3}
    update["message"] |= more | {"entities": [{"offset": 0, "length": 3, "type": "mention"}]}
    at = update
    while isinstance(at, dict) and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(at)))
        if not isinstance(at[key], dict) or data.draw(st.booleans()):
            at[key] = value
            break
        at = at[key]
    logged: list[str] = []
    found = validation.make_or_report(lambda: shapes.parse_update(update, shapes.Me("7", "dot_bot")), logged.append)
    assert (found is None and len(logged) <= 1) or (found and isinstance(found[0], Incoming))
    assert (
        validation.make_or_report(lambda: shapes.parse_update(value, shapes.Me("7", "dot_bot")), logged.append) is None
    )
    assert shapes.update_id(value) == -1 or value["update_id"] >= 0
