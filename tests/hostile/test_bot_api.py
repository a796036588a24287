"""A Bot API that tells what no Bot API should: one odd update, answer or record costs itself, never the bridge.

A line of a table is a case: what stands in a good update, and what stands there instead; or what a method answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import pytest
from alive import a_home
from bot_api import GROUP, TOKEN, Telegram
from discord_ears import Listener
from hypothesis import given
from hypothesis import strategies as st
from support import run, spawn, until

from dotagent import bridges
from dotagent.bridges import Access, Attachment, Failed, Incoming, Piece, Place, Transport
from dotagent.bridges.pattern import outside
from dotagent.bridges.pattern.ledger import Standing
from dotagent.bridges.telegram_side import shapes
from dotagent.store import rooms
from dotagent.store.home import Home
from dotagent.text import times

GOOD = """{"update_id": ID, "message": {"message_id": 5, "date": 1700000000, "text": "poison", "entities": [],
"from": {"id": 11, "username": "ana", "first_name": "Ana"}, "chat": {"id": 11, "type": "private"}}}"""
HUGE, LONG = "1" + 400 * "0", "1" + 5000 * "0"  # more than 4,300 digits Python refuses to read
DEEP = 200_000 * "[" + 200_000 * "]"
VALUES = [HUGE, LONG, "-" + HUGE, "1e999", "-1e999", "NaN", "Infinity", "1.5", "true", '"x"', "[]", "[7]", "{}"]

POISON = [
    *(('"date": 1700000000', f'"date": {value}') for value in [*VALUES, "99999999999999"]),
    *(('"message_id": 5', f'"message_id": {value}') for value in [*VALUES, "null", "4294967296"]),
    *(('"chat": {"id": 11', f'"chat": {{"id": {value}') for value in [*VALUES, "null"] if value != '"x"'),
    *(('"from": {"id": 11', f'"from": {{"id": {value}') for value in [*VALUES, "null"]),
    *(('"text": "poison"', f'"text": {value}') for value in ["5", "[7]", '{"a": 1}', '"' + 70_000 * "x" + '"']),
    *(('"entities": []', f'"entities": {value}') for value in ["5", "[5]", "[{}]", "[[]]", '[{"offset": 1e999}]']),
    ('"entities": []', '"entities": [' + ", ".join(['{"offset": 0, "length": 1}'] * 300) + "]"),
    ('"entities": []', '"entities": [{"offset": 0, "length": 1, "user": 5}]'),
    ('"entities": []', '"reply_to_message": [1]'),
    ('"entities": []', '"reply_to_message": {"from": {"id": "x"}}'),
    ('"entities": []', '"document": 5'),
    ('"entities": []', '"document": {"file_id": 5}'),
    ('"entities": []', '"document": {"file_id": "f", "file_size": 1e999}'),
    ('"entities": []', '"document": {"file_id": "f", "file_name": ["a"]}'),
    ('"entities": []', '"photo": [5]'),
    ('"entities": []', '"photo": {"a": 1}'),
    ('"entities": []', '"photo": [{"file_id": "f", "file_size": "x"}]'),
    ('"first_name": "Ana"', '"last_name": 5'),
    ('"username": "ana"', '"username": ["ana"]'),
    ('"type": "private"', '"type": "group", "title": {"a": 1}'),
    ('"type": "private"}', '"type": "supergroup"}, "is_topic_message": true, "message_thread_id": "x"'),
    ('"message":', '"message": 5, "x":'),
    ('"message":', '"message": [1], "x":'),
    ('"message":', '"edited_message": {"from": 5}, "x":'),
    ('"text": "poison"', f'"text": {DEEP}'),
    ('"message": {', f'"message": {DEEP}, "x": {{'),
    (GOOD, "5"),
    (GOOD, "null"),
    (GOOD, '"x"'),
    (GOOD, "[]"),
    (GOOD, "{}"),
    (GOOD, '{"update_id": ID, "message": {"from": {}}'),  # no JSON at all
    (GOOD, '{"update_id": ID, "message": {\x00}}'),
    (GOOD, '{"update_id": ID, "message": {"text": "' + 20_000_000 * "x" + '"}}'),
    *((GOOD, f'{{"update_id": {value}, "message": 5}}') for value in [*VALUES, "null", "4294967296"]),
]
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


@pytest.fixture
def where() -> Iterator[Home]:
    with a_home() as made:
        yield made


async def beside(telegram: Telegram, work: Callable[[Transport, Listener], Any], seconds: float = 30) -> None:
    """Do the work beside the transport as it runs."""
    listener, transport = Listener(), bridges.load("telegram").open(Access(TOKEN, telegram.base))
    running = asyncio.ensure_future(transport.run(listener))
    try:
        await asyncio.wait_for(work(transport, listener), seconds)
        assert not running.done(), running.result()
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def through(telegram: Telegram, work: Callable[[Transport, Listener], Any], seconds: float = 30) -> None:
    """Do the work beside a transport, and nothing else."""
    asyncio.run(beside(telegram, work, seconds))


@pytest.mark.slow
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

    through(telegram, work, 120)


@pytest.mark.slow
def test_what_cannot_be_acknowledged_is_not_asked_for_in_a_hurry(telegram: Telegram) -> None:
    async def work(transport: Transport, listener: Listener) -> None:
        telegram.tells('{"update_id": "x"}')
        await listener.until(lambda: len(telegram.calls) > 2)
        telegram.says("hello")
        await listener.hears(1)

    through(telegram, work)
    assert len([name for name, _ in telegram.calls if name == "getUpdates"]) < 6


@pytest.mark.slow
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
    found = outside.made(lambda: shapes.told(update, shapes.Me("7", "dot_bot")), logged.append)
    assert (found is None and len(logged) <= 1) or (found and isinstance(found[0], Incoming))
    assert outside.made(lambda: shapes.told(value, shapes.Me("7", "dot_bot")), logged.append) is None
    assert shapes.update_id(value) == -1 or value["update_id"] >= 0


SETTINGS = '[bridges.telegram]\nusers = ["@ana", "8123"]\nowners = [8123]\nchannels = ["id:-100"]\nagents = "none"\n'


def heard(where: Home) -> dict[str, list[str]]:
    """By room, what was said there and by whom."""
    found = {path.stem: rooms.read(path, rooms.Position()) for path in where.chats.glob("*.md")}
    return {name: [f"{one.name}: {one.text.strip()}" for one in told[0]] for name, told in found.items() if told}


def bridge(where: Home, telegram: Telegram) -> Any:
    return spawn(
        where, "-m", "dotagent", "telegram", env={"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_API_BASE": telegram.base}
    )


@pytest.mark.slow
def test_the_bridge_itself_lives_through_all_of_them_and_starts_again(where: Home, telegram: Telegram) -> None:
    (where.root / "dotagent.toml").write_text(SETTINGS)
    for number in range(2):
        child = bridge(where, telegram)
        for case in POISON:
            if len(case[1]) < 100_000 and "update_id" in GOOD.replace(*case):
                telegram.tells(GOOD.replace(*case))
        telegram.says(f"hello {number}")
        until(
            lambda number=number: f"telegram/ana: hello {number}" in heard(where).get("telegram-ana", ()), where.chats
        )  # type: ignore[misc]
        child.terminate()
        assert "Traceback" not in child.communicate(timeout=20)[1] and child.returncode == 0
    assert heard(where) == {"telegram-ana": ["telegram/ana: hello 0", "telegram/ana: hello 1"]}


def test_a_journal_in_which_an_earlier_version_kept_poison_stops_no_start(where: Home, telegram: Telegram) -> None:
    (where.root / "dotagent.toml").write_text(SETTINGS)
    room = where.room("telegram-ana")
    rooms.create(room, "private telegram/ana")
    standing = asdict(Standing(DIRECT, "telegram-ana", "private telegram/ana", 3, rooms.end(room), since=times.now()))
    standing["place"] = {"id": "11", "kind": "person", "name": "ana", "known": ["ana"], "server": []}  # as it was then
    odd = standing | {"place": standing["place"] | {"id": 5}}
    at = {"at": times.now()}
    rows = [
        at | {"event": "NAME", "id": "11", "name": "telegram/ana"},
        at | {"event": "PLACE", **standing},
        at | {"event": "PLACE", **odd},
        at | {"event": "IN", "place": "nowhere"},
        at | {"event": "HELD", "message": {"place": 5}},
        at | {"event": "PASS", "place": "11"},
    ]
    folder = where.bridges / "telegram"
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    child = bridge(where, telegram)
    telegram.says("again")
    until(lambda: heard(where)["telegram-ana"], where.chats)
    child.terminate()
    assert child.communicate(timeout=20)[1].count("a record is passed over") == 4
    assert heard(where) == {"telegram-ana": ["telegram/ana: again"]}


def test_a_name_is_no_id_and_a_title_no_name(where: Home, telegram: Telegram) -> None:
    (where.root / "dotagent.toml").write_text(SETTINGS + "pairing = false\n")
    digits = {"id": 5, "username": "8123", "first_name": "Eve"}
    called = {"id": 6, "first_name": "ana"}
    child = bridge(where, telegram)
    mention = {"entities": [{"type": "mention", "offset": 0, "length": 8}]}
    telegram.says("I own this", sender=digits, chat={"id": 5, "type": "private"})
    telegram.says("I am ana", sender=called, chat={"id": 6, "type": "private"})
    telegram.says("@dot_bot hello", chat=GROUP | {"id": -666}, **mention)
    telegram.says("@dot_bot hello", chat=GROUP, **mention)
    command = {"entities": [{"type": "bot_command", "offset": 0, "length": 7}]}
    telegram.says("/status", sender=digits, chat=GROUP, **command)
    assert telegram.waits("Only the owner")
    until(lambda: heard(where), where.chats)
    child.terminate()
    assert 'channels = ["id:-666"] would let it be' in child.communicate(timeout=20)[1]
    assert heard(where) == {"telegram-trip": ["telegram/ana: @dot_bot hello"]}


def test_an_ambiguous_setting_of_an_earlier_version_refuses_to_start_and_says_the_new_form(where: Home) -> None:
    (where.root / "dotagent.toml").write_text('[bridges.telegram]\nusers = ["ana"]\nchannels = ["Trip"]\n')
    done = run(where, "-m", "dotagent", "telegram", env={"TELEGRAM_BOT_TOKEN": TOKEN})
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "channels: 'Trip' may be a channel of anybody's" in done.stderr and '"id:8123"' in done.stderr
