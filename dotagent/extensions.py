"""How dotagent is extended: a file in `tools/`, `providers/`, `bridges/` or `commands/` is an extension of that kind,
with the file's name. A capability's folder may have such folders, too.

An extension's docstring and the constants at its top describe it (its form, its help). They are read without running
the file, so that listing providers imports no SDK. A trusted extension of the user (store/plugins.py) works in the same
way, but cannot replace a bundled one. Owns nothing on disk.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from dotagent.text import lazy
from dotagent.text.grammar import Toolset
from dotagent.text.lazy import dataclass

CODE = Path(__file__).resolve().parent
KINDS = ("tools", "providers", "bridges", "commands")
_CODE = lazy.compile(r"^(?:(?:async )?def \w+\(|class \w+[(:]|@\w)", re.MULTILINE)  # here the head of a file ends


@dataclass(frozen=True)
class Added:
    """An extension of the user: its file, and its module if it belongs to an installed package."""

    path: Path
    module: str = ""


_added: dict[tuple[str, str], Added] = {}  # by kind and name


def add(found: Mapping[tuple[str, str], Added]) -> None:
    """Replace the user's extensions by these; bundled ones take precedence. Call this before other functions here."""
    if found == _added:
        return
    for kind, name in _added:
        sys.modules.pop(_module(kind, name), None)
    _added.clear()
    _added.update({key: one for key, one in found.items() if not is_ours(*key)})
    for known in (names, tools, constants):
        known.cache_clear()


def is_ours(kind: str, name: str) -> bool:
    """Return True if the program comes with an extension of this name."""
    return any((folder / f"{name.replace('-', '_')}.py").is_file() for folder in _folders(kind))


@cache
def owner(kind: str, name: str) -> str:
    """Return the capability whose folder contains the extension, or "" for an extension of the core or of the user."""
    file = f"{name.replace('-', '_')}.py"
    return next((folder.parent.name for folder in _capability_folders(kind) if (folder / file).is_file()), "")


def is_added(kind: str, name: str) -> bool:
    """Return True if the extension is one of the user's."""
    return (kind, name) in _added


@cache
def names(kind: str) -> tuple[str, ...]:
    """Return the names of a kind (`tools`, `providers` …), sorted and as people write them: `openai-codex`."""
    found = {path.stem for folder in _folders(kind) for path in folder.glob("*.py") if path.stem != "__init__"}
    own = {name for one, name in _added if one == kind}
    return tuple(sorted({*own, *(name.replace("_", "-") for name in found)}))


def call_name(name: str) -> str:
    """Return the name that a model writes for this tool: `read-file` is READ_FILE."""
    return name.upper().replace("-", "_")


def file_name(called: str) -> str:
    """Return the tool whose name a model writes in this way: READ_FILE is `read-file`."""
    return called.lower().replace("_", "-")


def _folders(kind: str) -> list[Path]:
    """Return the folders of a kind: Python's own search path of the package, if it is already imported, and the folders
    of capabilities."""
    package = sys.modules.get(f"dotagent.{kind}")
    ours = [Path(folder) for folder in package.__path__] if package else [CODE / kind]
    return [*ours, *_capability_folders(kind)]


@cache
def _capability_folders(kind: str) -> tuple[Path, ...]:
    """Return the folders of capabilities that contain files of the kind."""
    return tuple(sorted((CODE / "capabilities").glob(f"*/{kind}")))


@cache
def tools() -> Toolset:
    """Return the agents' tools, by the names that a model writes (`READ_FILE`). Each tool declares its FORM ("line",
    "speech", "shell"), ROLE ("speech", "silence", "original", "note", "lasting"), REMINDER and ORIGIN."""
    told = {call_name(name): constants("tools", name) for name in names("tools")}
    ours = {name: one for name, one in told.items() if not is_added("tools", file_name(name))}
    roles = {str(one["ROLE"]): name for name, one in ours.items() if "ROLE" in one}
    forms = {name: str(one.get("FORM", "line")) for name, one in told.items()}
    reminders = frozenset(name for name, one in told.items() if one.get("REMINDER"))
    receipts = frozenset(name for name, one in told.items() if one.get("ORIGIN") == "own")
    return Toolset(forms, reminders, receipts, **roles)


@cache
def constants(kind: str, name: str) -> Mapping[str, object]:
    """Return a file's constants: those in capitals with a plain value, its docstring (`about`), and the docstring's
    first line (`help`).

    The file is not run, and not read beyond its first function or class.
    """
    file, own = f"{name.replace('-', '_')}.py", _added.get((kind, name))
    path = own.path if own else next(path / file for path in _folders(kind) if (path / file).is_file())
    return read_constants(path.read_text("utf-8"))


def declared(tool: str, name: str, usual: str) -> str:
    """Return the value that a tool, named as a model writes it, declares for `name`; `usual` if it declares none or is
    gone."""
    known = constants("tools", file_name(tool)) if file_name(tool) in names("tools") else {}
    return str(known.get(name, usual))


def read_constants(text: str) -> Mapping[str, object]:
    """Return the constants in the text of a file, as in `constants`. Raises SyntaxError."""
    import ast

    try:
        tree = ast.parse(_CODE.split(text, maxsplit=1)[0])
    except SyntaxError:  # the docstring contained a line that looked like code
        tree = ast.parse(text)
    about = _dedent(ast.get_docstring(tree, clean=False) or "")
    found: dict[str, object] = {"about": about, "help": about.partition("\n")[0].rstrip(".")}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            try:
                value: object = ast.literal_eval(node.value)
            except ValueError:
                continue  # computed; a caller that needs it imports the file
            if isinstance(target, ast.Name) and target.id.isupper():
                found[target.id] = value
    return found


def _dedent(docstring: str) -> str:
    """Return a docstring without the indentation of its lines. Python's function for this is in a module that takes
    10 ms to import."""
    first, *rest = docstring.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first.lstrip(), *(line[margin:] for line in rest)]).strip("\n ")


def load(kind: str, name: str) -> ModuleType:
    """Import and return the module of this name. Raises ModuleNotFoundError if a package that it needs is missing."""
    own, module = _added.get((kind, name.replace("_", "-"))), _module(kind, name)
    if own is None or own.module:
        return importlib.import_module(own.module if own else module)
    if module not in sys.modules:
        from importlib import util

        spec = util.spec_from_file_location(module, own.path)
        assert spec and spec.loader
        sys.modules[module] = made = util.module_from_spec(spec)
        whole = False
        try:
            spec.loader.exec_module(made)
            whole = True
        finally:
            if not whole:
                del sys.modules[module]
    return sys.modules[module]


def _module(kind: str, name: str) -> str:
    place = f"capabilities.{capability}.{kind}" if (capability := owner(kind, name)) else kind
    return f"dotagent.{place}.{name.replace('-', '_')}"
