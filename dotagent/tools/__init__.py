"""The agent's hands: a tool is a module here, found by its file's name (`read_file.py` is READ_FILE).

It has USAGE (lines that show the model how to call it) and `act(mind, call)`, which returns what the model shall read,
or None when there is nothing to read; a failure is a ToolError, whose words become the result. One whose effect others
see announces it in LIFE, then acts; and has `settle(mind, call, line)`, which finds out what became of an announced
effect when the process died over it.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType

from dotagent import extensions
from dotagent.errors import Trouble


class ToolError(Trouble):
    """A tool's failure: a result that tells the model what went wrong and what to do instead."""


def names() -> frozenset[str]:
    """The tools' names, in capitals."""
    return extensions.tools()


def load(name: str) -> ModuleType:
    """The tool's module."""
    return extensions.load("tools", name.lower())


@cache
def usage() -> str:
    """How every tool is called, one form a line, for the harness's facts."""
    return "\n".join(f"    {line}" for name in sorted(extensions.tools()) for line in load(name).USAGE)
