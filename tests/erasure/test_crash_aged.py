"""Dying at every change to the disk while what is too old goes: it is all gone once the next process is through."""

from __future__ import annotations

from pathlib import Path

import crash
import deaths
import pytest
from deaths import POWER
from unforgotten import wrong
from world import offline, world

from dotagent.erasure import sweep
from dotagent.erasure.ledger import Ages
from dotagent.store.home import Home
from dotagent.text import times

OLD, NEW = "The wine is behind the third barrel", "The oil is behind the second barrel"


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of letting go, and tell what is wrong after any of them."""
    where = crash.fresh(base / "home")
    with world(where.root, offline) as it:
        for words in (f"{OLD}.", f"RECALL {OLD}"):
            it.say(words)
            it.run()
        before = times.now()
        for words in (f"RECALL {OLD[-12:]}", f"{NEW}."):
            it.say(words)
            it.run()
    found = deaths.of(where.root, power, lambda: "", lambda disk: let_go(where, before))
    assert len(found) > 8
    return [f"{death.name}: {problem}" for death in crash.tried(found) for problem in wrong(death, where, OLD, NEW)]


def let_go(where: Home, before: str) -> None:
    sweep.announce_aged(where, Ages(before), 3, "retention")
    sweep.finish(where)


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_at_every_change(power: str) -> None:
    crash.survives(everywhere, "aged", power)
