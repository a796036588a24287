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
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from support import ROOT

from dotagent import extensions

PROGRAMS = ("agent.py", "chat.py", "clean.py")
FILE, FUNCTION, PARAMETERS, LOOP = 300, 50, 6, 130  # lines, lines, number, lines of agent.py
EVENTS = 470  # lines of life/events.py: LIFE's schema stands in one place, however many events there are

TOTAL = 49_690  # lines of dotagent/ and the programs: a new capability brings its row's lines, and takes some elsewhere

# The tree, from the inside out: a row is a folder or a module, how many lines it may have, and which rows it may
# import beside its own modules; these stand above it. `…/__init__` is what a folder's own folders build upon.
TREE = """
text                 3_292
extensions             149  text
terminal                43  text
errors                  77  text terminal
__init__                41
installed               31
arguments               54  text __init__ installed errors
store                6_572  text extensions installed errors
skills                 749  text errors store
life                 4_746  text extensions installed errors store skills
compaction           2_078  text extensions installed errors store life
search               2_036  text extensions store life skills
forgetting           1_725  text extensions errors store life compaction
embedding              371  errors store search
sandbox                743  errors store skills
hooks                  153  text errors store sandbox
packs                1_125  text errors store sandbox
web                    597  __init__ errors store
tools                2_628  text extensions installed errors store skills life sandbox compaction search embedding
loop                 1_504  text extensions installed errors arguments store life compaction search forgetting
                                tools

providers/__init__     300  extensions store
providers/formats    2_219  text providers/__init__
providers/server     1_193  text errors store providers/__init__ providers/formats
providers/offline_rules 311  text store
providers            1_144  text store providers/__init__ providers/formats providers/offline_rules

bridges/__init__       300  extensions errors
bridges/pattern      2_371  text extensions installed errors store life bridges/__init__
bridges/discord_side   692  errors bridges/__init__ bridges/pattern
bridges/telegram_side  265  errors bridges/__init__ bridges/pattern
bridges                207  errors bridges/__init__ bridges/pattern bridges/discord_side bridges/telegram_side

chatting             1_600  text extensions installed errors store life
project              1_222  text installed errors store
dreaming             1_142  text errors store life project
clock                  398  text errors store life forgetting dreaming
host                   580  text extensions installed errors store life
doctor               1_162  text extensions installed errors store skills life sandbox compaction forgetting
                                providers/__init__ bridges/pattern
context                 17  project
offered                514  __init__ text extensions errors store life compaction search tools chatting
offered/acp_side       190  __init__ errors text offered
commands             4_625  text extensions __init__ installed errors arguments store skills life sandbox compaction
                                search embedding forgetting tools chatting clock doctor host providers/__init__
                                providers/server bridges/pattern project context dreaming offered offered/acp_side
__main__                51  __init__ errors store commands
agent                  129  text extensions errors life search tools loop
chat                   151  text installed errors arguments store chatting
clean                  193  text installed errors arguments store
"""


class Floor(NamedTuple):
    """A row of the tree."""

    name: str
    lines: int
    may: frozenset[str]


def floors() -> dict[str, Floor]:
    """The tree's rows by their names, from the inside out."""
    rows = re.sub(r"\n {8,}", " ", TREE).split("\n")
    found = [Floor(words[0], int(words[1]), frozenset(words[2:])) for words in map(str.split, rows) if words]
    return {floor.name: floor for floor in found}


FLOORS = floors()
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


