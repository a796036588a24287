"""The house rules, held by tests: which way imports point, who may import whom, how large things may grow.

What is written, and how, tests/test_wording.py holds; the suite itself, tests/test_suite.py. A rule that fails names
the file and the line. A limit is raised in a commit that does nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from code_read import ALL, CODE, MODULES, at, functions, imported, length, none
from support import ROOT

FILE, FUNCTION, PARAMETERS, LOOP = 300, 50, 6, 130  # lines, lines, number, lines of agent.py
TESTS = 310  # lines of a file of tests or benches: what it shares with others stands in a module of its own
EVENTS = 470  # lines of life/events.py: LIFE's schema stands in one place, however many events there are

TOTAL = 50_710  # lines of dotagent/ and the programs: a new capability brings its row's lines, and takes some elsewhere

# The tree, from the inside out: a row is a folder or a module, how many lines it may have, and which rows it may
# import beside its own modules; these stand above it. `…/__init__` is what a folder's own folders build upon.
TREE = """
text                 3_401
extensions             149  text
terminal                45  text
errors                  89  text terminal
__init__                41
installed               31
arguments               66  text __init__ installed errors
store                6_650  text extensions installed errors
skills                 749  text errors store
life                 4_909  text extensions installed errors store skills
compaction           2_261  text extensions installed errors store life
search               2_038  text extensions store life skills
forgetting           1_724  text extensions errors store life compaction
embedding              371  errors store search
sandbox                744  errors store skills
hooks                  153  text errors store sandbox
packs                1_125  text errors store sandbox
web                    601  __init__ errors store
tools                2_660  text extensions installed errors store skills life sandbox compaction search embedding
loop                 1_507  text extensions installed errors arguments store life compaction search forgetting
                                tools

providers/__init__     300  extensions store
providers/formats    2_276  text providers/__init__
providers/server     1_247  text errors store providers/__init__ providers/formats
providers/offline_rules 312  text store
providers            1_296  text store providers/__init__ providers/formats providers/offline_rules

bridges/__init__       300  extensions errors
bridges/pattern      2_371  text extensions installed errors store life bridges/__init__
bridges/discord_side   692  errors bridges/__init__ bridges/pattern
bridges/telegram_side  265  errors bridges/__init__ bridges/pattern
bridges                207  errors bridges/__init__ bridges/pattern bridges/discord_side bridges/telegram_side

chatting             1_635  text extensions installed errors store life
project              1_225  text installed errors store
dreaming             1_142  text errors store life project
clock                  398  text errors store life forgetting dreaming
host                   580  text extensions installed errors store life
doctor               1_164  text extensions installed errors store skills life sandbox compaction forgetting
                                providers/__init__ bridges/pattern
context                 17  project
offered                514  __init__ text extensions errors store life compaction search tools chatting
offered/acp_side       190  __init__ errors text offered
commands             4_736  text extensions __init__ installed errors arguments store skills life sandbox compaction
                                search embedding forgetting tools chatting clock doctor host providers/__init__
                                providers/server bridges/pattern project context dreaming offered offered/acp_side
__main__                55  __init__ errors store commands
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


def floor_of(path: Path) -> str:
    """The innermost row that the file belongs to: `tools`, `bridges/pattern`, `errors`; empty when there is none."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    inside = parts[parts[0] == "dotagent" :]
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
    lengths = {path: length(path) for path in ALL}
    limit = {ROOT / "agent.py": LOOP, ROOT / "dotagent/life/events.py": EVENTS}
    limit = dict.fromkeys({*ALL} - {*CODE}, TESTS) | limit
    none([f"{path.relative_to(ROOT)}: {size} lines" for path, size in lengths.items() if size > limit.get(path, FILE)])


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
