"""The house rules of the suite: it needs no settings, keys or network, and sets no constant; and the tools agree."""

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
from code_read import CODE, at, nodes, none, sources
from support import ROOT, run

from dotagent.store.home import Home


@pytest.mark.parametrize(
    "command", ["ruff check .", "ruff format --check .", pytest.param("mypy", marks=pytest.mark.slow)]
)
def test_the_tools_agree(command: str) -> None:
    tool, *words = command.split(" ")
    if not importlib.util.find_spec(tool):
        pytest.skip(f"{tool} is not installed: pip install -r requirements-dev.txt")
    done = subprocess.run([sys.executable, "-m", tool, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


SAME = ("-m dotagent", "-m dotagent help", "-m dotagent status --jsen", "-m dotagent docs", "-m dotagent agents --json",
        "chat.py --help", "chat.py -m x --wait nan", "agent.py --linger -1", "clean.py")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("words", SAME)
def test_a_program_does_as_a_fork_what_it_does_when_python_starts_it(where: Home, words: str) -> None:
    forked, started = (run(where, *words.split(), anew=anew) for anew in (False, True))
    assert (forked.returncode, forked.stdout, forked.stderr) == (started.returncode, started.stdout, started.stderr)


def test_no_test_sets_a_constant_or_sleeps() -> None:
    """A limit or a clock is given to what needs one; a test waits for what it waits for."""
    none([place for path in sources("tests") if path not in CODE for place in unseemly(path)])


def unseemly(path: Path) -> Iterator[str]:
    """Where the test sets what stands in capitals in a module, sets an attribute by its name, or sleeps."""
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and node.attr.isupper():
            yield f"{at(path, node.lineno)}: sets {ast.unparse(node)}"
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
            if called == "setattr" and ast.unparse(node.args[0]) != "os":
                yield f"{at(path, node.lineno)}: {ast.unparse(node)}"
            elif called == "sleep" and ast.unparse(node.func) in ("sleep", "time.sleep"):
                yield f"{at(path, node.lineno)}: sleeps"


WAITS = {
    "wait", "wait_for", "communicate", "join", "ready", "until", "soon", "acquire", "select", "poll", "result", "alarm",
    "settimeout", "urlopen", "asyncio.sleep", "time.sleep",
}  # fmt: skip
CLOCKS = {"time.monotonic()", "time.perf_counter()"}
IN_A_SCRIPT = re.compile(
    r"(?:\btimeout=|\b(?:time|asyncio)\.sleep\(|\.(?:wait|join|communicate|result|acquire|alarm|settimeout)\()"
    r"(?!0\s*[,)])\d"
)
OF_THE_WAIT = {"store/test_watch.py": "watcher.wait"}  # what is under test there


def test_no_test_waits_for_seconds_of_its_own() -> None:
    """It waits with `until`, or for PATIENCE: there alone stands how long a busy machine may take."""
    places = {path.relative_to(ROOT / "tests").as_posix(): path for path in sources("tests") if "tests" in path.parts}
    del places["support.py"], places["test_suite.py"]
    none([
        f"{at(path, line)}: {what}: tests wait with what tests/support.py has, such as until and PATIENCE"
        for name, path in places.items()
        for line, what in own_seconds(nodes(path))
        if not what.startswith(f"{OF_THE_WAIT.get(name)}(")
    ])  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "child.wait(60)", "thread.join(1.5)", "until(look, path, 20)", "until(look, path, seconds=20)",
        "ready(fd, 2 * 30)", "child.communicate(timeout=60)", "subprocess.run(words, timeout=120)",
        "http.Client(timeout=9)", "poll.poll(1000)", "await asyncio.sleep(0.05)", "await asyncio.wait_for(work(), 50)",
        "signal.alarm(60)", "line.settimeout(2 * 1)", "SOON = 30.0\nwatch.wait(SOON)",
        "LONG = 9\ndef f():\n    return time.monotonic() + 3 * LONG", "assert time.monotonic() - began < 30",
        "def f(seconds=60.0):\n    end = time.monotonic() + seconds", "def f(*, most=9):\n    event.wait(most)",
        "took = time.monotonic() - began\nassert took <= 5, took", "CODE = 'import time; time.sleep(0.5)'",
        "CODE = 'child.wait(60)'", "CODE = f'urlopen({at}, timeout=5)'",
    ],
)  # fmt: skip
def test_seconds_of_a_wait_are_found(text: str) -> None:
    assert list(own_seconds(tuple(ast.walk(ast.parse(text)))))


