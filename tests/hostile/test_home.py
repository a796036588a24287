"""A hostile home: in place of each of its files stands what is no file of ours, and every program is run on it.

Nothing waits, nothing ends with a traceback, nothing outside the home is read or written, and a line names the file.
A row is a file, a way is what stands there instead: either table is extended by one line.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from a_lived_home import converse, living
from support import PATIENCE, environment, files, make_home

import agent
import chat
from dotagent import commands, errors
from dotagent.providers.server import serve
from dotagent.store import home, log, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call

HUGE = (1 << 28) + 1  # bytes, none of them on the disk
SECRET = "a word that stands outside"
OTHER = "0" * 31 + "1"  # the id of calls that no life waits for


def fifo(path: Path, outside: Path) -> None:
    os.mkfifo(path, 0o600)


def plug(path: Path, outside: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's name may not be long
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)
    os.chdir(here)


def huge(path: Path, outside: Path) -> None:
    path.touch(0o600)
    os.truncate(path, HUGE)


WAYS: dict[str, Callable[[Path, Path], object]] = {
    "a pipe": fifo,
    "a socket": plug,
    "a directory": lambda path, outside: path.mkdir(0o700),
    "a device": lambda path, outside: path.symlink_to("/dev/zero"),
    "a loop": lambda path, outside: path.symlink_to(path.name),
    "a link out": lambda path, outside: path.symlink_to(outside),
    "a link nowhere": lambda path, outside: path.symlink_to("nowhere"),
    "unreadable": lambda path, outside: path.touch(0o000),
    "empty": lambda path, outside: path.touch(0o600),
    "nuls": lambda path, outside: path.write_bytes(b"\0" * 5000),
    "huge": huge,
}

ROWS = (
    "SOUL.md", "SEGMENT.md", "SUMMARISE.md", "dotagent.toml", ".env", "chats", "chats/dev.md", "blobs", "agents",
    "SELF/LIFE.md", "SELF/MEMORY.md", "SELF/SEGMENT.md", "SELF/context.md", "SELF/run/recall.db", "SELF/run/fade",
    "SELF/run/recall.db-wal", "SELF/run", "SELF/subs", "SELF/subs/dev.md", "HEARD", "BORN", "calls",
    "calls/providers.json", "calls/offline.pid", "calls/offline.log", f"calls/new/offline/{OTHER}",
    f"calls/taken/{OTHER}", "calls/taken", f"calls/stream/{OTHER}.1", f"calls/done/SELF/{OTHER}", "bridges",
    "bridges/telegram/pairs.jsonl",
)  # fmt: skip

HARMLESS = ("empty", "nuls")
MENDED = ("SELF/run/recall.db", "SELF/run/fade", "SELF/subs", "calls/providers.json", "calls/offline", "calls/taken",
          "calls/done", "calls/stream", "bridges")  # fmt: skip
"""Caches and promises: what cannot be used there is made anew, set aside or passed over."""


@pytest.fixture(scope="session")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which somebody has lived, whose spool holds a call in each of its states."""
    where = make_home(tmp_path_factory.mktemp("hostile") / "home")
    with living(where):
        converse(where, ["remember that my seat is 14A"])
    life = home.lives(where)[0]
    for folder in ("taken", "new/own", "bridges"):
        (where.calls / folder).mkdir(exist_ok=True, parents=True)
    queue.place(where, Call(OTHER, life, "offline", "live", "dev"))
    queue.stream(where, OTHER).write_text("SAY dev so far")
    queue.fail(where, Call("0" * 31 + "2", life, "offline", "live", "dev"), "server", "broken")
    (where.bridges / "telegram").mkdir(parents=True)
    return where


def place_of(where: Home, row: str) -> Path:
    """Where the row's file is in this home."""
    life = home.lives(where)[0]
    if row in ("HEARD", "BORN"):
        event = "HEAR" if row == "HEARD" else "BOOT"
        lines = log.lines(where.agent(life) / "LIFE.md")
        return where.store().path(next(line.id for line in lines if line.event == event))
    return where.root / row.replace("calls/done/SELF", f"calls/done/{life}").replace("SELF", f"agents/{life}")


