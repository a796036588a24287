"""Dying at every change to the disk while what is too old goes: it is all gone once the next process is through."""

from __future__ import annotations

from pathlib import Path

import crash
import deaths
import pytest
from a_lived_home import look
from deaths import POWER, Death
from unforgotten import traces
from world import offline, world

from dotagent.forgetting import ledger, sweep
from dotagent.forgetting.ledger import Ages
from dotagent.store import home, log
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
    return [f"{death.name}: {problem}" for death in found for problem in wrong(death, where)]


def let_go(where: Home, before: str) -> None:
    sweep.announce_aged(where, Ages(before), 3, "retention")
    sweep.finish(where)


def resume(where: Home) -> None:
    with world(where.root, offline) as it:
        it.say("Where is the oil?")
        it.run()


def wrong(death: Death, where: Home) -> list[str]:
    """What is wrong after a death, once the life was taken up again."""
    death.tree.write(where.root)
    promised = sweep.due(where) or bool(ledger.read(where.root))
    if deaths.child(lambda: resume(where)):
        return ["resuming failed"]
    found = traces(where.root, OLD)
    if not promised:
        return [] if found else ["it is gone, and was not announced"]
    problems = [f"it still stands in {', '.join(found)}"] if found else []
    lines = list(log.lines(where.agent(home.lives(where)[0]) / "LIFE.md"))
    if [line.event for line in lines].count("FORGOT") != 1 or len(ledger.read(where.root)) != 1:
        problems.append("it is not told of once")
    if not traces(where.root, NEW):
        problems.append("what is younger is gone")
    if sweep.due(where):
        problems.append("it is still announced")
    return problems + [one["what"] for one in look(where, "--deep")[1] if one["level"] == "damage"]


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_at_every_change(power: str) -> None:
    crash.survives(everywhere, "aged", power)
