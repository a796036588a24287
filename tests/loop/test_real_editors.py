"""Real editors save a room while an agent talks in it: no line is heard twice, none is missed, none is lost in silence.

The home is below /var/tmp, because vim and emacs save differently below /tmp. An editor that this machine lacks is left
out.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import tempfile
import termios
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from listening import heard
from support import PATIENCE, ready
from world import World, world

import agent
from dotagent.commands import room as repair
from dotagent.store.requests import ChatMessage

SAVES = 40  # of each editor

Keys = Callable[[bytes, bool], "dict[bytes, bytes]"]
"""What to type for a line, after which text of the editor's. With True the file grew since the editor read it."""

KEYS: dict[str, Keys] = {
    "ed dev.md": lambda text, grew: {b"\n": b"$a\n" + text + b"\n.\nw\nq\n"},
    "vim dev.md": lambda text, grew: {
        b"dev.md": b"Go" + text + b"\x1b:w\r", b"(y/n)": b"y", b"written": b":q!\r", b"ENTER": b"\r",
    },
    "nano dev.md": lambda text, grew: {
        b"dev.md": b"\x1b/" + text + b"\x0f", b"to Write": b"\r", b"modified since": b"y", b"Wrote": b"\x18",
    },
    "emacs -nw dev.md": lambda text, grew: {
        b"dev.md": b"\x1b> " if grew else b"\x1b>" + text + b"\x18\x13",
        b"really edit": b"y\x7f" + text + b"\x18\x13",
        b"anyway": b"yes\r",
        b"Wrote": b"\x18\x03",
    },
    "micro dev.md": lambda text, grew: {
        b"dev.md": b"\x1b[D" if grew else b"\x1b[1;5F" + text + b"\x13",
        b"Reload": b"n\x1b[1;5F" + text + b"\x13",
        b"Saved": b"\x11\x11",  # its question whether to reload may take the first
    },
    "joe dev.md": lambda text, grew: {
        b"dev.md": b"\x0bv" + text + b"\x0bx", b"y,n": b"y", b"(Y/N": b"y",
    },
    "nvi dev.md": lambda text, grew: {b"dev.md": b"Go" + text + b"\x1b:wq!\r"},
}  # fmt: skip
LOCKS = ("nvi dev.md",)  # nobody can write while such an editor shows the file


@pytest.fixture
def home() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(dir="/var/tmp"))
    yield place / "home"
    shutil.rmtree(place)


def answers(messages: list[ChatMessage], call: object) -> str:
    return f"answer to\nmessage {len(messages)}"


def terminal() -> tuple[int, int]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    return master, slave


def edit(command: str, text: str, here: World, said: str) -> None:
    """Type a line at the end in the editor, and let the agent live meanwhile. `said` is what a person says, and the
    agent answers, while the editor shows the file."""
    chats, due = here.where.chats, KEYS[command](text.encode(), bool(said))
    master, slave = terminal()
    place = str(here.where.root.parent)
    more = {"TERM": "xterm", "HOME": place, "TMPDIR": place}
    shown, limit = b"", time.monotonic() + PATIENCE
    try:
        with subprocess.Popen(
            ["setsid", "--ctty", *command.split()], cwd=chats, stdin=slave, stdout=slave, stderr=slave,
            env=os.environ | more,
        ) as it:  # fmt: skip
            while it.poll() is None:
                if ready(master, 0.0):
                    shown += os.read(master, 1 << 16)
                for word in [one for one in due if one in shown][:1]:
                    if said:
                        here.say(said)
                        here.run()
                        said = ""
                    os.write(master, due.pop(word))
                    shown = b""
                agent.step(here.me)
                here.serve()
                if time.monotonic() > limit:
                    it.kill()
                    raise AssertionError(f"{command} shows {shown[-2000:]!r}, and waits for one of {list(due)}")
        assert it.returncode == 0
    finally:
        os.close(master)
        os.close(slave)


def rest(here: World) -> None:
    """Live until the room stands still and everything is answered."""
    here.run()
    while here.me.inbox.waits():
        here.me.watch.wait(here.me.inbox.sleep(None))
        here.run()


@pytest.mark.night
@pytest.mark.parametrize("command", KEYS)
def test_saves_of_an_editor_are_heard_once_and_nothing_is_lost_in_silence(home: Path, command: str) -> None:
    if not shutil.which(command.split()[0]) or not shutil.which("setsid"):
        pytest.skip(f"{command.split()[0]} is not installed here")
    with world(home, answers) as here:
        path = here.where.room("dev")
        for number in range(200):
            here.say(f"an old message, number {number}")
        rest(here)
        before = len(heard(here))
        for number in range(SAVES):
            grows = number % 2 and command not in LOCKS
            if not grows:
                here.say(f"said {number}")
                rest(here)
            notices = path.read_text().count("messages are gone from this file")
            edit(command, f"typed {number}", here, f"said {number}" if grows else "")
            rest(here)
            lost = f"said {number}\n" not in path.read_text()
            assert path.read_text().count("messages are gone from this file") >= notices + lost
        counts = Counter(row for text in heard(here)[before:] for row in text.split("\n"))
        wanted = [f"{how} {number}" for number in range(SAVES) for how in ("said", "typed")]
        assert counts == Counter(wanted)
        assert repair.run(argparse.Namespace(home=home, what="repair", room="dev")) == 0
        room = path.read_text()
        assert [one for one in wanted if room.count(f"{one}\n") != 1] == []
        rest(here)
        assert len(list(home.glob("agents/*/LIFE.md"))) == 1
