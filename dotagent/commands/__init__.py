"""The commands of `dotagent`. Each module in this folder is one command, and owns nothing on disk by that.

The first line of a module's docstring is its help, and `GROUP` names its part of the overview. `arguments(parser)` adds
the arguments, and `run(asked)` runs the command and returns the exit status. The programs next to the package and the
bridges are commands too.
"""

from __future__ import annotations

import argparse
import os
import re
import runpy
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TextIO, cast

from dotagent import errors, extensions, installed
from dotagent.arguments import Parser
from dotagent.errors import Misuse
from dotagent.installed import CODE, PROGRAMS
from dotagent.store import agent_search, home
from dotagent.store.home import Home
from dotagent.text import escape, suggestions, table
from dotagent.text.reference import PREFIX, short

ELSEWHERE = {
    "channels": "status --probe",
    "compact": "fade",
    "init": "onboard",
    "pairing": "pair",
    "runtime": "up, down, restart, ps and logs",
    "sessions": "agents",
}
"""Commands of other systems (docs/coming-from.md), and the commands that replace them."""
PROJECT = "project"
PROGRAM_GROUPS = {"agent": "daily", "chat": "daily", "clean": "repair"}
GROUPS = {
    "daily": "Daily use",
    "setup": "Setting up",
    "inside": "Looking inside",
    "project": "Projects (also as `project COMMAND`)",
    "repair": "Backup and repair",
    "": "More",
}
"""The parts of the overview, in their order. The last one is for plug-ins that name no group."""
NARROW = 60  # columns that a table has all the same, on a terminal of fewer
ANSWER = "120"
"""Seconds that `agent -m TEXT` waits for the answer to its question."""


def names() -> list[str]:
    """Return the names of all commands, programs first."""
    return [*PROGRAMS, *sorted({*extensions.names("commands"), *extensions.names("bridges")})]


def overview(group: str | None = None) -> str:
    """Return the help of all commands, or of one group: a line for each command, at most 80 columns wide."""
    usage = f"usage: {installed.program()} [COMMAND] [--home DIR] …"
    more = (
        "`help COMMAND` explains a command, and `help WORD` finds commands.\n"
        "Without a command, a chat starts. --home DIR chooses another data directory."
    )
    parts = [f"{usage}\n{more}"]
    for key, title in GROUPS.items():
        found = [name for name in names() if group_of(name) == key]
        if found and group in (None, key):
            parts.append("\n".join([f"{title}:", *map(_row, found)]))
    return "\n\n".join(parts)


def _row(name: str) -> str:
    return f"  {name:<15}{description(name)}"


def group_of(name: str) -> str:
    """Return the group of a command, a key of GROUPS."""
    group = PROGRAM_GROUPS[name] if name in PROGRAMS else str(_constants(name).get("GROUP", ""))
    return group if group in GROUPS else ""


def help_of(word: str) -> str:
    """Return the help of a command, or of each command whose help contains the word. Raises Misuse for no match."""
    if word == PROJECT:
        return overview(PROJECT)
    if word in ELSEWHERE or word in names():
        return parser(word).format_help().rstrip()
    sought = word.casefold()
    found = [name for name in names() if sought in f"{name} {description(name)} {detail(name)}".casefold()]
    if not found:
        raise Misuse(f"no command {word!r}, and no command's help contains it{_suggest(word)}")
    return "\n".join(map(_row, found))


def _suggest(word: str) -> str:
    return f"{suggestions.hint(word, names())} `{installed.program()} help` lists all commands"


def project_words(words: Sequence[str]) -> Sequence[str]:
    """Return what `project` and these words mean: `project who` is `who`. Raises Misuse for another command."""
    known = [name for name in names() if group_of(name) == PROJECT]
    if words[0] not in known:
        raise Misuse(
            f"`project` has no command {words[0]!r}{suggestions.hint(words[0], known)} "
            f"`{installed.program()} help project` lists its commands"
        )
    return words


def description(name: str) -> str:
    """Return the command's description, one line."""
    return PROGRAMS[name] if name in PROGRAMS else str(_constants(name)["help"])


def detail(name: str) -> str:
    """Return the rest of the command's module docstring, in paragraphs; it may be empty."""
    if name in PROGRAMS:
        return str(runpy.run_path(str(CODE / f"{name}.py"))["__doc__"]).partition("\n")[2].strip()
    return str(_constants(name)["about"]).partition("\n")[2].strip()


