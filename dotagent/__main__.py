"""`python -m dotagent <command>`: every command is one file in commands/, found by its name."""

from __future__ import annotations

import sys

from dotagent import commands, errors


def main() -> int:
    """Find the command that was asked for and run it."""
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help", "help"):
        print(commands.overview())
        return 0
    return commands.run(words[0], words[1:])


if __name__ == "__main__":
    sys.exit(errors.edge(main))
