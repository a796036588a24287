"""`dotagent plugins`: a person decides, in one version, and an agent nothing."""

from __future__ import annotations

import json
import os
import pty
import sys
from pathlib import Path

import pytest
from support import environment, make_home, run

from dotagent.processes.background import MARK
from dotagent.store import plugins
from dotagent.store.home import Home

ROOMS = '"""Say \x1bhello."""\ndef arguments(parser): ...\ndef run(asked):\n    print("hello")\n    return 0\n'


@pytest.fixture
def where(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    (made.root / "commands").mkdir()
    (made.root / "commands" / "greet.py").write_text(ROOMS)
    return made


def version(where: Home) -> str:
    rows = run(where, "-m", "dotagent", "plugins", "--json").stdout.split("\n")
    return str(json.loads(rows[0])["id"])


@pytest.mark.slow
def test_trust_makes_it_a_command_of_this_home(where: Home, tmp_path: Path) -> None:
    waits = run(where, "-m", "dotagent", "greet")
    assert (
        waits.returncode == 2
        and "is new, so it does not run; to trust it, run `python -m dotagent plugins trust" in waits.stderr
    )
    shown = run(where, "-m", "dotagent", "plugins", "trust", "greet")
    assert (
        shown.returncode == 2
        and "Say ␛hello." in shown.stdout
        and "there is no terminal on which to ask you" in shown.stderr
    )
    assert run(where, "-m", "dotagent", "plugins", "trust", "greet", "--id", version(where)).returncode == 0
    assert run(where, "-m", "dotagent", "greet").stdout == "hello\n"
    other = make_home(tmp_path / "other")
    assert run(other, "-m", "dotagent", "--home", str(where.root), "greet").stdout == "hello\n"
    assert run(other, "-m", "dotagent", "greet", "--home", str(where.root)).stdout == "hello\n"
    assert run(other, "-m", "dotagent", "greet").returncode == 2
    assert run(where, "-m", "dotagent", "plugins", "refuse", "commands/greet").returncode == 0
    assert run(where, "-m", "dotagent", "greet").returncode == 2


@pytest.mark.parametrize(("words", "why"), [(("trust", "x"), "no plug-in 'x'"), (("trust",), "no plug-in"),
                                            (("trust", "greet", "--id", "0" * 12), "is now version")])  # fmt: skip
def test_a_mistake_is_one_line(where: Home, words: tuple[str, ...], why: str) -> None:
    done = run(where, "-m", "dotagent", "plugins", *words)
    assert done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1


def test_an_agent_decides_nothing(where: Home) -> None:
    done = run(where, "-m", "dotagent", "plugins", "trust", "greet", "--id", version(where), env={MARK: "x"})
    assert done.returncode == 2 and "only the owner" in done.stderr and not (where.root / plugins.FILE).exists()


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "state"), [("y", "trusted"), ("n", "refused"), ("", "new")])
def test_chat_asks_once_at_a_terminal(where: Home, answer: str, state: str) -> None:
    pid, handle = pty.fork()
    if pid == 0:
        os.execvpe(sys.executable, [sys.executable, "chat.py", "--plain"], environment(where))
    seen = b""
    while b"decide later]" not in seen:
        seen += os.read(handle, 4096)
    os.write(handle, answer.encode() + b"\n")
    while b"\n" not in seen.rpartition(b"decide later]")[2]:
        seen += os.read(handle, 4096)
    os.write(handle, b"\x04")
    os.waitpid(pid, 0)
    os.close(handle)
    assert plugins.every(where.root)[0].state == state
