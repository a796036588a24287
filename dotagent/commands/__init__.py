"""The commands of `python -m dotagent`: a module here is one, its docstring's first line is its help.

So is every transport in bridges/: bridging runs them all. A command has `arguments(parser)`, which adds what it
understands, and `run(asked)`, which does it and returns an exit status.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Sequence

from dotagent import bridges
from dotagent.errors import Misuse
from dotagent.start import Parser


def names() -> list[str]:
    """Every command's name."""
    return sorted({*(found.name for found in pkgutil.iter_modules(__path__) if not found.ispkg), *bridges.names()})


def overview() -> str:
    """All commands, a line each."""
    lines = [f"  {name:<12}{_help(name)}" for name in names()]
    return "usage: python -m dotagent COMMAND [--home DIR] …   (COMMAND --help tells more)\n\n" + "\n".join(lines)


def run(name: str, words: Sequence[str]) -> int:
    """Run one command. Raises Misuse for one that is not there."""
    if name not in names():
        raise Misuse(f"no command {name!r}: there are {', '.join(names())}")
    bridge = name in bridges.names()
    module = importlib.import_module(f"{__name__}.{'bridging' if bridge else name}")
    parser = Parser(prog=f"python -m dotagent {name}", description=_help(name), allow_abbrev=False)
    parser.add_argument(
        "--home", metavar="DIR", help="the directory everything lives in (default: DOTAGENT_HOME, or the code's)"
    )
    module.arguments(parser)
    asked = parser.parse_args(words)
    status: int = module.run(name, asked) if bridge else module.run(asked)
    return status


def json_flag(parser: argparse.ArgumentParser) -> None:
    """Commands that list take --json."""
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def _help(name: str) -> str:
    if name in bridges.names():
        return bridges.help(name)
    module = importlib.import_module(f"{__name__}.{name}")
    return (module.__doc__ or "").partition("\n")[0].rstrip(".")
