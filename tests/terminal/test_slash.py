"""Commands at a terminal: who is here, what is asked, how to stop it, a file, the papers of an agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, said
from exhibited import pdf, png
from support import until
from talking import SCRIPTED, answers, asked
from terminals import Terminal, room

from dotagent.store import home, queue, rooms
from dotagent.store.home import Home
from dotagent.terminal import slash
from dotagent.terminal.talk import Talk
from dotagent.text import quotes


@pytest.fixture
def where() -> Iterator[Home]:
    with a_home() as made:
        yield made


@pytest.mark.slow
def test_it_opens_with_who_is_here_by_what_model_and_the_last_messages(where: Home) -> None:
    alive = Alive(where, "--provider", "offline")
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees(
            f"dev: {alive.id[:12]} running, offline: built-in rules answer, no model is set up; you are ana; "
            "/help\ndev>"
        )
        terminal.type("are you there?\r")
        terminal.sees("I hear you, ana")
        terminal.type("\x04")
        assert terminal.ends() == 0
    with Terminal(where, "chat.py", width=100) as terminal:
        screen = terminal.sees("I hear you, ana")
        assert screen.index("── the last 2 messages ──") < screen.index("ana: are you there?")
        assert screen.startswith(f"dev: {alive.id[:12]} running")
        alive.end()
        terminal.type("/agents\r")
        terminal.sees(
            f"{alive.id[:12]} stopped, offline: built-in rules answer, no model is set up; in dev; last event"
        )


@pytest.mark.slow
def test_the_model_is_told_once_it_has_answered_and_how_to_change_it(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("running")
        terminal.type("hello\r")
        answers(where, "Good day.")
        terminal.sees(f"{alive.id[:12]}: Good day.")
        terminal.type("/model\r")
        screen = terminal.sees("next to it\ndev>")
        assert f"{alive.id[:12]} running, scripted, scripted-1\n" in screen
        assert f"  python agent.py {alive.id[:12]} --provider NAME" in screen
        terminal.type("/status\r")
        screen = terminal.sees(f"data directory {where.root}")
        assert "room dev, private " in screen
    alive.end()


@pytest.mark.slow
def test_stop_gives_up_a_call_that_hangs_and_nobody_asks_again_by_himself(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("running")
        terminal.type("/stop\r")
        terminal.sees("no agent is doing anything for room dev")
        terminal.type("hello?\r")
        call = asked(where)
        terminal.sees(f"{alive.id[:12]}: …")
        terminal.type("/status\r")
        terminal.sees("waiting for scripted for")
        terminal.type("/stop\r")
        terminal.sees(f"stopped what agent {alive.id[:12]} is doing for room dev")
        terminal.sees(f"{alive.id[:12]}: (no answer: stopped by ana)")
        terminal.until(lambda text: text.endswith("by ana)\ndev>"))
        assert not queue.is_placed(where, "scripted", call.id)
        fail = alive.waits_for("FAIL")
        assert fail.detail == "cancelled stopped"
        terminal.type("and now?\r")
        answers(where, "Now I answer.")
        terminal.sees("Now I answer.")
    alive.end()
    assert len(alive.lines("ASK")) == 2


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/stop", ("/stop", "")),
        ("/Stop!", ("/stop", "")),
        ("/STOP.  ", ("/stop", "")),
        ("／stop", ("/stop", "")),
        ("/stop\nthat is the wrong folder", ("/stop", "that is the wrong folder")),
        ("/stop, please", ("/stop", "please")),
        ("/file  a b.txt", ("/file", "a b.txt")),
        ("/etc/hosts is empty", None),
        ("/tmp. is full", None),
        (" /stop", None),
        ("/", None),
        ("stop", None),
    ],
)
def test_a_command_is_known_with_capital_letters_and_punctuation(text: str, command: tuple[str, str] | None) -> None:
    assert slash.parse(text) == command


def test_stop_takes_back_a_call_that_nobody_took(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("running")
        terminal.type("hello?\r")
        until(lambda: queue.waiting(where, "scripted"), where.calls / "new" / "scripted")
        terminal.type("/stop\r")
        terminal.sees("(no answer: stopped by ana)")
        assert not queue.waiting(where, "scripted")
    alive.end()


def test_an_unknown_command_says_the_nearest_stays_to_be_mended_and_tab_completes(where: Home) -> None:
    rooms.create(where.room("dev"), "private")
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("no agent is running in dev")
        terminal.type("/modle\r")
        terminal.sees(
            "no command /modle: did you mean /model? /help lists the commands; to send this line as a message,"
        )
        terminal.type("\x15/qwertz\r")
        terminal.sees("no command /qwertz: /help lists the commands")
        terminal.type("\x15/exit\r")
        terminal.sees("no command /exit; use this instead: /quit")
        terminal.type("\x15/new\r")
        terminal.sees("no command /new; there are no sessions; for a new conversation, use another room: /room NAME")
        terminal.type("\x15/room\r")
        terminal.sees("the room's name is missing; write /room NAME")
        terminal.type("\x15/AGENTS\r")
        terminal.sees("no agents yet")
        terminal.type("\x15/ag\t\r")
        terminal.sees("no agents yet")
        terminal.type("/help\r")
        screen = terminal.sees("^C clears the line")
        rows = [f"\n{f'{name} {argument}':<13} {does}"[:60] for name, (argument, does) in slash.COMMANDS.items()]
        assert all(row in screen for row in rows)
        terminal.type("/q\t\r")
        assert terminal.ends() == 0
    assert "[USER" not in room(where)


@pytest.mark.slow
def test_a_short_text_is_said_and_another_file_is_put_where_the_agent_reads_it(where: Home) -> None:
    alive, given = Alive(where, *SCRIPTED), where.root / "given"
    given.mkdir()
    (given / "todo list.txt").write_text("buy ```milk```\npay\n")
    (given / "cat.png").write_bytes(png(30, 40) + bytes(20_000))
    (given / "long.txt").write_text("word " * 5000)
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("running")
        terminal.type(f"/file {given}/to\t\r")
        terminal.sees("ana: (the file todo list.txt, 2 lines)\n  > ````\n  > buy ```milk```\n  > pay\n  > ````")
        answers(where, "I see.")
        terminal.type(f"/file {given}/cat.png\r")
        terminal.sees(
            "ana: (I put a picture (PNG, 30×40) of 20 kB into your directory)\n"
            "  > files/cat.png\n  (file cat.png, 20 kB: "
        )
        answers(where, "READ_FILE files/cat.png")
        answers(where, "A cat.")
        terminal.sees("A cat.")
        terminal.type(f"/file {given}/long.txt\r")
        terminal.sees("ana: (I put a file of 25 kB into your directory)\n  > files/long.txt")
        answers(where, "Long.")
        terminal.sees("Long.")
        for wrong, why in {
            "/file": "path is missing",
            f"/file {given}": "/given: ",
            "/file no.txt": "no.txt: No such",
        }.items():
            terminal.type(f"\x15{wrong}\r")
            terminal.sees(why)
    alive.end()
    folder = where.agent(alive.id) / "files"
    assert (folder / "cat.png").read_bytes() == (given / "cat.png").read_bytes()
    (read,) = alive.lines("TOOL")
    assert read.detail == f"READ_FILE ok media={read.id}:image/png:30x40"
    shown = [
        line.detail
        for line in alive.lines("HEAR")
        if ":image/png:30x40 by=" in line.detail and line.detail.endswith(" USER:ana")
    ]
    assert len(shown) == 1 and read.id not in shown[0]


def test_files_of_one_name_stand_beside_each_other(where: Home, tmp_path: Path) -> None:
    alive = Alive(where, *SCRIPTED)
    alive.end()
    for number, body in enumerate((b"\0one", b"\0two", b"\0one")):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / ".a b.bin").write_bytes(body)
        slash.do(Talk(where, "dev", "ana"), "/file", str(tmp_path / str(number) / ".a b.bin"))
    folder = where.agent(alive.id) / "files"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a_b.bin": b"\0one", "a_b-2.bin": b"\0two"}
    assert room(where).count("> files/a_b.bin") == 2 and room(where).count("> files/a_b-2.bin") == 1
    said = rooms.last(where.room("dev"), 3, rooms.end(where.room("dev")).offset)
    assert [quotes.own_text(one.text) for one in said] == [""] * 3  # others may have chosen the name


def test_a_pdf_that_is_all_letters_is_shown_as_a_pdf_and_not_said(where: Home, tmp_path: Path) -> None:
    Alive(where, *SCRIPTED).end()
    assert pdf().isascii()
    (tmp_path / "paper.pdf").write_bytes(pdf())
    slash.do(Talk(where, "dev", "ana"), "/file", str(tmp_path / "paper.pdf"))
    assert "I put a PDF" in room(where) and "%PDF" not in room(where) and "UNCOMPACT" in room(where)


def test_nobody_is_given_a_file_that_nobody_can_read(where: Home) -> None:
    rooms.create(where.room("dev"), "private")
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("no agent is running in dev")
        terminal.type("/file /bin/sh\r")
        terminal.sees("no agent has joined dev, so no one can read sh")
    assert not said(where)


@pytest.mark.slow
def test_the_papers_of_an_agent_are_shown_with_where_they_are(where: Home) -> None:
    alive = Alive(where, "--provider", "offline")
    with Terminal(where, "chat.py", width=200, height=60) as terminal:
        terminal.sees("running")
        terminal.type("/persona\r")
        soul = (where.root / "SOUL.md").read_text().strip().split("\n")[0]
        screen = terminal.sees(f"new agents start with a copy of {where.root / 'SOUL.md'}")
        assert soul.strip()[:40] in screen and "MEMORY.md (empty)" in screen
        terminal.type("remember that the gate code is 8806\r")
        hears(where, "Noted")
        terminal.type("/persona\r")
        terminal.until(lambda text: text.count("8806") >= 3)
        path = where.agent(home.lives(where)[0]) / "USER.md"
        path.write_text("- **Name:** Ana of Rye\n")
        terminal.type("/persona\r")
        terminal.sees("Ana of Rye")
        terminal.type("/persona candidates\r")
        terminal.sees("no proposals")
        terminal.type("/persona rev\t\r")
        terminal.sees("1: SOUL.md, 20")
    alive.end()
