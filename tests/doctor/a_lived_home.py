"""A home in which somebody lived, what doctor finds in it, and where to harm it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

from support import PATIENCE, run, served, spawn

from dotagent import commands
from dotagent.store import home, log
from dotagent.store.home import Home

Finding = dict[str, str]


@contextmanager
def living(where: Home, *words: str) -> Iterator[None]:
    """An agent that runs there, and its provider."""
    with served(where):
        agent = spawn(where, "agent.py", "--provider", "offline", *words)
        try:
            assert agent.stdout and len(agent.stdout.readline()) == 33
            yield
        finally:
            agent.terminate()
            agent.communicate(timeout=PATIENCE)


def converse(where: Home, texts: Sequence[str]) -> None:
    for text in texts:
        done = run(where, "chat.py", "-m", text, "--wait", f"{PATIENCE:g}")
        assert done.returncode == 0, done.stderr


def look(where: Home, *words: str) -> tuple[int, list[Finding]]:
    """The exit status, and what was found that is not ok."""
    with redirect_stdout(StringIO()) as out:
        status = commands.run("doctor", ["--home", str(where.root), "--json", *words])
    found = [json.loads(line) for line in out.getvalue().split("\n")[:-1]]
    return status, [one for one in found if one["level"] != "ok"]


def snapshot(root: Path) -> dict[str, object]:
    """Everything of a home that a change would change."""
    paths = [root, *root.rglob("*")]
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino, path.lstat().st_size) for path in paths}


def folder(where: Home) -> Path:
    return where.agent(home.lives(where)[0])


def blob(where: Home, event: str) -> Path:
    """The blob that the last event of this name names."""
    found = [line.id for line in log.lines(folder(where) / "LIFE.md") if line.event == event]
    return where.store().path(found[-1])
