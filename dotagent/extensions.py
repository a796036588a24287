"""How dotagent is extended: a file in `tools/`, `providers/`, `bridges/` or `commands/` is one more of its kind, found
by the file's name.

What others must know of one (its form, its help) are constants at the top of that file and its docstring: they are
read without running it, so that listing providers imports no SDK. Owns nothing on disk.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

CODE = Path(__file__).resolve().parent


@cache
def names(kind: str) -> tuple[str, ...]:
    """The names of all of a kind (`tools`, `providers` …), sorted, as people write them: `openai-codex`."""
    found = (path.stem for path in (CODE / kind).glob("*.py") if path.stem != "__init__")
    return tuple(sorted(name.replace("_", "-") for name in found))


@cache
def tools() -> frozenset[str]:
    """The names of the agents' tools, as a model writes them: `READ_FILE`."""
    return frozenset(name.upper().replace("-", "_") for name in names("tools"))


@cache
def constants(kind: str, name: str) -> Mapping[str, object]:
    """The constants in capitals at the top of the file that are plain values, and its docstring's first line (`help`).

    The file is not run, and not read beyond its first function or class.
    """
    text = (CODE / kind / f"{name.replace('-', '_')}.py").read_text("utf-8")
    tree = ast.parse(text)
    found: dict[str, object] = {"help": (ast.get_docstring(tree) or "").partition("\n")[0].rstrip(".")}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            try:
                value: object = ast.literal_eval(node.value)
            except ValueError:
                continue  # it is computed: whoever wants it imports the file
            if isinstance(target, ast.Name) and target.id.isupper():
                found[target.id] = value
    return found


def load(kind: str, name: str) -> ModuleType:
    """The module of that name. Raises ModuleNotFoundError for one that lacks what it needs."""
    return importlib.import_module(f"dotagent.{kind}.{name.replace('-', '_')}")
