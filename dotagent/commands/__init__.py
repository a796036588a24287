"""The commands of `dotagent`: a module here is one, its docstring's first line is its help.

So are the programs beside the package, and every transport in bridges/, which `bridges/pattern/serve.py` runs. A
command has `arguments(parser)`, which adds what it understands, and `run(asked)`, which does it and returns an exit
status.
"""

from __future__ import annotations

import argparse
import re
import runpy
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType

from dotagent import errors, extensions, installed
from dotagent.arguments import Parser
from dotagent.errors import Misuse
from dotagent.installed import CODE, PROGRAMS
from dotagent.store import home, lives
from dotagent.store.home import Home
from dotagent.text import escape, near, table
from dotagent.text.reference import PREFIX, short

ELSEWHERE = {
    "channels": "status --probe",
    "gateway": "up",
    "init": "onboard",
    "pairing": "pair",
    "runtime": "up, down, restart, ps and logs",
    "sessions": "agents",
}
"""Commands of systems that people come from (docs/coming-from.md), and what does it here."""
NARROW = 60  # columns that a table has all the same, on a terminal of fewer
ANSWER = "120"
"""Seconds that `agent -m`, one question and one answer, waits for it."""


def names() -> list[str]:
    """Every command's name: first the programs."""
    return [*PROGRAMS, *sorted({*extensions.names("commands"), *extensions.names("bridges")})]


def overview() -> str:
    """All commands, a line each."""
    lines = [f"  {name:<12}{about(name)}" for name in names()]
    usage = f"usage: {installed.typed()} [COMMAND] [--home DIR] …   (alone it talks; COMMAND --help tells more)"
    return f"{usage}\n\n" + "\n".join(lines)


def about(name: str) -> str:
    """What the command is for, in a line."""
    return PROGRAMS[name] if name in PROGRAMS else str(_constants(name)["help"])


def detail(name: str) -> str:
    """What its file says of itself beyond that line, in paragraphs; perhaps nothing."""
    if name in PROGRAMS:
        return str(runpy.run_path(str(CODE / f"{name}.py"))["__doc__"]).partition("\n")[2].strip()
    return str(_constants(name)["about"]).partition("\n")[2].strip()


def parser(name: str) -> Parser:
    """What the command understands. Raises Misuse for one that is not there."""
    if name in ELSEWHERE:
        raise Misuse(f"no command {name!r}: here it is {ELSEWHERE[name]} (docs/coming-from.md)")
    if name not in names():
        raise Misuse(f"no command {name!r}{near.among(name, names())}")
    if name in PROGRAMS:
        program = runpy.run_path(str(CODE / f"{name}.py"))
        understood: Parser = (program.get("parser") or program["boot"].parser)()
        return understood
    made = Parser(name, about(name))
    _module(name).arguments(made)
    return made


def run(name: str, words: Sequence[str]) -> int:
    """Run one command. Raises Misuse for one that is not there."""
    if name == "agent" and not {"-m", "--message"}.isdisjoint(words):  # as systems have it that people come from
        name, words = "chat", ["--start", "--wait", ANSWER, *("-m" if one == "--message" else one for one in words)]
    if name in PROGRAMS:
        path = str(CODE / f"{name}.py")
        sys.argv = [path, *words]
        runpy.run_path(path, run_name="__main__")  # it ends the process
    asked = parser(name).parse_intermixed_args(words)  # options may stand among the words
    bridge, module = name in extensions.names("bridges"), _module(name)
    status: int = module.run(name, asked) if bridge else module.run(asked)
    return status


def many(text: str) -> int:
    """The value of an option that says how many, as argparse takes it."""
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def json_flag(parser: argparse.ArgumentParser) -> None:
    """Commands that list take --json."""
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


Row = tuple[Mapping[str, object], Sequence[object]]
"""A row of a list: the object that --json shows, and the cells of a table."""


