"""The house rules of the suite: it needs no settings, keys or network, and sets no constant; and the tools agree."""

from __future__ import annotations

import ast
import importlib.util
import os
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
            called = ast.unparse(node.func)
            if called.split(".")[-1] == "setattr" and ast.unparse(node.args[0]) != "os":
                yield f"{at(path, node.lineno)}: {ast.unparse(node)}"
            elif called in ("sleep", "time.sleep"):
                yield f"{at(path, node.lineno)}: sleeps"


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
