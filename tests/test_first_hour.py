"""The first hour, as a person at a terminal meets it: who is born, who sleeps and how to wake it, who answers."""

from __future__ import annotations

import os
import re
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alive import Alive, end_all, hears, said, say
from support import PATIENCE, end, run, spawn, until
from terminals import Terminal

from dotagent.store import home, lives, named_agents, rooms
from dotagent.store.home import Home
from dotagent.text import times


def asleep(where: Home, *words: str) -> str:
    """A life that was born and sleeps."""
    alive = Alive(where, "--provider", "offline", *words)
    alive.end(signal.SIGTERM)
    return alive.id


# --- a birth, and who sleeps there


@pytest.mark.slow
def test_a_birth_says_at_once_who_sleeps_there_and_what_wakes_each(where: Home) -> None:
    first, other = asleep(where), asleep(where, "--room", "ops")
    with Terminal(where, "agent.py", "--provider", "offline", width=140) as screen:
        screen.sees(f"dev: start agent {first[:12]} again")
        screen.type("\r")
        shown = screen.sees(f"agent {first[:12]} of room dev has been stopped")
        assert f"python agent.py {first[:12]} starts it" in shown and other[:12] not in shown
        assert re.search(r"agent +[0-9a-f]{12}, new, private ana\n +model +offline: built-in rules", shown)
        assert re.search(r"talk +python chat.py.* \(in a second terminal; this terminal reads no messages", shown)
        screen.type("\x03")
        screen.child.send_signal(signal.SIGINT)
        assert screen.ends() == 0
    assert len(home.lives(where)) == 3


@pytest.mark.slow
def test_last_wakes_who_lived_last_and_says_which(where: Home) -> None:
    first, second, other = asleep(where), asleep(where), asleep(where, "--room", "ops")
    again = Alive(where, "--last")
    assert again.id == other
    again.end()
    again = Alive(where, "--last", "--room", "dev")
    assert again.id == second and f"{second[:12]}, running again" in (again.end(), again.screen)[1]
    again = Alive(where, "ops")
    assert again.id == other
    again.end()
    done = run(where, "agent.py", "dev", "--until-idle")
    assert done.returncode == 2 and first[:12] in done.stderr and "--last" in done.stderr
    assert len(home.lives(where)) == 3


@pytest.mark.slow
def test_an_agent_that_cannot_start_to_answer_says_why(where: Home) -> None:
    asleep(where)
    settings = where.root / ".env"
    settings.write_text("rubbish\n")
    settings.chmod(0o600)
    done = run(where, "-m", "dotagent", "agent", "-m", "hello")
    assert (done.returncode, done.stderr) == (2, f"dotagent: {settings}, line 1: write this line as NAME=VALUE\n")


@pytest.mark.slow
def test_who_waits_for_an_answer_is_told_at_once_that_the_agent_stopped(where: Home) -> None:
    alive = Alive(where, "--provider", "offline")
    alive.process.send_signal(signal.SIGSTOP)
    child = spawn(where, "chat.py", "-m", "are you there?", "--wait", f"{10 * PATIENCE:g}")
    until(lambda: "are you there?" in where.room("dev").read_text(), where.chats)
    alive.process.kill()
    _, told = child.communicate(timeout=PATIENCE)
    assert child.returncode == 1 and f"{alive.id[:12]} has stopped" in told


def test_a_home_without_lives_has_none_to_wake(where: Home) -> None:
    done = run(where, "agent.py", "--last")
    assert done.returncode == 2 and "no agents in" in done.stderr and done.stderr.count("\n") == 1
    done = run(where, "agent.py", "--last", "--soul", "SOUL.md")
    assert done.returncode == 2 and done.stderr.count("\n") == 1


WANTING = (
    "context",
    "prompt",
    "forgotten",
    "forgotten --swaps",
    "fade",
    "doctor --last",
    "usage --last",
    "recall hello",
    "recall -k 1 hello",
)


