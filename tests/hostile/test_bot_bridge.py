"""The Telegram bridge as a process, told what no Bot API should tell: it lives, starts again, and nobody passes for
another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from bot_api import GROUP, TOKEN, Telegram
from poisoned import GOOD, POISON
from support import PATIENCE, run, spawn, until

from dotagent.bridges import Place
from dotagent.bridges.pattern.ledger import Standing
from dotagent.store import rooms
from dotagent.store.home import Home
from dotagent.text import times

SETTINGS = '[bridges.telegram]\nusers = ["@ana", "8123"]\nowners = [8123]\nchannels = ["id:-100"]\nagents = "none"\n'


@pytest.fixture
def telegram() -> Iterator[Telegram]:
    with Telegram() as server:
        yield server


def heard(where: Home) -> dict[str, list[str]]:
    """By room, what was said there and by whom."""
    found = {path.stem: rooms.read(path, rooms.Position()) for path in where.chats.glob("*.md")}
    return {name: [f"{one.name}: {one.text.strip()}" for one in told[0]] for name, told in found.items() if told}


def bridge(where: Home, telegram: Telegram) -> Any:
    return spawn(
        where, "-m", "dotagent", "telegram", env={"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_API_BASE": telegram.base}
    )


@pytest.mark.night
def test_the_bridge_itself_lives_through_all_of_them_and_starts_again(where: Home, telegram: Telegram) -> None:
    (where.root / "dotagent.toml").write_text(SETTINGS)
    for number in range(2):
        for case in POISON:
            if len(case[1]) < 100_000 and "update_id" in GOOD.replace(*case):
                telegram.tells(GOOD.replace(*case))
        telegram.says(f"hello {number}")
        child = bridge(where, telegram)
        until(
            lambda number=number: f"telegram/ana: hello {number}" in heard(where).get("telegram-ana", ()),  # type: ignore[misc]
            where.chats,
            times=3,  # each of the many takes a moment
        )
        until(lambda: not telegram.updates, where.chats)  # else those without a number would come first again, for ever
        child.terminate()
        assert "Traceback" not in child.communicate(timeout=PATIENCE)[1] and child.returncode == 0
    assert heard(where) == {"telegram-ana": ["telegram/ana: hello 0", "telegram/ana: hello 1"]}


@pytest.mark.night
def test_a_journal_in_which_an_earlier_version_kept_poison_stops_no_start(where: Home, telegram: Telegram) -> None:
    (where.root / "dotagent.toml").write_text(SETTINGS)
    room = where.room("telegram-ana")
    rooms.create(room, "private telegram/ana")
    direct, heading = Place("11", "person", "ana"), "private telegram/ana"
    standing = asdict(Standing(direct, "telegram-ana", heading, 3, rooms.end(room), since=times.now()))
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
    assert child.communicate(timeout=PATIENCE)[1].count("skipped an invalid record") == 4
    assert heard(where) == {"telegram-ana": ["telegram/ana: again"]}


@pytest.mark.slow
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
    assert 'to receive these messages, add channels = ["id:-666"]' in child.communicate(timeout=PATIENCE)[1]
    assert heard(where) == {"telegram-trip": ["telegram/ana: @dot_bot hello"]}


def test_an_ambiguous_setting_of_an_earlier_version_refuses_to_start_and_says_the_new_form(where: Home) -> None:
    (where.root / "dotagent.toml").write_text('[bridges.telegram]\nusers = ["ana"]\nchannels = ["Trip"]\n')
    done = run(where, "-m", "dotagent", "telegram", env={"TELEGRAM_BOT_TOKEN": TOKEN})
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "channels: the name 'Trip' is not unique" in done.stderr and '"id:8123"' in done.stderr
