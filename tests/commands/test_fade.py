"""Forgetting now, because a person wishes it: in the real programs, with the offline provider."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import PATIENCE, make_home, run, spawn, until
from ticketed import SMALL, born, told_of


@pytest.mark.slow
def test_fade_wakes_an_agent_that_runs_and_waits_for_one_that_sleeps(tmp_path: Path) -> None:
    """The real programs, with the offline provider, which compacts without a model."""
    where = make_home(tmp_path / "home")
    self_id = born(where)
    path = where.agent(self_id)
    told_of(where, "drawer")
    asked = run(where, "-m", "dotagent", "fade", self_id[:8], env=SMALL)
    assert (
        asked.stdout
        == f"agent {self_id[:12]} will summarise its oldest messages; this starts when the agent runs next\n"
    )

    def swaps() -> int:
        return (path / "LIFE.md").read_bytes().count(b" SWAP asked ")

    agent = spawn(where, "agent.py", self_id, "--provider", "offline", env=SMALL)
    try:
        until(lambda: swaps() == 1, path)
        assert not (path / "run/fade").exists()
        told_of(where, "cellar")
        until(lambda: b"cellar 77" in (path / "context.md").read_bytes(), path)
        asked = run(where, "-m", "dotagent", "fade", self_id[:8], env=SMALL)
        assert asked.stdout.endswith("this starts now\n")
        until(lambda: swaps() == 2, path)
    finally:
        agent.terminate()
        agent.communicate(timeout=PATIENCE)
