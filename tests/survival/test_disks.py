"""A life on disks that are full, read-only or too small for it: it says so, and nothing written is lost."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import scratch
from alive import Alive, Ended, forked, hears, live, provider_of, say, stop_providers
from hurt import goes_on, the_life
from support import make_home, until
from terminals import Terminal
from world import events, said, world

from dotagent.capabilities.backup import archive
from dotagent.life import example
from dotagent.life.session import Patience
from dotagent.store import home, log, process
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


@contextmanager
def a_disk(size: str) -> Iterator[Path]:
    """A small file system of its own, or the test is skipped."""
    path = scratch.new()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(path)]
    mounted = bool(shutil.which("mount")) and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        if not mounted:
            pytest.skip("no small disk can be mounted here: that takes root")
        yield path
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(path)], check=False)
        path.rmdir()


@pytest.mark.night
def test_a_read_only_home(lived: Home) -> None:
    with a_disk("4m") as disk:
        shutil.copytree(lived.root, disk / "home", symlinks=True)
        where = Home(disk / "home")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        for words in ([], [the_life(where).name], ["--provider", "offline"]):
            live(where, *words).complains(
                str(disk), "Read-only file system", "choose another data directory with --home DIR"
            )
        live(Home(disk / "new")).complains(str(disk), "Read-only file system")
        assert archive.write(where, io.BytesIO()).files > 5, "it can be rescued"
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        goes_on(where)


WORK = ["SAY dev same\nSAY dev same\nWRITE_FILE notes.md <<END\n" + "x" * 5000 + "\nEND\nREAD_FILE notes.md", "done"]


def works(messages: list[ChatMessage], call: Call) -> str:
    begun = next((at for at, message in enumerate(messages) if example.END in message["content"]), -1)
    return WORK[min(1, sum(message["role"] == "assistant" for message in messages[begun + 1 :]))]


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--plain",)])
def test_a_person_who_waits_reads_that_the_disk_is_full(words: tuple[str, ...]) -> None:
    with a_disk("4m") as disk:
        where = Home(disk / "home")
        home.prepare(where)
        (where.calls / "new" / "scripted").mkdir(parents=True)
        alive = Alive(where, "--provider", "scripted")
        with Terminal(where, "chat.py", *words, width=200) as terminal:
            terminal.sees(f"{alive.id[:12]} running")
            with suppress(OSError), open(disk / "ballast", "wb", buffering=0) as ballast:
                while True:
                    ballast.write(b"x" * 4096)
            terminal.type("hello\r")
            terminal.sees(f"{alive.id[:12]} has stopped: {where.agent(alive.id)}: No space left on device (free some")
        alive.end()


@pytest.mark.slow
def test_a_full_disk_at_any_point_of_a_turn() -> None:
    """With ever more room to fill, until the turn fits: it ends with one line, and goes on once there is room."""
    finished = 0
    with a_disk("900k") as disk:
        for pages in range(0, 60, 3):
            where = Home(disk / "home")
            with world(where.root, works) as here:
                here.say("hello")
            fill(disk, pages)
            ended = in_child(where)
            (disk / "ballast").unlink()
            if ended.status:
                ended.complains(str(disk), "No space left on device", "free some space")
            finished += not ended.status
            with world(where.root, works, patience=Patience(look=0.0, unsigned=0.0)) as here:
                here.run()
                assert said(where) == ["same", "same", "done"], pages
                assert len(events(here, "HEAR")) == 1
                whole = (here.session.path / "LIFE.md").read_bytes().count(b"\n")
                assert whole == len(list(log.lines(here.session.path / "LIFE.md")))
            shutil.rmtree(where.root)
            if finished:
                break
    assert finished
    assert pages > 8


@pytest.mark.slow
def test_a_disk_that_is_full_when_the_answer_comes() -> None:
    """The provider, too, says what is wrong and leaves; once there is room, the next one answers."""
    with a_disk("900k") as disk:
        where = make_home(disk / "home")
        alive = Alive(where)
        try:
            provider = provider_of(where, "offline")
            os.kill(provider, signal.SIGSTOP)
            say(where, "help")
            alive.waits_for("ASK")
            until(lambda: any((where.calls / "new/offline").glob("*")), where.calls / "new/offline")
            fill(disk, 0)
            os.kill(provider, signal.SIGCONT)
            until(lambda: not process.lives(provider, process.start_time(provider)), where.calls)
            (disk / "ballast").unlink()
            hears(where, "I am the offline provider")
            assert b"Traceback" not in (where.calls / "offline.log").read_bytes()
            assert alive.end() == (0, "", "")
        finally:
            with suppress(ProcessLookupError):
                os.kill(provider, signal.SIGCONT)
            alive.end()
            stop_providers(where)


def fill(disk: Path, pages: int) -> None:
    """Leave this many pages of the disk."""
    with open(disk / "ballast", "wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            file.truncate(max(0, file.tell() - pages * 4096))


def in_child(where: Home) -> Ended:
    """Live the turn in a child, agent and model both, as a person's terminal would show it."""

    def main() -> int:
        with world(where.root, works) as here:
            here.run()
        return 0

    return forked(main)


def test_a_file_that_may_not_grow(where: Home) -> None:
    """As on a disk that is full, everywhere: nobody needs to be root for that."""
    path = the_life(where) / "LIFE.md"
    before = path.read_bytes()
    say(where, "hello")
    live(where, path.parent.name, room_for=1000).complains(str(where.root), "File too large")
    assert path.read_bytes()[: len(before)] == before
    goes_on(where)