@pytest.mark.slow
def test_every_command_that_wants_a_hash_takes_the_only_agent_a_room_or_the_last_and_says_which(where: Home) -> None:
    first = asleep(where)
    for words in map(str.split, WANTING):
        done = run(where, "-m", "dotagent", *words)
        assert done.returncode == 0 and done.stderr == f"dotagent: agent {first[:12]}\n", (words, done)
    second = asleep(where, "--room", "ops")
    for words in map(str.split, WANTING):
        done = run(where, "-m", "dotagent", *words, *(() if "--last" in words else ("--last",)))
        assert done.returncode == 0 and done.stderr == f"dotagent: agent {second[:12]}\n", (words, done)
        if "--last" not in words:
            done = run(where, "-m", "dotagent", *words)
            assert done.returncode == 2 and first[:12] in done.stderr and "--last" in done.stderr, (words, done)
    done = run(where, "-m", "dotagent", "context", "dev")
    assert done.returncode == 0 and done.stderr == f"dotagent: agent {first[:12]}\n"


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--room", "ops"), ("--until-idle", "--model", "small")])
def test_at_a_terminal_it_asks_whether_the_one_that_sleeps_in_that_room_is_meant(
    where: Home, words: tuple[str, ...]
) -> None:
    room = ("--room", "ops") if "ops" in words else ()
    asleep(where, *room)
    first = asleep(where, *room)
    with Terminal(where, "agent.py", "--provider", "offline", *words, width=110) as screen:
        assert "[w], or create a new agent [Enter]?" in screen.sees(f"start agent {first[:12]} again")
        screen.type("perhaps\r")
        screen.sees("type w to start the stopped agent again")
        screen.type("w\r")
        screen.sees(f"{first[:12]}, running again")
        if "--until-idle" not in words:
            until(lambda: lives.runs(where, first), where.agent(first))
            screen.child.send_signal(signal.SIGINT)
            screen.sees(f"{first[:12]} is stopped; `python agent.py --last` starts it again")
        assert screen.ends() == 0
    assert len(home.lives(where)) == 2
    assert run(where, "agent.py", "--provider", "offline", "--until-idle").returncode == 0  # nobody is there to ask
    assert len(home.lives(where)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--new",), ("--room", "ops"), ("--audience", "group", "--room", "all")])
def test_it_asks_nothing_where_only_a_new_one_can_be_meant(where: Home, words: tuple[str, ...]) -> None:
    asleep(where)
    with Terminal(where, "agent.py", "--provider", "offline", "--until-idle", *words, width=110) as screen:
        screen.sees(", new, ")
        assert screen.ends() == 0
    assert len(home.lives(where)) == 2
    done = run(where, "agent.py", "--new", "--last")
    assert done.returncode == 2 and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_who_leaves_the_question_changes_nothing(where: Home) -> None:
    asleep(where)
    with Terminal(where, "agent.py", width=110) as screen:
        screen.sees("[Enter]?")
        screen.type("\x04")
        assert screen.ends() == 1 and "nothing was changed" in screen.screen.text()
    assert len(home.lives(where)) == 1


@pytest.mark.slow
def test_the_command_agent_goes_on_with_the_last_one(where: Home) -> None:
    def agent(*words: str) -> str:
        done = run(where, "-m", "dotagent", "agent", "--provider", "offline", "--until-idle", *words)
        assert done.returncode == 0, done
        return done.stdout.split("\n")[0]

    first = agent()
    assert agent() == first
    other = agent("--room", "ops")
    assert other != first and agent() == other
    assert agent("--room", "dev") == first
    assert agent("--new") not in (first, other) and len(home.lives(where)) == 3


@pytest.mark.slow
def test_agent_with_a_message_wakes_the_one_that_sleeps(where: Home) -> None:
    first = asleep(where, "--room", "ops")
    done = run(where, "-m", "dotagent", "agent", "-m", "are you there?")
    assert done.returncode == 0 and "I am here, I run and I hear you" in done.stdout, done
    assert home.lives(where) == [first] and lives.runs(where, first) and f"started agent {first[:12]}" in done.stderr
    end_all(where)


@pytest.mark.slow
def test_alone_dotagent_goes_to_the_agent_that_settings_name(where: Home) -> None:
    """Before it is created, and afterwards."""
    first = asleep(where)
    (where.root / "dotagent.toml").write_text('[agents.club]\naudience = "group"\n[agents.aria]\nrooms = ["home"]\n')
    with Terminal(where, "-m", "dotagent", width=200) as screen:
        screen.sees("home>")
        screen.type("are you there?\r")
        screen.sees("I am here, I run and I hear you")
        screen.type("\x04")
        assert screen.ends() == 0
    aria = named_agents.life(where.root, "aria")
    assert named_agents.created(where.root, where.up / "aria.log") == aria  # by which `up` knows that it was created
    assert aria != first and lives.find_agents(where, "home") == [aria] and lives.runs(where, aria)
    end_all(where)
    until(lambda: not lives.runs(where, aria), where.agents)
    done = run(where, "-m", "dotagent", "agent", "-m", "are you there?")
    assert done.returncode == 0 and len(home.lives(where)) == 2
    end_all(where)


@pytest.mark.slow
def test_a_unique_beginning_of_an_id_is_enough(where: Home) -> None:
    ids = sorted(asleep(where, "--new") for _ in range(2))
    shared = len(os.path.commonprefix(ids))  # noqa: RUF071 these are ids and no paths
    for one in ids:
        done = run(where, "agent.py", one[: shared + 1], "--until-idle")
        assert done.returncode == 0 and done.stdout.startswith(one), done
        assert run(where, "-m", "dotagent", "context", one[: shared + 1]).returncode == 0
    if shared:
        done = run(where, "agent.py", ids[0][:shared], "--until-idle")
        assert done.returncode == 2 and all(one[:12] in done.stderr for one in ids)


# --- chat.py where somebody sleeps


@pytest.mark.slow
def test_chat_offers_to_wake_who_sleeps_and_it_answers(where: Home) -> None:
    first = asleep(where)
    with Terminal(where, "chat.py", width=160) as screen:
        screen.sees(f"{first[:12]} in room dev is stopped. Start it? [Y/n]")
        screen.type("\r")
        screen.sees("agent.log")
        screen.sees("dev>")
        screen.type("are you there?\r")
        screen.sees("I am here, I run and I hear you")
        pid = next(int(line.split()[4]) for line in locks(where, first))
        screen.type("\x04")
        assert screen.ends() == 0
    end(pid)


def locks(where: Home, self_id: str) -> list[str]:
    """Lines of /proc/locks that tell who lives the life."""
    inode = (where.agent(self_id) / "LIFE.md").stat().st_ino
    return [line for line in Path("/proc/locks").read_text().split("\n") if f":{inode} " in line]


@pytest.mark.slow
def test_what_was_typed_before_the_question_is_said_and_wakes_who_sleeps(where: Home) -> None:
    first = asleep(where)
    with Terminal(where, "chat.py", width=100) as screen:
        screen.type("are you there?\r")
        screen.sees("Start it? [Y/n]")
        screen.sees("I am here, I run and I hear you")
        pid = next(int(line.split()[4]) for line in locks(where, first))
        screen.type("\x04")
        assert screen.ends() == 0
    end(pid)


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["n", "/quit"])
def test_who_does_not_wish_it_talks_on_and_nobody_wakes(where: Home, answer: str) -> None:
    first = asleep(where)
    with Terminal(where, "chat.py", width=100) as screen:
        screen.sees("Start it? [Y/n]")
        screen.type(f"{answer}\r")
        screen.sees("dev>")
        screen.type("\x04")
        assert screen.ends() == 0
    assert not lives.runs(where, first)


