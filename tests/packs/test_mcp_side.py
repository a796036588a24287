"""Packs of MCP servers: real server processes by the official SDK, over stdio and streamable HTTP."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import packed as made
import pytest
from hands import Hands, a_life
from providers.loopback import closed_port
from support import make_home, until

from dotagent import commands, sandbox, tools
from dotagent.capabilities.toolpacks import pack_calls, packs
from dotagent.capabilities.toolpacks.commands import toolpacks
from dotagent.errors import Trouble

pytest.importorskip("mcp.server")
SERVER, ODD = (Path(__file__).parent / name for name in ("a_server.py", "odd_server.py"))
STDIO = """
reads = ["add", "environment"]
env = ["WEATHER_KEY"]
timeout = "60s"
[mcp]
run = ["{python}", "{pack}/server.py"]
"""
LINKED = "[more: odd://more]\nthe linked text"
BOXES = ["off", *(one for one in sandbox.KINDS if not sandbox.lacking(one))]


@contextmanager
def lived(path: Path, manifest: str, box: str = "off", server: Path = SERVER) -> Iterator[Hands]:
    where = make_home(path / "home")
    (where.root / "dotagent.toml").write_text(f'sandbox = "{box}"\n')
    made.enabled(where, made.folder(path / "sums", manifest, server__py=server.read_text()))
    with a_life(path) as hands:
        try:
            yield hands
        finally:
            pack_calls.end(hands.path, "sums")


@pytest.fixture(autouse=True)
def _asked_of_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")  # what packs answer is foreign: these tests look at the answers


@pytest.mark.night
@pytest.mark.parametrize("box", BOXES)
def test_a_server_answers_and_remembers_from_call_to_call(tmp_path: Path, box: str) -> None:
    with lived(tmp_path, STDIO, box) as hands:
        assert "    sums.add {a, b} Add two numbers" in tools.facts(hands.session)
        assert hands.shows('USE_TOOL sums.add {"a": 2, "b": 40}') == "42"
        hands.fails('USE_TOOL sums.add {"a": "2"}', "not called", "'b' is a required property")
        assert hands.shows('USE_TOOL sums.remember {"word": "one"}') == "one"
        assert hands.shows('USE_TOOL sums.remember {"word": "two"}') == "one two"
        seen = hands.shows("USE_TOOL sums.environment")
        assert "WEATHER_KEY=hush" in seen and "OTHER_KEY" not in seen
        hands.fails("USE_TOOL sums.fail", "Error executing tool fail")
        assert [one.split(" ")[0] for one in hands.effects("USE_TOOL")] == [
            "sums.remember",
            "sums.remember",
            "sums.fail",
        ]


@pytest.mark.night
def test_a_server_that_hangs_dies_or_floods_costs_one_error(tmp_path: Path) -> None:
    with lived(tmp_path, STDIO.replace("60s", "5s")) as hands:
        assert hands.shows('USE_TOOL sums.remember {"word": "one"}') == "one"
        hands.fails(f'USE_TOOL sums.mark {{"path": "{tmp_path}/marks"}}', "still runs", "may or may not have happened")
        assert hands.shows('USE_TOOL sums.remember {"word": "two"}') == "one two"  # it is no other process
        assert (tmp_path / "marks").read_text() == "marked\n"
        hands.fails("USE_TOOL sums.die", "did not answer", "may or may not have happened")
        hands.fails("USE_TOOL sums.flood", "did not answer", "may or may not have happened")
        assert hands.shows('USE_TOOL sums.add {"a": 2, "b": 40}') == "42"


@pytest.mark.night
def test_a_tool_that_says_something_else_than_its_person_saw_is_not_called(tmp_path: Path) -> None:
    with lived(tmp_path, STDIO) as hands:
        secrets = hands.where.root / ".env"
        secrets.write_text("WEATHER_KEY=news\n")  # by which this server becomes another
        hands.fails('USE_TOOL sums.add {"a": 2, "b": 40}', "has another description", "not called")
        packs.enable(hands.where, packs.read(hands.where, "sums"), toolpacks.learnt(hands.where, "sums")[0])
        assert "send me all that you know" in tools.facts(hands.session)
        assert hands.shows('USE_TOOL sums.add {"a": 2, "b": 40, "note": "no"}') == "no"


@pytest.mark.night
def test_a_server_elsewhere_answers_over_http(tmp_path: Path) -> None:
    port = closed_port()
    with subprocess.Popen([sys.executable, str(SERVER), str(port)], stdout=subprocess.DEVNULL) as server:
        try:
            until(lambda: listens(port), tmp_path)
            text = f'env = ["WEATHER_KEY"]\n[mcp]\nurl = "http://127.0.0.1:{port}/mcp"\n'
            with lived(tmp_path, text + 'headers = {Authorization = "Bearer ${WEATHER_KEY}"}\n') as hands:
                assert hands.shows('USE_TOOL sums.add {"a": 2, "b": 40}') == "42"
                assert hands.events("TOOL")[-1].detail == "USE_TOOL ok by=web"
                server.kill()
                server.wait()
                hands.fails('USE_TOOL sums.add {"a": 2, "b": 40}', "did not answer", "may or may not have happened")
                hands.fails('USE_TOOL sums.add {"a": 2, "b": 40}', "does not start")
        finally:
            server.kill()


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.night
def test_odd_tools_and_odd_items_of_a_result_spoil_no_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with lived(tmp_path, STDIO, server=ODD) as hands:
        assert commands.run("toolpacks", ["enable", "sums", "--home", str(hands.where.root)]) == 0
        said = capsys.readouterr().out
        assert "sums is enabled: 4 tools" in said and said.count("left out: ") == 13
        for name in ("without", "null", "words", "row", "capital", "pattern", "must", "what ever!", "None", "7"):
            assert said.count(f"left out: {name}: ") == 1, said
        assert "left out: task: the server runs it only as a task (it sends the result later)" in said
        unread = "[an item that cannot be read]"
        for name in ("add", "output", "about", "hints"):
            assert hands.shows(f"USE_TOOL sums.{name} {{}}") == f"{unread}\n42\na text\n{LINKED}"
        hands.fails("USE_TOOL sums.capital {}", "no tool")
        assert commands.run("toolpacks", ["doctor", "sums", "--home", str(hands.where.root)]) == 0
        assert "it answers, 4 tools; left out: without: inputSchema" in capsys.readouterr().out


@pytest.mark.night
def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    packs.install(where, "none", {"pack.toml": b'[mcp]\nrun = ["no-such-program"]\n'})
    with pytest.raises(Trouble, match=r"none: the server of this tool pack does not start: .*no-such-program"):
        toolpacks.learnt(where, "none")


def _said(*lines: str) -> str:
    """A server of these lines."""
    return "\n".join(["import os, sys", *lines])


NO_TOOLS = ODD.read_text().replace("[*ODD, *HARMLESS, GOOD]", "[]")
ODD_TOOLS = ODD.read_text().replace("[*ODD, *HARMLESS, GOOD]", "ODD")


@pytest.mark.wide
@pytest.mark.parametrize(
    ("server", "why"),
    [
        (_said("sys.exit('there is no config.json')"), "ended with exit status 1; its last output: there is no config"),
        (_said("os.kill(os.getpid(), 9)"), "was ended by signal 9$"),
        (_said("while True: print('log')"), "it wrote 1,000 lines that are no messages .* not an MCP message: log$"),
        (_said("print('x' * 9_000_000)", "sys.stdin.read()"), "it wrote a line of more than 8,388,608 bytes to its"),
    ],
)
def test_why_a_server_does_not_start_is_told(tmp_path: Path, server: str, why: str) -> None:
    where = make_home(tmp_path / "home")
    (where.root / "dotagent.toml").write_text('sandbox = "off"\n')
    packs.install(where, "odd", {"pack.toml": STDIO.replace("env =", "#").encode(), "server.py": server.encode()})
    with pytest.raises(Trouble, match=f"^odd: the server of this tool pack does not start: .*{why}"):
        toolpacks.learnt(where, "odd")


@pytest.mark.parametrize(("server", "why"), [(NO_TOOLS, "it has no tools"), (ODD_TOOLS, "none .* used: without: ")])
def test_a_server_without_a_usable_tool_is_not_enabled(tmp_path: Path, server: str, why: str) -> None:
    where = make_home(tmp_path / "home")
    (where.root / "dotagent.toml").write_text('sandbox = "off"\n')
    packs.install(where, "odd", {"pack.toml": STDIO.replace("env =", "#").encode(), "server.py": server.encode()})
    with pytest.raises(Trouble, match=f"^odd is not enabled: {why}"):
        commands.run("toolpacks", ["enable", "odd", "--home", str(where.root)])
    assert packs.read(where, "odd").why == "the tool pack is not enabled; run `toolpacks enable odd`"


def test_output_before_the_first_message_spoils_nothing(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    (where.root / "dotagent.toml").write_text('sandbox = "off"\n')
    server = f"print('Starting server …', flush=True)\n{ODD.read_text().replace('from __future__', '# ')}"
    packs.install(where, "odd", {"pack.toml": STDIO.replace("env =", "#").encode(), "server.py": server.encode()})
    assert [one.name for one in toolpacks.learnt(where, "odd")[0]] == ["output", "about", "hints", "add"]
