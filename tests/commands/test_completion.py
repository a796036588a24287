"""Completion: what may stand next, and three real shells that ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alive import Alive, a_home
from support import PATIENCE, environment, run

from dotagent import commands, extensions
from dotagent.commands.completion import SHELLS, candidates
from dotagent.store import rooms
from dotagent.store.home import Home


@pytest.fixture
def where() -> Iterator[Home]:
    with a_home() as made:
        rooms.create(made.room("ops"), "private")
        yield made


def words(where: Home, *typed: str) -> list[str]:
    """What `completion words` prints for these words, the last of which is being typed."""
    done = run(where, "-m", "dotagent", "completion", "words", stdin="".join(f"{word}\n" for word in typed))
    assert done.returncode == 0 and done.stderr == "", done
    return [line.partition("\t")[0] for line in done.stdout.split("\n")[:-1]]


@pytest.mark.slow
def test_commands_and_options(where: Home) -> None:
    assert words(where, "") == [*commands.names(), "project"]
    assert "who" in words(where, "project", "") and "status" not in words(where, "project", "")
    assert words(where, "project", "who", "--j") == ["--json"]
    assert words(where, "stat") == ["status"]
    assert words(where, "--") == ["--help", "--home", "--version"]
    assert words(where, "status", "--j") == ["--json"]
    assert words(where, "nonsense", "--j") == []
    assert "--soul" in words(where, "agent", "--") and "-m" in words(where, "chat", "-")


@pytest.mark.slow
def test_values_of_options_and_words(where: Home) -> None:
    assert words(where, "calls", "") == ["list", "take", "answer", "fail", "cancel"]
    assert words(where, "usage", "--by", "") == ["agent", "provider", "model", "kind", "day", "month"]
    assert words(where, "agent", "--provider", "open") == ["openai", "openai-codex", "openrouter"]
    assert words(where, "providers", "--check", "deepseek", "off") == ["offline"]
    assert words(where, "completion", "") == [*SHELLS, "words"]
    assert words(where, "agent", "--soul", "") == [":FILE"]
    assert words(where, "status", "--home", "") == words(where, "--home", "") == [":DIR"]
    assert words(where, "chat", "") == words(where, "agent", "--room", "") == ["ops"]
    assert words(where, "chat", "ops", "") == words(where, "chat", "-m", "") == []
    assert extensions.names("providers") == tuple(words(where, "provider", ""))


@pytest.mark.slow
def test_agents_and_rooms_of_the_home_that_is_named(where: Home, tmp_path: Path) -> None:
    born = Alive(where, "--provider", "offline")
    born.end()
    for typed in (("context", ""), ("--home", str(where.root), "context", ""), ("agent", "")):
        assert words(where, *typed) == [born.id[:12], "dev", "ops"]
    assert words(where, "context", "--home", str(tmp_path), "") == []
    told = dict(candidates(["--home", str(where.root), "recall"], ""))
    assert told[born.id[:12]].startswith("stopped, created 20")


ASKS = {
    "bash": r"""
eval "$(dotagent completion bash)"
COMP_WORDS=(dotagent TYPED); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_dotagent; printf '%s\n' "${COMPREPLY[@]}"
""",
    "zsh": r"""
compdef() { :; }; _describe() { printf '%s\n' "${found[@]%%:*}"; }
source <(dotagent completion zsh)
words=(dotagent TYPED); CURRENT=$#words
_dotagent
""",
    "fish": r"dotagent completion fish | source; complete -C 'dotagent TYPED' | string split -f1 \t",
}
"""How each is asked what may stand for the last word of TYPED."""


@pytest.mark.slow
@pytest.mark.parametrize("shell", ASKS)
@pytest.mark.parametrize(
    ("typed", "wanted"),
    [("stat", ["status"]), ("calls fa", ["fail"]), ("status --js", ["--json"]), ("chat o", ["ops"])],
)
def test_a_real_shell_completes(where: Home, tmp_path: Path, shell: str, typed: str, wanted: list[str]) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "dotagent").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dotagent "$@"\n')
    (tmp_path / "dotagent").chmod(0o700)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [shell, "-c", ASKS[shell].replace("TYPED", typed)],
        env=environment(where, PATH=path, HOME=str(tmp_path)), capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.stdout.split() == wanted, done
