"""Packs of MCP servers that nobody here wrote, each where it is installed: `.ci/real VENV packs` installs them.

`DOTAGENT_MCP` is the folder of mcp-server-time, -git and -fetch as they are now; `DOTAGENT_MCP_2025` that of those of
2025 and of mcp-proxy, which serves them over HTTP, with the SDKs that spoke that year's protocols in `../sdk/`;
`DOTAGENT_EVERYTHING` the program of npm's @modelcontextprotocol/server-everything. They run in the sandbox that this
machine has, those over HTTP beside it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import packed as made
import pytest
from hands import Hands, a_life
from providers.loopback import closed_port
from support import make_home, until

from dotagent import sandbox, tools
from dotagent.capabilities.toolpacks import pack_calls

mcp = pytest.importorskip("mcp")
anyio = pytest.importorskip("anyio")
BIN, EVERYTHING = os.environ.get("DOTAGENT_MCP", ""), os.environ.get("DOTAGENT_EVERYTHING", "")
OLD = os.environ.get("DOTAGENT_MCP_2025", "")
PROTOCOLS = {"2026-07-28": "", "2025-11-25": "", "2025-06-18": "1.22.0", "2025-03-26": "1.9.4"}
"""Versions of the protocol, and which of the SDKs of `sdk/` speaks it: none is the one that is installed."""
BOXES = [one for one in sandbox.KINDS if not sandbox.lacking(one)][:1] or ["off"]
of_python = pytest.mark.skipif(not BIN, reason="DOTAGENT_MCP names no folder of servers")
of_2025 = pytest.mark.skipif(not OLD, reason="DOTAGENT_MCP_2025 names no folder of servers")
AT_NOON = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}


@contextmanager
def lived(path: Path, how: str, reads: list[str], more: str = "") -> Iterator[Hands]:
    """A life with this pack: `how` is what stands in its table."""
    where = make_home(path / "home")
    (where.root / "dotagent.toml").write_text(f'sandbox = "{BOXES[0]}"\n')
    made.enabled(where, made.folder(path / "real", f"reads = {json.dumps(reads)}\n{more}\n[mcp]\n{how}\n"))
    with a_life(path) as hands:
        try:
            yield hands
        finally:
            pack_calls.end(hands.path, "real")


def started(*words: str) -> str:
    """A pack's server is started with these words."""
    return f"run = {json.dumps(words)}"


@contextmanager
def served(words: list[str], port: int, **env: str) -> Iterator[str]:
    """The address at which this program serves MCP by HTTP, once it listens."""
    said = subprocess.DEVNULL
    with subprocess.Popen(words, env={**os.environ, **env}, stdout=said, stderr=said, start_new_session=True) as one:
        try:
            until(lambda: listens(port), Path(words[0]).parent)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            os.killpg(one.pid, signal.SIGKILL)


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def protocol(server: Any) -> str:
    """Which version of the protocol the SDK's own client and this server agree upon."""

    async def go() -> str:
        async with mcp.Client(server) as client:
            return str(client.protocol_version)

    return anyio.run(go)


@pytest.fixture(autouse=True)
def _asked_of_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")  # these tests are about what servers answer


def beside(program: str) -> str:
    """What of the manifest lets a program of a virtual environment, or of npm, be read in the sandbox."""
    return f"readable = {json.dumps([str(Path(program).parent.parent)])}"


def of_time(version: str) -> tuple[list[str], str]:
    """How mcp-server-time of this version of the protocol is started, and the SDK that it needs on its path."""
    folder = BIN if version == "2026-07-28" else OLD
    if not folder:
        pytest.skip(f"no server of {version} is installed")
    sdk = Path(folder).parent / "sdk" / PROTOCOLS[version] if PROTOCOLS[version] else None
    return [f"{folder}/mcp-server-time", "--local-timezone", "UTC"], str(sdk or "")