def programs(where: Home, life: str) -> Iterator[tuple[str, Callable[[], int | None]]]:
    """Everything that a person starts in a home, to its end."""

    def program(main: Callable[[], int | None], *words: str) -> Callable[[], int | None]:
        def started() -> int | None:
            sys.argv = ["program", *words, "--home", str(where.root)]
            return main()

        return started

    def provider() -> None:
        serve.serve(where, serve.hold(where, ["offline"]), {}, alone=0.0)

    yield "resume", program(agent.main, life, "--provider", "own", "--until-idle")
    yield "boot", program(agent.main, "--provider", "own", "--until-idle")
    for name in ("doctor", "status", "agents", "calls", "pair"):
        yield name, lambda name=name: commands.run(name, ["--home", str(where.root)])  # type: ignore[misc]
    yield "chat", program(chat.main, "-m", "hello")
    yield "provider", provider


def run_all(where: Home, life: str, said: Path) -> None:
    """Run them one after the other, in a process that is killed when they take too long; what they print is kept."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(3 * PATIENCE))
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for fd in (1, 2):
            os.dup2(out, fd)
        os.environ.clear()  # an agent whose environment holds more would run itself anew without it
        os.environ.update(environment())
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
        for name, program in programs(where, life):
            print(f"-- {name}", flush=True)
            try:
                print(f"-- status {errors.edge(program)}", flush=True)
            except BaseException:  # noqa: BLE001 whatever it is, it is what this test looks for
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 1), f"{status}: {said.read_text()[-2000:]}"


def tried(lived: Home, tmp_path: Path, row: str, way: str) -> None:
    """Run everything in a copy of the home in which that stands in the row's place."""
    outside, where = tmp_path / "outside", Home(tmp_path / "home")
    outside.write_text(f"{SECRET}\n")
    shutil.copytree(lived.root, where.root, symlinks=True)
    path, life = place_of(where, row), home.lives(where)[0]
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    WAYS[way](path, outside)
    said = tmp_path / "said"
    run_all(where, life, said)
    text = said.read_text("utf-8", "replace")
    assert "Traceback" not in text, f"{way}: {text[text.index('Traceback') :][-900:]}"
    assert path.name in text or way in HARMLESS or row.startswith(MENDED), f"{way}: no line names {path.name}"
    assert outside.read_text() == f"{SECRET}\n", f"{way}: it was written"
    if way == "a link out" and row not in ("SELF/MEMORY.md", "SELF/SEGMENT.md"):  # a person may link these
        kept = ((one, data) for one, data in files(where.root) if not one.is_symlink())
        assert not [one for one, data in kept if SECRET.encode() in data], "it was read"
    shutil.rmtree(where.root)
    said.unlink()


def tell(row: str, lived: Home, tmp_path: Path, ways: list[str]) -> None:
    for way in ways:
        if row.endswith("fade") and way in (*HARMLESS, "huge"):
            continue  # any file there is a person's wish, and a life waits for the model that grants it
        if way != "unreadable" or os.geteuid():
            tried(lived, tmp_path, row, way)


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_what_stands_in_a_files_place(lived: Home, tmp_path: Path, row: str) -> None:
    """Of each row two ways, each way at several rows."""
    tell(row, lived, tmp_path, [*WAYS][ROWS.index(row) % 5 :: 5])


@pytest.mark.night
@pytest.mark.night
@pytest.mark.parametrize("row", ROWS)
def test_whatever_stands_in_a_files_place(lived: Home, tmp_path: Path, row: str) -> None:
    """All the other ways."""
    tell(row, lived, tmp_path, [way for n, way in enumerate(WAYS) if n % 5 != ROWS.index(row) % 5])
