"""How dotagent is extended: a file in `tools/`, `providers/`, `bridges/` or `commands/` is one more of its kind, found
by the file's name.

What others must know of one (its form, its help) are constants at the top of that file and its docstring: they are
read without running it, so that listing providers imports no SDK. So is one of a person's own (store/plugins.py), once
they trust it; none takes the place of one of ours. Owns nothing on disk.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from dotagent.text.grammar import Toolset

CODE = Path(__file__).resolve().parent
KINDS = ("tools", "providers", "bridges", "commands")
_CODE = re.compile(r"^(?:(?:async )?def \w+\(|class \w+[(:]|@\w)", re.MULTILINE)  # here a file's head ends


@dataclass(frozen=True)
class Added:
    """One of a person's own: its file, and the module's name where it is one of an installed package."""

    path: Path
    module: str = ""


_added: dict[tuple[str, str], Added] = {}  # by kind and name


def add(found: Mapping[tuple[str, str], Added]) -> None:
    """Let these be the ones beside ours, instead of those before; to be called before anything asks."""
    if found == _added:
        return
    for kind, name in _added:
        sys.modules.pop(_module(kind, name), None)
    _added.clear()
    _added.update({key: one for key, one in found.items() if not is_ours(*key)})
    for known in (names, tools, constants):
        known.cache_clear()


def is_ours(kind: str, name: str) -> bool:
    """Whether one of that name came with the program."""
    return any((folder / f"{name.replace('-', '_')}.py").is_file() for folder in _folders(kind))


def is_added(kind: str, name: str) -> bool:
    """Whether it is one of a person's own."""
    return (kind, name) in _added


@cache
def names(kind: str) -> tuple[str, ...]:
    """The names of all of a kind (`tools`, `providers` …), sorted, as people write them: `openai-codex`."""
    found = {path.stem for folder in _folders(kind) for path in folder.glob("*.py") if path.stem != "__init__"}
    own = {name for one, name in _added if one == kind}
    return tuple(sorted({*own, *(name.replace("_", "-") for name in found)}))


def called(name: str) -> str:
    """The name by which a model calls this tool: `read-file` is READ_FILE."""
    return name.upper().replace("-", "_")


def named(called: str) -> str:
    """The tool that a model calls so."""
    return called.lower().replace("_", "-")


def _folders(kind: str) -> list[Path]:
    """Where files of the kind are: what Python itself searches for them, once it knows the package."""
    package = sys.modules.get(f"dotagent.{kind}")
    return [Path(folder) for folder in package.__path__] if package else [CODE / kind]


@cache
def tools() -> Toolset:
    """The agents' tools, under the names that a model writes (`READ_FILE`), as each says of itself: FORM ("line",
    "speech", "shell"), ROLE ("speech", "silence", "original", "note", "lasting") and REMINDER."""
    told = {called(name): constants("tools", name) for name in names("tools")}
    ours = {name: one for name, one in told.items() if not is_added("tools", named(name))}
    roles = {str(one["ROLE"]): name for name, one in ours.items() if "ROLE" in one}
    forms = {name: str(one.get("FORM", "line")) for name, one in told.items()}
    return Toolset(forms, frozenset(name for name, one in told.items() if one.get("REMINDER")), **roles)


@cache
def constants(kind: str, name: str) -> Mapping[str, object]:
    """The constants in capitals at the top of the file that are plain values, its docstring (`about`), and of that the
    first line (`help`).

    The file is not run, and not read beyond its first function or class.
    """
    file, own = f"{name.replace('-', '_')}.py", _added.get((kind, name))
    path = own.path if own else next(path / file for path in _folders(kind) if (path / file).is_file())
    return told(path.read_text("utf-8"))


def told(text: str) -> Mapping[str, object]:
    """What a file of this text says of itself. Raises SyntaxError."""
    try:
        tree = ast.parse(_CODE.split(text, maxsplit=1)[0])
    except SyntaxError:  # what looked like code stands in the docstring
        tree = ast.parse(text)
    about = ast.get_docstring(tree) or ""
    found: dict[str, object] = {"about": about, "help": about.partition("\n")[0].rstrip(".")}
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
    own, module = _added.get((kind, name.replace("_", "-"))), _module(kind, name)
    if own is None or own.module:
        return importlib.import_module(own.module if own else module)
    if module not in sys.modules:
        spec = importlib.util.spec_from_file_location(module, own.path)
        assert spec and spec.loader
        sys.modules[module] = made = importlib.util.module_from_spec(spec)
        whole = False
        try:
            spec.loader.exec_module(made)
            whole = True
        finally:
            if not whole:
                del sys.modules[module]
    return sys.modules[module]


def _module(kind: str, name: str) -> str:
    return f"dotagent.{kind}.{name.replace('-', '_')}"
