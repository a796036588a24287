"""How every program hears its person: the command line, by the standard parser, whose complaint is one line; and a yes
or no at the terminal. Owns nothing on disk."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from dotagent import __version__, installed
from dotagent.errors import Misuse, Trouble
from dotagent.text import near


class Parser(argparse.ArgumentParser):
    """A program's or command's parser, which knows --home: its complaint is one line, and its help does not depend on
    the terminal."""

    def __init__(self, name: str, about: str) -> None:
        super().__init__(prog=installed.typed(name), description=about, allow_abbrev=False)
        told = "the directory everything lives in (default: DOTAGENT_HOME, the checkout, or ~/.dotagent)"
        self.add_argument("--home", metavar="DIR", help=told)
        if name in installed.PROGRAMS:
            self.add_argument("--version", action="version", version=f"dotagent {__version__}", help="show it and exit")

    def format_help(self) -> str:
        """The help, 100 characters wide."""
        self.formatter_class = lambda prog: argparse.HelpFormatter(prog, max_help_position=28, width=100)
        return super().format_help()

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """As the standard one, which all others use; but no option is empty, nor what is needed. Raises Misuse."""
        found, rest = super().parse_known_args(args, namespace)
        for action in self._actions:
            if (action.option_strings or action.required) and getattr(found, action.dest, None) == "":
                value = str(action.metavar or action.dest.upper())
                option = "".join(action.option_strings[:1])
                raise Misuse(f"{option} is empty: give it {value}" if option else f"{value} is empty")
        return found, rest

    def error(self, message: str) -> None:  # type: ignore[override]
        """End the process with the line and status 2."""
        word = message.partition("unrecognized arguments: ")[2].partition(" ")[0].partition("=")[0]
        known = [option for action in self._actions for option in action.option_strings]
        meant = near.hint(word, known) if word.startswith("-") else ""
        raise Misuse(f"{message}{meant.rstrip('.')} (see {self.prog} --help)")


def agreed(question: str, otherwise: str, seen: bool = True) -> bool:
    """Whether the person says yes. Raises Misuse, `otherwise`, where nobody can answer, or has not seen what it is."""
    if not (seen and sys.stdin.isatty()):
        raise Misuse(otherwise)
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def typed(question: str, ask: Callable[[str], str] = input) -> str:
    """What the person types at this question. Raises Trouble where they leave instead (^D)."""
    try:
        return ask(question).strip()
    except EOFError:
        print()
        raise Trouble("nobody answered: nothing is changed") from None
