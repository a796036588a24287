"""What a swap forgot comes back, because a person wishes it: the command, and a process that takes the wish up."""

from __future__ import annotations

from pathlib import Path

import pytest
from lives import chat, lines, living, talking
from looking import rows, told
from support import PATIENCE, make_home, run, spawn, until
from ticketed import SMALL, born, told_of
from world import World

from dotagent import commands


@pytest.mark.night
def test_the_last_swap_comes_back_and_a_receipt_tells(lived: World) -> None:
    lived.on_step = None
    before = rows(told(lived, "forgotten", "--swaps", "--json"))
    assert [one["id"] for one in before] == [line.id for line in lines(lived, "SWAP")]
    for one in before:
        for what in ("entries", "tokens", "bytes"):
            assert one["left"][what] == one["was"][what] - one["now"][what]
            assert one["left"][what] == sum(item["was"][what] - item["now"][what] for item in one["items"])
    heads, *plain = told(lived, "forgotten", "--swaps").removesuffix("\n").split("\n")
    assert heads.split() == ["swap", "at", "why", "entries", "tokens", "bytes", "summaries", "stripped"]
    assert len(plain) == len(before)
    assert max(map(len, [heads, *plain])) <= 100
    items = rows(told(lived, "forgotten", "--swaps", "--json", before[-1]["id"][:12]))
    assert items == before[-1]["items"]
    assert f"#{items[0]['first']}" in told(lived, "forgotten", before[-1]["id"][:12], "--swaps")
    assert " will come back " in told(lived, "unfade")
    assert lived.me.compactor.whole.regret.read_text() == before[-1]["id"]
    lived.run()
    last = rows(told(lived, "forgotten", "--swaps", "--json"))[-1]
    assert (last["why"], last["undoes"]) == ("unfade", before[-1]["id"])
    assert last["left"]["bytes"] < 0
    assert rows(told(lived, "forgotten", "--swaps", "-n", "1", "--json")) == [last]
    assert f"the last 1 of {len(before) + 1} swaps" in told(lived, "forgotten", "--swaps", "-n", "1")
    with pytest.raises(commands.Misuse, match="would bring back nothing"):
        told(lived, "unfade", before[-1]["id"])


@pytest.mark.slow
def test_what_is_no_swap_is_said(lived: World) -> None:
    for words in (["unfade", "0" * 12], ["unfade", "x"], ["forgotten", "0" * 12, "--swaps"]):
        with pytest.raises(commands.Misuse, match="no swap of this agent has an id that begins with"):
            told(lived, *words)


def test_a_life_that_forgot_nothing(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 1)
        assert told(lived, "forgotten", "--swaps").startswith("no swaps yet")
        with pytest.raises(commands.Misuse, match="nothing to bring back"):
            told(lived, "unfade")


@pytest.mark.slow
def test_unfade_wakes_an_agent_that_runs(tmp_path: Path) -> None:
    """The real programs, with the offline provider, which compacts without a model."""
    where = make_home(tmp_path / "home")
    self_id = born(where)
    path = where.agent(self_id)
    told_of(where, "drawer")
    run(where, "-m", "dotagent", "fade", self_id[:8], env=SMALL)

    def swaps(why: str) -> int:
        return (path / "LIFE.md").read_bytes().count(f" SWAP {why} ".encode())

    agent = spawn(where, "agent.py", self_id, "--provider", "offline", env=SMALL)
    try:
        until(lambda: swaps("asked") == 1, path)
        asked = run(where, "-m", "dotagent", "unfade", self_id[:8], env=SMALL)
        assert asked.stdout.endswith(" now\n"), asked
        until(lambda: swaps("unfade") == 1, path)
        until(lambda: not (path / "run/unfade").exists(), path)
        assert b"FADED" not in (path / "context.md").read_bytes()
    finally:
        agent.terminate()
        agent.communicate(timeout=PATIENCE)
