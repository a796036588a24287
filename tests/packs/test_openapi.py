"""Packs of OpenAPI documents: a real program by FastAPI says what it is, answers, and judges what it is asked."""

from __future__ import annotations

import json
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

from dotagent import tools
from dotagent.capabilities.toolpacks import pack_calls

pytest.importorskip("fastapi")
PROGRAM = Path(__file__).parent / "an_interface.py"
MANIFEST = """
env = ["WEATHER_KEY"]
reads = ["find", "count*", "elsewhere", "hang", "flood"]
timeout = "{timeout}"
[openapi]
document = "shop.json"
url = "http://127.0.0.1:{port}"
headers = {{Authorization = "Bearer ${{WEATHER_KEY}}"}}
"""


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about what becomes of a call, and not about what is asked first."""
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def lived(path: Path, timeout: str = "60s") -> Iterator[Hands]:
    """A life with the program's pack, and the program."""
    port = closed_port()
    words = [sys.executable, str(PROGRAM)]
    said = subprocess.run([*words, "--document"], capture_output=True, text=True, check=True).stdout
    with subprocess.Popen([*words, str(port)]) as program:
        try:
            until(lambda: listens(port), path)
            where = make_home(path / "home")
            made.enabled(
                where, made.folder(path / "shop", MANIFEST.format(port=port, timeout=timeout), shop__json=said)
            )
            with a_life(path) as hands:
                try:
                    yield hands
                finally:
                    pack_calls.end(hands.path, "shop")
        finally:
            program.kill()


@pytest.mark.slow
def test_operations_are_tools(tmp_path: Path) -> None:
    with lived(tmp_path) as hands:
        facts = tools.facts(hands.session)
        assert "    shop.find {name, tag?, most?, x-trace?} Find things by name" in facts
        assert "    shop.add {body} Put a thing on sale" in facts and "shop.count_count_get {}" in facts

        def found(args: str) -> dict[str, object]:
            told: dict[str, object] = json.loads(hands.shows(f"USE_TOOL shop.find {args}"))
            return told

        one = found('{"name": "a/../b c", "tag": ["x&y=1", "ü"], "most": 3, "x-trace": "t"}')
        assert one["path"] == "/items/a%2F..%2Fb%20c"  # it stays within its segment, wherever it leads then
        assert (one["tag"], one["most"], one["trace"]) == (["x&y=1", "ü"], 3, "t")
        assert one["by"] == "Bearer hush"  # the pack's, which no argument is
        hands.fails('USE_TOOL shop.find {"name": ".."}', "not called", "must not be empty, `.` or `..`")
        hands.fails('USE_TOOL shop.find {"name": "a", "most": 11}', "not called", "greater than the maximum")
        hands.fails('USE_TOOL shop.find {"name": "a", "x-trace": "a\\nb: c"}', "not called", "control characters")
        hands.fails('USE_TOOL shop.find {"name": "a", "Authorization": "x"}', "not called", "Additional properties")
        assert hands.events("TOOL")[0].detail == "USE_TOOL ok by=web"
        assert hands.effects("USE_TOOL") == []


@pytest.mark.night
def test_effects_and_what_goes_wrong(tmp_path: Path) -> None:
    with lived(tmp_path) as hands:
        body = '{"name": "lamp", "price": 3.5, "note": null, "parts": [{"name": "bulb", "parts": [{"name": "wire"}]}]}'
        assert (
            json.loads(hands.shows(f'USE_TOOL shop.add {{"body": {body}}}'))["parts"][0]["parts"][0]["name"] == "wire"
        )
        hands.fails('USE_TOOL shop.add {"body": {"name": "lamp", "price": 0}}', "not called", "body.price")
        hands.fails(
            'USE_TOOL shop.add {"body": {"name": "lamp", "price": 1, "parts": [{}]}}', "not called", "body.parts.0"
        )
        assert hands.shows("USE_TOOL shop.count_count_get") == "1"
        assert hands.shows('USE_TOOL shop.drop {"number": 0}') == "204 No Content"
        hands.fails('USE_TOOL shop.drop {"number": 0}', "404 Not Found", "no such thing")
        assert [one.split(" ")[0] for one in hands.effects("USE_TOOL")].count("shop.drop") == 2
        hands.fails("USE_TOOL shop.elsewhere", "307", "which leads to http://127.0.0.1:1/; dotagent does not follow it")
        assert len(hands.shows("USE_TOOL shop.flood")) < 110_000
    with lived(tmp_path / "brief", "2s") as hands:
        hands.fails("USE_TOOL shop.hang", "did not answer within 2 s", "may or may not have happened")
