"""`dotagent [--home DIR] [command …]`, or `python -m dotagent`: what a person wants done; alone it talks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from dotagent import __version__, commands, errors
from dotagent.errors import Misuse
from dotagent.store import home, plugins


def main() -> int:
    """Find the command that was asked for and run it."""
    words, there = sys.argv[1:], list[str]()
    while words and words[0].partition("=")[0] == "--home":  # before the command it means what it means behind it
        count = 1 if "=" in words[0] else 2
        there, words = words[:count], words[count:]
    waiting = list[plugins.Plugin]()
    with suppress(Misuse, OSError):  # which the command tells
        waiting = plugins.use(home.find(_home([*there, *words])).root)
    if not words:
        return commands.run("chat", ["--start", *there])
    if words[0] in ("-h", "--help", "help"):
        print(commands.overview() if not words[1:] else commands.parser(words[1]).format_help().rstrip())
        return 0
    if words[0] in ("--version", "version"):
        print(f"dotagent {__version__}")
        return 0
    if words[0].startswith("-"):
        raise Misuse(f"{words[0]}: a command comes first, and only --home DIR before it (see --help)")
    for one in waiting:
        if one.called == f"commands/{words[0]}":
            raise Misuse(plugins.waits(one))
    return commands.run(words[0], [*there, *words[1:]])


def _home(words: Sequence[str]) -> str | None:
    """The home that is named among the words: its commands are commands, too."""
    found: str | None = None
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name == "--home":
            found = value if "=" in word else "".join(words[at + 1 : at + 2])
    return found or None


def command() -> int:
    """What `dotagent` runs where it is installed."""
    return errors.edge(main)


if __name__ == "__main__":
    sys.exit(command())
