"""Run one of our programs with another folder's tools, providers, bridges and commands among its own:
`python tests/extended.py FOLDER agent.py …`, or `… FOLDER -m dotagent …`.
"""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path

KINDS = ("tools", "providers", "bridges", "commands")


def main() -> None:
    """Let Python find the folder's files, too, and become the program."""
    folder, program, *words = sys.argv[1:]
    for kind in KINDS:
        package = importlib.import_module(f"dotagent.{kind}")
        package.__path__.append(str(Path(folder) / "dotagent" / kind))
    if program == "-m":
        sys.argv = words
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [program, *words]
        runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
