"""The command line of a program or command. Owns nothing on disk."""

from __future__ import annotations

import argparse
import re
from functools import partial

from dotagent import __version__, installed
from dotagent.errors import Misuse


class Parser(argparse.ArgumentParser):
    """The parser of a program or command, with --home. Its errors are one line, and its help ignores the terminal."""

    def __init__(self, name: str, about: str) -> None:
        program = installed.program(name)  # argparse formats each option; without a width it loads more for it
        wide = partial(argparse.HelpFormatter, max_help_position=28, width=100)
        super().__init__(prog=program, description=about, allow_abbrev=False, formatter_class=wide)
        told = (
            "the directory with dotagent's data (default: DOTAGENT_HOME, your copy of the repository, or ~/.dotagent)"
        )
        self.add_argument("--home", metavar="DIR", help=told)
        if name in installed.PROGRAMS:
            self.add_argument(
                "--version", action="version", version=f"dotagent {__version__}", help="show the version and exit"
            )

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Parse the arguments, for all parse methods. Raise Misuse for an empty one; only a VALUE may be empty."""
        found, rest = super().parse_known_args(args, namespace)
        for action in self._actions:
            given, value = getattr(found, action.dest, None), str(action.metavar or action.dest.upper())
            needed = action.option_strings or action.required or (action.default is None and value != "VALUE")
            if (needed and given == "") or (isinstance(given, list) and "" in given):
                option = "".join(action.option_strings[:1])
                raise Misuse(f"{option} is empty: write {value} after it" if option else f"{value} is empty")
        return found, rest

    def error(self, message: str) -> None:  # type: ignore[override]
        """End the process with a line of error and status 2."""
        word = message.partition("unrecognized arguments: ")[2].partition(" ")[0].partition("=")[0]
        known = [option for action in self._actions for option in action.option_strings]
        meant = ""
        if word.startswith("-"):
            from dotagent.text import suggestions  # loaded only for a mistake

            meant = suggestions.hint(word, known)
        message = re.sub(r"invalid int value: (.*)", r"\1 is not a whole number", message)
        message = re.sub(r"invalid float value: (.*)", r"\1 is not a number", message)
        raise Misuse(f"{message}{meant.rstrip('.')} (see {self.prog} --help)")
