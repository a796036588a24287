"""How every program reads its command line: the standard parser, whose complaint is one line. Owns nothing on disk."""

from __future__ import annotations

import argparse

from dotagent.errors import Misuse


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, and whose help does not depend on the terminal."""

    def format_help(self) -> str:
        """The help, 100 characters wide."""
        self.formatter_class = lambda prog: argparse.HelpFormatter(prog, max_help_position=28, width=100)
        return super().format_help()

    def error(self, message: str) -> None:  # type: ignore[override]
        """End the process with the line and status 2."""
        raise Misuse(f"{message} (see {self.prog} --help)")
