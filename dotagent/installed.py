"""Where the program is, and what a person types to start it: a checkout's files, or `dotagent` as pip installed it.

pip puts the three programs and the prompts below dotagent/programs/ (pyproject.toml), so that no module of the names
`agent` and `chat` comes among other people's packages. Owns nothing on disk.
"""

from __future__ import annotations

from pathlib import Path

PROGRAMS = {
    "agent": "Boot a new agent, or resume one by its hash",
    "chat": "Talk in a room",
    "clean": "Wipe a home's runtime state",
}
"""The programs beside the package, and what each is for."""

_PACKAGE = Path(__file__).resolve().parent
INSTALLED = (_PACKAGE / "programs").is_dir()
CODE = _PACKAGE / "programs" if INSTALLED else _PACKAGE.parent
"""The directory of the programs and of the prompts that homes begin with."""
HOME = "~/.dotagent" if INSTALLED else str(CODE)
"""The home that is meant when none is named."""


def typed(name: str = "") -> str:
    """What a person types to start a program or command: `python agent.py`, `python -m dotagent status`, or where it is
    installed `dotagent agent`, `dotagent status`."""
    if not INSTALLED and name in PROGRAMS:
        return f"python {name}.py"
    return f"{'dotagent' if INSTALLED else 'python -m dotagent'} {name}".rstrip()