# --- a room before its agent


@pytest.mark.slow
def test_what_was_said_before_its_agent_was_born_is_answered(where: Home) -> None:
    rooms.create(where.room("dev"), "private")
    say(where, "an old note, said to nobody")
    with Terminal(where, "chat.py", width=100) as screen:
        screen.sees("no agent is running in dev; start a new one: python agent.py")
        screen.type("my seat is 14A\r")
        screen.sees("ana: my seat")
        screen.type("are you there?\r")
        screen.sees("ana: are you")
        alive = Alive(where, "--provider", "offline")
        screen.sees("I am here, I run and I hear you")
        assert [line.event for line in alive.lines("HEAR", "ASK")][:3] == ["HEAR", "HEAR", "ASK"]
        assert "old note" in where.store().get(alive.lines("JOIN")[0].id).body.decode()
        alive.end()
    say(where, "and while it slept?")
    again = Alive(where, "--provider", "offline")  # another one: that was said to who sleeps
    again.end()
    assert not again.lines("HEAR") and not list(where.chats.glob("*.wanted"))
    assert run(where, "-m", "dotagent", "doctor").returncode == 0


# --- several voices


@pytest.mark.slow
def test_a_plain_question_in_a_private_room_of_several_voices_is_answered(where: Home) -> None:
    alive = Alive(where, "--provider", "offline")
    run(where, "chat.py", "-m", "hello there", "--name", "bob")
    hears(where, "Hello, bob")
    say(where, "my seat is 14A")
    alive.waits_for("REPLY", 2)
    done = run(where, "chat.py", "-m", "Which seat is mine?", "--wait", f"{PATIENCE:g}")
    assert done.returncode == 0 and "14A" in done.stdout
    alive.end()


# --- notes by hand, and a clock that went ahead


