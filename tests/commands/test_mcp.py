"""`mcp`: the official SDK's client talks with a real agent through a real server process, and searches its memory."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, environment, make_home, spawn, until
from terminals import Terminal

from dotagent.store import home, lives
from dotagent.store.home import Home

mcp = pytest.importorskip("mcp")


def call(where: Home, *calls: tuple[str, dict[str, Any]], words: tuple[str, ...] = ()) -> list[tuple[bool, str]]:
    """What comes of these calls, one after the other, in one session."""
    import anyio
    from mcp.client.stdio import StdioServerParameters

    asked = ["-m", "dotagent", "mcp", "--home", str(where.root), "--audience", "private", *words]

    async def go() -> list[tuple[bool, str]]:
        found = []
        server = StdioServerParameters(command=sys.executable, args=asked, env=environment(where), cwd=ROOT)
        async with mcp.Client(server) as client:
            names = {one.name for one in (await client.list_tools()).tools}
            assert names == {"rooms", "read_room", "say", "recall", "uncompact"}
            for name, args in calls:
                done = await client.call_tool(name, args)
                found.append((not done.is_error, "\n".join(getattr(one, "text", "") for one in done.content)))
        return found

    return anyio.run(go)


@pytest.mark.night
def test_another_agent_talks_with_one_and_searches_its_memory(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    with spawn(where, "agent.py", "--provider", "offline") as agent:
        try:
            until(lambda: [one for one in home.lives(where) if lives.awake(where, "dev")], where.root)
            say = ("say", {"room": "dev", "text": "remember that the harbour is in Porto", "wait_seconds": 30})
            (ok, said), (_, rooms), (_, found) = call(
                where, say, ("rooms", {}), ("recall", {"query": "harbour Porto"}), words=("--as-person",)
            )
            assert ok and "harbour" in said, said
            assert "dev: last change" in rooms and "(running)" in rooms
            id = re.search(r"\b[0-9a-f]{12}(?=  20)", found)
            assert id, found
            (ok, original), (wrong, why), (_, read) = call(
                where, ("uncompact", {"id": id[0]}), ("read_room", {"room": "hall"}), ("read_room", {"room": "dev"})
            )
            assert ok and "harbour" in original
            assert not wrong and "there is no room 'hall' that you can see;" in why
            assert "ana: remember that the harbour" in read
        finally:
            agent.send_signal(signal.SIGTERM)
            agent.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mcp", "acp"])
def test_a_person_at_a_terminal_is_told_that_a_program_belongs_there(tmp_path: Path, name: str) -> None:
    with Terminal(make_home(tmp_path), "-m", "dotagent", name, "--audience", "private", width=120) as screen:
        screen.sees(
            f"this command talks to another program through stdin and stdout, see docs/{name}.md; Ctrl-C ends it"
        )
