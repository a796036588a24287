"""The commands of `python -m dotagent`: a module here is one, its docstring's first line is its help.

So is every transport in bridges/, which `bridges/pattern/serve.py` runs. A command has `arguments(parser)`, which adds
what it understands, and `run(asked)`, which does it and returns an exit status.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

from dotagent import errors, extensions
from dotagent.arguments import Parser
from dotagent.errors import Misuse
from dotagent.store import home, lives
from dotagent.store.home import Home
from dotagent.text import escape
from dotagent.text.reference import PREFIX, short


def names() -> list[str]:
    """Every command's name."""
    return sorted({*extensions.names("commands"), *extensions.names("bridges")})


def overview() -> str:
    """All commands, a line each."""
    lines = [f"  {name:<12}{_help(name)}" for name in names()]
    return "usage: python -m dotagent COMMAND [--home DIR] …   (COMMAND --help tells more)\n\n" + "\n".join(lines)


def run(name: str, words: Sequence[str]) -> int:
    """Run one command. Raises Misuse for one that is not there."""
    if name not in names():
        raise Misuse(f"no command {name!r}: there are {', '.join(names())}")
    bridge = name in extensions.names("bridges")
    module = _serve() if bridge else extensions.load("commands", name)
    parser = Parser(prog=f"python -m dotagent {name}", description=_help(name), allow_abbrev=False)
    parser.add_argument(
        "--home", metavar="DIR", help="the directory everything lives in (default: DOTAGENT_HOME, or the code's)"
    )
    module.arguments(parser)
    asked = parser.parse_intermixed_args(words)  # options may stand among the words
    status: int = module.run(name, asked) if bridge else module.run(asked)
    return status


def json_flag(parser: argparse.ArgumentParser) -> None:
    """Commands that list take --json."""
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def show(row: Mapping[str, object], plain: str, asked: argparse.Namespace) -> None:
    """One row of a list: with --json the object, else the line for a person."""
    print(escape.dumps(row) if asked.json else escape.row(plain), flush=True)


def give(body: bytes) -> None:
    """Print bytes as they are; at a terminal, what it can show of them."""
    if sys.stdout.isatty():
        print(body.decode("utf-8", "replace"), end="")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(body)


def home_of(asked: argparse.Namespace) -> Home:
    """The home that the command is about. Raises Misuse and Trouble when there is none."""
    where = home.find(asked.home)
    home.require(where)
    return where


def life_argument(parser: argparse.ArgumentParser, words: str = "") -> None:
    """Commands about one agent take its id, or none where it is clear whom they mean."""
    told = "the agent: 8 or more digits of its id, or a room that only it is in (default: the only one there is)"
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


def _serve() -> ModuleType:
    from dotagent.bridges.pattern import serve  # with asyncio and all that a bridge needs

    return serve


def _help(name: str) -> str:
    return str(extensions.constants("bridges" if name in extensions.names("bridges") else "commands", name)["help"])
