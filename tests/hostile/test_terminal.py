"""A home in which everything that others wrote is meant for the terminal of who looks at it: every command and program
shows it, and nothing of it is obeyed or hidden."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import ROOT, environment, make_home, ran, ready
from unkind import TERMINAL, obeyed
from world import World, world

from dotagent import commands, extensions
from dotagent.life.event import find_all
from dotagent.store import log, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.text import times

ALL = " ".join(TERMINAL.values())
WORD = "".join(ALL.split()).translate(
    dict.fromkeys(map(ord, "[]:/\0="))
)  # as a name in a tag, a word in a line, a file
LONG = f"{ALL} " + "and so it goes on, and on, and on for a while. " * 30
SAID = ALL.translate({0: None, ord("'"): None}).replace("\r", "")
SELF, ID, CALL = "a" * 32, "b" * 32, "c" * 32

ASKED: dict[str, Sequence[Sequence[str]]] = {
    "calls": (["list"], ["list", "--json"], ["cancel", ALL], ["take"], ["fail", CALL, "--hint", ALL]),
    "context": (["SELF"], ["SELF", "--json"]),
    "doctor": ([], ["--json"], ["--deep"], ["SELF"], ["--home", ALL]),
    "fade": (["SELF"],),
    "forgotten": (["SELF"], ["SELF", "--json"], ["SELF", "TREE"]),
    "pair": ([], ["--json"], ["HOSTILE2"]),
    "prompt": (["SELF", "--json"], ["--call", "REQUEST", "--json"]),
    "provider": (),  # it serves until nobody is there: what it prints is tested below
    "recall": (["SELF", "evil"], ["SELF", "evil", "--json"]),
    "usage": ([], ["--json"], ["--by", "model"], ["SELF"]),
}
"""How each command is asked, beside `COMMAND`, `COMMAND --json`, and with words that it cannot take."""
BYTES: dict[str, Sequence[Sequence[str]]] = {
    "forgotten": (["SELF", "SAID"],),
    "prompt": (["SELF"], ["--call", "REQUEST"]),
}
"""What is given byte for byte into a file or a pipe, and is harmless at a terminal."""
PROGRAMS = {
    "agent.py": (["SELF", "--verbose", "--until-idle"], [ALL], ["--room", ALL], ["--audience", ALL], ["--soul", ALL]),
    "chat.py": (["dev", "-m", "hi", "--wait", "0.2"], [ALL], ["--name", ALL], ["--wait", ALL], ["--home", "X/" + WORD]),
    "clean.py": ([], [ALL], ["--home", "X/" + WORD]),
}  # fmt: skip


def replies(here: World) -> str:
    """A model that has nothing better to say, and a blank word after it."""
    return "WAIT" if here.served % 2 else f"SAY dev {LONG}\nREAD_FILE {WORD}\nRUN printf %s '{SAID}'; exit 3\n"


def lived(where: Home) -> dict[str, str]:
    """A life of some turns, of which most are forgotten; what ASKED calls its parts."""
    with world(where.root, lambda messages, call: replies(here)) as here:
        for _ in range(4):
            rooms.append(where.room("dev"), f"[USER:{WORD[:100]} {times.now()}] {LONG}\n".encode("utf-8", "replace"))
            here.run()
        here.me.compactor.force(1)
        session = here.session
        folded = next(entry.line.id for entry in session.entries if entry.event == "FADED" and entry.line)
        names = {"SELF": session.id, "TREE": folded, "REQUEST": session.request("m", "usage")[0]}
        said = session.keep(ALL, ALL)
    path = where.agent(session.id) / "LIFE.md"
    at = log.tail(path, 1)[0].at
    with open(path, "ab") as life:
        for event in find_all():  # as an older version, or a hand, may have written them
            at = times.next_stamp(at)
            for detail in (WORD, f"model={WORD} provider={WORD} input=5"):
                at = times.next_stamp(at)
                life.write(f"{at} {event} {detail} ◱hash={said} gist={WORD}◲\n".encode("utf-8", "replace"))
    return {**names, "SAID": said}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, dict[str, str]]:
    """The home, and what ASKED calls its parts."""
    where = make_home(tmp_path_factory.mktemp("hostile") / "home")
    names = lived(where)
    name = os.fsdecode(WORD[:60].encode("utf-8", "replace") + b"\xff\x9b\nbob: hi")
    call = {"agent": SELF, "provider": "own", "kind": ALL, "room": ALL, "at": times.now(), "takers": []}
    for folder in (f"new/{name}", "new/own", "taken"):
        (where.calls / folder).mkdir(parents=True, exist_ok=True)
        (where.calls / folder / ID).write_text(json.dumps({"id": ID, **call}))
    queue.place(where, Call(CALL, SELF, WORD[:20], "live", WORD, times.now()))
    for path in (
        where.chats / f"{name}.md",
        where.agents / name,
        where.blobs / name,
        where.blobs / "ab" / name,
        where.agent(names["SELF"]) / "subs" / f"{name}.md",
        where.calls / "stream" / name,
        where.calls / "done" / names["SELF"] / CALL,
        where.calls / f".unreadable-{name}",
        where.calls / f"{name}.log",
        where.bridges / name / "x",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ALL, errors="replace")
    told = {"model": ALL, "why": ALL, "window": 5, "known": True, "configured": False, "pid": 1}
    (where.calls / "providers.json").write_text(json.dumps({"offline": told, ALL: told}))
    asked = {"event": "ASKED", "code": "HOSTILE1", "id": ALL, "name": ALL, "place": ALL, "at": times.now()}
    more = {**asked, "code": "HOSTILE2", "id": f"{ALL}2"}
    (where.bridges / "telegram").mkdir()
    (where.bridges / "telegram" / "pairs.jsonl").write_text(f"{json.dumps(asked)}\n{json.dumps(more)}\n")
    model = json.dumps(ALL.replace("\0", "")).replace("\\ud", "\\ue")
    (where.root / "dotagent.toml").write_text(f"model = {model}\n[prices.{model}]\ninput = 1.0\noutput = 1.0\n")
    (where.root / ".env").write_text(f"{ALL}\n", errors="replace")
    return where, names


def run(where: Home, names: dict[str, str], *words: str) -> tuple[int, str]:
    """The exit status of a program, and all that it printed into files."""
    plain = [names.get(word, word).replace("\0", "").replace("X/", f"{where.root}/") for word in words]
    done = ran(plain, environment(where))
    return done.returncode, done.stdout + done.stderr


def at_terminal(where: Home, names: dict[str, str], *words: str) -> tuple[int, str]:
    """The same at a terminal, which changes nothing itself."""
    master, slave = os.openpty()
    mode = termios.tcgetattr(slave)
    mode[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, mode)
    plain = [names.get(word, word).replace("\0", "") for word in words]
    child = subprocess.Popen([sys.executable, *plain], cwd=ROOT, env=environment(where, TERM="dumb"),
                             stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)  # fmt: skip
    os.close(slave)
    shown = b""
    while ready(master):
        try:
            shown += os.read(master, 1 << 16)
        except OSError:  # nobody holds the other end any more
            break
    os.close(master)
    return child.wait(), shown.decode("utf-8")


def clean(status: int, shown: str) -> None:
    """Nothing of it is obeyed or hidden, and no program fell over it."""
    assert not obeyed(shown), f"{sorted(map(hex, map(ord, obeyed(shown))))} in {shown!r}"
    assert "Traceback" not in shown, shown
    assert status in (0, 1, 2)
    assert not [line for line in shown.split("\n") if line.startswith("bob: hi")]


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("command", commands.names())
def test_a_command_prints_nothing_that_a_terminal_obeys(hostile: tuple[Home, dict[str, str]], command: str) -> None:
    plain = (
        []
        if command in extensions.names("bridges") or command in ("provider", "up", "clock", "view")
        else [[], ["--json"]]
    )
    plain = [["--json"]] if command == "prompt" else plain  # without a word it gives bytes
    for words in [*plain, [ALL], [f"--{ALL}"], *ASKED.get(command, ())]:
        clean(*run(*hostile, "-m", "dotagent", command, *words))


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_prints_nothing_that_a_terminal_obeys(hostile: tuple[Home, dict[str, str]], program: str) -> None:
    for words in PROGRAMS[program]:
        clean(*run(*hostile, program, *words))


@pytest.mark.slow
@pytest.mark.parametrize("command", BYTES)
def test_what_is_given_byte_for_byte_is_harmless_at_a_terminal(
    hostile: tuple[Home, dict[str, str]], command: str
) -> None:
    for words in BYTES[command]:
        status, shown = at_terminal(*hostile, "-m", "dotagent", command, *words)
        clean(status, shown)
        assert status == 0 and "evil" in shown, shown


def test_every_command_of_the_table_is_there() -> None:
    assert {*ASKED, *BYTES} <= set(commands.names())
    assert set(PROGRAMS) == {path.name for path in Path(ROOT).glob("*.py")}


@pytest.mark.parametrize("text", TERMINAL.values(), ids=TERMINAL)
def test_a_fault_of_ours_that_quotes_it_is_harmless_too(text: str) -> None:
    code = f"from dotagent import errors; errors.edge(lambda: {{}}[{text!a}])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, check=False)
    assert done.returncode == 1 and b"KeyError" in done.stderr
    assert not obeyed(done.stderr.decode())
