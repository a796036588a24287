"""The place of the program, and the commands that a person types to start it.

The program is a checkout's files, or `dotagent` as installed by pip. pip puts the three programs and the prompts below
dotagent/programs/ (pyproject.toml), so that no module is called `agent` or `chat`. Owns nothing on disk.
"""

from __future__ import annotations

from pathlib import Path

PROGRAMS = {
    "agent": "Start a new agent, or resume one by its id",
    "chat": "Talk with the agents of a room",
    "clean": "Delete the files that dotagent wrote to its data directory",
}
"""The programs next to the package, and their descriptions."""

DISTRIBUTION = "dotagent-assistant"
"""The package's name in pip. On PyPI the name `dotagent` belongs to another project."""

_PACKAGE = Path(__file__).resolve().parent
INSTALLED = (_PACKAGE / "programs").is_dir()
CODE = _PACKAGE / "programs" if INSTALLED else _PACKAGE.parent
"""The directory of the programs and of the default prompts."""
HOME = "~/.dotagent" if INSTALLED else str(CODE)
"""The default home."""


def program(name: str = "") -> str:
    """Return the words that start a program or command: `python agent.py`, `python -m dotagent status`, or if installed
    `dotagent agent`, `dotagent status`."""
    if not INSTALLED and name in PROGRAMS:
        return f"python {name}.py"
    return f"{'dotagent' if INSTALLED else 'python -m dotagent'} {name}".rstrip()
