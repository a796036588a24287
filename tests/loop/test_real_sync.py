"""Syncthing syncs a home with another machine, and people write on both sides: no line is lost, none is heard twice.

It takes half a minute. With SYNC_SECONDS=600 in the environment, people write for ten minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from listening import heard
from support import PATIENCE
from world import World, world

from dotagent.commands import room as repair
from dotagent.store import room_copies, rooms
from dotagent.store.home import Home
from dotagent.text import times

SECONDS = float(os.environ.get("SYNC_SECONDS", "30"))  # in which people write
CONFIG = """<configuration version="35">
<folder id="home" path="{path}" type="sendreceive" rescanIntervalS="5" fsWatcherEnabled="true" fsWatcherDelayS="1">
<device id="{ids[0]}"/><device id="{ids[1]}"/><maxConflicts>10</maxConflicts><minDiskFree unit="">0</minDiskFree>
</folder>
<device id="{ids[0]}"><address>tcp://127.0.0.1:{ports[0]}</address></device>
<device id="{ids[1]}"><address>tcp://127.0.0.1:{ports[1]}</address></device>
<gui enabled="true"><address>127.0.0.1:{gui}</address><apikey>key</apikey></gui>
<options><listenAddress>tcp://127.0.0.1:{port}</listenAddress><globalAnnounceEnabled>false</globalAnnounceEnabled>
<localAnnounceEnabled>false</localAnnounceEnabled><relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled>
<reconnectionIntervalS>1</reconnectionIntervalS><startBrowser>false</startBrowser><urAccepted>-1</urAccepted>
<crashReportingEnabled>false</crashReportingEnabled><autoUpgradeIntervalH>0</autoUpgradeIntervalH></options>
</configuration>"""


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


@contextmanager
def synced(place: Path, folders: list[Path]) -> Iterator[None]:
    """Let a Syncthing for each of two folders keep them the same."""
    settings = [place / f"syncthing-{number}" for number in range(2)]
    env = os.environ | {"HOME": str(place), "STNOUPGRADE": "1"}
    for one in settings:
        run = ["syncthing", "generate", f"--home={one}", "--no-default-folder"]
        subprocess.run(run, env=env, check=True, capture_output=True)
    ids = [
        subprocess.run(
            ["syncthing", f"--home={one}", "--device-id"], env=env, check=True, capture_output=True, text=True
        ).stdout.strip()
        for one in settings
    ]
    ports = free_ports(4)
    with ExitStack() as stack:
        for number, one in enumerate(settings):
            told = CONFIG.format(path=folders[number], ids=ids, ports=ports, port=ports[number], gui=ports[2 + number])
            (one / "config.xml").write_text(told)
            (folders[number] / ".stfolder").mkdir(exist_ok=True)
            log = stack.enter_context(open(place / f"log-{number}", "wb"))
            run = ["syncthing", "serve", f"--home={one}", "--no-browser", "--no-restart", "--no-upgrade"]
            process = stack.enter_context(subprocess.Popen(run, env=env, stdout=log, stderr=log))
            stack.callback(process.terminate)
        yield


def live(here: World, seconds: float) -> None:
    """Let the agent live this long, or until a file changed and all is done."""
    here.run()
    here.me.watch.wait(here.me.inbox.sleep(seconds))
    here.run()


def settle(here: World, there: Home) -> None:
    """Live until the rooms are the same on both sides and have no copies, which a person merges."""
    path, end, same = here.where.room("dev"), time.monotonic() + PATIENCE, False
    while not same:
        assert time.monotonic() < end, (copies(here), read(path), read(there.room("dev")))
        merge(here)
        live(here, 0.5)
        before = read(path)
        here.run()
        done = not (here.me.inbox.waits() or copies(here) or room_copies.find(there))
        same = done and before == read(path) == read(there.room("dev"))


def append(path: Path, text: str) -> bool:
    """Write a message. Return False if the room is missing."""
    try:
        rooms.append(path, rooms.line_of("USER", "ben", times.now(), text))
    except FileNotFoundError:
        return False
    return True


def read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def copies(here: World) -> list[Path]:
    return [path for path, _ in room_copies.find(here.where)]


def merge(here: World) -> None:
    """Merge copies, once the agent has told of each that has lines that its room lacks."""
    live(here, 0.1)
    room, found = here.where.room("dev"), copies(here)
    if found and all(one.name in read(room).decode() or not room_copies.missing_lines(one, room) for one in found):
        assert repair.run(argparse.Namespace(home=here.where.root, what="repair", room="dev")) == 0


@pytest.mark.night
def test_two_homes_that_syncthing_keeps_the_same_lose_no_line_and_hear_none_twice() -> None:
    if not shutil.which("syncthing"):
        pytest.skip("syncthing is not installed here")
    place = Path(tempfile.mkdtemp(dir="/var/tmp"))
    there = Home(place / "there")
    there.root.mkdir()
    try:
        with world(place / "here", lambda messages, call: f"answer {len(messages)}") as here:
            rooms.append(here.where.room("dev"), rooms.line_of("USER", "ana", times.now(), "begin"))
            here.run()
            with synced(place, [here.where.root, there.root]):
                settle(here, there)
                wanted, end, number = ["begin"], time.monotonic() + SECONDS, 0
                while time.monotonic() < end:
                    number += 1
                    while not append(there.room("dev"), f"there {number}"):
                        live(here, 0.1)  # Syncthing has just moved the room aside
                    wanted.append(f"there {number}")
                    if number % 3 != 1:  # at the same time: a conflict
                        here.say(f"here {number}")
                        wanted.append(f"here {number}")
                    for _ in range(10):
                        live(here, 0.3)
                    if number % 3 == 0:
                        settle(here, there)
                settle(here, there)
            assert Counter(heard(here)) == Counter(wanted)
            lines = read(here.where.room("dev")).decode().split("\n")
            assert [one for one in wanted if sum(line.endswith(f"] {one}") for line in lines) != 1] == []
    finally:
        shutil.rmtree(place)
