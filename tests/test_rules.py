"""The house rules, held by tests: which way imports point, how large things may grow, what is never written here.

A rule that fails names the file and the line. A limit is raised in a commit that does nothing else.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ROOT

PROGRAMS = ("agent.py", "chat.py", "clean.py")
FILE, FUNCTION, PARAMETERS, LOOP = 300, 50, 6, 130  # lines, lines, number, lines of agent.py

# From the inside out: a module imports from earlier rows only, or from its own folder.
INSIDE = (
    ("text",),
    ("errors", "extensions"),
    ("arguments",),
    ("store",),
    ("life",),
    ("compaction", "search"),
    ("tools",),
    ("loop",),
)
STORE = {name for row in INSIDE[:4] for name in row}
RANK = {name: number for number, row in enumerate(INSIDE) for name in row}
OUTSIDE = {  # beside what is inside: who may import what
    "providers": STORE,
    "bridges": STORE,
    "chatting": STORE,
    "doctor": set(RANK),
    "commands": {*RANK, "providers", "bridges", "doctor"},
    "__main__": {"errors", "commands"},
    "agent": set(RANK),
    "chat": {*STORE, "chatting"},
    "clean": STORE,
}
WORLD = {
    "socket",
    "ssl",
    "http",
    "urllib",
    "httpx",
    "requests",
    "asyncio",
    "threading",
    "multiprocessing",
    "concurrent",
}
TITLES = {"manager", "service", "coordinator", "controller", "helper", "helpers", "util", "utils", "legacy"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|(?i:placeholder|stubs?|for now|legacy))\b")


def sources(*folders: str) -> list[Path]:
    """The project's Python files, the programs first."""
    found = [ROOT / name for name in PROGRAMS if (ROOT / name).exists()]
    return found + sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


CODE = sources("dotagent")
ALL = sources("dotagent", "tests", "bench")
TREES: dict[Path, ast.Module] = {path: ast.parse(path.read_bytes(), str(path)) for path in ALL}


def name_of(path: Path) -> str:
    """The module's name: `dotagent.tools.run`, `agent`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in CODE}


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Every import in the file: its line and the module's name, ours to the module itself, others by their top."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written whole"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield node.lineno, whole if whole in MODULES else str(node.module)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name


def part_of(module: str) -> str:
    """Which part of the house the module is in: `tools`, `rooms`, `agent`."""
    words = module.split(".")
    return words[1] if words[0] == "dotagent" and len(words) > 1 else words[0]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def none(wrong: list[str]) -> None:
    assert not wrong, "\n" + "\n".join(wrong)


def at(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


# --- imports


def test_imports_point_one_way() -> None:
    wrong = []
    for module, path in MODULES.items():
        mine = part_of(module)
        assert mine in RANK or mine in OUTSIDE or module == "dotagent", f"{module} has no place in the table"
        allowed = OUTSIDE.get(mine) or {name for name, rank in RANK.items() if rank < RANK.get(mine, 0)}
        for line, other in imported(path):
            theirs = part_of(other)
            ours = other.split(".")[0] in ("dotagent", "agent", "chat", "clean")
            if ours and theirs != mine and theirs not in allowed:
                wrong.append(f"{at(path, line)}: {mine} may not import {other}")
    none(wrong)


def test_the_table_knows_every_part_of_the_house() -> None:
    there = {
        entry.stem
        for entry in (ROOT / "dotagent").iterdir()
        if entry.suffix == ".py" or (entry / "__init__.py").exists()
    }
    assert there - {"__init__"} - set(OUTSIDE) == set(RANK)


def test_no_import_leads_in_a_circle() -> None:
    edges = {module: {other for _, other in at_top(path) if other in MODULES} for module, path in MODULES.items()}
    done: set[str] = set()

    def follow(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " → ".join([*way[way.index(module) :], module])
        if module not in done:
            for other in sorted(edges[module]):
                follow(other, (*way, module))
            done.add(module)

    for module in sorted(edges):
        follow(module, ())


def at_top(path: Path) -> Iterator[tuple[int, str]]:
    """The imports that happen when the module is loaded: not in functions, not for type checkers."""
    later = [
        range(node.lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(TREES[path])
        if isinstance(node, ast.FunctionDef) or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    ]
    return ((line, other) for line, other in imported(path) if not any(line in lines for lines in later))


def test_the_inside_has_no_threads_and_no_sockets() -> None:
    """Only processes of the outside talk to the world: the loop writes files and waits for files."""
    inside = [
        path
        for module, path in MODULES.items()
        if part_of(module) in (*RANK, *OUTSIDE) and part_of(module) not in ("providers", "bridges")
    ]
    none([
        f"{at(path, line)}: imports {other}"
        for path in inside
        for line, other in imported(path)
        if other.split(".")[0] in WORLD
    ])  # fmt: skip


# --- size


def test_no_file_is_long() -> None:
    lengths = {path: path.read_bytes().count(b"\n") for path in CODE}
    limit = {ROOT / "agent.py": LOOP}
    none([f"{path.relative_to(ROOT)}: {size} lines" for path, size in lengths.items() if size > limit.get(path, FILE)])


def test_no_function_is_long() -> None:
    none([
        f"{at(path, node.lineno)}: {node.name} has {(node.end_lineno or 0) - node.lineno + 1} lines"
        for path in CODE
        for node in functions(path)
        if (node.end_lineno or 0) - node.lineno >= FUNCTION
    ])  # fmt: skip


def test_no_function_takes_many_parameters() -> None:
    wrong = []
    for path in CODE:
        for node in functions(path):
            given = node.args
            names = [
                one.arg
                for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
                if one
            ]
            count = len([name for name in names if name not in ("self", "cls")])
            if count > PARAMETERS:
                wrong.append(f"{at(path, node.lineno)}: {node.name} takes {count} parameters")
    none(wrong)


# --- words


def test_every_module_opens_by_saying_what_it_is() -> None:
    none([str(path.relative_to(ROOT)) for path in ALL if not (ast.get_docstring(TREES[path]) or "").strip()])


def test_everything_public_says_what_it_is() -> None:
    wrong = []
    for path in CODE:
        body = TREES[path].body
        classes = [node for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
        nodes = [node for part in (body, *(one.body for one in classes)) for node in part]
        for node in (*classes, *(node for node in nodes if isinstance(node, ast.FunctionDef))):
            if not node.name.startswith("_") and not ast.get_docstring(node):
                wrong.append(f"{at(path, node.lineno)}: {node.name}")
    none(wrong)


def test_names_are_nouns_and_not_titles() -> None:
    wrong = [str(path.relative_to(ROOT)) for path in CODE if words_of(path.stem) & TITLES]
    for path in CODE:
        for node in ast.walk(TREES[path]):
            name = ""
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                name = node.name
            elif isinstance(node, ast.arg):
                name = node.arg
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
            if words_of(name) & TITLES:
                wrong.append(f"{path.relative_to(ROOT)}: {name}")
    none(wrong)


def words_of(name: str) -> set[str]:
    """The words of a name: snake_case and CamelCase."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def test_nothing_is_left_for_later() -> None:
    none([
        f"{at(path, number)}: {line.strip()}"
        for path in CODE
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if UNFINISHED.search(line)
    ])  # fmt: skip


