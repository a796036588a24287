"""How soon a person can type: from the start of chat.py to its prompt, and to the last message of a room, drawn.

chat.py is the real program on a terminal of 80 columns; the room holds talk, its answers in Markdown. Before each run
Python alone is started, as the machine's own figure.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

import common

from dotagent.store import rooms
from dotagent.store.home import Home
from dotagent.text import times

READY = 0.25  # seconds to the prompt, at most
ANSWER = (
    "**Yes**: the seat is `14A`.\n\n- by the window\n- on the left\n\n| day | flight |\n|---|---|\n| 3 May | QF12 |"
)


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--runs", type=int, default=20)
    asked = parser.parse_args()
    bare, prompt, last = list[float](), list[float](), list[float]()
    with common.scratch(asked.dir) as path:
        where = common.make_home(path / "home")
        rooms.create(where.room(common.ROOM), "private")
        for number in range(12):
            kind, name = ("AGENT", "0123456789ab") if number % 2 else ("USER", "ana")
            text = ANSWER if number % 2 else "which seat did I book?"
            rooms.append(where.room(common.ROOM), rooms.line_of(kind, name, times.now(), text))
        rooms.append(where.room(common.ROOM), rooms.line_of("USER", "ana", times.now(), "the very last"))
        _drawn(where)  # what is compiled once is
        for _ in range(asked.runs):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", ""], check=True)
            bare.append(time.perf_counter() - began)
            ready, all_of_it = _drawn(where)
            prompt.append(ready)
            last.append(all_of_it)
    rows = [["python alone", *common.ms(bare)], ["prompt", *common.ms(prompt)], ["last message", *common.ms(last)]]
    common.table("From the start of chat.py, ms", ["", "median", "p90"], rows)
    print(f"\n  half of them: {common.verdict(sorted(prompt)[len(prompt) // 2] * 1000, READY * 1000, ' ms')}")


def _drawn(where: Home) -> tuple[float, float]:
    """Seconds until the prompt, and until the room's last message, are drawn."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    env = {**common.environment(), "TERM": "xterm"}
    words = [sys.executable, "chat.py", common.ROOM, "--home", str(where.root)]
    began = time.perf_counter()
    chat = subprocess.Popen(words, cwd=common.ROOT, env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    try:
        drawn, seen = b"", dict.fromkeys((b"dev>", b"the very last"), 0.0)
        while not all(seen.values()):
            if not select.select([master], [], [], common.PATIENCE)[0]:
                raise common.Stuck("chat.py does not draw")
            drawn += os.read(master, 1 << 16)
            seen = {text: at or (time.perf_counter() - began) * (text in drawn) for text, at in seen.items()}
        return seen[b"dev>"], seen[b"the very last"]
    finally:
        os.write(master, b"\x04")
        while chat.poll() is None:
            if select.select([master], [], [], 0.1)[0]:
                _rest(master)
        os.close(master)


def _rest(master: int) -> None:
    try:
        os.read(master, 1 << 16)
    except OSError:  # EIO: it has left
        return


if __name__ == "__main__":
    main()