def listed(asked: argparse.Namespace, heads: str, rows: Iterable[Row], empty: str, *, wrap: bool = False) -> None:
    """A list: with --json an object a line, as they come, else a table with these heads (text/table.py), or the words
    for an empty one; with `wrap` the last column is told whole."""
    if asked.json:
        for told, _ in rows:
            print(escape.dumps(told), flush=True)
        return
    cells = [[str(cell) for cell in one] for _, one in rows]
    print("\n".join(table.table(heads.split(), cells, wrap=wrap, width=width())) if cells else empty)


def width() -> int:
    """How many columns a table has here at most: no more than the terminal, if that is one and not very narrow."""
    there = shutil.get_terminal_size().columns if sys.stdout.isatty() else table.WIDTH
    return min(table.WIDTH, max(NARROW, there))


def tell(told: Mapping[str, object], words: str, asked: argparse.Namespace) -> None:
    """One thing that stands for itself: with --json the object, else these words for a person."""
    lines = [escape.dumps(told)] if asked.json else table.wrapped(escape.row(words), width())
    print("\n  ".join(lines), flush=True)


def give(body: bytes) -> None:
    """Print bytes as they are; at a terminal, what it can show of them."""
    if sys.stdout.isatty():
        print(body.decode("utf-8", "replace"), end="")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(body)


def alone(page: str) -> None:
    """Tell a person at a terminal that the command waits for a program at its other end."""
    if sys.stdin.isatty():
        errors.tell(f"a program starts this, and talks with it on stdin and stdout (docs/{page}.md): ^C ends it")


UPWARD = "(upward)"  # --project without a directory: the nearest one


def project_argument(parser: argparse.ArgumentParser) -> None:
    """Commands about a project's memory take its directory, or find it upward from here."""
    told = "the project (default: the nearest directory upward that has .agent/)"
    parser.add_argument("--project", metavar="DIR", help=told)


def events_arguments(parser: argparse.ArgumentParser, most: int = 0) -> None:
    """Commands that list a project's events take which, since when, and how many."""
    project_argument(parser)
    for name in ("actor", "kind", "file"):
        parser.add_argument(f"--{name}", metavar=name.upper(), help=f"only of this {name}")
    parser.add_argument("--since", metavar="DAY", help="only since this day (2026-11-21)")
    if most:
        parser.add_argument("-n", type=many, default=most, metavar="N", help=f"how many (default: {most})")
    json_flag(parser)


def home_of(asked: argparse.Namespace) -> Home:
    """The home that the command is about. Raises Misuse and Trouble when there is none."""
    where = home.find(asked.home)
    home.require(where)
    return where


def life_argument(parser: argparse.ArgumentParser, words: str = "") -> None:
    """Commands about one agent take its id, or none where it is clear whom they mean."""
    told = "the agent: 8 or more digits of its id, its name, or a room only it is in (default: the only one there is)"
    parser.add_argument("self", nargs="?", help=words or told)
    parser.add_argument("--last", action="store_true", help="of several agents the one that lived last")


def life_of(asked: argparse.Namespace, where: Home) -> str:
    """The full id of the agent that the command is about; it is told where the command did not. Raises Misuse."""
    self_id = lives.meant(where, asked.self, asked.last)
    if not asked.self or not self_id.startswith(asked.self.lower()):
        errors.tell(f"agent {short(self_id)}")
    return self_id


def first_is_life(asked: argparse.Namespace, where: Home) -> bool:
    """Whether the first word of a command that takes others too is an agent's id, or the beginning of one."""
    word = (asked.self or "").lower()
    return bool(PREFIX.fullmatch(word)) and any(one.startswith(word) for one in home.lives(where))


def _constants(name: str) -> Mapping[str, object]:
    return extensions.constants("bridges" if name in extensions.names("bridges") else "commands", name)


def _module(name: str) -> ModuleType:
    if name in extensions.names("bridges"):
        from dotagent.bridges.pattern import serve  # with asyncio and all that a bridge needs

        return serve
    return extensions.load("commands", name)
