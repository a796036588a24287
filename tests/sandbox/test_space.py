"""A command that fills the disk is ended while a tenth of what was free is left, whoever started it: each on a small
disk of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import packed as made
import pytest
from hands import Hands, a_life, cleared
from support import PATIENCE, make_home, until

from dotagent import sandbox
from dotagent.capabilities.hooks import runner
from dotagent.capabilities.toolpacks import pack_calls
from dotagent.processes import background, space
from dotagent.store import home
from dotagent.store.hooks import Hook

BOXES = ["off", *(one for one in sandbox.KINDS if not sandbox.lacking(one))]
MIB = 1 << 20
SIZE, MUCH = 64, 60  # MiB of the disk, and what is written there
FILL = f"head -c {MUCH * MIB} /dev/zero > big; sleep infinity"
FILLER = f"""
import threading
from mcp.server import MCPServer
server = MCPServer("tests", log_level="CRITICAL")
@server.tool()
def fill() -> str:
    with open("big", "wb") as file:
        for _ in range({MUCH}):
            file.write(bytes({MIB}))
    threading.Event().wait()
    return "late"
server.run("stdio")
"""

pytestmark = pytest.mark.slow


@contextmanager
def a_disk(path: Path) -> Iterator[Path]:
    """A disk of this size."""
    path.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m,mode=700", "none", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be made here: {done.stderr.strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


@pytest.fixture(params=BOXES)
def hands(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hands]:
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")
    with a_disk(tmp_path / "home"):
        where = make_home(tmp_path / "home")
        (where.root / "dotagent.toml").write_text(f'sandbox = "{request.param}"\n')
        with a_life(tmp_path) as life, cleared(life):
            yield life


def is_spared(hands: Hands) -> bool:
    """Whether there is room left."""
    found = os.statvfs(hands.path)
    return found.f_bavail * found.f_frsize > 0


def test_run(hands: Hands) -> None:
    assert hands.shows(f"RUN {FILL}") == f"stopped: {space.FULL}\n"
    assert is_spared(hands)
    assert hands.shows("RUN rm big; echo on") == "exit status 0\non\n"


@pytest.mark.night
def test_process(hands: Hands) -> None:
    hands.shows(f"PROCESS start {FILL}")
    folder = hands.path / "processes/1"
    assert until(lambda: background.describe_end(folder), folder) == f"stopped: {space.FULL}"
    assert is_spared(hands)


def test_hook(hands: Hands) -> None:
    event = {"event": "message", "heard": ["private ana", ""]}
    for command in (FILL, f"exec >&- 2>&-; {FILL}"):
        one = Hook("mine", ("message",), command, PATIENCE)
        how, _ = runner.run(hands.where, home.settings(hands.where), hands.path, one, event)
        assert how == f"stopped: {space.FULL}"
        assert is_spared(hands)
        (hands.path / "files/big").unlink()


def test_pack_of_commands(hands: Hands) -> None:
    fill(hands, f'timeout = "10m"\n[command.fill]\nrun = "{FILL}"\n')


@pytest.mark.night
@pytest.mark.parametrize("hands", BOXES[-1:], indirect=True)
def test_pack_that_is_a_server(hands: Hands) -> None:
    pytest.importorskip("mcp.server")
    fill(hands, '[mcp]\nrun = ["{python}", "{pack}/server.py"]\n', server__py=FILLER)


def fill(hands: Hands, manifest: str, **more: str) -> None:
    """Call the tool `fill` of a pack."""
    made.enabled(hands.where, made.folder(hands.where.root / "filler", manifest, **more))
    try:
        hands.fails("USE_TOOL filler.fill {}", space.FULL, "may or may not have happened")
        assert is_spared(hands)
    finally:
        pack_calls.end(hands.path, "filler")


@pytest.mark.parametrize("hands", BOXES[1:], indirect=True)
def test_a_root_on_another_disk(hands: Hands, tmp_path: Path) -> None:
    with a_disk(tmp_path / "root") as root:
        hands.session.settings = replace(hands.session.settings, roots={"private": (str(root),)})
        assert hands.shows(f"RUN cd {root} && {FILL}") == f"stopped: {space.FULL}\n"
