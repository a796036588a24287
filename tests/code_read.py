"""The project's Python files as rules read them: which there are, what they say, which of ours they import."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from support import ROOT

PROGRAMS = ("agent.py", "chat.py", "clean.py")


def sources(*folders: str) -> list[Path]:
    """The project's Python files, the programs first."""
    found = [ROOT / name for name in PROGRAMS if (ROOT / name).exists()]
    return found + sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


CODE = sources("dotagent")
ALL = sources("dotagent", "tests", "bench")


@cache
def tree(path: Path) -> ast.Module:
    """What the file says, parsed when a rule first looks at it. Python's search for garbage is kept away from it: else
    a million nodes are looked at again and again, also by all later tests."""
    gc.disable()
    try:
        return ast.parse(path.read_bytes(), str(path))
    finally:
        gc.freeze()
        gc.enable()


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All that the file is made of."""
    return tuple(ast.walk(tree(path)))


def name_of(path: Path) -> str:
    """The module's name: `dotagent.capabilities.shell.tools.run`, `agent`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in CODE}


@cache
def imported(path: Path) -> tuple[tuple[int, str], ...]:
    """Every import in the file: its line and the module's name, ours to the module itself, others by their top."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written whole"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield node.lineno, whole if whole in MODULES else str(node.module)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name


def length(path: Path) -> int:
    """How many lines the file has."""
    return path.read_bytes().count(b"\n")


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def none(wrong: list[str]) -> None:
    assert not wrong, "\n" + "\n".join(wrong)


def at(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"