@pytest.mark.parametrize(
    "text",
    [
        "calls.sleep(0.5)", "idle.sleep(7.0)", "worker.pause(9.0)", "index.remind(text, seconds=5)", "watcher.wait(0)",
        "disk.try_lock(fd, seconds=0.1)", "child.wait(PATIENCE)", "child.wait()", "signal.alarm(int(3 * PATIENCE))",
        "run('RUN sleep 100', timeout=limit)", "', '.join(['x'] * 4)", "until(look, path, times=3)", "asyncio.sleep(0)",
        "from dotagent.terminal.screen import until\nuntil(free, now, 0.001)", "SOON = 5\nhook(seconds=SOON)",
        "assert time.monotonic() - began >= 0.1", "assert time.monotonic() - began < PATIENCE", "timedelta(seconds=1)",
        "CODE = 'child.wait(0)'", "from dotagent.providers import rates\nNOW = 9\nrates.wait(found, NOW)",
        "TOML = 'timeout = 10'", "def f(seconds=20.0):\n    return Hook(seconds)",
    ],
)  # fmt: skip
def test_what_is_no_wait_of_a_test_is_left_alone(text: str) -> None:
    assert not list(own_seconds(tuple(ast.walk(ast.parse(text)))))


def own_seconds(found: tuple[ast.AST, ...]) -> Iterator[tuple[int, str]]:
    """Where it waits for, or allows, a number of seconds that stands there: the line and the words."""
    ours = {one.asname or one.name for node in found if isinstance(node, ast.ImportFrom) for one in node.names
            if (node.module or "").startswith("dotagent")}  # fmt: skip
    numbers, spans = named_numbers(found)
    for node in found:
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            product = name in ours or (name.count(".") == 1 and name.partition(".")[0] in ours)
            waits = not product and (name in WAITS or name.rpartition(".")[2] in WAITS)
            given = [*node.args, *[one.value for one in node.keywords if one.arg == "seconds"]] if waits else []
            given += [one.value for one in node.keywords if one.arg and one.arg.endswith("timeout")]
            wrong = any(is_number(one, numbers) for one in given)
        elif isinstance(node, ast.BinOp):
            wrong = isinstance(node.op, ast.Add) and ast.unparse(node.left) in CLOCKS and is_number(node.right, numbers)
        elif isinstance(node, ast.Compare):
            allows = isinstance(node.ops[-1], ast.Lt | ast.LtE) and is_number(node.comparators[-1], numbers)
            wrong = allows and (is_span(node.left) or ast.unparse(node.left) in spans)
        else:
            wrong = isinstance(node, ast.Constant) and bool(IN_A_SCRIPT.search(str(node.value)))
        if wrong:
            yield node.lineno, ast.unparse(node).partition("\n")[0][:80]  # type: ignore[attr-defined]


def named_numbers(found: tuple[ast.AST, ...]) -> tuple[set[str], set[str]]:
    """The names that stand for a number, in capitals or as what a parameter is by default, and those of a span."""
    numbers, spans = set[str](), set[str]()
    for node in found:
        if isinstance(node, ast.Assign):
            names = {ast.unparse(one) for one in node.targets}
            numbers |= {name for name in names if name.isupper()} if is_number(node.value, set()) else set()
            spans |= names if is_span(node.value) else set()
        elif isinstance(node, ast.arguments):
            plain = [*node.posonlyargs, *node.args]
            both = [*zip(plain[len(plain) - len(node.defaults) :], node.defaults, strict=True)]
            both += [(one, by) for one, by in zip(node.kwonlyargs, node.kw_defaults, strict=True) if by]
            numbers |= {one.arg for one, by in both if is_number(by, set())}
    return numbers, spans


def is_number(node: ast.expr, numbers: set[str]) -> bool:
    """Whether nothing but numbers makes it, and not 0."""
    if isinstance(node, ast.BinOp):
        return is_number(node.left, numbers) and is_number(node.right, numbers)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand, numbers)
    if isinstance(node, ast.Name):
        return node.id in numbers
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and bool(node.value)


def is_span(node: ast.expr) -> bool:
    """Whether it is the time since another moment."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and ast.unparse(node.left) in CLOCKS


def test_the_gate_measures_no_time() -> None:
    """What must be fast is tried at night, where a bad moment of the machine turns no change away."""
    night = (f"{at(path, node.lineno)}: {node.name} measures time" for path in sources("tests")
             if path.name != "test_suite.py" for node in nodes(path)
             if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
             and re.search(r"process_time\(\)|\bcpu_of\(", ast.unparse(node))
             and not any("mark.night" in ast.unparse(one) for one in node.decorator_list))  # fmt: skip
    none([*night])


def test_nothing_of_ours_is_mocked() -> None:
    """Tests use the parts themselves; what is outside is a real server on loopback, or a real process."""
    none([
        f"{at(path, node.lineno)}: imports {name}"
        for path in sources("tests", "bench")
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
        if name.split(".")[0] in ("unittest", "mock", "pytest_mock", "responses", "respx")
    ])  # fmt: skip


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
    ]
    assert os.environ["DOTAGENT_NEARBY"] == ""  # no model server of this machine's
    assert not [name for name in os.environ if name.endswith(("_API_KEY", "_API_BASE"))]
    assert not [name for name in os.environ if name.upper().endswith("_PROXY")]
