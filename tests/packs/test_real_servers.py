"""Packs of MCP servers that nobody here wrote, each where it is installed: `.ci/real VENV packs` installs them.

`DOTAGENT_MCP` is the folder of mcp-server-time, -git and -fetch, `DOTAGENT_EVERYTHING` the program of npm's
@modelcontextprotocol/server-everything. They run in the sandbox that this machine has.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import packed as made
import pytest
from hands import Hands, a_life
from support import make_home

from dotagent import sandbox, tools
from dotagent.store import packed

pytest.importorskip("mcp")
BIN, EVERYTHING = os.environ.get("DOTAGENT_MCP", ""), os.environ.get("DOTAGENT_EVERYTHING", "")
BOXES = [one for one in sandbox.KINDS if not sandbox.lacking(one)][:1] or ["off"]
of_python = pytest.mark.skipif(not BIN, reason="DOTAGENT_MCP names no folder of servers")


@contextmanager
def lived(path: Path, words: list[str], reads: list[str], more: str = "") -> Iterator[Hands]:
    where = make_home(path / "home")
    (where.root / "dotagent.toml").write_text(f'sandbox = "{BOXES[0]}"\n')
    text = f"reads = {json.dumps(reads)}\n{more}\n[mcp]\nrun = {json.dumps(words)}\n"
    made.enabled(where, made.folder(path / "real", text))
    with a_life(path) as hands:
        try:
            yield hands
        finally:
            packed.end(hands.path, "real")


@pytest.fixture(autouse=True)
def _asked_of_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)


def beside(program: str) -> str:
    """What of the manifest lets a program of a virtual environment, or of npm, be read in the sandbox."""
    return f"readable = {json.dumps([str(Path(program).parent.parent)])}"


@of_python
def test_the_server_of_time(tmp_path: Path) -> None:
    program = f"{BIN}/mcp-server-time"
    with lived(tmp_path, [program, "--local-timezone", "UTC"], ["*"], beside(program)) as hands:
        assert "real.convert_time {source_timezone, time, target_timezone}" in tools.facts(hands.session)
        asked = {"source_timezone": "Europe/Berlin", "time": "16:30", "target_timezone": "Asia/Tokyo"}
        assert re.search(r"\+[78]\.0h", hands.shows(f"USE_TOOL real.convert_time {json.dumps(asked)}"))
        hands.fails('USE_TOOL real.get_current_time {"timezone": "Nowhere/Now"}', "real:")
        hands.fails("USE_TOOL real.convert_time {}", "not called")


@of_python
def test_the_server_of_git_in_a_root(tmp_path: Path) -> None:
    program, git = f"{BIN}/mcp-server-git", shutil.which("git")
    if not git:
        pytest.skip("there is no git")
    repository = tmp_path / "project"
    repository.mkdir()
    as_ana = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(tmp_path)}
    subprocess.run([git, "init", "-q", str(repository)], check=True, env=as_ana)
    for name, value in (("user.name", "ana"), ("user.email", "ana@example.org")):
        subprocess.run([git, "-C", str(repository), "config", name, value], check=True, env=as_ana)
    (repository / "a.txt").write_text("one\n")
    more = f"roots = true\n{beside(program)}"
    with lived(tmp_path, [program], ["git_status", "git_log", "git_diff*"], more) as hands:
        settings = hands.where.root / "dotagent.toml"
        settings.write_text(f'sandbox = "{BOXES[0]}"\n[roots]\nprivate = [{json.dumps(str(repository))}]\n')
        at = {"repo_path": str(repository)}
        assert "a.txt" in hands.shows(f"USE_TOOL real.git_status {json.dumps(at)}")
        assert "staged" in hands.shows(f"USE_TOOL real.git_add {json.dumps({**at, 'files': ['a.txt']})}")
        committed = hands.one(f"USE_TOOL real.git_commit {json.dumps({**at, 'message': 'one'})}")
        if BOXES[0] == "landlock":  # in which nothing changes a file's mode, and git does
            assert "Impossible to apply `chmod`" in committed
        else:
            assert "one" in hands.shows(f"USE_TOOL real.git_log {json.dumps(at)}")
        assert [one.split(" ")[0] for one in hands.effects("USE_TOOL")] == ["real.git_add", "real.git_commit"]


@of_python
def test_the_server_that_fetches_reaches_nothing_unnamed(tmp_path: Path) -> None:
    program = f"{BIN}/mcp-server-fetch"
    with lived(tmp_path, [program, "--ignore-robots-txt"], ["fetch"], beside(program)) as hands:
        hands.fails('USE_TOOL real.fetch {"url": "http://127.0.0.1:9/"}', "real:")
        hands.fails('USE_TOOL real.fetch {"url": "no address"}', "real:")


@pytest.mark.skipif(not EVERYTHING, reason="DOTAGENT_EVERYTHING names no server")
def test_the_server_of_everything(tmp_path: Path) -> None:
    node = os.path.realpath(shutil.which("node") or "node")
    program = os.path.realpath(EVERYTHING)
    folder = next(one for one in Path(program).parents if one.name == "node_modules")
    with lived(
        tmp_path, [node, program, "stdio"], ["echo", "get-*"], f"readable = {json.dumps([str(folder)])}"
    ) as hands:
        assert "Echo: hello" in hands.shows('USE_TOOL real.echo {"message": "hello"}')
        assert "5" in hands.shows('USE_TOOL real.get-sum {"a": 2, "b": 3}')
        assert "image/png" in hands.shows("USE_TOOL real.get-tiny-image {}")
        assert "WEATHER_KEY" not in hands.shows("USE_TOOL real.get-env {}")
        hands.fails('USE_TOOL real.get-sum {"a": "x"}', "not called")
