"""Capabilities: each folder is something that an agent can do besides talking and summarising.

A folder contains everything of its capability, and nothing else breaks if it is deleted. Its `record.py` defines its
events and its slice of the state, which folds no other events, and is imported with the first of these events. Its
`options.py` defines its tables in the settings, and is imported when such a table is used. Its `opening.py` is imported
at each start of an agent, even if settings do not choose the capability. Its `capability.py` declares everything else
that it adds (dotagent/contract.py). Owns nothing on disk.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parent


@cache
def names() -> tuple[str, ...]:
    """Return the names of the installed capabilities."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob("*/__init__.py")))


@cache
def modules(part: str, of: tuple[str, ...]) -> tuple[ModuleType, ...]:
    """Import this part (`record` …) of each capability in `of` that has it."""
    there = [name for name in of if (FOLDER / name / f"{part}.py").is_file()]
    return tuple(importlib.import_module(f"{__name__}.{name}.{part}") for name in there)


def records() -> tuple[ModuleType, ...]:
    """Import the records of all installed capabilities."""
    return modules("record", names())
