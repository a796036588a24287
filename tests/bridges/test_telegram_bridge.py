"""The bridge to Telegram as a process of a home: its agents, its settings, its end, and what it keeps."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress

import pytest
from alive import Alive, processes, said
from bot_api import GROUP, TOKEN, Telegram, refused
from support import PATIENCE, run, until
from telegram_world import answers, begin, bridged, heard, settings
from unforgotten import traces

from dotagent.store import home
from dotagent.store.home import Home


@pytest.mark.night
def test_killed_at_any_time_it_hears_and_says_everything_once_in_order(where: Home, telegram: Telegram) -> None:
    settings(where)
    for number in range(6):
        child = begin(where, telegram)
        telegram.says(f"message {number}")
        if number:
            answers(where, "telegram-ana", f"answer {number}")
            telegram.waits(f"answer {number}")
        until(lambda number=number: len(heard(where, "telegram-ana")) == number + 1, where.chats)  # type: ignore[misc]
        child.send_signal(signal.SIGKILL)
        child.communicate()
    with bridged(where, telegram):
        telegram.says("the last")
        until(lambda: len(heard(where, "telegram-ana")) == 7, where.chats)
    assert heard(where, "telegram-ana") == [
        *(f"USER:telegram/ana message {number}" for number in range(6)),
        "USER:telegram/ana the last",
    ]
    said = [one["text"] for one in telegram.sent.values()]  # killed before it had noted that, it said one twice
    assert list(dict.fromkeys(said)) == [f"answer {number}" for number in range(1, 6)]
    assert said == sorted(said)


@pytest.mark.night
def test_an_agent_is_born_for_the_person_and_answers(where: Home, telegram: Telegram) -> None:
    settings(where, agents="boot")
    with bridged(where, telegram) as bridge:
        telegram.says("help")
        until(lambda: said(where, room="telegram-ana") if where.room("telegram-ana").exists() else None, where.chats)
        answer = said(where, room="telegram-ana")[0]
        telegram.waits(answer[:40])
        born = home.lives(where)
        assert len(born) == 1
        life = (where.agent(born[0]) / "LIFE.md").read_text()
        assert " BOOT private telegram/ana" in life.split("\n")[0]
        with_token = {*processes(TOKEN.encode(), "environ")} & {*processes(str(where.root).encode())}
        assert with_token <= {bridge.pid}
        end_agents(where)
        until(lambda: "SLEEP" in (where.agent(born[0]) / "LIFE.md").read_text(), where.agent(born[0]))
        telegram.says("help")
        until(lambda: len(said(where, room="telegram-ana")) == 2, where.chats)
        assert home.lives(where) == born
        end_agents(where)


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize(
    ("token", "toml", "words"),
    [
        ("", "", "set TELEGRAM_BOT_TOKEN"),
        ("nonsense", "", "is not a bot token"),
        (TOKEN, "[bridges.telegram]\nuser = ['ana']", "unknown setting 'user'"),
        (TOKEN, "[bridges.telegram]\nanswer = 'never'", "answer must be one of mentioned, always"),
        (TOKEN, "[[bridges.telegram.route]]\nroom = 'dev'", "has no `server`, `channel` or `person`"),
        (TOKEN, "[bridges.telegram]\nbase = 5", "base must be an address"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(where: Home, token: str, toml: str, words: str) -> None:
    (where.root / "dotagent.toml").write_text(toml)
    done = run(where, "-m", "dotagent", "telegram", env={"TELEGRAM_BOT_TOKEN": token} if token else {})
    assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.slow
def test_a_proxy_that_cannot_be_used_ends_it_with_a_line(where: Home) -> None:
    settings(where)
    done = run(where, "-m", "dotagent", "telegram", env={"TELEGRAM_BOT_TOKEN": TOKEN, "ALL_PROXY": "socks4://h:1"})
    assert done.returncode == 1 and done.stderr.startswith("dotagent: ALL_PROXY begins with socks4://"), done.stderr


@pytest.mark.slow
def test_a_refused_token_and_another_poller_end_it_with_a_line(where: Home, telegram: Telegram) -> None:
    settings(where)
    env = {"TELEGRAM_BOT_TOKEN": "9" + TOKEN, "TELEGRAM_API_BASE": telegram.base}
    done = run(where, "-m", "dotagent", "telegram", env=env)
    assert done.returncode == 1 and "refuses the token" in done.stderr and "AAAA" not in done.stderr, done.stderr
    words = "Conflict: terminated by other getUpdates request"
    telegram.wrong["getUpdates"] = [refused(409, words)] * 3
    env["TELEGRAM_BOT_TOKEN"] = TOKEN
    done = run(where, "-m", "dotagent", "telegram", env=env)
    assert done.returncode == 1 and "another program receives" in done.stderr and "AAAA" not in done.stderr, done.stderr


@pytest.mark.night
def test_only_one_process_runs_it(where: Home, telegram: Telegram) -> None:
    settings(where)
    with bridged(where, telegram):
        telegram.asked("getUpdates")
        second = begin(where, telegram)
        _, err = second.communicate(timeout=PATIENCE)
        assert second.returncode == 1 and "is already running" in err


@pytest.mark.night
def test_an_outage_loses_nothing(where: Home, telegram: Telegram) -> None:
    settings(where)
    with bridged(where, telegram):
        telegram.says("before")
        until(lambda: heard(where, "telegram-ana"), where.chats)
        telegram.wrong["getUpdates"] = [refused(502, "Bad Gateway")]
        telegram.wrong["getMe"] = [refused(502, "Bad Gateway")]
        telegram.says("during")
        answers(where, "telegram-ana", "meanwhile")
        telegram.waits("meanwhile")
        until(lambda: len(heard(where, "telegram-ana")) == 2, where.chats)
        telegram.asked("getMe", 3)
    rows = (where.bridges / "telegram" / "journal.jsonl").read_text().split("\n")[:-1]
    assert "OFFLINE" in [json.loads(row)["event"] for row in rows]


@pytest.mark.night
def test_a_life_that_settings_name_is_brought_into_the_room_and_hears(where: Home, telegram: Telegram) -> None:
    alive = Alive(where, "--audience", "group", "--room", "team", "--provider", "offline")
    route = f'[[bridges.telegram.route]]\nchannel = -100\nagent = "{alive.id[:12]}"\n'
    settings(where, agents="resume", more=route)
    with bridged(where, telegram):
        mention = [{"type": "mention", "offset": 0, "length": 8}]
        telegram.says("@dot_bot first", chat=GROUP, entities=mention)
        assert alive.waits_for("HEAR").gist == "telegram/ana: @dot_bot first"
        alive.waits_for("DID")
        assert alive.end(signal.SIGTERM)[0] == 0
        telegram.says("@dot_bot second", chat=GROUP, entities=mention)
        assert alive.waits_for("HEAR", 2).gist == "telegram/ana: @dot_bot second"
        assert home.lives(where) == [alive.id]
        end_agents(where)


@pytest.mark.night
def test_the_home_knows_its_bridges(where: Home, telegram: Telegram) -> None:
    settings(where)
    with bridged(where, telegram):
        telegram.says("hello")
        until(lambda: heard(where, "telegram-ana"), where.chats)
        busy = run(where, "clean.py", "--yes")
        assert busy.returncode == 2 and "bridge telegram" in busy.stderr
    doctor = run(where, "-m", "dotagent", "doctor", env={"TELEGRAM_BOT_TOKEN": "1:token"})
    assert doctor.returncode == 0, doctor.stdout
    assert (where.bridges.stat().st_mode | (where.bridges / "telegram" / "journal.jsonl").stat().st_mode) & 0o077 == 0
    wiped = run(where, "clean.py", "--yes")
    assert wiped.returncode == 0 and not where.bridges.exists(), wiped


def end_agents(where: Home) -> None:
    """Ask every agent of the home to end."""
    for pid in {*processes(str(where.root).encode())} & {*processes(b"agent.py")}:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


@pytest.mark.night
def test_a_bridge_that_runs_lets_go_of_what_is_forgotten_and_goes_on(where: Home, telegram: Telegram) -> None:
    settings(where)
    secret = "My locker at the pool opens with 3377"
    with bridged(where, telegram):
        telegram.says(f"{secret}. The water is warm.")
        until(lambda: heard(where, "telegram-ana"), where.chats)
        answers(where, "telegram-ana", "Swim well.")
        telegram.waits("Swim well.")
        done = run(where, "-m", "dotagent", "forget", "my locker at the pool opens with 3377", "--yes")
        assert done.returncode == 0 and "permanently deleted" in done.stdout, done.stderr
        assert not traces(where.root, "pool opens with 3377") and not list(where.bridges.glob("*/anew"))
        telegram.says("And now?")
        until(lambda: len(heard(where, "telegram-ana")) == 2, where.chats)
        answers(where, "telegram-ana", "Now, too.")
        telegram.waits("Now, too.")
        assert [one["text"] for one in telegram.sent.values()].count("Swim well.") == 1
    assert not traces(where.root, "pool opens with 3377") and traces(where.root, "The water is warm")