def test_only_lf_ends_a_line() -> None:
    none([
        f"{at(path, node.lineno)}: splitlines() takes other characters for ends of line, too"
        for path in ALL
        for node in ast.walk(TREES[path])
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    ])  # fmt: skip


def test_no_error_is_swallowed() -> None:
    """A handler for everything stands only where a process or a thread ends, and says why; none is empty."""
    wrong = []
    for path in CODE:
        lines = path.read_text("utf-8").split("\n")
        for node in ast.walk(TREES[path]):
            if isinstance(node, ast.ExceptHandler):
                broad = node.type is None or {"Exception", "BaseException"} & names_in(node.type)
                if broad and not re.search(r"# noqa: BLE001 \w+( \w+){2,}", lines[node.lineno - 1]):
                    wrong.append(f"{at(path, node.lineno)}: catches everything, for no reason")
                if all(isinstance(one, ast.Pass) for one in node.body):
                    wrong.append(f"{at(path, node.lineno)}: says nothing of an error")
            if isinstance(node, ast.Call) and "suppress" in names_in(node.func):
                broad_ones = [one for one in node.args if {"Exception", "BaseException"} & names_in(one)]
                wrong += [f"{at(path, one.lineno)}: suppresses everything" for one in broad_ones]
    none(wrong)


def names_in(node: ast.AST) -> set[str]:
    return {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    }


# --- tools


@pytest.mark.parametrize("command", ["ruff check .", "ruff format --check .", "mypy"])
def test_the_tools_agree(command: str) -> None:
    tool, *words = command.split(" ")
    if not importlib.util.find_spec(tool):
        pytest.skip(f"{tool} is not installed: pip install -r requirements.txt")
    done = subprocess.run([sys.executable, "-m", tool, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


# --- the suite itself


def test_the_suite_has_no_network_but_loopback() -> None:
    with socket.socket() as far, pytest.raises(OSError, match="no network"):
        far.connect(("192.0.2.1", 80))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as far, pytest.raises(OSError, match="no network"):
        far.sendto(b"x", ("192.0.2.1", 53))
    with pytest.raises(socket.gaierror, match="no network"):
        socket.getaddrinfo("example.org", 80)
    with socket.socket() as server, socket.socket() as near:
        server.bind(("127.0.0.1", 0))
        server.listen()
        near.connect(server.getsockname())


def test_the_suite_has_no_settings_and_no_keys_of_this_machine() -> None:
    assert os.environ["USER"] == "ana"
    assert [name for name in os.environ if name.startswith("DOTAGENT_")] == ["DOTAGENT_NEARBY"]
    assert os.environ["DOTAGENT_NEARBY"] == ""  # no model server of this machine's
    assert not [name for name in os.environ if name.endswith(("_API_KEY", "_API_BASE"))]
    assert not [name for name in os.environ if name.upper().endswith("_PROXY")]