@pytest.mark.slow
def test_a_fact_added_by_hand_is_known_to_the_very_next_message(where: Home) -> None:
    alive = Alive(where, "--provider", "offline")
    (where.agent(alive.id) / "MEMORY.md").write_text("- The gate code is 8806\n")
    done = run(where, "chat.py", "-m", "What is the gate code?", "--wait", f"{PATIENCE:g}")
    assert "8806" in done.stdout
    alive.end()
    order = [line.event for line in alive.lines("PAPER", "HEAR") if line.event == "HEAR" or line.gist == "MEMORY.md"]
    assert order[-2:] == ["PAPER", "HEAR"]


@pytest.mark.slow
def test_after_a_clock_that_went_a_year_ahead_events_increase_and_the_true_time_stands_beside(where: Home) -> None:
    first = asleep(where)
    later = (datetime.now(UTC) + timedelta(days=365)).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    with (where.agent(first) / "LIFE.md").open("a") as life:
        life.write(f"{later} SLEEP\n")
    alive = Alive(where, first, "--provider", "offline")
    said_at = times.now()
    done = run(where, "chat.py", "-m", "are you there?", "--wait", f"{PATIENCE:g}")
    assert done.returncode == 0
    alive.end()
    lines = alive.lines()
    assert [line.at for line in lines] == sorted({line.at for line in lines}) and lines[-1].at > later
    true = [line.detail for line in alive.lines("CLOCK")]
    assert len(true) >= 2 and said_at[:13] <= true[-1][:13] < later
    doctor = run(where, "-m", "dotagent", "doctor")
    assert doctor.returncode == 0 and " days ahead" in doctor.stdout
    shown = run(where, "-m", "dotagent", "prompt", first).stdout
    assert f"The true time is {times.format_stamp(true[-1], 19)}." in shown


# --- two in a room


ANSWERS = {"hello": "Hello, ana", "are you there?": "I hear you, ana", "my seat is 14A": "Heard, ana"}


@pytest.mark.slow
def test_of_two_in_a_room_the_eldest_answers_or_who_is_named_and_that_is_told(where: Home) -> None:
    first = Alive(where, "--provider", "offline")
    second = Alive(where, "--provider", "offline")
    with Terminal(where, "chat.py", width=120) as screen:
        screen.sees("the oldest answers")
        for turn, (question, answer) in enumerate(ANSWERS.items(), 1):
            say(where, question)
            hears(where, answer)
            second.waits_for("NOTE", turn)
        assert len(said(where, first.id)) == 3 and not said(where, second.id)
        say(where, f"{second.id[:8]} are you there?")
        hears(where, "I hear you", 2)
        first.waits_for("NOTE", 1)
        assert len(said(where, second.id)) == 1 and len(said(where, first.id)) == 3
        for asked, answer in (("thanks", "You are welcome"), ("good night", "Goodbye")):
            screen.type(f"{asked}\r")
            screen.sees(answer)
        assert screen.screen.text().count("the oldest answers") == 1
    first.end()
    say(where, "and now, hello?")
    hears(where, "", 7)
    assert len(said(where, second.id)) == 2
    second.end()
    assert "are running in room dev" in second.screen


@pytest.mark.slow
def test_what_the_eldest_says_meanwhile_makes_no_other_answer_too(where: Home) -> None:
    first = Alive(where, "--provider", "offline")
    second = Alive(where, "--provider", "offline")
    second.process.send_signal(signal.SIGSTOP)  # it reads the question and the eldest's answer in one go
    say(where, "are you there?")
    hears(where, "I hear you, ana")
    second.process.send_signal(signal.SIGCONT)
    second.waits_for("NOTE")
    first.end()
    say(where, "and now, hello?")
    hears(where, "Hello, ana")
    assert len(said(where, second.id)) == 1
    second.end()


# --- what it prints


@pytest.mark.slow
def test_verbose_is_in_columns_and_coloured_at_a_terminal_only(where: Home) -> None:
    with Terminal(where, "agent.py", "--provider", "offline", "--verbose", width=70) as screen:
        screen.sees("JOIN      dev ")
        say(where, "hello " * 40)
        shown = screen.sees("EFFECT    SAY dev")
        rows = [row for row in shown.split("\n") if re.match(r"\d\d:\d\d:\d\d [A-Z]+ ", row)]
        assert len({len(re.match(r"\S+ \S+ +", row)[0]) for row in rows if " " in row[9:].strip()}) == 1  # type: ignore[index]
        screen.child.send_signal(signal.SIGINT)
        assert screen.ends() == 0
