"""The pictures of the README: `python bench/pictures.py` makes docs/talk.svg and docs/year.svg.

With --check it compares the recording with what the commands print today.

talk.svg is a session at a real terminal: a shell runs the commands below, and what the terminal shows is kept.
year.svg is what `view --picture` draws of an agent that lived through a year: 1,460 messages and answers, given by the
real loop while the clock of LIFE goes through the year. It owns passing homes and these two files.
"""

from __future__ import annotations

import html
import io
import os
import pty
import random
import re
import subprocess
import sys
import tempfile
import termios
import time
from collections import defaultdict
from pathlib import Path

import common
import forget_lives
from forget_model import compacted
from rich.console import Console
from rich.text import Text

from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times

DAYS, TURNS, LIMIT = 365, 4, 8000  # of the year: days, messages and answers a day, tokens of the context
COMMANDS = (
    'dotagent agent -m "remember that my seat is 14A"',
    'dotagent agent -m "which seat did I book?"',
    "dotagent context",
    "dotagent fade",
    "dotagent context",
    "dotagent forgotten",
    "dotagent unfade",
)
BEGUN = "dotagent agent --new >log 2>&1 & until [ -s log ]; do sleep 0.1; done"
SWAPPED = "until dotagent forgotten --swaps | grep -q asked; do sleep 0.1; done"
WIDTH = 80
CUT = 20  # characters of a row that is cut off, at least
THINGS = "harbour lighthouse seat train kettle paper window garden invoice number server bread letter oven".split()


def transcript() -> str:
    """Type the commands at a terminal, in a home of their own, and return what it shows."""
    with tempfile.TemporaryDirectory(prefix="dotagent-talk-") as scratch:
        program = Path(scratch) / "bin" / "dotagent"
        program.parent.mkdir()
        words = f'PYTHONPATH="{common.ROOT}" exec "{sys.executable}" -m dotagent "$@"'
        program.write_text(f"#!/bin/sh\n{words}\n")
        program.chmod(0o755)
        home = {
            "HOME": scratch,
            "DOTAGENT_HOME": f"{scratch}/home",
            "USER": "ana",
            "DOTAGENT_NEARBY": "",
            "DOTAGENT_CONTEXT_LIMIT": "64000",
        }
        env = {**common.environment(), **home, "PATH": f"{program.parent}:{os.environ['PATH']}", "COLUMNS": str(WIDTH)}
        shown = list[str]()
        subprocess.run(["bash", "-c", BEGUN], env=env, cwd=scratch, check=True)
        for command in COMMANDS:
            shown += [f"\x1b[1;32m$\x1b[0m \x1b[1m{command}\x1b[0m", *_typed(command, env)]
            if command == "dotagent fade":
                subprocess.run(["bash", "-c", SWAPPED], env=env, cwd=scratch, check=True, timeout=60)
        for last in ("down", "clean --yes"):
            subprocess.run([program, *last.split()], env=env, capture_output=True, check=False)
    return "\n".join(shown)


def _typed(command: str, env: dict[str, str]) -> list[str]:
    """The lines that a terminal shows of a command."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, WIDTH))
    with subprocess.Popen(["bash", "-c", command], stdin=theirs, stdout=theirs, stderr=theirs, env=env, close_fds=True):
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # the terminal was closed at its other end
                break
            if not piece:
                break
            said += piece
    os.close(ours)
    return said.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def gist(shown: str) -> str:
    """What is shown without what differs from run to run: blanks, colours, ids, all numbers, as of times, and where a
    row is cut off, since that depends on how wide the numbers before it are."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    rows = [re.sub(r"[0-9a-f]{12,64}|\d+[sm]?\b|\d+|\s", "", row) for row in text.split("\n")]
    return "".join(row[:CUT] if row.endswith("…") else row for row in rows)


def words(picture: str) -> str:
    """The text in a picture of a terminal."""
    rows = defaultdict[float, list[tuple[float, str]]](list)
    for x, y, words in re.findall(r'<text class="[^"]*-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', picture):
        rows[float(y)].append((float(x), html.unescape(words).replace("\xa0", " ")))
    return "\n".join("".join(words for _, words in sorted(rows[y])) for y in sorted(rows))


def talk(file: Path) -> None:
    """Make the picture of a talk."""
    console = Console(record=True, file=io.StringIO(), width=WIDTH, force_terminal=True, color_system="standard")
    console.print(Text.from_ansi(transcript()))
    picture = re.sub(r"[ \t]+$", "", console.export_svg(title="dotagent", unique_id="talk"), flags=re.MULTILINE)
    file.write_text(picture)


def year(file: Path) -> None:
    """Make the picture of a year's context."""
    chance = random.Random(365)

    def model(messages: list[ChatMessage], call: Call) -> str:
        return compacted(messages) or f"Noted: {' '.join(chance.choices(THINGS, k=chance.randint(5, 80)))}."

    with tempfile.TemporaryDirectory(prefix="dotagent-year-", dir=forget_lives.MEMORY) as scratch:
        path = Path(scratch) / "home"
        times.time = clock = Calendar()  # type: ignore[attr-defined,assignment]
        with forget_lives.life(path, LIMIT, model) as lived:
            for _ in range(DAYS * TURNS // 2):
                clock.seconds += 2 * 86_400 / TURNS
                lived.say(f"{' '.join(chance.choices(THINGS, k=chance.randint(5, 60)))}?", "ana", forget_lives.ROOM)
                lived.run()
        words = [sys.executable, "-m", "dotagent", "view", "--home", str(path), "--picture", str(file.absolute())]
        env = {**common.environment(), "DOTAGENT_CONTEXT_LIMIT": str(forget_lives.setting(LIMIT))}
        subprocess.run(words, cwd=common.ROOT, env=env, check=True)


class Calendar:
    """The clock of the year, in place of the module `time`: it stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = time.time() - DAYS * 86_400.0

    def time(self) -> float:
        """The instant in the year, in seconds since 1970."""
        return self.seconds


def main() -> int:
    """Make both pictures, or with --check compare the recording with what a terminal shows today."""
    file = common.ROOT / "docs" / "talk.svg"
    if sys.argv[1:] == ["--check"]:
        old, new = gist(words(file.read_text())), gist(transcript())
        if old != new:  # a minute that begins between two messages is an entry's too, and may change a chunk
            new = gist(transcript())
        print("as it was" if old == new else f"recorded: {old}\ntoday:    {new}")
        return int(old != new)
    talk(file)
    year(common.ROOT / "docs" / "year.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
