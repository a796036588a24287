"""The house rules, held by tests: which way imports point, who may import whom, how large things may grow.

`tests/test_wording.py` holds the rules about words, and `tests/test_suite.py` those about the suite. A rule that fails
names the file and the line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from code_read import ALL, CODE, MODULES, at, functions, imported, length, none
from support import ROOT

FUNCTION, PARAMETERS, LOOP = 50, 6, 150  # lines of a function, its parameters, lines of agent.py

# The tree, from the inside out. A row names a folder or a module, then the rows that it may import, which are above
# it. `…/__init__` is the part of a folder on which its own subfolders are built. `capabilities/*` is each capability.
TREE = """
text
extensions                  text
errors                      text
__init__
installed
packages                    installed
answers                     errors
arguments                   text __init__ installed errors
capabilities/__init__
store                       text extensions installed packages errors capabilities/__init__
processes                   text errors store
skills                      text packages errors store
life                        text extensions installed errors store capabilities/__init__
compaction                  text extensions installed errors store life
search                      text extensions store life skills
erasure                     text extensions errors store life compaction
sandbox                     text store processes skills
embedding                   text packages errors store search
network
tools/__init__              text extensions errors store life
tools                       text extensions errors store skills life compaction search embedding tools/__init__
doctor/__init__             text errors
contract                    text store life doctor/__init__ capabilities/__init__
loop                        text extensions installed errors answers arguments store life compaction tools/__init__
                                contract

providers/__init__          text extensions store
providers/formats           text packages providers/__init__
providers/server            text packages errors store providers/__init__ providers/formats
providers/offline_rules     text installed store
providers                   text store providers/__init__ providers/formats providers/offline_rules

bridges/__init__            text extensions packages errors
bridges/pattern             text extensions installed errors store life bridges/__init__
bridges/discord_side        text errors bridges/__init__ bridges/pattern
bridges/telegram_side       text errors bridges/__init__ bridges/pattern
bridges                     errors bridges/__init__ bridges/pattern bridges/discord_side bridges/telegram_side

terminal                    text extensions installed errors store life
project                     text installed packages errors store
doctor                      doctor/__init__ text extensions installed errors store skills life sandbox compaction
                                erasure providers/__init__ bridges/pattern
context                     project
documentation               extensions packages errors store life
commands/__init__           text extensions installed errors arguments store bridges/pattern
capabilities/*              text extensions installed packages errors answers store life erasure
                                contract doctor/__init__ tools/__init__ commands/__init__ __init__ compaction search
                                tools bridges/pattern terminal project sandbox network doctor providers/server skills
                                processes
commands                    text extensions __init__ installed errors answers store processes skills life sandbox
                                compaction search embedding erasure terminal doctor/__init__ doctor providers/__init__
                                providers/server bridges/pattern project context documentation contract
                                commands/__init__ tools/__init__
__main__                    __init__ errors store commands/__init__
agent                       text extensions errors store life loop contract tools/__init__
chat                        installed errors arguments store terminal
clean                       text installed errors answers arguments store
"""


class Floor(NamedTuple):
    """A row of the tree."""

    name: str
    may: frozenset[str]


def floors() -> dict[str, Floor]:
    """The tree's rows by their names, from the inside out."""
    rows = re.sub(r"\n {8,}", " ", TREE).split("\n")
    found = [Floor(words[0], frozenset(words[1:])) for words in map(str.split, rows) if words]
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
OUTSIDE = (
    *(f"dotagent/{name}/" for name in ("providers", "bridges", "network", "embedding")),
    *(f"dotagent/capabilities/{name}/" for name in ("web", "toolpacks")),
    "dotagent/capabilities/servers/acp_side.py",
    "dotagent/capabilities/view/",
)


def floor_of(path: Path) -> str:
    """The innermost row that the file belongs to: `tools`, `bridges/pattern`, `errors`; empty when there is none."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    inside = parts[parts[0] == "dotagent" :]
    if inside[0] == "capabilities" and len(inside) > 2:
        return "capabilities/*"
    return next((name for end in range(len(inside), 0, -1) if (name := "/".join(inside[:end])) in FLOORS), "")


# --- which way they point


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


def test_no_capability_imports_another() -> None:
    """Else one could not be deleted alone."""
    none([
        f"{at(path, line)}: imports {other}"
        for path in CODE
        if floor_of(path) == "capabilities/*"
        for line, other in imported(path)
        if other in MODULES and floor_of(MODULES[other]) == "capabilities/*"
        if not other.startswith(f"dotagent.capabilities.{path.relative_to(ROOT).parts[2]}")
    ])  # fmt: skip


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
        if not at(path, 1).startswith(OUTSIDE)
        for line, other in imported(path)
        if other.split(".")[0] in WORLD and other != "urllib.parse"  # which is about text
    ])  # fmt: skip


# --- size


def test_the_loop_fits_on_two_pages() -> None:
    assert length(ROOT / "agent.py") <= LOOP


def test_no_function_is_long() -> None:
    none([
        f"{at(path, node.lineno)}: {node.name} has {(node.end_lineno or 0) - node.lineno + 1} lines"
        for path in ALL
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
