"""up: what a home needs is kept running, and nothing else; whatever is killed is back, and nothing is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from alive import hears, say, stop_providers
from kept import awake, becomes, kept, kill, ps
from support import run, served, until

import agent
from dotagent.capabilities.supervisor import report, serve
from dotagent.loop import boot
from dotagent.store import disk, helpers, home, lives, log, rooms
from dotagent.store.home import Home
from dotagent.terminal.talk import Talk
from dotagent.text.grammar import ToolCall

NAMED = '[agents.aria]\nrooms = ["dev", "work-*"]\n[agents.bob]\nrooms = ["ops", "work-b*"]\n'


def born(where: Home, name: str) -> str:
    until(lambda: (where.root / "names" / name).exists(), where.root / "names")
    return (where.root / "names" / name).read_text().strip()


@pytest.mark.night
def test_listed_agents_are_born_once_leave_when_silent_and_a_word_starts_them(where: Home) -> None:
    with kept(where, f"linger = 1\n{NAMED}"):
        aria, bob = born(where, "aria"), born(where, "bob")
        say(where, "remember that my seat is 14A")
        hears(where, "14A")
        until(lambda: not lives.runs(where, aria) and not lives.runs(where, bob), where.up)  # they were silent
        assert Talk(where, "work-x", "ana").nobody() == "" and Talk(where, "play", "ana").nobody()
        rooms.create(where.room("work-x"), "private")
        rooms.create(where.room("work-b"), "private")
        say(where, "which seat?", room="work-x")
        hears(where, "14A", room="work-x")
        say(where, "hello", room="work-b")
        hears(where, "Hello", room="work-b")
        assert lives.find_agents(where, "work-x") == [aria] and lives.find_agents(where, "work-b") == [bob]
        assert {str(row["state"]) for row in ps(where) if row["kind"] == "life"} <= {"runs", "sleeps"}
    with kept(where, NAMED):
        assert sorted(home.lives(where)) == sorted([aria, bob])


@pytest.mark.slow
def test_who_made_a_helper_is_started_for_it_and_the_helper_by_nobody(where: Home) -> None:
    with served(where):
        with boot.life_of(["--home", str(where.root), "--provider", "offline"]) as me:
            agent.act(me.session, ToolCall("SPAWN", "read the file n1.md", None))
        parent = me.session.id
        (one,) = set(home.lives(where)) - {parent}
        with kept(where, "linger = 1\n"):
            hears(where, "READ_FILE n1.md failed")
            becomes(where, lambda rows: not any(row["runs"] for row in rows if row["kind"] == "life"))
            terms = helpers.terms(where.store(), one)
            assert terms and not lives.runs(where, one)
            say(where, "hello", room=terms.room)
            say(where, "hello")  # by the time that this is answered, a life in that room would have been started
            hears(where, "Hello")
            assert {row["name"] for row in report.read(where) if row["kind"] == "life"} == {parent}
            assert not lives.runs(where, one)
    lines = [line.detail for line in log.lines(where.agent(parent) / "LIFE.md") if line.event == "RETURNED"]
    assert [line.split(" ")[:3] for line in lines] == [[one, "dev", "done"]]


@pytest.mark.night
def test_what_is_killed_is_back_and_a_message_meanwhile_is_answered(where: Home) -> None:
    with kept(where, NAMED):
        aria = born(where, "aria")
        say(where, "help")
        hears(where, "offline")
        for number in range(2):
            pid = lived_by(where, aria)
            kill(pid)
            say(where, f"remember that number {number} is mine")
            hears(where, f"number {number} is mine")
            assert lived_by(where, aria) != pid
        kill(int(report.runs(where)))  # what keeps it running, too: agents live on, the next one looks after them
        until(lambda: not report.runs(where), where.up)
        assert lives.runs(where, aria)
        done = run(where, "-m", "dotagent", "up", "-d")
        assert done.returncode == 0
        os.kill(lived_by(where, aria), signal.SIGKILL)
        say(where, "and now?")
        awake(where, aria)
        again = run(where, "-m", "dotagent", "up")
        assert again.returncode == 1 and "is already running" in again.stderr


def lived_by(where: Home, self_id: str) -> int:
    """The pid of whoever lives the life: it holds the lock of its LIFE."""

    def look() -> int:
        inode = (where.agent(self_id) / "LIFE.md").stat().st_ino
        held = (line.split() for line in Path("/proc/locks").read_text().split("\n") if "FLOCK" in line)
        return next((int(words[4]) for words in held if words[5].endswith(f":{inode}")), 0)

    return until(look, where.agent(self_id))


@pytest.mark.night
def test_a_bridge_without_a_token_is_named_and_tried_again_when_that_is_mended(where: Home) -> None:
    with kept(where, "[bridges.telegram]\n"):
        rows = becomes(where, lambda rows: any(row["why"] == "exit status 2" for row in rows))
        (row,) = [row for row in rows if row["kind"] == "bridge"]
        assert (row["name"], row["why"]) == ("telegram", "exit status 2")
        assert "TELEGRAM_BOT_TOKEN" in run(where, "-m", "dotagent", "logs", "telegram").stdout
        before = row["deaths"]
        (where.root / ".env").touch(0o600)
        (where.root / ".env").write_text("TELEGRAM_BOT_TOKEN=nonsense\n")
        until(lambda: "is not a bot token" in (where.up / "telegram.log").read_text(), where.up)
        assert before


def test_settings_that_cannot_be_read_are_one_line(where: Home) -> None:
    (where.root / "dotagent.toml").write_text("[agents.aria]\nrooms = 'dev'\n")
    for words in (("up",), ("up", "-d")):
        done = run(where, "-m", "dotagent", *words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "rooms must be a list of rooms" in done.stderr


@pytest.mark.slow
def test_settings_that_become_wrong_end_nothing(where: Home, capsys: pytest.CaptureFixture[str]) -> None:
    lived = run(where, "agent.py", "--provider", "offline", "--until-idle")
    assert lived.returncode == 0, lived.stderr
    say(where, "hello")
    disk.make_dir(where.up)
    host = serve.Host(where, {})
    try:
        host.look()
        (row,) = [row for row in report.read(where) if row["kind"] == "life"]
        assert row["runs"]
        (where.root / "dotagent.toml").write_text("provider = [\n")
        host.look()
        assert "correct the file or move it away" in capsys.readouterr().err
    finally:
        host.end()
        host.watcher.close()
        stop_providers(where)
