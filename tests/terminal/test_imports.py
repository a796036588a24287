"""Talking costs little: chat.py loads what a chat needs, and nothing of the agents, the bridges or the network; what
reads keys and draws is loaded at a terminal only."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from support import ROOT

FOREIGN = {"sqlite3", "asyncio", "socket", "ssl", "http", "httpx", "concurrent", "multiprocessing"}
DRAWS = {"prompt_toolkit", "wcwidth"}
PARTS = {"arguments", "capabilities", "errors", "extensions", "installed", "output", "store", "terminal", "text"}
STORE = {
    "agent_search",
    "aliases",
    "blobs",
    "directories",
    "disk",
    "display",
    "home",
    "lines",
    "lives",
    "log",
    "named_agents",
    "process",
    "room_completion",
    "rooms",
    "watch",
}
STORE |= {
    "agent_tables",
    "bootstrap",
    "options",
    "plugins",
    "prompts",
    "setting",
    "variables",
}  # what a home's settings may be


def loaded(name: str) -> set[str]:
    """Every module that is loaded with this one."""
    code = f"import json, sys, {name}; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("name", "more", "never"),
    [
        ("chat", set(), FOREIGN | DRAWS),
        (
            "dotagent.terminal.dialogue",
            {
                "life",
                "bootstrap",
                "call",
                "call_ending",
                "child_processes",
                "credentials",
                "draft",
                "history",
                "launch",
                "loop_watch",
                "placed_calls",
                "provider_status",
                "queue",
                "taken_calls",
            },
            {"sqlite3", "http", "httpx", "rich", "markdown_it", "pygments"},
        ),
    ],
)
def test_a_chat_loads_only_what_it_needs(name: str, more: set[str], never: set[str]) -> None:
    found = loaded(name)
    assert not never & found
    ours = [module.split(".") for module in found if module.startswith("dotagent.")]
    assert {words[1] for words in ours} <= PARTS | more
    assert {words[2] for words in ours if words[1] == "store" and len(words) > 2} <= STORE | more
    assert len(ours) <= 72