@cache
def tree(path: Path) -> ast.Module:
    """What the file says, parsed when a rule first looks at it."""
    return ast.parse(path.read_bytes(), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All that the file is made of."""
    return tuple(ast.walk(tree(path)))


def name_of(path: Path) -> str:
    """The module's name: `dotagent.tools.run`, `agent`."""
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


def floor_of(path: Path) -> str:
    """The innermost row that the file belongs to: `tools`, `bridges/pattern`, `errors`; empty when there is none."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    inside = parts[parts[0] == "dotagent" :]
    return next((name for end in range(len(inside), 0, -1) if (name := "/".join(inside[:end])) in FLOORS), "")


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def none(wrong: list[str]) -> None:
    assert not wrong, "\n" + "\n".join(wrong)


def at(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


# --- imports


def test_every_module_stands_in_the_tree() -> None:
    none([f"{at(path, 1)}: stands nowhere in the tree" for path in CODE if not floor_of(path)])
    none([f"{name}: nothing stands there" for name in FLOORS if name not in map(floor_of, CODE)])


def test_the_tree_is_told_from_the_inside_out() -> None:
    names = list(FLOORS)
    none([
        f"{name} stands above {other}, which it may import"
        for name, floor in FLOORS.items()
        for other in sorted(floor.may)
        if other not in names[: names.index(name)]
    ])  # fmt: skip


def test_imports_point_one_way() -> None:
    wrong = []
    for path in CODE:
        mine = floor_of(path)
        for line, other in imported(path):
            if other in MODULES and floor_of(MODULES[other]) not in (mine, *FLOORS[mine].may):
                wrong.append(f"{at(path, line)}: {mine} may not import {other}")
    none(wrong)


def test_the_tree_allows_nothing_that_nobody_imports() -> None:
    used = {
        (floor_of(path), floor_of(MODULES[other])) for path in CODE for _, other in imported(path) if other in MODULES
    }
    none([
        f"the tree: {name} may import {other}, and does not"
        for name, floor in FLOORS.items()
        for other in sorted(floor.may)
        if (name, other) not in used
    ])  # fmt: skip


def test_no_import_leads_in_a_circle() -> None:
    """Not within a folder either, and not by an import in a function."""
    edges = {module: {other for _, other in imported(path) if other in MODULES} for module, path in MODULES.items()}
    done: set[str] = set()

    def follow(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " → ".join([*way[way.index(module) :], module])
        if module not in done:
            for other in sorted(edges[module]):
                follow(other, (*way, module))
            done.add(module)

    for module in sorted(edges):
        follow(module, ())


def test_the_inside_has_no_threads_and_no_sockets() -> None:
    """Only processes of the outside talk to the world: the loop writes files and waits for files."""
    none([
        f"{at(path, line)}: imports {other}"
        for path in CODE
        if not floor_of(path).startswith(("providers", "bridges", "web", "embedding", "packs", "offered/acp"))
        for line, other in imported(path)
        if other.split(".")[0] in WORLD and other != "urllib.parse"  # which is about text
    ])  # fmt: skip


# --- size


def length(path: Path) -> int:
    """How many lines the file has."""
    return path.read_bytes().count(b"\n")


def test_no_floor_is_over_its_budget() -> None:
    sizes = Counter[str]()
    for path in CODE:
        sizes[floor_of(path)] += length(path)
    none([
        f"{name}: {sizes[name]} lines, and {floor.lines} in the tree"
        for name, floor in FLOORS.items()
        if sizes[name] > floor.lines
    ])  # fmt: skip


def test_the_budgets_stay_below_the_total() -> None:
    lines = sum(floor.lines for floor in FLOORS.values())
    assert lines <= TOTAL, f"the tree's rows sum to {lines} lines; in all there may be {TOTAL}"


def test_no_file_is_long() -> None:
    lengths = {path: length(path) for path in CODE}
    limit = {ROOT / "agent.py": LOOP, ROOT / "dotagent/life/events.py": EVENTS}
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
    none([str(path.relative_to(ROOT)) for path in ALL if not (ast.get_docstring(tree(path)) or "").strip()])


def test_everything_public_says_what_it_is() -> None:
    wrong = []
    for path in CODE:
        body = tree(path).body
        classes = [node for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
        nodes = [node for part in (body, *(one.body for one in classes)) for node in part]
        for node in (*classes, *(node for node in nodes if isinstance(node, ast.FunctionDef))):
            if not node.name.startswith("_") and not ast.get_docstring(node):
                wrong.append(f"{at(path, node.lineno)}: {node.name}")
    none(wrong)


def test_names_are_nouns_and_not_titles() -> None:
    wrong = [str(path.relative_to(ROOT)) for path in CODE if words_of(path.stem) & TITLES]
    for path in CODE:
        for node in nodes(path):
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


def test_one_name_is_one_class() -> None:
    found: dict[str, list[str]] = {}
    for path in CODE:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(at(path, node.lineno))
    none([f"{name}: {' and '.join(places)}" for name, places in found.items() if len(places) > 1])


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
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    ])  # fmt: skip


def test_no_error_is_swallowed() -> None:
    """A handler for everything stands only where a process or a thread ends, and says why; none is empty."""
    wrong = []
    for path in CODE:
        lines = path.read_text("utf-8").split("\n")
        for node in nodes(path):
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


# --- extensions

TOOLS = set(map(extensions.called, extensions.names("tools")))
NAMERS = ("dotagent/tools/", "dotagent/life/event", "dotagent/providers/offline")
"""Who may name a tool: the tools, the events' names, and a model, which knows tools as models do."""


def test_only_tools_name_a_tool() -> None:
    wrong = []
    for path in CODE:
        if not str(path.relative_to(ROOT)).startswith(NAMERS):
            told = docstrings(tree(path))
            wrong += [
                f"{at(path, node.lineno)}: names {name}"
                for node in nodes(path)
                if node not in told
                for name in sorted(TOOLS & capitals(node))
            ]
    none(wrong)


def capitals(node: ast.AST) -> set[str]:
    """The words in capitals of a string (but for SQL), or an identifier."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        return set() if text.startswith("SELECT ") else set(re.findall(r"\b[A-Z][A-Z_]+\b", text))
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.alias):
        return {node.name}
    if isinstance(node, ast.arg | ast.keyword):
        return {node.arg or ""}
    return {node.id} if isinstance(node, ast.Name) else {node.attr} if isinstance(node, ast.Attribute) else set()


def docstrings(whole: ast.Module) -> set[ast.AST]:
    """Where prose may name what it likes: strings that stand for themselves."""
    return {
        node.value for node in ast.walk(whole) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def test_everything_has_a_test_of_its_name() -> None:
    wanted = [
        f"tests/{kind}/test_{name.replace('-', '_')}.py"
        for kind in ("tools", "providers", "commands", "bridges")
        for name in extensions.names(kind)
    ]
    none([f"{name} is missing" for name in wanted if not (ROOT / name).exists()])


OPENERS = {"read_bytes", "read_text", "write_bytes", "write_text", "touch"}
OPEN_ELSEWHERE = (  # what these open is no file of a home: the code's own, the system's, or what a person names
    "dotagent/store/disk.py", "dotagent/store/process.py", "dotagent/store/watch.py", "dotagent/errors.py",
    "dotagent/extensions.py", "dotagent/commands/readme.py", "dotagent/life/prompt.py", "dotagent/store/home.py",
    "dotagent/life/documents.py", "dotagent/providers/formats/place.py", "dotagent/sandbox/landlock.py",
    "dotagent/web/proxy.py",
)  # fmt: skip


def test_files_of_a_home_are_opened_in_one_way() -> None:
    """A pipe, a device or a link in a file's place hangs nobody: store/disk.py opens plain files only."""
    none([
        f"{at(path, node.lineno)}: use disk.read, disk.reading or disk.open_file"
        for path in CODE
        if str(path.relative_to(ROOT)) not in OPEN_ELSEWHERE
        for node in nodes(path)
        if isinstance(node, ast.Call) and opens(node.func)
    ])  # fmt: skip


def opens(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        by_os = isinstance(called.value, ast.Name) and (called.value.id, called.attr) in {
            ("os", "open"),
            ("io", "open"),
        }
        return by_os or called.attr in OPENERS
    return isinstance(called, ast.Name) and called.id == "open"


# --- tools


@pytest.mark.parametrize(
    "command", ["ruff check .", "ruff format --check .", pytest.param("mypy", marks=pytest.mark.slow)]
)
def test_the_tools_agree(command: str) -> None:
    tool, *words = command.split(" ")
    if not importlib.util.find_spec(tool):
        pytest.skip(f"{tool} is not installed: pip install -r requirements.txt")
    done = subprocess.run([sys.executable, "-m", tool, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


# --- the suite itself


def test_no_test_sets_a_constant_or_sleeps() -> None:
    """A limit or a clock is given to what needs one; a test waits for what it waits for."""
    none([place for path in sources("tests") if path not in CODE for place in unseemly(path)])


def unseemly(path: Path) -> Iterator[str]:
    """Where the test sets what stands in capitals in a module, sets an attribute by its name, or sleeps."""
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and node.attr.isupper():
            yield f"{at(path, node.lineno)}: sets {ast.unparse(node)}"
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.split(".")[-1] == "setattr" and ast.unparse(node.args[0]) != "os":
                yield f"{at(path, node.lineno)}: {ast.unparse(node)}"
            elif called in ("sleep", "time.sleep"):
                yield f"{at(path, node.lineno)}: sleeps"


def test_what_tests_share_is_no_test() -> None:
    """It stands in a plain module beside them: who changes a test need not ask who else lives by it."""
    none([
        f"{at(path, node.lineno)}: imports a test"
        for path in sources("tests")
        if path not in CODE
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
        if name.split(".")[-1].startswith("test_")
    ])  # fmt: skip


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
    assert sorted(name for name in os.environ if name.startswith("DOTAGENT_")) == [
        "DOTAGENT_NEARBY",
        "DOTAGENT_POLICY",
        "DOTAGENT_SANDBOX",
    ]
    assert os.environ["DOTAGENT_NEARBY"] == ""  # no model server of this machine's
    assert not [name for name in os.environ if name.endswith(("_API_KEY", "_API_BASE"))]
    assert not [name for name in os.environ if name.upper().endswith("_PROXY")]


HANDS = {"act": 2, "recover": 3, "effect": 2, "given": 1, "told": 1, "reads": 1}
"""What the rest may ask of a tool by its name, and with how many words."""


def test_what_a_tool_is_asked_by_name_is_meant_by_it() -> None:
    wrong = []
    for path in CODE:
        if floor_of(path) == "tools" and path.stem in extensions.names("tools"):
            for node in tree(path).body:
                words = len(node.args.args) if isinstance(node, ast.FunctionDef) else 0
                if isinstance(node, ast.FunctionDef) and words != HANDS.get(node.name, words):
                    wrong.append(f"{at(path, node.lineno)}: {node.name} takes {words} words")
                if isinstance(node, ast.ImportFrom) and {alias.asname or alias.name for alias in node.names} & {*HANDS}:
                    wrong.append(f"{at(path, node.lineno)}: imports a name by which it is asked")
    none(wrong)