@pytest.mark.parametrize("version", PROTOCOLS)
def test_the_server_of_time_in_each_protocol(tmp_path: Path, version: str) -> None:
    words, sdk = of_time(version)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": sdk}
    assert protocol(mcp.StdioServerParameters(command=words[0], args=words[1:], env=env)) == version
    with lived(tmp_path, started("env", f"PYTHONPATH={sdk}", *words), ["*"], beside(words[0])) as hands:
        of_the_time(hands)


@of_2025
@pytest.mark.parametrize("version", [one for one in PROTOCOLS if one < "2026"])
def test_the_server_of_time_in_each_protocol_over_http(tmp_path: Path, version: str) -> None:
    (words, sdk), port = of_time(version), closed_port()
    proxy = [f"{OLD}/mcp-proxy", "--pass-environment", "--port", str(port)]
    if version == "2025-03-26":  # whose SDK dies of a session that ends
        proxy.append("--stateless")
    proxy += ["--", *words]
    with served(proxy, port, PYTHONPATH=sdk) as url:
        assert protocol(url) == version
        with lived(tmp_path, f'url = "{url}"', ["*"]) as hands:
            of_the_time(hands)


def of_the_time(hands: Hands) -> None:
    assert "real.convert_time {source_timezone, time, target_timezone}" in tools.facts(hands.session)
    assert re.search(r"\+[78]\.0h", hands.shows(f"USE_TOOL real.convert_time {json.dumps(AT_NOON)}"))
    hands.fails('USE_TOOL real.get_current_time {"timezone": "Nowhere/Now"}', "real:")
    hands.fails("USE_TOOL real.convert_time {}", "not called")


@pytest.mark.parametrize(
    "folder", [pytest.param(BIN, marks=of_python), pytest.param(OLD, marks=of_2025)], ids=("now", "2025")
)
def test_the_server_of_git_in_a_root(tmp_path: Path, folder: str) -> None:
    program, git = f"{folder}/mcp-server-git", shutil.which("git")
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
    with lived(tmp_path, started(program), ["git_status", "git_log", "git_diff*"], more) as hands:
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


@pytest.mark.parametrize(
    "folder", [pytest.param(BIN, marks=of_python), pytest.param(OLD, marks=of_2025)], ids=("now", "2025")
)
def test_the_server_that_fetches_reaches_nothing_unnamed(tmp_path: Path, folder: str) -> None:
    program = f"{folder}/mcp-server-fetch"
    with lived(tmp_path, started(program, "--ignore-robots-txt"), ["fetch"], beside(program)) as hands:
        hands.fails('USE_TOOL real.fetch {"url": "http://127.0.0.1:9/"}', "real:")
        hands.fails('USE_TOOL real.fetch {"url": "no address"}', "real:")


@pytest.mark.skipif(not EVERYTHING, reason="DOTAGENT_EVERYTHING names no server")
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_server_of_everything(tmp_path: Path, way: str) -> None:
    node, program = os.path.realpath(shutil.which("node") or "node"), os.path.realpath(EVERYTHING)
    folder = next(one for one in Path(program).parents if one.name == "node_modules")
    with ExitStack() as ending:
        if way == "stdio":
            how, port = started(node, program, "stdio"), 0
        else:
            port = closed_port()
            url = ending.enter_context(served([node, program, "streamableHttp"], port, PORT=str(port)))
            assert protocol(url) == "2025-11-25"
            how = f'url = "{url}"'
        more = f"readable = {json.dumps([str(folder)])}"
        hands = ending.enter_context(lived(tmp_path, how, ["echo", "get-*"], more))
        assert "Echo: hello" in hands.shows('USE_TOOL real.echo {"message": "hello"}')
        assert "5" in hands.shows('USE_TOOL real.get-sum {"a": 2, "b": 3}')
        assert "image/png" in hands.shows("USE_TOOL real.get-tiny-image {}")
        assert [one.kind for one in hands.session.entries[-1].media] == ["image"]
        assert "WEATHER_KEY" not in hands.shows("USE_TOOL real.get-env {}")
        hands.fails('USE_TOOL real.get-sum {"a": "x"}', "not called")
