"""The program `dotagent [--home DIR] [command …]`, also `python -m dotagent`. Without a command it starts a chat."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from dotagent import __version__, commands, errors
from dotagent.errors import Misuse
from dotagent.store import home, plugins


def main() -> int:
    """Find the command in the arguments, and run it."""
    words, there = sys.argv[1:], list[str]()
    while words and words[0].partition("=")[0] == "--home":  # --home also works before the command
        count = 1 if "=" in words[0] else 2
        there, words = words[:count], words[count:]
    waiting = list[plugins.Plugin]()
    with suppress(Misuse, OSError):  # the command reports it
        where = home.find(_home([*there, *words]))
        waiting = plugins.use(where.root)
        home.settings(where)  # so that every command shows times in the zone of its home
    if not words:
        return commands.run("chat", ["--start", *there])
    if words[0] in ("-h", "--help", "help"):
        print(commands.help_of(words[-1]) if words[1:] else commands.overview())
        return 0
    if words[0] == commands.PROJECT:
        if not words[1:] or words[1] in ("-h", "--help", "help"):
            print(commands.overview(commands.PROJECT))
            return 0
        words = [*commands.project_words(words[1:])]
    if words[0] in ("--version", "version"):
        print(f"dotagent {__version__}")
        return 0
    if words[0].startswith("-"):
        raise Misuse(f"write a command before {words[0]}; only --home DIR can come before the command (see --help)")
    for one in waiting:
        if one.called == f"commands/{words[0]}":
            raise Misuse(plugins.waiting_message(one))
    return commands.run(words[0], [*there, *words[1:]])


def _home(words: Sequence[str]) -> str | None:
    """Return the home in the arguments, because its plug-ins can be commands too."""
    found: str | None = None
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name == "--home":
            found = value if "=" in word else "".join(words[at + 1 : at + 2])
    return found or None


def command() -> int:
    """Run main() as the installed `dotagent`, and return the exit status."""
    return errors.edge(main)


if __name__ == "__main__":
    sys.exit(command())