def parser(name: str) -> Parser:
    """Return the parser of the command. Raise Misuse for an unknown command."""
    if name in ELSEWHERE:
        raise Misuse(f"dotagent has no command {name!r}; use {ELSEWHERE[name]} instead (docs/coming-from.md)")
    if name not in names():
        raise Misuse(f"no command {name!r}{_suggest(name)}")
    if name in PROGRAMS:
        program = runpy.run_path(str(CODE / f"{name}.py"))
        understood: Parser = (program.get("parser") or program["boot"].parser)()
        return understood
    made = Parser(name, description(name))
    _module(name).arguments(made)
    return made


def resolve(name: str, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the intended command and words: `agent -m TEXT`, as in other systems, is a `chat` that waits for the
    answer. `agent` alone at a terminal is a `chat`, because an agent's process does not read what a person types."""
    if name == "agent" and not {"-m", "--message"}.isdisjoint(words):
        words = ["-m" if one == "--message" else one for one in words]
        if unknown := [one for one in parser("chat").parse_known_args(words)[1] if one[0] == "-"]:  # type: ignore[no-untyped-call]
            raise Misuse(f"`agent -m` takes the options of `{installed.program('chat')}`, which has no {unknown[0]}")
        return "chat", ["--start", "--wait", ANSWER, *words]
    more = words[1 if words[0].startswith("--home=") else 2 :] if words[:1] and words[0].startswith("--home") else words
    if name == "agent" and not more and sys.stdin.isatty() and sys.stdout.isatty():
        return "chat", ["--start", *words]
    if name == "agent" and "--new" not in words:
        return name, ["--continue", *words]
    return name, words


def run(name: str, words: Sequence[str]) -> int:
    """Run one command. Raise Misuse for an unknown command."""
    name, words = resolve(name, words)
    if name in PROGRAMS:
        path = str(CODE / f"{name}.py")
        sys.argv = [path, *words]
        runpy.run_path(path, run_name="__main__")  # it ends the process
    asked = parser(name).parse_intermixed_args(words)  # options may come between the words
    bridge, module = name in extensions.names("bridges"), _module(name)
    screen = sys.stdout
    try:
        status: int = module.run(name, asked) if bridge else module.run(asked)
        print(end="")  # names the chosen agent also for a command without output
    finally:
        sys.stdout = screen
    return status


def many(text: str) -> int:
    """Convert the text of an option to a number of at least 1, for argparse."""
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def json_flag(parser: argparse.ArgumentParser) -> None:
    """Add --json, for commands that list something."""
    parser.add_argument("--json", action="store_true", help="print one JSON object on each line")


def refuse_unused(asked: argparse.Namespace, do: str, uses: Mapping[str, str]) -> None:
    """Raise Misuse for an option or word that the action `do` would ignore.

    `uses` names the actions that use each of them. A key is as a person writes it, and perhaps the name in `asked`.
    """
    for key, actions in uses.items():
        label, _, name = key.partition(" ")
        given = getattr(asked, name or label.strip("-").lower())
        if given is not None and given != "" and given is not False and given != [] and do not in actions.split():
            raise Misuse(f"{label} has no effect with `{do}`; use it with {' or '.join(actions.split())}")


def lock_of(asked: argparse.Namespace, path: Path) -> int | None:
    """Return the descriptor of `--lock`, or None without one. Raises Misuse unless it is an open one of this file."""
    try:
        ours = asked.lock is None or os.path.samestat(os.fstat(asked.lock), os.stat(path))
    except (OSError, OverflowError):
        ours = False
    if not ours:
        raise Misuse(f"--lock {asked.lock}: only dotagent itself uses this option; leave it out")
    return asked.lock  # type: ignore[no-any-return]


Row = tuple[Mapping[str, object], Sequence[object]]
"""A row of a list: the object that --json shows, and the cells of the table."""


def print_list(asked: argparse.Namespace, heads: str, rows: Iterable[Row], empty: str, *, wrap: bool = False) -> None:
    """Print a list: with --json one object per line, otherwise a table with these heads (text/table.py), or `empty` for
    no rows. With `wrap` the last column is never cut."""
    if asked.json:
        for told, _ in rows:
            print(escape.dumps(told), flush=True)
        return
    cells = [[str(cell) for cell in one] for _, one in rows]
    print("\n".join(table.table(heads.split(), cells, wrap=wrap, width=width())) if cells else empty)


def width() -> int:
    """Return the maximum width of a table in columns: the width of the terminal, but at least NARROW."""
    there = shutil.get_terminal_size().columns if sys.stdout.isatty() else table.WIDTH
    return min(table.WIDTH, max(NARROW, there))


def tell(told: Mapping[str, object], words: str, asked: argparse.Namespace) -> None:
    """Print one fact: with --json the object, otherwise the words."""
    lines = [escape.dumps(told)] if asked.json else table.wrapped(escape.row(words), width() - 2)
    print("\n  ".join(lines), flush=True)


def give(body: bytes) -> None:
    """Print the bytes unchanged, or at a terminal as text."""
    if sys.stdout.isatty():
        print(body.decode("utf-8", "replace"), end="")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(body)


def alone(page: str) -> None:
    """Tell a person at a terminal that the command waits for another program."""
    if sys.stdin.isatty():
        errors.tell(
            f"this command talks to another program through stdin and stdout, see docs/{page}.md; Ctrl-C ends it"
        )


UPWARD = "(upward)"  # --project without a directory: the nearest one


def project_argument(parser: argparse.ArgumentParser) -> None:
    """Add --project, a project's directory, for commands about a project's memory."""
    told = "the project's directory (default: the nearest one with .agent/, here or above)"
    parser.add_argument("--project", metavar="DIR", help=told)


def events_arguments(parser: argparse.ArgumentParser, most: int = 0) -> None:
    """Add the filters of a project's events: which, since when, and how many."""
    project_argument(parser)
    for name in ("actor", "kind", "file"):
        parser.add_argument(f"--{name}", metavar=name.upper(), help=f"show only events with this {name}")
    parser.add_argument("--since", metavar="DAY", help="show only events since this day, e.g. 2026-11-21")
    if most:
        parser.add_argument("-n", type=many, default=most, metavar="N", help=f"show at most N events (default: {most})")
    json_flag(parser)


def home_of(asked: argparse.Namespace) -> Home:
    """Return the home of the command. Raise Misuse, or Trouble if it does not exist."""
    where = home.find(asked.home)
    home.require(where)
    return where


def life_argument(parser: argparse.ArgumentParser, words: str = "") -> None:
    """Add the agent's id, which is optional if only one agent can be meant."""
    told = (
        "the agent: its name, the first digits of its id, or a room that only it has joined (default: the only agent)"
    )
    parser.add_argument("self", nargs="?", metavar="AGENT", help=words or told)
    parser.add_argument("--last", action="store_true", help="use the most recently active agent")


def life_of(asked: argparse.Namespace, where: Home) -> str:
    """Return the full id of the command's agent, and name it above the output if the command did not give it. Raise
    Misuse."""
    self_id = agent_search.find_agent(where, asked.self, asked.last)
    if not asked.self or not self_id.startswith(asked.self.lower()):
        sys.stdout = cast(TextIO, _Headed(sys.stdout, f"agent {short(self_id)}"))
    return self_id


class _Headed:
    """stdout with a line above the first output, which names the agent. An error without output stays one line.

    It stays in its place, because CPython's print may lose a stream that is replaced while it writes.
    """

    def __init__(self, stream: TextIO, line: str) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        """Print the line, then the text."""
        self._tell()
        return self._stream.write(text)

    def flush(self) -> None:
        """Print the line, because bytes or a question to the person follow."""
        self._tell()
        self._stream.flush()

    def _tell(self) -> None:
        line, self._line = self._line, ""
        if line:
            errors.tell(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def first_is_life(asked: argparse.Namespace, where: Home) -> bool:
    """Return True if the command's first word is an agent's id or its beginning."""
    word = (asked.self or "").lower()
    return bool(PREFIX.fullmatch(word)) and any(one.startswith(word) for one in home.lives(where))


def _constants(name: str) -> Mapping[str, object]:
    return extensions.constants("bridges" if name in extensions.names("bridges") else "commands", name)


def _module(name: str) -> ModuleType:
    if name in extensions.names("bridges"):
        from dotagent.bridges.pattern import serve  # loads asyncio and the rest of a bridge

        return serve
    try:
        return extensions.load("commands", name)
    except ModuleNotFoundError as missing:
        if not extensions.is_added("commands", name):
            raise
        raise Misuse(
            f"the command {name} needs the Python module {missing.name}; install this module, then run the "
            "command again"
        ) from None
